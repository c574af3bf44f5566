//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    palimpsest::cli::main()
}
