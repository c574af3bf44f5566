//! A story as a folder of text files: what writers keep, and what a project is exported as.
//!
//! The format is described for writers in `docs/stories.md`. Any folder can be read: what is not understood becomes a remark, and its text
//! is kept in the entry that contains it.

mod drafts;
mod entries;
mod fields;
mod front;
mod identity;
mod names;
mod natural;
mod paths;
mod read;
mod shaping;
#[cfg(test)]
mod tests;
mod write;
mod yaml;

use std::fmt;

use palimpsest::prelude::resource::project::{ComingText, Description, Entry};
use serde::Serialize;

pub use read::read;
pub(crate) use write::write;

/// The most remarks about one folder; the others are counted. Where there are more, they mostly have the same cause.
pub(crate) const REMARKS_MAX: usize = 500;

/// What was read from a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderRead {
    pub description: Description,
    /// Sorted by kind, then by id.
    pub entries: Vec<Entry>,
    /// The prose of the chapters that have any, in the order of `entries`: Markdown without the title, with LF at the end of lines and
    /// without blank lines around it. It is accepted unless the file says `draft: true`.
    pub texts: Vec<ComingText>,
    /// What could not be understood, in the order of the files.
    pub remarks: Vec<FolderRemark>,
}

/// Something in a folder that was not understood, or only in part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FolderRemark {
    pub file: String,
    /// The line, counted from 1, where the remark is about a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub says: String,
}

impl fmt::Display for FolderRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.says),
            None => write!(f, "{}: {}", self.file, self.says),
        }
    }
}
