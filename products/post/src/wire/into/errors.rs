//! Refusals in the contract's words: `{error: "..."}`.

use palimpsest::error::ErrorBody;
use palimpsest::prelude::wire::ContractRefusal;
use serde::Serialize;
use utoipa::ToSchema;

/// A call that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RefusalAnswer {
    /// For people.
    error: String,
    /// For programs; stable.
    code: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Whether the same call may do later.
    retryable: bool,
}

/// An error that is answered as [`RefusalAnswer`].
pub(crate) type PostRefusal = ContractRefusal<RefusalAnswer>;

impl From<ErrorBody> for RefusalAnswer {
    fn from(error: ErrorBody) -> Self {
        Self {
            error: error.message,
            code: error.code.into_owned(),
            hint: error.hint,
            retryable: error.retryable,
        }
    }
}
