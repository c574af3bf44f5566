//! Fills one stream: the frames of one run, with its texts while they are written, until the run ends or waits for a choice.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::response::sse::Event;
use palimpsest::feed::Admission;
use palimpsest::prelude::pipeline::{Run, StageState};
use palimpsest::prelude::wire::deltas::DeltaFeed;
use palimpsest::prelude::wire::{
    ApiError, App, Batch, Cursor, FeedError, Follower, Frame, Owner, RunId, Session, SessionId,
    Start, WRITE_DEADLINE, Wire as _, in_address, sse,
};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};

use super::begin::lane_of;
use super::limits::{HEARTBEAT, OUTBOX};
use super::pieces::{AgentAtWork, Look, Pieces};
use super::place::{Piece, Place};
use crate::pipeline::shape::Route;
use crate::pipeline::stage::{ROUTING, Stage};
use crate::readings::passage::PassageTask;
use crate::wire::out::{Story, run_name};

/// The stages of the agents of a chain, in their order.
const WRITING: [Stage; 2] = [Stage::Act, Stage::Write];

/// Why a stream stops.
enum Stop {
    /// The run has ended or waits, and the client was told.
    Done,
    /// The client is gone, or reads too slowly.
    Left,
    /// No more can be read; the client can come back with its place.
    BrokenOff,
}

/// Follows a session of the log.
pub(super) async fn follow(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    start: Start,
) -> Result<Follower, ApiError> {
    sse::follow(app, owner, Story::NAME, session, start).await
}

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
        let (out, outbox) = mpsc::channel(OUTBOX);
        let is_done = Arc::new(AtomicBool::new(false));
        let (alive, client) = (sse::alive(&self.app), self.client.clone());
        let run = run_name(self.session.as_str(), self.run);
        let teller = self.teller(out).await?;
        tokio::spawn(teller.run(Arc::clone(&is_done)));
        let mut response = sse::answer(alive, outbox, is_done, None);
        let headers = response.headers_mut();
        let encoded = in_address(&client);
        let named = [
            (header::LOCATION, format!("/api/v2/agent/chat/{encoded}")),
            (HeaderName::from_static("x-session-id"), encoded),
            (HeaderName::from_static("x-run-id"), run),
        ];
        for (name, value) in named {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        Ok(response)
    }

    async fn teller(self, out: mpsc::Sender<Event>) -> Result<Teller, ApiError> {
        let mut beat = tokio::time::interval(HEARTBEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        beat.reset();
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
        Ok(Teller {
            deltas: DeltaFeed::new(self.app.engine.clone(), stream),
            app: self.app,
            owner: self.owner,
            session: self.session,
            run: self.run,
            name,
            follower: self.follower,
            pieces,
            cursor,
            held: None,
            is_caught_up: false,
            out,
            beat,
            _admission: self.admission,
        })
    }
}

/// The agent that works in a run.
fn at_work(session: &Session, run: RunId) -> Option<AgentAtWork<'static>> {
    let run = session.run(run)?;
    let is_open = |stage: &Stage| {
        let state = run.stages.get(stage.name()).map(|stage| stage.state);
        state == Some(StageState::Open)
    };
    let place = WRITING.iter().position(is_open)?;
    let route = Route::deserialize(run.facts(ROUTING)?).ok()?;
    Some(AgentAtWork {
        agent: route.agents.get(place)?.as_str(),
        step: u32::try_from(place).ok()? + 1,
        task: route.passage.map_or("", PassageTask::as_str),
    })
}

struct Teller {
    app: App,
    owner: Owner,
    session: SessionId,
    run: RunId,
    /// The run's name in frames.
    name: String,
    follower: Follower,
    deltas: DeltaFeed,
    pieces: Pieces,
    /// The frame that was sent last.
    cursor: Cursor,
    /// The last frame at a pause. It is held back until it is known that nothing follows: somebody may have chosen already.
    held: Option<Frame>,
    /// Whether everything recorded so far was sent. Only then text under way belongs after it.
    is_caught_up: bool,
    out: mpsc::Sender<Event>,
    beat: Interval,
    _admission: Admission,
}

impl Teller {
    async fn run(mut self, is_done: Arc<AtomicBool>) {
        let Err(stop) = self.tell().await;
        if matches!(stop, Stop::Done) {
            is_done.store(true, Ordering::Release);
        }
    }

    async fn tell(&mut self) -> Result<Infallible, Stop> {
        loop {
            tokio::select! {
                biased;
                () = self.out.closed() => return Err(Stop::Left),
                () = self.app.stopping.cancelled() => return Err(Stop::BrokenOff),
                batch = self.follower.next() => self.batch(batch).await?,
                deltas = self.deltas.next(), if self.is_caught_up => {
                    for delta in deltas {
                        self.piece(&delta).await?;
                    }
                }
                _ = self.beat.tick() => {
                    let alive = sse::alive(&self.app);
                    self.send(alive).await?;
                }
            }
        }
    }

    async fn batch(&mut self, batch: Result<Batch, FeedError>) -> Result<(), Stop> {
        match batch {
            Ok(Batch::Frames(frames)) => {
                self.is_caught_up = false;
                for frame in &frames {
                    self.frame(frame).await?;
                }
                Ok(())
            }
            Ok(Batch::CaughtUp(cursor)) => {
                self.is_caught_up = true;
                self.end_if_it_waits(cursor).await
            }
            Err(FeedError::Erased { .. }) => {
                for parting in self.follower.partings().await {
                    let event = Event::default().event(parting.name);
                    self.send(event.data(parting.data.get())).await?;
                }
                Err(Stop::Done)
            }
            Err(error) => {
                tracing::error!(%error, "a stream could not go on");
                Err(Stop::BrokenOff)
            }
        }
    }

    async fn frame(&mut self, frame: &Frame) -> Result<(), Stop> {
        let Ok(look) = serde_json::from_str::<Look>(frame.data.get()) else {
            tracing::error!(cursor = %frame.cursor, "a frame could not be read");
            return Err(Stop::BrokenOff);
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
            return Err(Stop::Done);
        }
        Ok(())
    }

    async fn piece(&mut self, delta: &palimpsest::prelude::wire::Delta) -> Result<(), Stop> {
        let now = self.app.engine.clock().now().timestamp_millis();
        let Some((text, piece)) = self.pieces.piece(self.run, delta, now) else {
            return Ok(());
        };
        let place = self.place(self.cursor, Some(piece));
        let event = Event::default().id(place).event("content").data(text);
        self.send(event).await
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

    async fn write(&mut self, frame: &Frame, data: &str) -> Result<(), Stop> {
        let id = self.place(frame.cursor, None);
        let event = Event::default().id(id).event(frame.name).data(data);
        self.send(event).await
    }

    async fn end_if_it_waits(&mut self, cursor: Cursor) -> Result<(), Stop> {
        let stream = self.owner.stream(&self.session);
        let Ok(session) = self.app.engine.session(&stream).await else {
            return Ok(());
        };
        // Events that came in the meantime are sent first; after them this is checked again.
        if cursor.version < session.version {
            return Ok(());
        }
        let run = session.run(self.run);
        if run.is_some_and(|run| run.end.is_some()) {
            return Err(Stop::Done);
        }
        if run.is_some_and(Run::is_waiting)
            && let Some(held) = self.held.take()
        {
            self.write(&held, held.data.get()).await?;
            return Err(Stop::Done);
        }
        Ok(())
    }

    async fn send(&mut self, event: Event) -> Result<(), Stop> {
        match tokio::time::timeout(WRITE_DEADLINE, self.out.send(event)).await {
            Ok(Ok(())) => {
                self.beat.reset();
                Ok(())
            }
            Ok(Err(_)) => Err(Stop::Left),
            Err(_) => {
                tracing::debug!("a stream was not read for too long");
                Err(Stop::Left)
            }
        }
    }
}
