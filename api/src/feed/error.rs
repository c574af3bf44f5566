//! Why something cannot be followed.

use projections::wire::UnknownWire;
use store::ReadError;

/// Why something cannot be followed, or no longer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    /// Also the answer for a session of another owner.
    #[error("there is no session `{session}`; open it with a first message")]
    NoSession { session: String },
    #[error("session `{session}` was erased")]
    Erased { session: String },
    #[error(transparent)]
    UnknownWire(#[from] UnknownWire),
    #[error(transparent)]
    Log(ReadError),
}

impl From<ReadError> for FeedError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NoStream { stream } => Self::NoSession {
                session: stream.session.to_string(),
            },
            ReadError::Erased { stream } => Self::Erased {
                session: stream.session.to_string(),
            },
            ReadError::Undecodable { .. }
            | ReadError::Sealed { .. }
            | ReadError::BlobSealed { .. }
            | ReadError::Gap { .. }
            | ReadError::Closed
            | ReadError::Storage(_) => Self::Log(error),
        }
    }
}
