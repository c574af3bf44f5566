//! The only place that writes to the terminal. Control characters and bidirectional controls are escaped, wherever a text comes from, and
//! secrets are removed from addresses in notes. If the reader of the output closes its end, as `head` does, output stops without an error.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;

use domain::shown;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

use super::Failure;

/// The name of this program.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the name of this program, once.
pub(crate) fn call(program: &'static str) {
    PROGRAM.get_or_init(|| program);
}

/// The secrets of this process. They are replaced in everything that is written to the standard error.
static SECRETS: OnceLock<Vec<String>> = OnceLock::new();

/// Sets the texts that are never written to the standard error, once.
pub(crate) fn keep(secrets: Vec<String>) {
    SECRETS.get_or_init(|| secrets);
}

fn without_secrets(text: &str) -> String {
    let mut text = shown::without_secrets(text).into_owned();
    for secret in SECRETS.get().into_iter().flatten() {
        if text.contains(secret) {
            text = text.replace(secret, shown::HIDDEN);
        }
    }
    text
}

/// The name that people type to start this program.
pub fn program() -> &'static str {
    PROGRAM.get().copied().unwrap_or("palimpsest")
}

/// Whether the standard output is a terminal, so that a person sees the answers.
pub fn answers_are_seen() -> bool {
    io::stdout().is_terminal()
}

/// Whether the standard error is a terminal, so that a person sees notes.
pub fn notes_are_seen() -> bool {
    io::stderr().is_terminal()
}

/// Writes a line of an answer. Line ends in it are escaped, so that no title can look like a row of its own.
pub fn line(text: &str) -> Result<(), Failure> {
    put(&shown::line(text))
}

/// Writes an answer that has several lines.
pub fn lines(text: &str) -> Result<(), Failure> {
    put(&shown::lines(text))
}

/// Writes a document. A program reads it unchanged; on a terminal its control characters are escaped.
pub fn document(text: &str) -> Result<(), Failure> {
    if answers_are_seen() {
        return lines(text);
    }
    put(text)
}

/// Writes lines that this program has coloured. Every text in them was escaped (`domain::shown`) before it was coloured.
pub fn drawn(text: &str) -> Result<(), Failure> {
    put(text)
}

fn put(text: &str) -> Result<(), Failure> {
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

/// Writes a note for a person that is not part of the answer. Its further lines are indented, so that none looks like a note of its own.
pub fn note(text: &str) {
    let text = without_secrets(text);
    let text = shown::lines(&text).replace('\n', "\n  ");
    // If the standard error is closed, nobody can be told.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a note that this program has coloured; see [`drawn`].
pub fn drawn_note(text: &str) {
    // If the standard error is closed, nobody can be told.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes why a command failed.
pub fn error(text: &str) {
    note(&format!("{}: {text}", program()));
}

/// Writes what was wrong with the command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error) {
    let text = error.render();
    if error.use_stderr() {
        // The message quotes the arguments.
        let text = without_secrets(&text.to_string());
        let _ = write!(io::stderr().lock(), "{}", shown::lines(&text));
    } else {
        // A closed pipe is no reason to fail.
        let _ = error.print();
    }
}

/// Writes panics in the same way as everything else: their messages may quote texts of users.
pub(crate) fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("without a name").to_owned();
        let backtrace = Backtrace::capture();
        let backtrace = if backtrace.status() == BacktraceStatus::Captured {
            format!("\n{backtrace}")
        } else {
            String::new()
        };
        error(&format!("the thread {thread} {panic}{backtrace}"));
    }));
}

/// Where log lines are written. Their fields are [`ShownFields`].
pub(crate) fn log() -> io::Stderr {
    io::stderr()
}

/// Formats the fields of log lines: what would break a line is escaped.
pub(crate) struct ShownFields;

impl<'a> FormatFields<'a> for ShownFields {
    fn format_fields<R: RecordFields>(&self, mut to: Writer<'a>, fields: R) -> fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        let text = without_secrets(&text);
        to.write_str(&shown::line(&text))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Kept {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn a_line_of_the_log_stays_one_line_without_controls_and_secrets() {
        let kept = Kept::default();
        let log = tracing_subscriber::fmt()
            .with_writer(kept.clone())
            .with_ansi(false)
            .fmt_fields(ShownFields)
            .finish();
        tracing::subscriber::with_default(log, || {
            let name = "a\u{1b}[31m\n2026-01-01 ERROR forged\u{202e}";
            tracing::error!(name, cause = %"http://u:hush@h/?key=hush", "it failed: {name}");
        });
        let text = String::from_utf8(kept.0.lock().expect("no panic").clone()).expect("UTF-8");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.trim_end().chars().any(shown::is_hidden), "{text}");
        assert!(!text.contains("hush"), "{text}");
        assert!(
            text.contains("it failed") && text.contains("http://…@h/?key=…"),
            "{text}"
        );
    }
}
