//! `GET /v1/sessions/{id}/events` as server-sent events: the frames of the native protocol without `sub`, with the cursor as
//! `id:`, so that a browser goes on where it was.
//!
//! More can be said in any session, so the stream stays open between runs. With `until=end` it ends, with the frame `closed`, once
//! everything was sent and no run is at work or waits; a client that reconnects after that gets 204, which tells a browser to stop. A
//! stream never ends without this frame: on an error it is broken off, and the client comes back with its cursor.

use std::convert::Infallible;

use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response};
use domain::session::End as RunEnd;
use domain::{Session, SessionId};
use projections::wire::Wire;
use projections::wire::native::Native;
use projections::{Cursor, Wires};

use super::frames::{ServerFrame, event};
use super::limits::HEARTBEAT;
use super::snapshot::{self, Snapshot};
use super::start_of;
use super::subscription::next_pieces;
use crate::app::App;
use crate::error::ApiError;
use crate::feed::Filter;
use crate::keys::Owner;
use crate::wire::deltas::DeltaFeed;
use crate::wire::sse::{self, EventStream, StreamEnd, StreamItem};

/// What a client wants to listen to.
#[derive(Clone, Debug)]
pub struct Listen {
    pub session: SessionId,
    /// The name of a wire.
    pub wire: String,
    /// The header `Last-Event-ID`, which takes precedence over `after`.
    pub last_event_id: Option<String>,
    /// `start` (where absent), `now` or a cursor.
    pub after: Option<String>,
    /// Whether text is sent while it is made.
    pub deltas: bool,
    /// Whether the stream ends when no run is at work any longer.
    pub until_end: bool,
}

/// Answers with the frames of a session while they are made.
pub async fn listen(app: App, owner: Owner, ask: Listen) -> Result<Response, ApiError> {
    let stream = owner.stream(&ask.session);
    if ask.deltas && ask.wire != Native::NAME {
        let message = format!(
            "text while it is made comes with the wire `native`, not with `{}`",
            ask.wire
        );
        return Err(ApiError::unprocessable("no_deltas", message));
    }
    let start = start_of(ask.last_event_id.as_deref().or(ask.after.as_deref()))?;
    let (follower, reset) = match app
        .feeds
        .follow(&stream, &ask.wire, start, Filter::All)
        .await?
    {
        Ok(follower) => (follower, None),
        Err(reset) => {
            let (snapshot, follower) =
                snapshot::of_wire(&app, &owner, &ask.session, &ask.wire).await?;
            (follower, Some((reset.code(), snapshot)))
        }
    };
    if ask.until_end && ask.last_event_id.is_some() && reset.is_none() {
        let session = app.engine.session(&stream).await?;
        if is_quiet(&session)
            && has_seen_all(app.feeds.wires(), &ask.wire, follower.after(), &session)
        {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
    }
    let admission = sse::admit(&app, &owner)?;
    let deltas = ask
        .deltas
        .then(|| DeltaFeed::new(app.engine.clone(), stream.clone()));
    let (events, outbox) = EventStream::open_stream(&app, stream, follower, admission, None);
    let teller = Teller {
        ask,
        events,
        deltas,
    };
    tokio::spawn(teller.run(reset));
    let hello = Event::default().comment("palimpsest");
    let keep_alive = KeepAlive::new().interval(HEARTBEAT).text("alive");
    Ok(outbox.begin_with(hello, Some(keep_alive)))
}

/// Whether nothing happens until a person does something.
fn is_quiet(session: &Session) -> bool {
    session.active.is_none() && session.queue.is_empty()
}

/// Whether everything in the session is before the cursor. If the last events have no frames, this is false, and the stream says once more
/// that it is over, which does no harm.
fn has_seen_all(wires: &Wires, wire: &str, cursor: Cursor, session: &Session) -> bool {
    let known = wires.version(wire) == Some(cursor.wire_version);
    known && cursor.version >= session.version
}

/// Fills one stream.
struct Teller {
    ask: Listen,
    events: EventStream,
    deltas: Option<DeltaFeed>,
}

impl Teller {
    async fn run(mut self, reset: Option<(&'static str, Snapshot)>) {
        let Err(end) = self.tell(reset).await;
        self.events.close(end);
    }

    async fn tell(
        &mut self,
        reset: Option<(&'static str, Snapshot)>,
    ) -> Result<Infallible, StreamEnd> {
        if let Some((reason, snapshot)) = reset {
            let at = snapshot.at;
            let sub = None;
            let told = ServerFrame::Reset { sub, reason, at };
            self.say(None, &told).await?;
            self.say(Some(at), &ServerFrame::of_snapshot(sub, &snapshot))
                .await?;
        }
        loop {
            match self.events.next_item(next_pieces(&mut self.deltas)).await? {
                StreamItem::Frames(frames) => {
                    for frame in &frames {
                        self.send(Some(frame.cursor), event(frame, None)).await?;
                    }
                    if let Some(deltas) = &mut self.deltas {
                        deltas.superseded_by(&frames);
                    }
                }
                StreamItem::CaughtUp(cursor) => {
                    self.say(Some(cursor), &ServerFrame::UpToDate { sub: None, cursor })
                        .await?;
                    self.end_if_quiet(cursor).await?;
                }
                StreamItem::Erased(_) => {
                    self.say(
                        None,
                        &ServerFrame::Closed {
                            sub: None,
                            r#final: true,
                            outcome: "erased",
                        },
                    )
                    .await?;
                    return Err(StreamEnd::Done);
                }
                StreamItem::Other(pieces) => {
                    for piece in &pieces {
                        self.say(None, &ServerFrame::of_delta(None, piece)).await?;
                    }
                }
            }
        }
    }

    async fn end_if_quiet(&mut self, cursor: Cursor) -> Result<(), StreamEnd> {
        if !self.ask.until_end {
            return Ok(());
        }
        let Some(session) = self.events.session_at_rest(cursor).await else {
            return Ok(());
        };
        if !is_quiet(&session) {
            return Ok(());
        }
        let outcome = match session
            .runs
            .values()
            .next_back()
            .and_then(|run| run.end.as_ref())
        {
            Some(RunEnd::Completed { .. }) => "completed",
            Some(RunEnd::Failed { .. }) => "failed",
            Some(RunEnd::Cancelled { .. }) => "cancelled",
            None => "idle",
        };
        self.say(
            None,
            &ServerFrame::Closed {
                sub: None,
                r#final: false,
                outcome,
            },
        )
        .await?;
        Err(StreamEnd::Done)
    }

    async fn say(&mut self, id: Option<Cursor>, frame: &ServerFrame<'_>) -> Result<(), StreamEnd> {
        self.send(id, frame.to_text()).await
    }

    /// JSON has no line breaks here, so that every message is one `data:` line.
    async fn send(&mut self, id: Option<Cursor>, text: String) -> Result<(), StreamEnd> {
        let mut event = Event::default().data(text);
        if let Some(id) = id {
            event = event.id(id.to_string());
        }
        self.events.send_event(event).await
    }
}
