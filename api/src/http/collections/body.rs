//! Request bodies, refused with the messages of their kind.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};

use super::resource::Resource;
use crate::error::ApiError;
use crate::request::ApiJson;

/// A JSON body.
pub(super) fn json<R: Resource, T>(read: Result<ApiJson<T>, ApiError>) -> Result<T, ApiError> {
    match read {
        Ok(ApiJson(body)) => Ok(body),
        Err(error) if error.status == StatusCode::PAYLOAD_TOO_LARGE => Err(R::too_large()),
        Err(error) => Err(error),
    }
}

/// A body of bytes.
pub(super) fn bytes<R: Resource>(read: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    read.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => R::too_large(),
        status => ApiError::new(status, "bad_body", "the body could not be read"),
    })
}

/// The declared media type of a body, in lower case and without parameters.
pub(super) fn declared(headers: &HeaderMap) -> String {
    let declared = headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|value| value.to_str().ok());
    let declared = declared.unwrap_or_default().split(';').next();
    declared.unwrap_or_default().trim().to_ascii_lowercase()
}
