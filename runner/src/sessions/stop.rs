//! Why work for a session ends before it is done.

use crate::error::SendError;

/// Why a step goes no further here.
pub enum Stop {
    /// Its attempt is over, somebody else carries it out, or the engine stops: nothing is to be reported.
    Over,
    /// The log has moved on: the step is begun anew from what is there by now.
    Again,
    /// The log cannot be used just now: the step waits, and is begun anew. No attempt is used up.
    Later { cause: String },
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
            SendError::Storage { cause } => Self::Later { cause },
            SendError::Busy => Self::Later {
                cause: error.to_string(),
            },
            SendError::Unusable { cause } => Self::fail("storage", &cause, true),
            SendError::Refused(_)
            | SendError::NoSession { .. }
            | SendError::SessionExists { .. }
            | SendError::Stale { .. }
            | SendError::NoVersion { .. }
            | SendError::Erased
            | SendError::ClaimLost
            | SendError::IdReused
            | SendError::LiveForks { .. }
            | SendError::Stopped => Self::Over,
        }
    }
}
