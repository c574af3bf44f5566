//! Fills one stream until everything was sent.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::response::sse::Event;
use palimpsest::feed::Admission;
use palimpsest::prelude::pipeline::Run;
use palimpsest::prelude::wire::{
    ApiError, App, Batch, Cursor, FeedError, Follower, Frame, Owner, RunId, Session, SessionId,
    Start, WRITE_DEADLINE, Wire as _, sse,
};
use tokio::sync::mpsc;
use tokio::time::Interval;

use super::limits::OUTBOX;
use super::presence::Attendance;
use super::shown::Shown;
use crate::wire::out::Post;

/// The data of the last event of a complete stream.
const DONE: &str = "[DONE]";

/// The reason for cancelling a run whose client went away.
const LEFT: &str = "the client went away";

/// Why a stream stops.
enum Stop {
    /// Everything was sent.
    Done,
    /// The client is gone, or reads too slowly.
    Left,
    /// No more can be read; the client can come back with its cursor.
    BrokenOff,
}

/// Which frames are sent, and until when.
#[derive(Clone, Copy, Debug)]
pub(super) enum StreamSpan {
    /// All frames, until nothing is at work.
    Thread,
    /// The frames of one run from a number on, until the run has ended or waits.
    Run { run: RunId, from: u64 },
}

/// Follows a thread.
pub(super) async fn follow(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    start: Start,
) -> Result<Follower, ApiError> {
    sse::follow(app, owner, Post::NAME, session, start).await
}

/// Whether a run waits for a person, and for nothing else.
pub(super) fn is_paused(session: &Session, run: RunId) -> bool {
    session.run(run).is_some_and(Run::is_waiting)
}

/// Whether nothing happens until a person does something.
pub(super) fn is_quiet(session: &Session) -> bool {
    match session.active {
        Some(run) => is_paused(session, run),
        None => session.queue.is_empty(),
    }
}

/// A stream that has not started yet.
pub(super) struct Stream {
    pub(super) app: App,
    pub(super) owner: Owner,
    pub(super) session: SessionId,
    pub(super) follower: Follower,
    pub(super) told: StreamSpan,
    pub(super) heartbeat: Duration,
    /// A frame of this connection, before all others.
    pub(super) greeting: Option<String>,
    pub(super) attendance: Option<Attendance>,
    pub(super) admission: Admission,
}

impl Stream {
    /// Starts the stream and returns its answer. `run` is the run that the answer names.
    pub(super) fn respond(self, run: Option<RunId>) -> Response {
        let (out, outbox) = mpsc::channel(OUTBOX);
        let is_done = Arc::new(AtomicBool::new(false));
        let alive = sse::alive(&self.app);
        let thread = self.session.to_string();
        tokio::spawn(self.run(out, Arc::clone(&is_done)));
        let mut response = sse::answer(alive, outbox, is_done, None);
        let headers = response.headers_mut();
        let mut named = |name: HeaderName, value: String| {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        };
        let encoded = encoded(&thread);
        named(header::LOCATION, format!("/api/agent/stream/{encoded}"));
        named(HeaderName::from_static("x-thread-id"), encoded);
        if let Some(run) = run {
            named(HeaderName::from_static("x-run-id"), run.to_string());
        }
        response
    }

    async fn run(self, out: mpsc::Sender<Event>, is_done: Arc<AtomicBool>) {
        let Self {
            app,
            owner,
            session,
            follower,
            told,
            heartbeat,
            greeting,
            attendance,
            admission,
        } = self;
        let mut beat = tokio::time::interval(heartbeat);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        beat.reset();
        let mut teller = Teller {
            shown: attendance.as_ref().map(Attendance::shown),
            app,
            owner,
            session,
            out,
            told,
            beat,
            ended: 0,
            index: 0,
        };
        let Err(stop) = teller.tell(follower, greeting).await;
        match stop {
            Stop::Done => is_done.store(true, Ordering::Release),
            Stop::Left => teller.leave(attendance).await,
            Stop::BrokenOff => {}
        }
        drop(admission);
    }
}

/// A name, escaped for an address and for a header.
fn encoded(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~:@!$&'()*+,;=".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

struct Teller {
    app: App,
    owner: Owner,
    session: SessionId,
    out: mpsc::Sender<Event>,
    told: StreamSpan,
    shown: Option<Shown>,
    beat: Interval,
    /// Number of runs of the thread whose last frame was read.
    ended: u32,
    /// Number of frames of the followed run that were read.
    index: u64,
}

impl Teller {
    async fn tell(
        &mut self,
        mut follower: Follower,
        greeting: Option<String>,
    ) -> Result<Infallible, Stop> {
        if let Some(greeting) = greeting {
            self.send(Event::default().data(greeting)).await?;
        }
        loop {
            let batch = tokio::select! {
                biased;
                () = self.out.closed() => return Err(Stop::Left),
                () = self.app.stopping.cancelled() => return Err(Stop::BrokenOff),
                batch = follower.next() => batch,
                _ = self.beat.tick() => {
                    let alive = sse::alive(&self.app);
                    self.send(alive).await?;
                    continue;
                }
            };
            match batch {
                Ok(Batch::Frames(frames)) => {
                    for frame in &frames {
                        self.frame(frame).await?;
                    }
                }
                Ok(Batch::CaughtUp(cursor)) => self.end_if_quiet(cursor).await?,
                Err(FeedError::Erased { .. }) => {
                    for parting in follower.partings().await {
                        let text = parting.data.get().to_owned();
                        self.send(Event::default().data(text)).await?;
                    }
                    return self.done().await;
                }
                Err(error) => {
                    tracing::error!(%error, "a stream could not go on");
                    return Err(Stop::BrokenOff);
                }
            }
        }
    }

    async fn frame(&mut self, frame: &Frame) -> Result<(), Stop> {
        let event = Event::default().data(frame.data.get());
        let (run, from) = match self.told {
            StreamSpan::Thread => {
                self.send(event.id(frame.cursor.to_string())).await?;
                self.was_told(frame);
                return Ok(());
            }
            StreamSpan::Run { run, from } => (run, from),
        };
        // Runs of a thread come one after the other, and their numbers begin with 1.
        let is_its = self.ended + 1 == run.0;
        self.ended += u32::from(frame.terminal);
        if !is_its {
            return Ok(());
        }
        let index = self.index;
        self.index += 1;
        if index >= from {
            self.send(event.id(index.to_string())).await?;
            self.was_told(frame);
        }
        if frame.terminal {
            return self.done().await.map(|never| match never {});
        }
        Ok(())
    }

    async fn end_if_quiet(&mut self, cursor: Cursor) -> Result<(), Stop> {
        let stream = self.owner.stream(&self.session);
        let Ok(session) = self.app.engine.session(&stream).await else {
            return Ok(());
        };
        // Events that came in the meantime are sent first; after them this is checked again.
        if cursor.version < session.version {
            return Ok(());
        }
        let is_over = match self.told {
            StreamSpan::Thread => is_quiet(&session),
            StreamSpan::Run { run, .. } => is_paused(&session, run),
        };
        if is_over {
            self.has_read_all(&session);
            self.done().await.map(|never| match never {})
        } else {
            Ok(())
        }
    }

    fn was_told(&self, frame: &Frame) {
        if let Some(shown) = &self.shown {
            shown.frame(&self.owner.stream(&self.session), frame.data.get());
        }
    }

    /// Notes the waiting questions as shown: a client that has read to the end knows them, from this stream or from earlier ones.
    fn has_read_all(&self, session: &Session) {
        let Some(shown) = &self.shown else { return };
        let gates = session.active_run().into_iter().flat_map(Run::open_gates);
        for gate in gates {
            shown.question(&self.owner.stream(&self.session), &gate.opened.gate);
        }
    }

    async fn done(&mut self) -> Result<Infallible, Stop> {
        self.send(Event::default().data(DONE)).await?;
        Err(Stop::Done)
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

    /// If this was the last stream, cancels the runs that were to be cancelled with it.
    async fn leave(&self, attendance: Option<Attendance>) {
        let Some(attendance) = attendance else { return };
        let runs = attendance.left();
        self.app
            .abandon(&self.owner, &self.session, runs, LEFT)
            .await;
    }
}
