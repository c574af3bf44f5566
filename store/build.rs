//! The migrations are embedded at compile time; a changed one has to be embedded again.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
