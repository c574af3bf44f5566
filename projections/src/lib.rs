//! Readings of the log: views, the audit, and one fold for each wire's outgoing half. Pure functions of recorded events:
//! nothing here waits, reads, asks the time or rolls dice.

pub mod history;
pub mod view;
pub mod wire;

pub use wire::{AnyFold, Cursor, Fold, Frame, Parting, SessionRef, Wire};

use chrono::{DateTime, SecondsFormat, Utc};

/// A time as clients read it: RFC 3339 in UTC, to the millisecond.
pub(crate) fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Where the content of an artifact is served.
pub fn content_path(artifact: &domain::ArtifactId) -> String {
    format!("/v1/artifacts/{artifact}/content")
}
