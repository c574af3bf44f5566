//! The prompts are embedded in the program; when one changes, they are embedded again.

fn main() {
    // To cargo, a line on the standard output is an instruction.
    use std::io::Write;
    let told = writeln!(std::io::stdout(), "cargo::rerun-if-changed=../prompts");
    told.expect("cargo reads what a build script says");
}
