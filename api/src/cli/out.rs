//! The one way to the terminal. What is written is shown: control characters and bidirectional controls are written out, whoever
//! the text is from, and addresses in notes stand there without their secrets. A reader that closes its end, such as `head`, ends
//! the output and is no failure.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;

use domain::shown;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

use super::exit::Failure;

/// What this program is called.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Says what this program is called, once.
pub(super) fn call(program: &'static str) {
    PROGRAM.get_or_init(|| program);
}

/// The secrets of this process: what quotes one is told without it.
static SECRETS: OnceLock<Vec<String>> = OnceLock::new();

/// Says which texts are never written to the standard error, once.
pub(super) fn keep(secrets: Vec<String>) {
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

/// What people type to call this program.
pub(super) fn program() -> &'static str {
    PROGRAM.get().copied().unwrap_or("palimpsest")
}

/// Whether a person sees the answers.
pub(super) fn answers_are_seen() -> bool {
    io::stdout().is_terminal()
}

/// Whether a person sees what is not part of the answer.
pub(super) fn notes_are_seen() -> bool {
    io::stderr().is_terminal()
}

/// Writes a line of an answer. An end of a line in it is written out, so that no title can look like a row of its own.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    put(&shown::line(text))
}

/// Writes an answer that has several lines.
pub(super) fn lines(text: &str) -> Result<(), Failure> {
    put(&shown::lines(text))
}

/// Writes a document. What a program reads is the document as it is; a person sees it with its controls written out.
pub(super) fn document(text: &str) -> Result<(), Failure> {
    if answers_are_seen() {
        return lines(text);
    }
    put(text)
}

/// Writes lines that this program has drawn with colours. Every text in them was shown (`domain::shown`) before it was coloured.
pub(super) fn drawn(text: &str) -> Result<(), Failure> {
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

/// Tells a person something that is not part of the answer. Further lines of it are indented, so that none looks like a note of
/// its own.
pub(super) fn note(text: &str) {
    let text = without_secrets(text);
    let text = shown::lines(&text).replace('\n', "\n  ");
    // There is nobody to tell that the standard error is closed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Tells a person what this program has drawn with colours; see [`drawn`].
pub(super) fn drawn_note(text: &str) {
    // There is nobody to tell that the standard error is closed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Tells why nothing came of it.
pub(super) fn error(text: &str) {
    note(&format!("{}: {text}", program()));
}

/// Tells what was wrong with the command line, or the help that was asked for.
pub(super) fn usage(error: &clap::Error) {
    let text = error.render();
    if error.use_stderr() {
        // It quotes what was given.
        let text = without_secrets(&text.to_string());
        let _ = write!(io::stderr().lock(), "{}", shown::lines(&text));
    } else {
        // A closed pipe is no reason to fail.
        let _ = error.print();
    }
}

/// Has panics told in the same way as everything else: their messages quote what was worked on.
pub(super) fn tell_panics() {
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

/// Where the lines of the log go, whose fields are [`ShownFields`].
pub(super) fn log() -> io::Stderr {
    io::stderr()
}

/// The fields of a log's lines: each line stays one, with what is in it written out.
pub(super) struct ShownFields;

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
