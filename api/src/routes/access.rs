//! The access log, the number of requests at a time, and how long one may take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::config::Limits;
use crate::connections::Caller;
use crate::error::ApiError;
use crate::keys::{Keys, Recognised, bearer};
use crate::shares::{Exceeded, Shares};

/// Characters of a path in the log. Paths of ours are shorter; a client can send any others.
const PATH_CHARS: usize = 256;

/// The methods that are counted by their names. A client can send any others, and each would add a series to the metrics.
const METHODS: [&str; 9] = [
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE",
];

fn method_name(method: &Method) -> &'static str {
    let known = METHODS.iter().find(|known| **known == method.as_str());
    known.copied().unwrap_or("other")
}

/// Logs and counts every request; never its query, its body or its headers.
pub(super) async fn log(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let named = method_name(&method);
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let path: String = request.uri().path().chars().take(PATH_CHARS).collect();
    let begun = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let duration = begun.elapsed();
    // A client can send any address that has no route, and each would add a series to the metrics.
    let route = route.unwrap_or_else(|| {
        if path.starts_with("/socket.io") {
            "/socket.io/"
        } else {
            "none"
        }
        .to_owned()
    });
    let labels = [
        ("method", named.to_owned()),
        ("route", route),
        ("status", status.to_string()),
    ];
    metrics::counter!("palimpsest_http_requests_total", &labels).increment(1);
    metrics::histogram!("palimpsest_http_request_seconds", &labels[..2])
        .record(duration.as_secs_f64());
    tracing::info!(
        method = named,
        path,
        status,
        duration_ms = duration.as_millis() as u64,
        "request"
    );
    response
}

/// Seats for requests that are answered at the same time.
#[derive(Clone)]
pub(super) struct Seats(Arc<Shares>);

impl Seats {
    pub(super) fn new(limits: &Limits) -> Self {
        let (all, each) = (limits.requests as u64, limits.requests_share as u64);
        Self(Shares::new("requests", all, each))
    }
}

/// Refuses a request when all seats are taken, or all seats of its owner: a queue would only slow everybody down.
pub(super) async fn seated(State(seats): State<Seats>, request: Request, next: Next) -> Response {
    let caller = Caller::of(request.extensions());
    match seats.0.take(caller.account(), 1) {
        Ok(_seat) => next.run(request).await,
        Err(Exceeded::All) => ApiError::busy().into_response(),
        Err(Exceeded::Each) => {
            let message = "too many requests of this key, or of this address, are under way";
            ApiError::too_many("too_many_requests", message).into_response()
        }
    }
}

/// Checks the key of a request once, so that the inner layers know which account the request is counted for. A request without a right key
/// goes on: a handler that needs a key refuses it.
pub(super) async fn recognised(State(keys): State<Keys>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let mut caller = Caller::of(&parts.extensions);
    let owner = keys.owner(&mut caller, bearer(&parts));
    parts.extensions.insert(caller);
    parts.extensions.insert(Recognised(owner));
    next.run(Request::from_parts(parts, body)).await
}

/// Gives up a request that takes too long.
pub(super) async fn in_time(
    State(limit): State<Duration>,
    request: Request,
    next: Next,
) -> Response {
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let message = format!("the request took longer than {} seconds", limit.as_secs());
            ApiError::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message)
                .hint("try again with the same id; what was begun may have been done")
                .retryable()
                .into_response()
        }
    }
}
