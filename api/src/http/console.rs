//! The console: the files of `api/console/`, which use nothing but the public protocol. They are part of the program; debug builds
//! read them from their folder each time, so that what is edited is seen at the next reload.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::extract::ApiPath;
use crate::error::ApiError;

#[derive(RustEmbed)]
#[folder = "console/"]
#[include = "*.html"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.svg"]
struct Files;

/// The page that everything else is loaded by.
const PAGE: &str = "index.html";

/// What the console may do: run its own scripts, speak to this server, show pictures it was given and frames of this server, which
/// bring sandboxes of their own. Nothing that is written in an artifact can become a script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
                      frame-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'";

/// The page.
pub(crate) fn page(headers: &HeaderMap) -> Result<Response, ApiError> {
    served(PAGE, headers)
}

/// One of the files.
pub(super) async fn file(
    ApiPath(path): ApiPath<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    served(&path, &headers)
}

fn served(path: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
    let file = Files::get(path).ok_or_else(super::nothing_here)?;
    let tag = format!("\"{}\"", hex::encode(file.metadata.sha256_hash()));
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|tags| tags.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag)) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    Ok((described(path, &tag), content(file)).into_response())
}

fn content(file: EmbeddedFile) -> Vec<u8> {
    file.data.into_owned()
}

fn described(path: &str, tag: &str) -> HeaderMap {
    let media_type = mime_guess::from_path(path).first_or_octet_stream();
    let mut media_type = media_type.to_string();
    if media_type.starts_with("text/") {
        media_type.push_str("; charset=utf-8");
    }
    let fixed = HeaderValue::from_static;
    let made = |text: &str| HeaderValue::from_str(text).expect("media types and hashes are plain");
    let headers: [(HeaderName, HeaderValue); 7] = [
        (header::CONTENT_TYPE, made(&media_type)),
        (header::ETAG, made(tag)),
        // Asked again each time: files that belong together must not come from two versions of the program.
        (header::CACHE_CONTROL, fixed("no-cache")),
        (header::CONTENT_SECURITY_POLICY, fixed(POLICY)),
        (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
        (header::REFERRER_POLICY, fixed("no-referrer")),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            fixed("same-origin"),
        ),
    ];
    headers.into_iter().collect()
}
