//! Extractors whose refusals are errors of the API.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Json, Path, Query, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use domain::streams::reserved_prefix;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// A JSON body.
#[derive(Debug)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(refused_body(&rejection)),
        }
    }
}

fn refused_body(rejection: &JsonRejection) -> ApiError {
    match rejection {
        JsonRejection::JsonDataError(_) => {
            ApiError::unprocessable("bad_body", cause(&rejection.body_text()))
        }
        JsonRejection::JsonSyntaxError(_) => ApiError::new(
            StatusCode::BAD_REQUEST,
            "not_json",
            cause(&rejection.body_text()),
        ),
        JsonRejection::MissingJsonContentType(_) => ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            "the body is not declared as JSON",
        )
        .hint("send `Content-Type: application/json`"),
        // The library's enum is not exhaustive.
        JsonRejection::BytesRejection(_) | _ => {
            let status = rejection.status();
            if status == StatusCode::PAYLOAD_TOO_LARGE {
                return ApiError::new(
                    status,
                    "too_large",
                    "the body is larger than this server takes",
                )
                .hint("send long texts as files, with POST /v1/files");
            }
            ApiError::new(status, "bad_body", "the body could not be read")
        }
    }
}

/// The part of the library's message that says what is wrong.
fn cause(text: &str) -> String {
    let words =
        text.trim_start_matches("Failed to deserialize the JSON body into the target type: ");
    let words = words.trim_start_matches("Failed to parse the request body as JSON: ");
    format!("the body is not right: {words}")
}

/// The fields of the query.
#[derive(Debug)]
pub struct ApiQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(refused_query(&rejection)),
        }
    }
}

fn refused_query(rejection: &QueryRejection) -> ApiError {
    let text = rejection.body_text();
    let words = text.trim_start_matches("Failed to deserialize query string: ");
    ApiError::new(
        StatusCode::BAD_REQUEST,
        "bad_query",
        format!("the query is not right: {words}"),
    )
}

/// The variable parts of the address.
#[derive(Debug)]
pub struct ApiPath<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for ApiPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        if let Ok(names) = RawPathParams::from_request_parts(parts, state).await {
            for (name, value) in &names {
                check_value(name, value)?;
            }
        }
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(rejection) => Err(refused_path(&rejection)),
        }
    }
}

fn check_value(name: &str, value: &str) -> Result<(), ApiError> {
    // Nothing that an address names contains control characters, and some databases refuse them in queries.
    if value.chars().any(char::is_control) {
        let message = format!("the `{name}` in the address has control characters");
        return Err(ApiError::unprocessable("bad_id", message));
    }
    // The name is that of a stream, but not of a session.
    if name == "session" && reserved_prefix(&value.into()).is_some() {
        return Err(ApiError::no_session());
    }
    Ok(())
}

fn refused_path(rejection: &PathRejection) -> ApiError {
    ApiError::bad_request(format!(
        "the address is not right: {}",
        rejection.body_text()
    ))
}
