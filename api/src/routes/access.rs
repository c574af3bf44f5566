//! The access log, the number of requests at a time, and how long one may take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use crate::error::ApiError;

/// Logs and counts every request; never its query, its body or its headers.
pub(super) async fn log(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let path = request.uri().path().to_owned();
    let begun = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let duration = begun.elapsed();
    // Addresses without a route are anybody's invention and would make ever more series.
    let route = route.unwrap_or_else(|| {
        if path.starts_with("/socket.io") {
            "/socket.io/"
        } else {
            "none"
        }
        .to_owned()
    });
    let labels = [
        ("method", method.to_string()),
        ("route", route),
        ("status", status.to_string()),
    ];
    metrics::counter!("palimpsest_http_requests_total", &labels).increment(1);
    metrics::histogram!("palimpsest_http_request_seconds", &labels[..2])
        .record(duration.as_secs_f64());
    tracing::info!(%method, path, status, duration_ms = duration.as_millis() as u64, "request");
    response
}

/// Seats for requests that are answered at the same time.
#[derive(Clone)]
pub(super) struct Seats(Arc<Semaphore>);

impl Seats {
    pub(super) fn new(count: usize) -> Self {
        Self(Arc::new(Semaphore::new(count)))
    }
}

/// Refuses what comes when every seat is taken: waiting in a queue would only make everybody slow.
pub(super) async fn seated(State(seats): State<Seats>, request: Request, next: Next) -> Response {
    match seats.0.try_acquire() {
        Ok(_seat) => next.run(request).await,
        Err(_) => ApiError::busy().into_response(),
    }
}

/// Gives a request up that takes too long.
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
