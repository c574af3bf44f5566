//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    palimpsest::main(palimpsest::Server::built_in().build())
}
