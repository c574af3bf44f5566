//! Pictures by the numbers under which clients of this protocol know them.

use axum::extract::State;
use axum::http::request::Parts;
use axum::response::Response;
use palimpsest::prelude::pipeline::numbers::asset_prefix;
use palimpsest::prelude::wire::{
    ApiError, ApiPath, ApiQuery, App, ContentQuery, ErrorAnswer, serve_content,
};

use crate::pipeline::stage::IMAGE_ID_PREFIX;

/// A picture of a post, by its number
///
/// As the content of its artifact: with a key, or by the signed query of the artifact's address.
#[utoipa::path(get, path = "/api/assets/{number}", tag = "artifacts",
    params(("number" = u64, Path, description = "the picture's number"), ContentQuery,
        ("If-None-Match" = Option<String>, Header, description = "the `ETag` of what is there already"),
        ("Range" = Option<String>, Header, description = "one range of bytes")),
    responses(
        (status = 200, description = "the picture, with its media type", content_type = "application/octet-stream",
            headers(("etag" = String, description = "the hash of the content"))),
        (status = 206, description = "the part of it", content_type = "application/octet-stream"),
        (status = 304, description = "as it is there already"),
        (status = 403, description = "the address is wrong or has expired", body = ErrorAnswer),
        (status = 404, description = "no such picture", body = ErrorAnswer),
        (status = 416, description = "the content ends before the range", body = ErrorAnswer)),
    security(("key" = []), ()))]
pub(super) async fn asset(
    State(app): State<App>,
    ApiPath(number): ApiPath<String>,
    ApiQuery(query): ApiQuery<ContentQuery>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let claimed = query.claimed_owner(&app, &parts)?;
    // For a text that is no number the answer is the same as for a number without a picture.
    let number = number.parse().ok();
    let found = match number.and_then(|number| asset_prefix(IMAGE_ID_PREFIX, number)) {
        Some(prefix) => {
            let log = app.engine.log();
            log.find_artifact_by_prefix(&claimed, &prefix).await?
        }
        None => None,
    };
    let id = found.ok_or_else(|| query.not_found())?;
    serve_content(&app, &id, &query, &parts).await
}
