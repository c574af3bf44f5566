//! Fills one stream: the frames of one run, with its texts while they are written, until the run ends or waits for a choice.

use std::convert::Infallible;
use std::future::pending;

use axum::http::{HeaderName, header};
use axum::response::Response;
use axum::response::sse::Event;
use palimpsest::feed::Admission;
use palimpsest::prelude::pipeline::{Run, StageState};
use palimpsest::prelude::wire::deltas::DeltaFeed;
use palimpsest::prelude::wire::sse::{EventStream, StreamEnd, StreamItem};
use palimpsest::prelude::wire::{
    ApiError, App, Cursor, Follower, Frame, Owner, RunId, Session, SessionId, in_address,
};
use serde::Deserialize;

use super::begin::lane_of;
use super::limits::HEARTBEAT;
use super::pieces::{AgentAtWork, Look, Pieces};
use super::place::{Piece, Place};
use crate::pipeline::shape::Route;
use crate::pipeline::stage::{ROUTING, Stage};
use crate::readings::passage::PassageTask;
use crate::wire::out::run_name;

/// A stream that has not started yet.
pub(super) struct Stream {
    pub(super) app: App,
    pub(super) owner: Owner,
    /// The client's session, and the session of the log behind it.
    pub(super) client: String,
    pub(super) session: SessionId,
    pub(super) run: RunId,
    pub(super) follower: Follower,
    /// How much of a text was sent before, if the stream continues in the middle of one.
    pub(super) piece: Option<Piece>,
    pub(super) admission: Admission,
}

impl Stream {
    /// Starts the stream and returns its answer.
    pub(super) async fn respond(self) -> Result<Response, ApiError> {
        let stream = self.owner.stream(&self.session);
        let name = run_name(self.session.as_str(), self.run);
        let mut pieces = Pieces::new(name.clone());
        let cursor = self.follower.after();
        if cursor.version > 0 && cursor.sub != u32::MAX {
            let seen = self.app.engine.session_at(&stream, cursor.version).await?;
            if let Some(at_work) = at_work(&seen, self.run) {
                pieces.resume(&at_work, self.piece);
            }
        }
        let deltas = DeltaFeed::new(self.app.engine.clone(), stream.clone());
        let (events, outbox) = EventStream::open_stream(
            &self.app,
            stream,
            self.follower,
            self.admission,
            Some(HEARTBEAT),
        );
        let client = in_address(&self.client);
        let response = outbox.respond(
            &self.app,
            [
                (header::LOCATION, format!("/api/v2/agent/chat/{client}")),
                (HeaderName::from_static("x-session-id"), client),
                (HeaderName::from_static("x-run-id"), name.clone()),
            ],
        );
        let teller = Teller {
            app: self.app,
            session: self.session,
            run: self.run,
            name,
            events,
            deltas,
            pieces,
            cursor,
            held: None,
            is_caught_up: false,
        };
        tokio::spawn(teller.run());
        Ok(response)
    }
}

/// The agent that works in a run.
fn at_work(session: &Session, run: RunId) -> Option<AgentAtWork<'static>> {
    let run = session.run(run)?;
    let is_open = |stage: &Stage| {
        let state = run.stages.get(stage.name).map(|stage| stage.state);
        state == Some(StageState::Open)
    };
    let mut open = Stage::ALL.into_iter().filter(is_open);
    let place = open.find_map(Stage::place_of_agent)?;
    let route = Route::deserialize(run.facts(ROUTING)?).ok()?;
    Some(AgentAtWork {
        agent: route.agents.get(place)?.as_str(),
        step: u32::try_from(place).ok()? + 1,
        task: route.passage.map_or("", PassageTask::as_str),
    })
}

struct Teller {
    app: App,
    session: SessionId,
    run: RunId,
    /// The run's name in frames.
    name: String,
    events: EventStream,
    deltas: DeltaFeed,
    pieces: Pieces,
    /// The frame that was sent last.
    cursor: Cursor,
    /// The last frame at a pause. It is held back until it is known that nothing follows: somebody may have chosen already.
    held: Option<Frame>,
    /// Whether everything recorded so far was sent. Only then text under way belongs after it.
    is_caught_up: bool,
}

impl Teller {
    async fn run(mut self) {
        let Err(end) = self.tell().await;
        self.events.close(end);
    }

    async fn tell(&mut self) -> Result<Infallible, StreamEnd> {
        loop {
            let (is_caught_up, deltas) = (self.is_caught_up, &mut self.deltas);
            let deltas = async {
                if !is_caught_up {
                    pending::<()>().await;
                }
                deltas.next().await
            };
            match self.events.next_item(deltas).await? {
                StreamItem::Frames(frames) => {
                    self.is_caught_up = false;
                    for frame in &frames {
                        self.frame(frame).await?;
                    }
                }
                StreamItem::CaughtUp(cursor) => {
                    self.is_caught_up = true;
                    self.end_if_it_waits(cursor).await?;
                }
                StreamItem::Erased(partings) => {
                    for parting in partings {
                        let event = Event::default().event(parting.name);
                        self.events
                            .send_event(event.data(parting.data.get()))
                            .await?;
                    }
                    return Err(StreamEnd::Done);
                }
                StreamItem::Other(deltas) => {
                    for delta in deltas {
                        self.piece(&delta).await?;
                    }
                }
            }
        }
    }

    async fn frame(&mut self, frame: &Frame) -> Result<(), StreamEnd> {
        let Ok(look) = serde_json::from_str::<Look>(frame.data.get()) else {
            tracing::error!(cursor = %frame.cursor, "a frame could not be read");
            return Err(StreamEnd::BrokenOff);
        };
        if look.run_id != self.name {
            return Ok(());
        }
        // Frames after a pause mean that somebody has chosen.
        self.held = None;
        if frame.name == "done" && look.status == "paused" {
            self.held = Some(frame.clone());
            return Ok(());
        }
        self.cursor = frame.cursor;
        match frame.name {
            "thought" => {
                // A model may answer before the log has told that it was asked.
                if self.pieces.thought(&look) {
                    self.deltas.start_over();
                }
                self.write(frame, frame.data.get()).await?;
            }
            "content" => {
                if let Some(text) = self.pieces.whole(&look, frame.data.get()) {
                    self.write(frame, &text).await?;
                }
            }
            _ => self.write(frame, frame.data.get()).await?,
        }
        if frame.terminal {
            return Err(StreamEnd::Done);
        }
        Ok(())
    }

    async fn piece(&mut self, delta: &palimpsest::prelude::wire::Delta) -> Result<(), StreamEnd> {
        let now = self.app.engine.clock().now().timestamp_millis();
        let Some((text, piece)) = self.pieces.piece(self.run, delta, now) else {
            return Ok(());
        };
        let place = self.place(self.cursor, Some(piece));
        let event = Event::default().id(place).event("content").data(text);
        self.events.send_event(event).await
    }

    fn place(&self, cursor: Cursor, piece: Option<Piece>) -> String {
        let lane = lane_of(&self.session);
        let place = Place {
            lane,
            cursor,
            piece,
        };
        place.to_string()
    }

    async fn write(&mut self, frame: &Frame, data: &str) -> Result<(), StreamEnd> {
        let id = self.place(frame.cursor, None);
        let event = Event::default().id(id).event(frame.name).data(data);
        self.events.send_event(event).await
    }

    async fn end_if_it_waits(&mut self, cursor: Cursor) -> Result<(), StreamEnd> {
        let Some(session) = self.events.session_at_rest(cursor).await else {
            return Ok(());
        };
        let run = session.run(self.run);
        if run.is_some_and(|run| run.end.is_some()) {
            return Err(StreamEnd::Done);
        }
        if run.is_some_and(Run::is_waiting)
            && let Some(held) = self.held.take()
        {
            self.write(&held, held.data.get()).await?;
            return Err(StreamEnd::Done);
        }
        Ok(())
    }
}
