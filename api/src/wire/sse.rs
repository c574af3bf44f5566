//! What all streams of server-sent events share, whatever their frames are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::{Session, SessionId};
use futures::StreamExt;
use projections::{Cursor, Frame, Parting, Wire};
use store::StreamId;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_stream::wrappers::ReceiverStream;

use crate::app::App;
use crate::error::ApiError;
use crate::feed::{Admission, Batch, FeedError, Filter, Follower, Start, TooManyConnections};
use crate::keys::Owner;
use crate::request::ApiJson;
use crate::wire::limits::WRITE_DEADLINE;

/// Events that wait for the socket: a client that reads slowly gets the others from the log.
const OUTBOX: usize = 16;

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
pub async fn follow<W: Wire>(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    start: Start,
) -> Result<Follower, ApiError> {
    let stream = owner.stream(session);
    let feeds = &app.feeds;
    if let Ok(follower) = feeds.follow(&stream, W::NAME, start, Filter::All).await? {
        return Ok(follower);
    }
    let again = feeds.follow(&stream, W::NAME, Start::Beginning, Filter::All);
    let again = again.await?;
    again.map_err(|reset| ApiError::internal("following a session", reset.code()))
}

/// Why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// Everything was sent.
    Done,
    /// The client is gone, or reads too slowly.
    Left,
    /// No more can be read; the client can come back with its cursor.
    BrokenOff,
}

/// What a stream has to send next.
#[derive(Debug)]
pub enum StreamItem<T> {
    Frames(Vec<Frame>),
    /// Everything up to here was given.
    CaughtUp(Cursor),
    /// The session was erased: the frames that close what is open. Nothing more will come.
    Erased(Vec<Parting>),
    /// What the stream waited for beside its frames.
    Other(T),
}

/// One stream of server-sent events of a session.
pub struct EventStream {
    app: App,
    stream: StreamId,
    follower: Follower,
    events: mpsc::Sender<Event>,
    /// When the next comment is due; `None` where the answer sends them by itself.
    beat: Option<Interval>,
    is_done: Arc<AtomicBool>,
    /// The connection is counted until the stream ends.
    _admission: Admission,
}

/// The events of a stream on their way to the client.
pub struct EventOutbox {
    events: mpsc::Receiver<Event>,
    is_done: Arc<AtomicBool>,
}

impl EventStream {
    /// A stream of what the follower gives. With a heartbeat it sends a comment whenever nothing was sent for that long.
    pub fn open_stream(
        app: &App,
        stream: StreamId,
        follower: Follower,
        admission: Admission,
        heartbeat: Option<Duration>,
    ) -> (Self, EventOutbox) {
        let (sender, events) = mpsc::channel(OUTBOX);
        let is_done = Arc::new(AtomicBool::new(false));
        let outbox = EventOutbox {
            events,
            is_done: Arc::clone(&is_done),
        };
        let beat = heartbeat.map(|period| {
            let mut beat = tokio::time::interval(period);
            beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
            beat.reset();
            beat
        });
        let opened = Self {
            app: app.clone(),
            stream,
            follower,
            events: sender,
            beat,
            is_done,
            _admission: admission,
        };
        (opened, outbox)
    }

    /// Waits for what is next, and sends comments meanwhile. `other` is polled only while there are no frames; it is dropped with the
    /// call, which must lose nothing.
    pub async fn next_item<T>(
        &mut self,
        other: impl Future<Output = T>,
    ) -> Result<StreamItem<T>, StreamEnd> {
        tokio::pin!(other);
        loop {
            let batch = tokio::select! {
                biased;
                () = self.events.closed() => return Err(StreamEnd::Left),
                () = self.app.stopping.cancelled() => return Err(StreamEnd::BrokenOff),
                batch = self.follower.next() => batch,
                other = &mut other => return Ok(StreamItem::Other(other)),
                () = next_beat(&mut self.beat) => {
                    self.send_event(alive(&self.app)).await?;
                    continue;
                }
            };
            return match batch {
                Ok(Batch::Frames(frames)) => Ok(StreamItem::Frames(frames)),
                Ok(Batch::CaughtUp(cursor)) => Ok(StreamItem::CaughtUp(cursor)),
                Err(FeedError::Erased { .. }) => {
                    Ok(StreamItem::Erased(self.follower.partings().await))
                }
                Err(error) => {
                    tracing::error!(%error, "an event stream could not go on");
                    Err(StreamEnd::BrokenOff)
                }
            };
        }
    }

    /// The session, if nothing came after this cursor. What came in the meantime is sent first; after it this is checked again.
    pub async fn session_at_rest(&self, cursor: Cursor) -> Option<Arc<Session>> {
        let session = self.app.engine.session(&self.stream).await.ok()?;
        (cursor.version >= session.version).then_some(session)
    }

    pub async fn send_event(&mut self, event: Event) -> Result<(), StreamEnd> {
        match tokio::time::timeout(WRITE_DEADLINE, self.events.send(event)).await {
            Ok(Ok(())) => {
                if let Some(beat) = &mut self.beat {
                    beat.reset();
                }
                Ok(())
            }
            Ok(Err(_)) => Err(StreamEnd::Left),
            Err(_) => {
                tracing::debug!("an event stream was not read for too long");
                Err(StreamEnd::Left)
            }
        }
    }

    /// Ends the stream. Unless everything was sent, its answer is broken off.
    pub fn close(self, end: StreamEnd) {
        self.is_done
            .store(end == StreamEnd::Done, Ordering::Release);
    }
}

async fn next_beat(beat: &mut Option<Interval>) {
    match beat {
        Some(beat) => drop(beat.tick().await),
        None => std::future::pending().await,
    }
}

/// The comment that keeps a stream alive, with the time in milliseconds.
fn alive(app: &App) -> Event {
    let now = app.engine.clock().now().timestamp_millis();
    Event::default().comment(format!("keep-alive {now}"))
}

impl EventOutbox {
    /// The answer of a stream with a heartbeat, with these headers.
    pub fn respond<const N: usize>(
        self,
        app: &App,
        headers: [(HeaderName, String); N],
    ) -> Response {
        let mut response = self.begin_with(alive(app), None);
        for (name, value) in headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }

    /// The answer with this first event, and the events of the stream after it.
    pub fn begin_with(self, first: Event, keep_alive: Option<KeepAlive>) -> Response {
        // The first event is sent at once, so that proxies and clients know that the stream works.
        let first = futures::stream::once(async { Ok(first) });
        // If the sender stopped before everything was sent, the body is broken off.
        let is_done = self.is_done;
        let last = futures::stream::once(async move { is_done.load(Ordering::Acquire) });
        let last = last.filter_map(|is_done| async move { (!is_done).then_some(Err(BrokenOff)) });
        let events = ReceiverStream::new(self.events).map(Ok);
        let events = Sse::new(first.chain(events).chain(last));
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
}

/// The id of the last event that a client has, which it sends when it reconnects.
pub fn last_event_id(headers: &HeaderMap) -> Option<&str> {
    let last = headers.get("last-event-id")?.to_str().ok()?.trim();
    (!last.is_empty()).then_some(last)
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
