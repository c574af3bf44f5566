//! Bodies: those of requests, refused with the messages of their kind, and those of answers.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use serde::Serialize;

use super::Resource;
use crate::error::ApiError;
use crate::request::ApiJson;

/// A JSON body.
///
/// # Errors
///
/// It is too large, or what [`ApiJson`] says.
pub fn read_json<R: Resource, T>(read: Result<ApiJson<T>, ApiError>) -> Result<T, ApiError> {
    match read {
        Ok(ApiJson(body)) => Ok(body),
        Err(error) if error.status == StatusCode::PAYLOAD_TOO_LARGE => Err(R::too_large()),
        Err(error) => Err(error),
    }
}

/// A body of bytes.
///
/// # Errors
///
/// It is too large, or it could not be read.
pub fn read_bytes<R: Resource>(read: Result<Bytes, BytesRejection>) -> Result<Bytes, ApiError> {
    read.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => R::too_large(),
        status => ApiError::new(status, "bad_body", "the body could not be read"),
    })
}

/// A value as JSON.
///
/// # Errors
///
/// The value has keys that are no texts.
pub fn write_json(value: &impl Serialize) -> Result<Bytes, ApiError> {
    let bytes = serde_json::to_vec(value);
    let bytes = bytes.map_err(|cause| ApiError::internal("writing an answer", cause))?;
    Ok(bytes.into())
}

/// The declared media type of a body, in lower case and without parameters.
pub fn declared_type(headers: &HeaderMap) -> String {
    let declared = headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|value| value.to_str().ok());
    let declared = declared.unwrap_or_default().split(';').next();
    declared.unwrap_or_default().trim().to_ascii_lowercase()
}
