//! Contents over HTTP: the whole, a part, or the answer that the client has it already.

mod artifact;
mod range;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::hash::Sha256;

use crate::error::ApiError;
use crate::read::Content;
pub use artifact::{ContentQuery, disposition, serve};
use range::{Part, part};

/// Answers with the content, with the part of it that is asked for, or with 304 if the client has it already. `policy` is what a browser
/// may do with the content as a page of its own.
pub(crate) fn respond(content: &Content, asked: &HeaderMap, policy: &'static str) -> Response {
    let mut response = sent(content, asked);
    let fixed = HeaderValue::from_static;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, fixed(policy));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    // A content with the same hash never changes, but who may see it can change.
    headers.insert(header::CACHE_CONTROL, fixed("private, no-cache"));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    // Pages of other origins show pictures by their signed addresses.
    headers.insert("cross-origin-resource-policy", fixed("cross-origin"));
    response
}

/// A JSON answer with the hash of its bytes as `ETag`, or 304 if the client already has it.
pub(crate) fn json(bytes: Bytes, asked: &HeaderMap) -> Response {
    let tag = tag(&Sha256::of(&bytes));
    let mut response = if is_known(&tag, asked) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "application/json")], bytes).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, tag);
    // A cache has to ask whether its copy is still valid.
    let revalidated = HeaderValue::from_static("private, no-cache");
    headers.insert(header::CACHE_CONTROL, revalidated);
    response
}

fn tag(sha256: &Sha256) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{sha256}\"")).expect("a hash is plain text")
}

/// Whether the client already has the content with this `ETag`.
fn is_known(tag: &HeaderValue, asked: &HeaderMap) -> bool {
    let known = asked.get(header::IF_NONE_MATCH);
    let known = known.and_then(|known| known.to_str().ok());
    known.is_some_and(|known| matches(known, tag))
}

/// Whether an `If-Match` header names the content with this hash; `None` if there is no such header.
pub(crate) fn if_match(sha256: &Sha256, asked: &HeaderMap) -> Option<bool> {
    let named = asked.get(header::IF_MATCH)?;
    let tag = tag(sha256);
    Some(named.to_str().is_ok_and(|named| matches(named, &tag)))
}

fn sent(content: &Content, asked: &HeaderMap) -> Response {
    let tag = tag(&content.sha256);
    if is_known(&tag, asked) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    let asked = |name| {
        let value: Option<&HeaderValue> = asked.get(name);
        value.and_then(|value| value.to_str().ok())
    };
    let size = content.bytes.len() as u64;
    // A part of another content would not fit the rest that the client has.
    let is_same = asked(header::IF_RANGE).is_none_or(|known| tag == known);
    let range = asked(header::RANGE).filter(|_| is_same);
    let (status, bytes, content_range) = match part(range, size) {
        Part::All => (StatusCode::OK, content.bytes.clone(), None),
        Part::Some { first, last } => {
            let bytes = usize::try_from(first)
                .and_then(|first| usize::try_from(last).map(|last| first..last + 1));
            let bytes = bytes
                .map(|range| content.bytes.slice(range))
                .unwrap_or_else(|_| content.bytes.clone());
            (
                StatusCode::PARTIAL_CONTENT,
                bytes,
                Some(format!("bytes {first}-{last}/{size}")),
            )
        }
        Part::Outside => {
            let error = ApiError::new(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "bad_range",
                format!("the content has {size} bytes and ends before the range"),
            );
            let mut response = error.into_response();
            insert(
                &mut response,
                header::CONTENT_RANGE,
                &format!("bytes */{size}"),
            );
            return response;
        }
    };
    let mut response = (status, Body::from(bytes)).into_response();
    insert(&mut response, header::CONTENT_TYPE, &content.media_type);
    response.headers_mut().insert(header::ETAG, tag);
    response
        .headers_mut()
        .insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Some(content_range) = content_range {
        insert(&mut response, header::CONTENT_RANGE, &content_range);
    }
    response
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    let value = HeaderValue::from_str(value)
        .unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(name, value);
}

/// Whether a list of tags holds this one; `*` stands for any.
fn matches(list: &str, wanted: &HeaderValue) -> bool {
    list.split(',')
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == "*" || wanted == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_content_is_recognised_by_its_tag() {
        let tag = HeaderValue::from_static("\"a\"");
        for list in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"] {
            assert!(matches(list, &tag), "{list}");
        }
        assert!(!matches("\"b\"", &tag));
    }
}
