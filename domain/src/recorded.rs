//! An event as the log holds it: what happened, with where and when and by whom.

use std::fmt;

use chrono::{DateTime, Utc};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use crate::event::Event;

/// Who caused an event: `person:<owner>`, `system`, `deadline`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Actor(SmolStr);

impl Actor {
    pub fn person(owner: &str) -> Self {
        Self(format_smolstr!("person:{owner}"))
    }
    pub fn system() -> Self {
        Self(SmolStr::new_static("system"))
    }
    pub fn deadline() -> Self {
        Self(SmolStr::new_static("deadline"))
    }
    pub fn from_stored(text: impl Into<SmolStr>) -> Self {
        Self(text.into())
    }
    pub fn as_str(&self) -> &str {
        &self.0
    }
    pub fn text(&self) -> &SmolStr {
        &self.0
    }
}

/// The id of an event, derived from its command and its place in it; written as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventId(pub [u8; 16]);

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", HEXLOWER.encode_display(&self.0))
    }
}

/// What projections fold. `evolve` sees only the event.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The position in the whole log: without gaps, in commit order. It never leaves the server.
    pub position: u64,
    /// 1..n in the session's logical stream.
    pub version: u64,
    pub event_id: EventId,
    pub recorded_at: DateTime<Utc>,
    pub actor: Actor,
    pub event: Event,
}
