//! Times as clients read them.

use chrono::{DateTime, SecondsFormat, Utc};

/// RFC 3339 in UTC, to the millisecond.
pub fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
