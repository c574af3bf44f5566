//! The console: the files of `api/console/`, which use nothing but the public protocol. They are part of the program. Debug builds read
//! them from their folder each time, so that an edit is seen when the page is loaded again.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use domain::hash::Sha256;
use rust_embed::RustEmbed;

use crate::app::App;
use crate::contents;
use crate::error::ApiError;
use crate::in_flight::Counted;
use crate::read::Content;
use crate::request::ApiPath;

#[derive(RustEmbed)]
#[folder = "console/"]
#[include = "*.html"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.svg"]
struct Files;

/// The page that loads everything else.
const PAGE: &str = "index.html";

/// What the console may do: run its own scripts, speak to this server, show pictures it was given and frames of this server, which
/// bring sandboxes of their own. Nothing that is written in an artifact can become a script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
                      frame-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'";

/// Digits of the hash that files are addressed by.
const TAG_DIGITS: usize = 16;

/// Browsers may keep a file as long as they like: a file with another content has another address.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The tag of the files as they were when the page was last asked for. In a debug build the files may change while the server runs.
static TAG: Mutex<Option<Arc<str>>> = Mutex::new(None);

/// The files of the page. Only browsers ask for them, so that the document of the interface leaves them out.
pub(crate) fn routes() -> Router<App> {
    Router::new().route("/console/{tag}/{*path}", get(file))
}

/// The page. The addresses of its files begin with a tag that is made from the contents of all of them, so that browsers ask for no file
/// twice, and never get files of two versions of the program together.
pub fn page(asked: &HeaderMap) -> Result<Response, ApiError> {
    let page = bytes_of(PAGE)?;
    let tag = tag(cfg!(debug_assertions));
    let page = String::from_utf8_lossy(&page).replace("\"/console/", &format!("\"/console/{tag}/"));
    Ok(served(PAGE, page.into(), asked))
}

/// One of the files.
async fn file(
    ApiPath((tagged, path)): ApiPath<(String, String)>,
    asked: HeaderMap,
) -> Result<Response, ApiError> {
    if *tagged != *tag(false) {
        let message = "this file is of another version of the console";
        return Err(
            ApiError::new(StatusCode::NOT_FOUND, "other_version", message)
                .hint("load the page again"),
        );
    }
    let mut response = served(&path, bytes_of(&path)?, &asked);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(FOR_EVER));
    Ok(response)
}

/// The tag of the files: computed now if `look` is set, else the one that was computed last.
fn tag(look: bool) -> Arc<str> {
    let mut known = TAG.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.as_ref().filter(|_| !look) {
        return Arc::clone(known);
    }
    let mut paths: Vec<_> = Files::iter().collect();
    paths.sort();
    let hashes = paths.iter().filter_map(|path| Files::get(path));
    let hashes: Vec<_> = hashes.map(|file| file.metadata.sha256_hash()).collect();
    let names = paths.iter().map(|path| path.as_bytes());
    let all = Sha256::of_parts(names.chain(hashes.iter().map(|hash| &hash[..])));
    let tag: Arc<str> = Arc::from(&all.hex()[..TAG_DIGITS]);
    *known = Some(Arc::clone(&tag));
    tag
}

fn bytes_of(path: &str) -> Result<Bytes, ApiError> {
    let file = Files::get(path).ok_or_else(ApiError::nothing_here)?;
    Ok(match file.data {
        Cow::Borrowed(embedded) => Bytes::from_static(embedded),
        Cow::Owned(read) => Bytes::from(read),
    })
}

fn served(path: &str, bytes: Bytes, asked: &HeaderMap) -> Response {
    let mut media_type = mime_guess::from_path(path)
        .first_or_octet_stream()
        .to_string();
    if media_type.starts_with("text/") {
        media_type.push_str("; charset=utf-8");
    }
    let mut response = contents::respond(&Content::of(bytes, &media_type), asked, POLICY);
    // The content is part of the program and takes no further memory.
    response.extensions_mut().insert(Counted);
    let alone = HeaderValue::from_static("same-origin");
    let headers = response.headers_mut();
    headers.insert("cross-origin-opener-policy", alone.clone());
    headers.insert("cross-origin-resource-policy", alone);
    response
}
