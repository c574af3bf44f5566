//! Why a tool gives nothing.

use domain::carry::ToolOutcome;

use crate::collections::CollectionError;
use crate::error::SendError;
use crate::sessions::Stop;

/// Why a tool gives nothing.
pub enum ToolError {
    /// The step is told the reason.
    Refused {
        /// For programs; stable.
        code: String,
        message: String,
        retryable: bool,
    },
    /// The attempt ends.
    Stop(Stop),
}

impl ToolError {
    pub fn new(code: &str, message: &str, retryable: bool) -> Self {
        Self::Refused {
            code: code.to_owned(),
            message: message.to_owned(),
            retryable,
        }
    }

    /// The input is not what the tool takes.
    pub fn bad_input(error: &serde_json::Error) -> Self {
        Self::new("bad_input", &error.to_string(), false)
    }

    pub(super) fn outcome(self) -> Result<ToolOutcome, Stop> {
        match self {
            Self::Refused {
                code,
                message,
                retryable,
            } => Ok(ToolOutcome::refused(&code, &message, retryable)),
            Self::Stop(stop) => Err(stop),
        }
    }
}

impl From<Stop> for ToolError {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<SendError> for ToolError {
    fn from(error: SendError) -> Self {
        // This is about the collection, not about the session.
        if error == SendError::Erased {
            return Self::new("erased", "the collection was erased", false);
        }
        Self::Stop(error.into())
    }
}

impl From<CollectionError> for ToolError {
    fn from(error: CollectionError) -> Self {
        match error {
            CollectionError::Refused(refusal) => {
                Self::new(refusal.code(), &refusal.to_string(), false)
            }
            CollectionError::Log(error) => error.into(),
        }
    }
}
