//! The only entry for files: bytes and a name become a [`SourceDocument`] of blocks, or a refusal that says what to do.
//!
//! Formats are recognised by their first bytes, and by the name only if the bytes do not decide. A reader takes every word of a file; what
//! it must leave out, it names as an omission. All files are treated as hostile: each has limits for bytes, expansion, memory, time,
//! cells, pages and nesting; a panic of a reader is reported as a damaged file; and no reader opens a path, an address or an entity that a
//! file names.

#[cfg(test)]
mod any_bytes_tests;
pub mod budget;
mod chapters;
mod detect;
mod encoding;
mod gather;
mod limits;
mod markdown;
mod package;
mod readers;
mod refusal;
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};

use budget::ReadingBudget;
use spec::drawn::DrawnPresentation;
use spec::source::{RichText, SourceDocument, SourceFormat};

pub use chapters::{
    ChapterKind, ChapterPlan, ChapterSpan, Manuscript, ManuscriptChapter, manuscript,
    manuscript_of, split_blocks, split_markdown, split_text,
};
pub use encoding::text;
pub use limits::IntakeLimits;
pub use markdown::markdown;
pub use readers::check_html;
pub use refusal::Unreadable;

/// Reads a file.
///
/// `name` is what the person called it, with its extension; `bytes` are all of its bytes. `stop` is called between pages, rows and parts:
/// once it returns true, reading ends with [`Unreadable::Stopped`].
///
/// # Errors
///
/// [`Unreadable`], whose words name the cause and what to do.
pub fn read(
    name: &str,
    bytes: &[u8],
    limits: &IntakeLimits,
    stop: &dyn Fn() -> bool,
) -> Result<SourceDocument, Unreadable> {
    let (format, mut document) = read_by(name, bytes, limits, stop, readers::read)?;
    document.format = format;
    Ok(document)
}

/// Reads a presentation with the shapes of its slides; for a file of another format, only the document.
///
/// # Errors
///
/// Those of [`read`].
pub fn read_drawn(
    name: &str,
    bytes: &[u8],
    limits: &IntakeLimits,
    stop: &dyn Fn() -> bool,
) -> Result<DrawnPresentation, Unreadable> {
    let (format, mut drawn) = read_by(name, bytes, limits, stop, readers::drawn)?;
    drawn.document.format = format;
    Ok(drawn)
}

fn read_by<T>(
    name: &str,
    bytes: &[u8],
    limits: &IntakeLimits,
    stop: &dyn Fn() -> bool,
    reader: impl FnOnce(SourceFormat, &Reading<'_>) -> Result<T, Unreadable>,
) -> Result<(SourceFormat, T), Unreadable> {
    let size = bytes.len() as u64;
    if size > limits.bytes {
        return Err(Unreadable::TooLarge {
            what: "bytes",
            value: size,
            most: limits.bytes,
        });
    }
    let reading = Reading {
        name,
        bytes,
        limits,
        stop,
        budget: ReadingBudget::default(),
    };
    let format = caught("file", || detect::format(&reading))?;
    let outcome = caught(format.title(), || reader(format, &reading))?;
    Ok((format, outcome))
}

/// Libraries that read foreign formats have faults of their own, which must not end a server.
fn caught<T>(
    title: &'static str,
    read: impl FnOnce() -> Result<T, Unreadable>,
) -> Result<T, Unreadable> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let cause = panic_message(panic.as_ref());
        tracing::warn!(format = title, cause, "a reader of files failed");
        Err(Unreadable::Damaged {
            format: title,
            cause,
        })
    })
}

/// What a reader works on.
pub(crate) struct Reading<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) limits: &'a IntakeLimits,
    stop: &'a dyn Fn() -> bool,
    pub(crate) budget: ReadingBudget,
}

impl Reading<'_> {
    /// Has to be called between pages, rows and parts.
    pub(crate) fn go_on(&self) -> Result<(), Unreadable> {
        if (self.stop)() {
            return Err(Unreadable::Stopped);
        }
        if self.budget.elapsed() > self.limits.time {
            return Err(Unreadable::OutOfTime {
                seconds: self.limits.time.as_secs(),
            });
        }
        Ok(())
    }

    /// Has to be called before content is kept that the file only refers to, or that it says to repeat.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), Unreadable> {
        self.go_on()?;
        self.budget.take(bytes, self.limits.memory_bytes)
    }

    /// Has to be called before the rows of a table are made equally wide.
    pub(crate) fn charge_cells(&self, rows: usize, columns: usize) -> Result<(), Unreadable> {
        self.charge(
            rows.saturating_mul(columns)
                .saturating_mul(size_of::<RichText>()),
        )
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the reader failed without a message")
        .to_owned()
}
