//! Which pages of a browser may use this server. `Host` and `Origin` are checked on every route, sockets included, and listed origins get
//! the headers that let their pages read the answers.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;
use crate::known_names::KnownNames;

/// Seconds that a browser may remember the answer to a preflight request: ten minutes, which is the most that the strictest browser
/// accepts.
const PREFLIGHT_SECONDS: &str = "600";

/// What pages of listed origins may send and read.
const ALLOWED_METHODS: &str = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const ALLOWED_HEADERS: &str = "authorization, content-type, idempotency-key, if-match, if-none-match, range, last-event-id, accept";
const EXPOSED_HEADERS: &str = "etag, content-range, accept-ranges, content-disposition, link, location, retry-after, x-run-id, x-thread-id";

pub(super) async fn check(
    State(names): State<KnownNames>,
    request: Request,
    next: Next,
) -> Response {
    let host = host(request.headers(), request.uri()).unwrap_or_default();
    if !names.takes_host(&host) {
        return ApiError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host_not_allowed",
            "this server is not known by this host",
        )
        .hint("add the name to `hosts` in the configuration")
        .into_response();
    }
    let Some(origin) = request.headers().get(header::ORIGIN).cloned() else {
        return next.run(request).await;
    };
    let shown = origin.to_str().unwrap_or_default();
    if !names.takes_origin(shown, &host) {
        return ApiError::new(
            StatusCode::FORBIDDEN,
            "origin_not_allowed",
            "pages of this origin may not ask this server",
        )
        .hint("add the origin to `origins` in the configuration")
        .into_response();
    }
    if !names.lists(shown) {
        return next.run(request).await;
    }
    let is_preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if is_preflight {
        preflight()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED_HEADERS),
    );
    // Socket.IO clients poll with credentials when they are told to; keys come in headers, never in cookies.
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
        HeaderValue::from_static("true"),
    );
    response
}

fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static(ALLOWED_METHODS),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(ALLOWED_HEADERS),
    );
    headers.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static(PREFLIGHT_SECONDS),
    );
    response
}

/// The host of a request. HTTP/1.1 has it in a header, HTTP/2 in the address.
fn host(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let header = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    header
        .map(str::to_owned)
        .or_else(|| uri.authority().map(ToString::to_string))
}
