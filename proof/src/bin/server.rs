//! A server with no other pipeline than the one of random programs: the real tier kills, freezes and cuts it off.

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
