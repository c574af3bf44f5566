//! Refusals: the usual form of errors, with `message` beside it, which the front end shows.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use palimpsest::error::ErrorBody;
use palimpsest::prelude::wire::ApiError;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoryRefusal(pub(super) ApiError);

impl StoryRefusal {
    /// A field is missing, or its value is not valid.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self(ApiError::bad_request(message))
    }

    pub(super) fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self(ApiError::new(StatusCode::NOT_FOUND, code, message))
    }

    pub(super) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self(ApiError::new(StatusCode::CONFLICT, code, message))
    }
}

impl<E: Into<ApiError>> From<E> for StoryRefusal {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for StoryRefusal {
    fn into_response(self) -> Response {
        let error = self.0.error.clone();
        let answer = StoryErrorAnswer {
            message: error.message.clone(),
            error,
        };
        // Status and headers do not depend on the form of the body.
        let (parts, _) = self.0.into_response().into_parts();
        match serde_json::to_vec(&answer) {
            Ok(bytes) => Response::from_parts(parts, Body::from(bytes)),
            Err(error) => ApiError::internal("writing an answer", error).into_response(),
        }
    }
}
