//! What all streams of server-sent events share, whatever their frames are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::SessionId;
use futures::StreamExt;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::app::App;
use crate::error::ApiError;
use crate::feed::{Admission, Filter, Follower, Start, TooManyConnections};
use crate::keys::Owner;
use crate::request::ApiJson;

/// The error that breaks the body off, so that no client takes the stream for a complete one.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the stream was broken off")]
struct BrokenOff;

/// Takes a place for one more stream.
pub fn admit(app: &App, owner: &Owner) -> Result<Admission, ApiError> {
    let most = app.config.limits.connections_per_owner;
    let refused = |error: TooManyConnections| {
        let (status, code) = (StatusCode::TOO_MANY_REQUESTS, "too_many_connections");
        ApiError::new(status, code, error.to_string()).retryable()
    };
    app.feeds.admit(&owner.0, most).map_err(refused)
}

/// Follows a session on this wire. If following cannot continue from the cursor, it starts from the beginning.
pub async fn follow(
    app: &App,
    owner: &Owner,
    wire: &'static str,
    session: &SessionId,
    start: Start,
) -> Result<Follower, ApiError> {
    let stream = owner.stream(session);
    let feeds = &app.feeds;
    if let Ok(follower) = feeds.follow(&stream, wire, start, Filter::All).await? {
        return Ok(follower);
    }
    let again = feeds.follow(&stream, wire, Start::Beginning, Filter::All);
    let again = again.await?;
    again.map_err(|reset| ApiError::internal("following a session", reset.code()))
}

/// The comment that keeps a stream alive, with the time in milliseconds.
pub fn alive(app: &App) -> Event {
    let now = app.engine.clock().now().timestamp_millis();
    Event::default().comment(format!("keep-alive {now}"))
}

/// An answer with this first event and the events of an outbox. If `is_done` is not set when the outbox closes, the body is broken off.
pub fn answer(
    first: Event,
    outbox: mpsc::Receiver<Event>,
    is_done: Arc<AtomicBool>,
    keep_alive: Option<KeepAlive>,
) -> Response {
    // The first event is sent at once, so that proxies and clients know that the stream works.
    let first = futures::stream::once(async { Ok(first) });
    // If the sender stopped before everything was sent, the body is broken off.
    let last = futures::stream::once(async move { is_done.load(Ordering::Acquire) });
    let last = last.filter_map(|is_done| async move { (!is_done).then_some(Err(BrokenOff)) });
    let events = Sse::new(first.chain(ReceiverStream::new(outbox).map(Ok)).chain(last));
    let mut response = match keep_alive {
        Some(keep_alive) => events.keep_alive(keep_alive).into_response(),
        None => events.into_response(),
    };
    let headers = response.headers_mut();
    let cache = HeaderValue::from_static("no-cache, no-transform");
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// A request body. Some contracts answer JSON that does not fit with 400 instead of 422.
pub fn body<T>(read: Result<ApiJson<T>, ApiError>) -> Result<T, ApiError> {
    match read {
        Ok(ApiJson(body)) => Ok(body),
        Err(error) if error.status == StatusCode::UNPROCESSABLE_ENTITY => {
            Err(ApiError::bad_request(error.error.message))
        }
        Err(error) => Err(error),
    }
}
