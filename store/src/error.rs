//! Why the log refuses, and what to do about it.

use std::time::Duration;

use domain::{SessionId, StepId, shown};

use crate::anchor::HeadMismatch;
use crate::ids::StreamId;

/// The database, its disk or its connection failed. Nothing of what was asked for has been done, unless the connection was
/// lost while committing; a repetition under the same command id is safe in every case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{doing}: {cause}; {advice}")]
pub struct Storage {
    /// What was being done: `appending`, `reading`.
    pub doing: &'static str,
    pub cause: String,
    /// What an operator or a caller can do.
    pub advice: &'static str,
    /// Whether only the contents of one append can be at fault, not the disk or the connection.
    pub(crate) constraint: bool,
    /// Whether files that the log is written to are gone. Such a loss is logged once, and not for each append that is refused.
    pub(crate) lost: bool,
}

impl Storage {
    pub fn new(doing: &'static str, cause: impl ToString, advice: &'static str) -> Self {
        Self {
            doing,
            // Errors of HTTP clients contain the address that was requested.
            cause: shown::without_secrets(&cause.to_string()).into_owned(),
            advice,
            constraint: false,
            lost: false,
        }
    }

    /// Whether files that the log is written to were removed, replaced or cut. No append is taken then until the process is
    /// started again.
    pub fn is_loss(&self) -> bool {
        self.lost
    }
}

/// An append that storage did not take, with none that was committed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendFailure {
    pub ago: Duration,
    pub cause: Storage,
}

/// Why an append did not happen. Nothing of it is in the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    #[error("session `{}` is at version {actual}, not at {expected}; read it again and decide again", stream.session)]
    Conflict {
        stream: StreamId,
        expected: u64,
        actual: u64,
    },
    #[error("an append needs at least one event")]
    Empty,
    #[error(
        "an append of {bytes} bytes is larger than the {limit} allowed; put large content into blobs first"
    )]
    TooLarge { bytes: usize, limit: usize },
    #[error(
        "a blob of {bytes} bytes is too large for a row ({limit}); write it with put_blob before the append"
    )]
    BlobTooLarge { bytes: usize, limit: usize },
    #[error(
        "`SessionForked` can only be the first event of a new session, `SessionErased` only the last one of an append"
    )]
    Misplaced,
    #[error("session `{}` cannot be forked: there is no such session", parent.session)]
    NoParent { parent: StreamId },
    #[error("session `{}` cannot be forked at version {at}: it has versions 1 to {actual}", parent.session)]
    ForkOutside {
        parent: StreamId,
        at: u64,
        actual: u64,
    },
    #[error("step {step} of session `{}` is carried out by somebody else by now", stream.session)]
    ClaimLost { stream: StreamId, step: StepId },
    #[error("session `{}` was erased", stream.session)]
    Erased { stream: StreamId },
    #[error("session `{}` has {} forks that build on it; erase them as well, or first", stream.session, forks.len())]
    LiveForks {
        stream: StreamId,
        forks: Vec<SessionId>,
    },
    #[error("too many appends are waiting; try again in a moment")]
    Busy,
    #[error("this log was opened for reading only; write through the process that owns it")]
    ReadOnly,
    #[error("the log is closed")]
    Closed,
    #[error(transparent)]
    Storage(#[from] Storage),
}

/// Why something cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("there is no session `{}`", stream.session)]
    NoStream { stream: StreamId },
    #[error("session `{}` was erased", stream.session)]
    Erased { stream: StreamId },
    #[error("event at position {position} cannot be read: {cause}")]
    Undecodable { position: u64, cause: String },
    #[error(
        "event at position {position} cannot be opened with the key of its session: its bytes were changed; run `verify`"
    )]
    Sealed { position: u64 },
    #[error("blob {sha256} cannot be opened with the key of its session: its bytes were changed")]
    BlobSealed { sha256: String },
    #[error("after {after} comes {found}: events are missing; run `verify`")]
    Gap { after: u64, found: u64 },
    #[error("the log is closed")]
    Closed,
    #[error(transparent)]
    Storage(#[from] Storage),
}

/// Why a log cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("the log is owned by another process{}; send the command to it, or stop it", at(owner_address.as_deref()))]
    Locked {
        /// The address that the owner listens on, once it has told.
        owner_address: Option<String>,
    },
    #[error("the database is not a palimpsest log ({what}); name another one")]
    Foreign { what: String },
    #[error(
        "the database was written by a newer version (schema {found}, this program knows {known}); use that version"
    )]
    Newer { found: i64, known: i64 },
    #[error(
        "the database has schema {found}, this program needs {known}; run `migrate`, or open it for writing once"
    )]
    Older { found: i64, known: i64 },
    #[error(
        "the master key is not the one this log was sealed with; restore the key file that belongs to this database, or name another database"
    )]
    WrongMasterKey,
    #[error("SQLite {found} is too old; versions before {needed} can corrupt a write-ahead log")]
    OldSqlite { found: String, needed: &'static str },
    #[error(
        "{0}: events that were acknowledged are missing. Put back the files that belong together (the database with its `-wal` file, \
         and the data folder), or, if the log is wanted as it is, say so with `anchor accept --by NAME --reason TEXT`; \
         `anchor show` tells what is known"
    )]
    Behind(Box<HeadMismatch>),
    #[error("the place for large blobs cannot be used: {cause}")]
    Objects { cause: String },
    #[error(transparent)]
    Storage(#[from] Storage),
}

fn at(address: Option<&str>) -> String {
    address
        .map(|address| format!(" at {address}"))
        .unwrap_or_default()
}
