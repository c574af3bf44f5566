//! Limits for the connections of every protocol.

use std::time::Duration;

/// A write that takes longer than this ends the connection, on every transport: the client has stopped reading, and can come back with its
/// cursor later.
pub const WRITE_DEADLINE: Duration = Duration::from_secs(10);
