//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    palimpsest::main(palimpsest_program::built_in().build())
}
