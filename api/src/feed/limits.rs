//! Every limit of following, and the reason for its number.

use std::time::Duration;

/// Bytes of recent frames that a projector keeps for all its followers. A course run of 12 pages gives about 400 KB of frames, so that a
/// client that reconnects within a run, or just after it, is answered from memory.
pub(super) const RING_BYTES: usize = 1024 * 1024;

/// Frames given at a time, so that one subscription does not hold up the others of its connection.
pub(super) const BATCH_FRAMES: usize = 64;

/// Bytes of frames given at a time: what a connection may hold unsent for one subscription. A larger frame comes alone.
pub(super) const BATCH_BYTES: usize = 256 * 1024;

/// Events read from the log at a time. A body of up to 64 KiB is in its event, so that a page is at most 8 MiB. Most pages are a hundredth
/// of that.
pub(super) const PAGE_EVENTS: usize = 128;

/// Events between two kept states of a fold. Folding a thousand events takes some milliseconds; a client that comes back after a long time
/// waits at most for this, and for reading the events.
pub(super) const SNAPSHOT_EVERY: u64 = 1000;

/// The most states that a projector keeps. When there are more, every other one is dropped, so that long sessions have them further apart.
pub(super) const SNAPSHOTS_KEPT: usize = 16;

/// How often the log is read without a wakeup. Wakeups may be lost; only the log is reliable.
pub(super) const RECHECK: Duration = Duration::from_secs(15);

/// A projector that nobody followed for this long is dropped at the next sweep; sweeps are this far apart, too. It is longer than a browser
/// takes to reconnect or to load a page again.
pub(super) const IDLE: Duration = Duration::from_secs(60);

/// The limits together, so that a test can make them small.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// [`RING_BYTES`].
    pub ring_bytes: usize,
    /// [`BATCH_FRAMES`].
    pub batch_frames: usize,
    /// [`BATCH_BYTES`].
    pub batch_bytes: usize,
    /// [`PAGE_EVENTS`].
    pub page_events: usize,
    /// [`SNAPSHOT_EVERY`].
    pub snapshot_every: u64,
    /// [`SNAPSHOTS_KEPT`].
    pub snapshots_kept: usize,
    /// [`RECHECK`].
    pub recheck: Duration,
    /// [`IDLE`].
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            ring_bytes: RING_BYTES,
            batch_frames: BATCH_FRAMES,
            batch_bytes: BATCH_BYTES,
            page_events: PAGE_EVENTS,
            snapshot_every: SNAPSHOT_EVERY,
            snapshots_kept: SNAPSHOTS_KEPT,
            recheck: RECHECK,
            idle: IDLE,
        }
    }
}
