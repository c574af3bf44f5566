//! Why a file is not read.

use thiserror::Error;

/// A file that is not read. The words are for the person who gave it: the cause, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// Nothing here reads this kind of file.
    #[error("{found} cannot be read: {advice}")]
    UnknownFormat {
        /// Such as "a ZIP archive" or "an old Word document (.doc)".
        found: String,
        /// Such as "save it as .docx and give that".
        advice: String,
    },
    /// It is empty.
    #[error("the file is empty: give one that has content")]
    Empty,
    /// It has a password.
    #[error("the {format} is encrypted: save it without a password and give that")]
    Encrypted {
        /// See [`spec::source::SourceFormat::title`].
        format: &'static str,
    },
    /// It has pages and no text.
    #[error(
        "the PDF has {pages} pages and no text layer, as a scan has: run text recognition (OCR) over it and give the result"
    )]
    Scanned {
        /// How many.
        pages: usize,
    },
    /// It goes beyond a limit.
    #[error("the file has {value} {what}, and at most {most} are read: give a part of it")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// How many; where counting stopped at the limit, the first number beyond it.
        value: u64,
        /// The limit.
        most: u64,
    },
    /// Its content is not what its format requires.
    #[error(
        "the {format} is damaged ({cause}): open it in the program that made it, save it again and give that"
    )]
    Damaged {
        /// See [`spec::source::SourceFormat::title`].
        format: &'static str,
        /// The cause, in the words of the reader.
        cause: String,
    },
    /// It took too long.
    #[error("reading the file took more than {seconds} seconds: give a part of it")]
    OutOfTime {
        /// The limit.
        seconds: u64,
    },
    /// Other files take the memory that reading may take in this process.
    #[error(
        "other files that are being read leave too little memory for this one: give it again in a minute"
    )]
    Busy,
    /// Nobody waits for it any more.
    #[error("reading was stopped before its end")]
    Stopped,
}
