//! Headers of every answer, unless the handler set them.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Answers are data, or pages with a policy of their own; no browser may run, frame or sniff anything else.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
    // A cache does not know keys and signed addresses, so that it could show an answer to somebody else.
    (header::CACHE_CONTROL, "no-store"),
    // Pages of listed origins read answers with CORS, which this does not restrict. Contents, which such pages embed, set it otherwise.
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

pub(super) async fn careful(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
