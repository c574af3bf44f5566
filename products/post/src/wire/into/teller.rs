//! Fills one stream until everything was sent.

use std::convert::Infallible;
use std::future::pending;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::response::sse::Event;
use palimpsest::feed::Admission;
use palimpsest::prelude::pipeline::Run;
use palimpsest::prelude::wire::sse::{EventStream, StreamEnd, StreamItem};
use palimpsest::prelude::wire::{App, Cursor, Follower, Frame, Owner, RunId, Session, SessionId};

use super::limits::{HEARTBEAT, TASK_HEARTBEAT};
use super::presence::Attendance;
use super::shown::Shown;

/// The data of the last event of a complete stream.
const DONE: &str = "[DONE]";

/// The reason for cancelling a run whose client went away.
const LEFT: &str = "the client went away";

/// Which frames are sent, and until when.
#[derive(Clone, Copy, Debug)]
pub(super) enum StreamSpan {
    /// All frames, until nothing is at work.
    Thread,
    /// The frames of one run from a number on, until the run has ended or waits.
    Run { run: RunId, from: u64 },
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
    /// A frame of this connection, before all others.
    pub(super) greeting: Option<String>,
    pub(super) attendance: Attendance,
    pub(super) admission: Admission,
}

impl Stream {
    /// Starts the stream and returns its answer. `run` is the run that the answer names.
    pub(super) fn respond(self, run: Option<RunId>) -> Response {
        let heartbeat = match self.told {
            StreamSpan::Thread => HEARTBEAT,
            StreamSpan::Run { .. } => TASK_HEARTBEAT,
        };
        let stream = self.owner.stream(&self.session);
        let (events, outbox) = EventStream::open_stream(
            &self.app,
            stream,
            self.follower,
            self.admission,
            Some(heartbeat),
        );
        let thread = encoded(self.session.as_str());
        let mut response = outbox.respond(
            &self.app,
            [
                (header::LOCATION, format!("/api/agent/stream/{thread}")),
                (HeaderName::from_static("x-thread-id"), thread),
            ],
        );
        if let Some(run) = run
            && let Ok(run) = HeaderValue::from_str(&run.to_string())
        {
            response.headers_mut().insert("x-run-id", run);
        }
        let teller = Teller {
            shown: self.attendance.shown(),
            app: self.app,
            owner: self.owner,
            session: self.session,
            events,
            told: self.told,
            ended: 0,
            index: 0,
        };
        tokio::spawn(teller.run(self.greeting, self.attendance));
        response
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
    events: EventStream,
    told: StreamSpan,
    shown: Shown,
    /// Number of runs of the thread whose last frame was read.
    ended: u32,
    /// Number of frames of the followed run that were read.
    index: u64,
}

impl Teller {
    async fn run(mut self, greeting: Option<String>, attendance: Attendance) {
        let Err(end) = self.tell(greeting).await;
        if end == StreamEnd::Left {
            // If this was the last stream, the runs that were to be cancelled with it are cancelled.
            let runs = attendance.left();
            let (owner, session) = (&self.owner, &self.session);
            self.app.abandon(owner, session, runs, LEFT).await;
        }
        self.events.close(end);
    }

    async fn tell(&mut self, greeting: Option<String>) -> Result<Infallible, StreamEnd> {
        if let Some(greeting) = greeting {
            self.events
                .send_event(Event::default().data(greeting))
                .await?;
        }
        loop {
            match self.events.next_item(pending::<Infallible>()).await? {
                StreamItem::Frames(frames) => {
                    for frame in &frames {
                        self.frame(frame).await?;
                    }
                }
                StreamItem::CaughtUp(cursor) => self.end_if_quiet(cursor).await?,
                StreamItem::Erased(partings) => {
                    for parting in partings {
                        let event = Event::default().data(parting.data.get());
                        self.events.send_event(event).await?;
                    }
                    return self.done().await;
                }
                StreamItem::Other(never) => match never {},
            }
        }
    }

    async fn frame(&mut self, frame: &Frame) -> Result<(), StreamEnd> {
        let event = Event::default().data(frame.data.get());
        let (run, from) = match self.told {
            StreamSpan::Thread => {
                self.events
                    .send_event(event.id(frame.cursor.to_string()))
                    .await?;
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
            self.events.send_event(event.id(index.to_string())).await?;
            self.was_told(frame);
        }
        if frame.terminal {
            return self.done().await.map(|never| match never {});
        }
        Ok(())
    }

    async fn end_if_quiet(&mut self, cursor: Cursor) -> Result<(), StreamEnd> {
        let Some(session) = self.events.session_at_rest(cursor).await else {
            return Ok(());
        };
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
        let stream = self.owner.stream(&self.session);
        self.shown.frame(&stream, frame.data.get());
    }

    /// Notes the waiting questions as shown: a client that has read to the end knows them, from this stream or from earlier ones.
    fn has_read_all(&self, session: &Session) {
        let stream = self.owner.stream(&self.session);
        let gates = session.active_run().into_iter().flat_map(Run::open_gates);
        for gate in gates {
            self.shown.question(&stream, &gate.opened.gate);
        }
    }

    async fn done(&mut self) -> Result<Infallible, StreamEnd> {
        self.events.send_event(Event::default().data(DONE)).await?;
        Err(StreamEnd::Done)
    }
}
