//! What holds for the connections of every protocol.

use std::time::Duration;

/// A write that takes longer than this ends the connection, on every transport: its reader has stopped, and comes back to
/// its cursor when it likes.
pub(super) const WRITE_DEADLINE: Duration = Duration::from_secs(10);
