//! Refusals in the words of a contract: the status and the headers are those of every error answer, the body is the contract's.

use std::marker::PhantomData;

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::{ApiError, ErrorBody};

/// An error that is answered with a body of this form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractRefusal<B>(pub ApiError, PhantomData<B>);

impl<B> ContractRefusal<B> {
    /// A field is missing, or its value is not valid.
    pub fn bad_request(message: impl Into<String>) -> Self {
        ApiError::bad_request(message).into()
    }

    pub fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, code, message).into()
    }

    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::CONFLICT, code, message).into()
    }
}

impl<B, E: Into<ApiError>> From<E> for ContractRefusal<B> {
    fn from(error: E) -> Self {
        Self(error.into(), PhantomData)
    }
}

impl<B: From<ErrorBody> + Serialize> IntoResponse for ContractRefusal<B> {
    fn into_response(self) -> Response {
        let body = B::from(self.0.error.clone());
        let (parts, _) = self.0.into_response().into_parts();
        match serde_json::to_vec(&body) {
            Ok(bytes) => Response::from_parts(parts, Body::from(bytes)),
            Err(error) => ApiError::internal("writing an answer", error).into_response(),
        }
    }
}
