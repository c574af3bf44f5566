//! Why work for a session ends before it is done.

use crate::error::SendError;

/// Why a step goes no further here.
pub enum Stop {
    /// Its attempt is over, or the engine stops: nothing is to be reported.
    Over,
    Failed {
        /// For programs; stable.
        code: String,
        message: String,
        retryable: bool,
    },
}

impl Stop {
    pub fn fail(code: &str, message: &str, retryable: bool) -> Self {
        Self::Failed {
            code: code.to_owned(),
            message: message.to_owned(),
            retryable,
        }
    }
}

impl From<SendError> for Stop {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Storage { cause } => Self::fail("storage", &cause, true),
            SendError::Busy => Self::fail("storage", "the log was too busy", true),
            SendError::Refused(_)
            | SendError::NoSession { .. }
            | SendError::SessionExists { .. }
            | SendError::Stale { .. }
            | SendError::NoVersion { .. }
            | SendError::Erased
            | SendError::IdReused
            | SendError::LiveForks { .. }
            | SendError::Stopped => Self::Over,
        }
    }
}
