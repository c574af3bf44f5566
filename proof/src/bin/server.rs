//! The program with nothing but the pipeline of random programs: what the real tier kills, freezes and cuts off.

use std::process::ExitCode;

use palimpsest::Server;
use proof::pipeline::{NAME, PROMPT, PROMPT_TEXT, Programs, Weigh};

fn main() -> ExitCode {
    let server = Server::builder()
        .name(NAME)
        .pipeline(&Programs)
        .prompt(PROMPT, PROMPT_TEXT)
        .tool(Weigh)
        .build();
    palimpsest::main(server)
}
