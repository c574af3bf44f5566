//! What is known about the end of a log outside the log itself. With it, a log that lost its last events can be told from one that never
//! had them.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use crate::chain::GENESIS;

/// Position and hash of the last event of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// 0 for an empty log.
    pub position: u64,
    pub hash: [u8; 32],
}

impl LogHead {
    pub(crate) const NOTHING: Self = Self {
        position: 0,
        hash: GENESIS,
    };
}

impl Display for LogHead {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.position == 0 {
            return f.write_str("position 0");
        }
        let hash = HEXLOWER.encode(&self.hash[..8]);
        write!(f, "position {} (hash {hash}..)", self.position)
    }
}

/// Where head files are, and what to do about a log that is behind its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadOptions {
    /// The folder of the head files, made if it is not there.
    pub folder: PathBuf,
    /// Who takes responsibility for a log that is behind its head file; `None` to refuse such a log.
    pub accept: Option<Acceptance>,
}

impl HeadOptions {
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            accept: None,
        }
    }
}

/// States that somebody knows of a loss and wants the log as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    pub by: String,
    pub reason: String,
}

/// What was accepted, as it is kept in the log and beside its head file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub at: String,
    pub by: String,
    pub reason: String,
    /// The end that the head file had.
    pub from_position: Option<u64>,
    pub from_hash: Option<String>,
    /// The end of the log that was found.
    pub to_position: u64,
    pub to_hash: String,
    /// In what way they differed.
    pub what: String,
}

/// The way in which a log differs from the one that its head file describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// It ends before the position of its head file.
    Behind,
    /// It has another event at that position.
    OtherEvent,
    /// Another log was at its place before.
    OtherLog,
    /// The head file cannot be read.
    Damaged,
}

/// A log that is not the one that its head file describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadMismatch {
    pub kind: MismatchKind,
    pub file: PathBuf,
    /// What the head file says, where it can be read.
    pub known: Option<LogHead>,
    /// The end of the log.
    pub found: LogHead,
}

impl HeadMismatch {
    pub(crate) fn what(&self) -> &'static str {
        match self.kind {
            MismatchKind::Behind => "the log ends before its head file",
            MismatchKind::OtherEvent => {
                "the log has another event at the position of its head file"
            }
            MismatchKind::OtherLog => "another log was at this place before",
            MismatchKind::Damaged => "the head file cannot be read",
        }
    }
}

impl Display for HeadMismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ", self.what(), self.file.display())?;
        match &self.known {
            Some(known) => write!(f, "says {known}")?,
            None => f.write_str("has no position")?,
        }
        write!(f, ", the log ends at {}", self.found)
    }
}

/// Everything that is known of the end of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorReport {
    /// The id of the log; `None` where it was never opened for writing by a version that gives one.
    pub log: Option<String>,
    /// Where the log is.
    pub place: String,
    /// The last event of the log.
    pub found: LogHead,
    /// The head file in the data folder of this process, and what the file says, if the file exists.
    pub file: Option<(PathBuf, LogHead)>,
    /// How the log differs from the one that its head file describes.
    pub mismatch: Option<HeadMismatch>,
    /// What was accepted so far, oldest first.
    pub accepted: Vec<Accepted>,
}

/// What the store of objects says of the end of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignedReport {
    /// The last head that was signed and put into the store of objects.
    pub last: Option<LogHead>,
    /// The ways in which the log differs from its signed heads.
    pub contradictions: Vec<String>,
}
