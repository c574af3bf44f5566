//! Refusals in the contract's words: `{error: "..."}`.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use palimpsest::prelude::wire::ApiError;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PostRefusal(pub(super) ApiError);

impl PostRefusal {
    /// A field is missing, or its value is not valid.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self(ApiError::bad_request(message))
    }

    pub(super) fn not_found(code: &'static str, message: &str) -> Self {
        Self(ApiError::new(StatusCode::NOT_FOUND, code, message))
    }

    pub(super) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self(ApiError::new(StatusCode::CONFLICT, code, message))
    }
}

impl<E: Into<ApiError>> From<E> for PostRefusal {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for PostRefusal {
    fn into_response(self) -> Response {
        let error = self.0.error.clone();
        let answer = RefusalAnswer {
            error: error.message,
            code: error.code.into_owned(),
            hint: error.hint,
            retryable: error.retryable,
        };
        // The headers do not depend on the form of the body.
        let (parts, _) = self.0.into_response().into_parts();
        match serde_json::to_vec(&answer) {
            Ok(bytes) => Response::from_parts(parts, Body::from(bytes)),
            Err(error) => ApiError::internal("writing an answer", error).into_response(),
        }
    }
}
