//! Refusals: the usual form of errors, with `message` beside it, which the front end shows.

use palimpsest::error::ErrorBody;
use palimpsest::prelude::wire::ContractRefusal;
use serde::Serialize;
use utoipa::ToSchema;

/// A call that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct StoryErrorAnswer {
    error: ErrorBody,
    /// For people: what was wrong.
    message: String,
}

/// An error that is answered as [`StoryErrorAnswer`].
pub(crate) type StoryRefusal = ContractRefusal<StoryErrorAnswer>;

impl From<ErrorBody> for StoryErrorAnswer {
    fn from(error: ErrorBody) -> Self {
        Self {
            message: error.message.clone(),
            error,
        }
    }
}
