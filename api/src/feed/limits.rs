//! Every limit of following, with where its number comes from.

use std::time::Duration;

/// Recent frames that a projector keeps for everybody who follows. A course run of 12 pages gives about 400 KB of frames,
/// so that whoever reconnects within a run, or just after it, is answered from memory.
pub(super) const RING_BYTES: usize = 1024 * 1024;

/// Frames given at a time, so that one subscription does not hold up the others of its connection.
pub(super) const BATCH_FRAMES: usize = 64;

/// Bytes of frames given at a time: what a connection may hold unsent for one subscription. A larger frame comes alone.
pub(super) const BATCH_BYTES: usize = 256 * 1024;

/// Events read from the log at a time. Bodies of up to 64 KiB are in the events, so a page is at most 8 MiB and mostly a
/// hundredth of that.
pub(super) const PAGE_EVENTS: usize = 128;

/// Events between two kept states of a fold. Folding a thousand events takes some milliseconds, which is what a client that
/// comes back after a long time waits at most beyond reading.
pub(super) const SNAPSHOT_EVERY: u64 = 1000;

/// States that a projector keeps. With more, every other one is given up, so that long sessions have them further apart.
pub(super) const SNAPSHOTS_KEPT: usize = 16;

/// How often the log is looked at without a wakeup. Wakeups may be lost, the log is the truth.
pub(super) const RECHECK: Duration = Duration::from_secs(15);

/// A projector that nobody followed for this long is dropped at the next look, which comes as often. Longer than a browser
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
