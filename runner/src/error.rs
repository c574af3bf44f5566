//! Why the engine does not do what it is asked.

use commands::Refusal;
use domain::SessionId;
use store::{AppendError, ReadError};

/// Why a command, or a question about a session, was not answered. Nothing has happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SendError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("there is no session `{session}`")]
    NoSession { session: SessionId },
    #[error("there is a session `{session}` already")]
    SessionExists { session: SessionId },
    #[error(
        "the session is at version {actual}, not at {expected}; read it again and decide again"
    )]
    Stale { expected: u64, actual: u64 },
    #[error("version {at} does not exist; the session has versions 1 to {head}")]
    NoVersion { at: u64, head: u64 },
    #[error("the session was erased")]
    Erased,
    #[error("this id was given to another command before")]
    IdReused,
    #[error("{} sessions were forked from this one and build on it; erase them with it, or first", forks.len())]
    LiveForks { forks: Vec<SessionId> },
    #[error("the server has more to do than it can take; try again in a moment")]
    Busy,
    /// The database cannot be reached, or its disk is full: what fails now may go well later.
    #[error("the log cannot be used: {cause}")]
    Storage { cause: String },
    /// Something in the log cannot be read, or something cannot be recorded, and every further try would fail as well.
    #[error("the log does not take this: {cause}")]
    Unusable { cause: String },
    /// Somebody else carries out the step that this was about.
    #[error("the step is carried out by another process by now")]
    ClaimLost,
    #[error("the server is stopping")]
    Stopped,
}

impl From<AppendError> for SendError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Conflict {
                expected, actual, ..
            } => Self::Stale { expected, actual },
            AppendError::Erased { .. } => Self::Erased,
            AppendError::LiveForks { forks, .. } => Self::LiveForks { forks },
            AppendError::ForkOutside { at, actual, .. } => Self::NoVersion { at, head: actual },
            AppendError::NoParent { parent } => Self::NoSession {
                session: parent.session,
            },
            AppendError::Busy => Self::Busy,
            AppendError::Closed => Self::Stopped,
            AppendError::ClaimLost { .. } => Self::ClaimLost,
            AppendError::Storage(_) => Self::Storage {
                cause: error.to_string(),
            },
            AppendError::Empty
            | AppendError::TooLarge { .. }
            | AppendError::BlobTooLarge { .. }
            | AppendError::Misplaced
            | AppendError::ReadOnly => Self::Unusable {
                cause: error.to_string(),
            },
        }
    }
}

impl From<ReadError> for SendError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NoStream { stream } => Self::NoSession {
                session: stream.session,
            },
            ReadError::Erased { .. } => Self::Erased,
            ReadError::Closed => Self::Stopped,
            ReadError::Storage(_) => Self::Storage {
                cause: error.to_string(),
            },
            ReadError::Undecodable { .. }
            | ReadError::Sealed { .. }
            | ReadError::BlobSealed { .. }
            | ReadError::Gap { .. } => Self::Unusable {
                cause: error.to_string(),
            },
        }
    }
}

/// Why the engine does not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Prompts(#[from] crate::prompts::PromptError),
    #[error("`{pipeline}` is to work on the changes of `{kind}`, and there is no such pipeline")]
    Curator {
        kind: &'static str,
        pipeline: String,
    },
    #[error("open work cannot be read from the log: {0}")]
    Recovery(String),
}
