//! The prompts are embedded in the program; a changed one is embedded again.

fn main() {
    println!("cargo::rerun-if-changed=../prompts");
}
