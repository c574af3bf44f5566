//! What all answers of these resources share: pages of lists, tags for versions, and the `message` of an error beside its usual form.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use palimpsest::error::ErrorBody;
use palimpsest::prelude::wire::ApiError;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::IntoParams;

use super::limits::{PAGE_SIZE_INSIDE, PAGE_SIZE_MAX};
use crate::readings::search::SearchedBy;
use crate::tools::searching::StoryQuestion;

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// From 0.
    page: Option<usize>,
    /// Elements of a page, 1 to 1000.
    size: Option<usize>,
}

/// A page of a list.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}Page")]
pub(super) struct StoryPage<T> {
    pub(super) content: Vec<T>,
    /// From 0.
    pub(super) page: usize,
    pub(super) size: usize,
    pub(super) total_elements: usize,
    pub(super) total_pages: usize,
    /// Of a search: by what it went.
    pub(super) by: Option<SearchedBy>,
    /// Of a search: why it went by words alone, or what has no vector yet.
    pub(super) reason: Option<String>,
}

impl<T> StoryPage<T> {
    /// The page, with how the search was done, as in the answer to a search.
    pub(super) fn searched(mut self, question: &StoryQuestion) -> Self {
        self.by = Some(question.by());
        self.reason.clone_from(&question.reason);
        self
    }
}

impl PageQuery {
    pub(super) fn new(page: Option<usize>, size: Option<usize>) -> Self {
        Self { page, size }
    }

    /// Where the page begins, and how many elements it has.
    pub(super) fn window(self, size: usize) -> (usize, usize) {
        let size = self.size.unwrap_or(size).clamp(1, PAGE_SIZE_MAX);
        (self.page.unwrap_or(0).saturating_mul(size), size)
    }

    /// The page of a list whose `content` holds only the elements of this page.
    pub(super) fn of_window<T>(
        self,
        content: Vec<T>,
        size: usize,
        total: usize,
    ) -> Json<StoryPage<T>> {
        let (_, size) = self.window(size);
        Json(StoryPage {
            content,
            page: self.page.unwrap_or(0),
            size,
            total_elements: total,
            total_pages: total.div_ceil(size),
            by: None,
            reason: None,
        })
    }

    /// The page of a list of something inside a project.
    pub(super) fn of<T>(self, all: Vec<T>) -> Json<StoryPage<T>> {
        let total = all.len();
        let (from, size) = self.window(PAGE_SIZE_INSIDE);
        let content = all.into_iter().skip(from).take(size).collect();
        self.of_window(content, PAGE_SIZE_INSIDE, total)
    }
}

/// An answer with the version that `If-Match` has to name.
pub(super) fn tagged(status: StatusCode, version: u64, body: impl Serialize) -> Response {
    let tag = HeaderValue::from_str(&format!("\"{version}\"")).expect("digits and quotes");
    (status, [(header::ETAG, tag)], Json(body)).into_response()
}

/// The version that a caller has seen, from `If-Match`.
pub(super) fn seen(headers: &HeaderMap) -> Result<Option<u64>, ApiError> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let digits = text.trim_start_matches("W/").trim_matches('"');
    let version = digits
        .parse()
        .map_err(|_| ApiError::bad_request("`If-Match` is not the `ETag` of an earlier answer"))?;
    Ok(Some(version))
}

/// Errors in the form that front ends of this interface read: their `message` stands beside the form that they have everywhere.
pub(super) async fn with_message(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let Some(error) = response.extensions().get::<ErrorBody>().cloned() else {
        return response;
    };
    let body = Json(json!({ "message": error.message, "error": error }));
    let mut told = (response.status(), body).into_response();
    for (name, value) in response.headers() {
        let is_of_body: [HeaderName; 2] = [header::CONTENT_LENGTH, header::CONTENT_TYPE];
        if !is_of_body.contains(name) {
            told.headers_mut().insert(name.clone(), value.clone());
        }
    }
    told
}

/// A JSON body that may be left out.
#[derive(Debug)]
pub(super) struct MaybeJson<T>(pub(super) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for MaybeJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|rejection| match rejection.status() {
            status @ StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(
                status,
                "too_large",
                "the body is larger than this server takes",
            ),
            status => ApiError::new(status, "bad_body", "the body could not be read"),
        })?;
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(T::default()));
        }
        let read = serde_json::from_slice(&body).map(Self);
        read.map_err(|error| {
            let message = format!("the body is not right: {error}");
            if error.is_data() {
                ApiError::unprocessable("bad_body", message)
            } else {
                ApiError::new(StatusCode::BAD_REQUEST, "not_json", message)
            }
        })
    }
}
