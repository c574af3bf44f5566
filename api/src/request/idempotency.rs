//! The name that a caller gives to a call, so that a repetition of the call is recognised.

use axum::http::HeaderMap;

use crate::ask::check_client_id;
use crate::error::ApiError;

/// The `Idempotency-Key` of a request, where it has one.
///
/// # Errors
///
/// The key is no plain text, or has characters that an id may not have.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(key) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let key = key
        .to_str()
        .map_err(|_| ApiError::bad_request("the `Idempotency-Key` is not plain text"))?;
    check_client_id("Idempotency-Key", key)?;
    Ok(Some(key.to_owned()))
}
