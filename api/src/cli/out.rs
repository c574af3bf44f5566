//! Writing to the terminal. A reader that closes its end, such as `head`, ends the output and is no failure.

use std::io::{self, Write};
use std::sync::OnceLock;

use super::exit::Failure;

/// What this program is called.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Says what this program is called, once.
pub(super) fn call(program: &'static str) {
    PROGRAM.get_or_init(|| program);
}

/// What people type to call this program.
pub(super) fn program() -> &'static str {
    PROGRAM.get().copied().unwrap_or("palimpsest")
}

/// Writes a line of an answer.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Failure::from),
    }
}

/// Tells a person something that is not part of the answer.
pub(super) fn note(text: &str) {
    // There is nobody to tell that the standard error is closed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Tells why nothing came of it.
pub(super) fn error(text: &str) {
    note(&format!("{}: {text}", program()));
}
