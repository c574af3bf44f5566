//! Folding the events of one session into the frames of one wire, with their cursors and ordinals.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{EventId, Recorded, SessionId};
use serde::Serialize;
use serde_json::value::RawValue;

use super::cursor::Cursor;
use super::overview::AnyOverview;

/// The session a client follows. In a fork this is the fork, also for events that were recorded in its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRef {
    pub owner: String,
    pub session: SessionId,
}

/// The event that is folded: when it was recorded, and for which session.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    pub at: DateTime<Utc>,
    pub event_id: EventId,
    pub session: &'a SessionRef,
}

impl Now<'_> {
    /// When the event was recorded, in milliseconds since 1970.
    pub fn ms(&self) -> i64 {
        self.at.timestamp_millis()
    }
}

/// What a wire says in one frame.
pub trait FrameData: Serialize {
    /// The event name on the wire.
    fn name(&self) -> &'static str;

    /// Whether this frame ends a run on this wire.
    fn is_terminal(&self) -> bool;
}

/// What the fold knows of a frame and the wire's `step` does not.
#[derive(Clone, Copy, Debug)]
pub struct Stamp<'a> {
    pub session: &'a SessionRef,
    pub cursor: Cursor,
    pub ordinal: u64,
}

/// The outgoing half of a protocol.
pub trait Wire: Clone + fmt::Debug + Send + 'static {
    const NAME: &'static str;
    /// Has to be raised whenever the same events produce other frames; cursors of another version are answered with a reset.
    const VERSION: u32;
    /// Whether frames hold the contents of artifacts. If so, the events contain those contents that are not too large.
    const HOLDS_CONTENTS: bool = false;
    /// Whether frames hold the output of tools. If so, the events of tools contain the output as their `summary`, in JSON, where it is not
    /// too large.
    const HOLDS_OUTPUTS: bool = false;
    type State: Clone + Default + fmt::Debug + Send + Sync + 'static;
    type Data: FrameData;

    /// Takes one event into account and produces its frames. It uses no clock and no randomness; ids come from the event.
    fn step(
        state: &mut Self::State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<Self::Data>,
    );

    /// Closes everything that clients have seen begin, where the log will not: the session was erased.
    fn part(state: &Self::State, out: &mut Vec<Self::Data>) {
        let _ = (state, out);
    }

    /// What a client of this wire is given when it connects, before the first event of its session; `None` where the wire has nothing of
    /// this kind.
    fn overview(session: SessionRef) -> Option<AnyOverview> {
        let _ = session;
        None
    }

    /// The same as [`Wire::write`] for a frame that is in no log and so has no place.
    fn write_parting(data: &Self::Data, session: &SessionRef) -> serde_json::Result<Box<RawValue>> {
        let _ = session;
        serde_json::value::to_raw_value(data)
    }

    /// Writes a frame's data; wires that repeat the cursor or the session inside it do that here.
    fn write(data: &Self::Data, stamp: Stamp<'_>) -> serde_json::Result<Box<RawValue>> {
        let _ = stamp;
        serde_json::value::to_raw_value(data)
    }
}

/// What a client is sent. Cloning shares the data, which was serialised once.
#[derive(Clone, Debug)]
pub struct Frame {
    pub cursor: Cursor,
    /// How many frames of this wire came before in this session.
    pub ordinal: u64,
    /// The event name on the wire.
    pub name: &'static str,
    pub data: Arc<RawValue>,
    /// The version of the event that produced it.
    pub version: u64,
    pub recorded_at: DateTime<Utc>,
    /// Whether this frame ends a run on this wire.
    pub terminal: bool,
}

impl Frame {
    /// Bytes that the frame holds, for rings that are bounded by them.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.data.get().len()
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        (
            self.cursor,
            self.ordinal,
            self.name,
            self.data.get(),
            self.version,
            self.recorded_at,
            self.terminal,
        ) == (
            other.cursor,
            other.ordinal,
            other.name,
            other.data.get(),
            other.version,
            other.recorded_at,
            other.terminal,
        )
    }
}

/// What a client is sent when its session was erased: a frame that is in no log, without cursor and ordinal.
#[derive(Clone, Debug)]
pub struct Parting {
    /// The event name on the wire.
    pub name: &'static str,
    pub data: Arc<RawValue>,
}

/// One wire's reading of one session, as far as events were folded. A clone is a snapshot from which folding can go on.
#[derive(Clone, Debug)]
pub struct Fold<W: Wire> {
    session: SessionRef,
    state: W::State,
    /// The version folded last; 0 before the first.
    version: u64,
    /// How many frames the event that was folded last produced.
    given: u32,
    /// Frames given so far.
    ordinal: u64,
}

impl<W: Wire> Fold<W> {
    pub fn new(session: SessionRef) -> Self {
        Self {
            session,
            state: W::State::default(),
            version: 0,
            given: 0,
            ordinal: 0,
        }
    }

    /// The frames of the next event. An event that was folded already produces none, so that it does no harm to read a page twice.
    pub fn push(&mut self, recorded: &Recorded) -> Vec<Frame> {
        if recorded.version <= self.version {
            return vec![];
        }
        let mut out = vec![];
        W::step(&mut self.state, &self.session, recorded, &mut out);
        self.version = recorded.version;
        self.given = 0;
        out.iter().map(|data| self.frame(data, recorded)).collect()
    }

    fn frame(&mut self, data: &W::Data, recorded: &Recorded) -> Frame {
        let cursor = Cursor {
            wire_version: W::VERSION,
            version: recorded.version,
            sub: self.given,
        };
        let stamp = Stamp {
            session: &self.session,
            cursor,
            ordinal: self.ordinal,
        };
        let written =
            W::write(data, stamp).expect("frames hold only string keys and finite numbers");
        let frame = Frame {
            cursor,
            ordinal: self.ordinal,
            name: data.name(),
            data: Arc::from(written),
            version: recorded.version,
            recorded_at: recorded.recorded_at,
            terminal: data.is_terminal(),
        };
        self.given += 1;
        self.ordinal += 1;
        frame
    }

    /// The frames that close everything that is open after the events folded so far.
    pub fn partings(&self) -> Vec<Parting> {
        let mut out = vec![];
        W::part(&self.state, &mut out);
        out.iter().map(|data| self.parting(data)).collect()
    }

    fn parting(&self, data: &W::Data) -> Parting {
        let written = W::write_parting(data, &self.session);
        Parting {
            name: data.name(),
            data: Arc::from(written.expect("frames hold only string keys and finite numbers")),
        }
    }

    /// The cursor which says that everything folded so far was seen. An event without frames moves the cursor, too.
    pub fn at(&self) -> Cursor {
        Cursor {
            wire_version: W::VERSION,
            version: self.version,
            sub: self.given.saturating_sub(1),
        }
    }

    /// The version folded last; 0 before the first.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Frames given so far, which is the ordinal of the next one.
    pub fn ordinal(&self) -> u64 {
        self.ordinal
    }

    pub fn session(&self) -> &SessionRef {
        &self.session
    }
}
