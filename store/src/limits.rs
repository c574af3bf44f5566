//! Every limit of the log, with where its number comes from.

use std::time::Duration;

/// Blobs up to this many bytes are rows, written in the append transaction; larger ones are objects beside the database.
/// Measured on SQLite: below it a row costs less than a file of its own.
pub const SMALL_BLOB: usize = 64 * 1024;

/// Events and blobs of one append, in bytes as stored. The largest append of a run is its export, with a picture of less than 64 KiB for
/// each of thirty pages. The limit is about ten times that, and still bounds what one caller can put into a commit.
pub(crate) const APPEND_BYTES: usize = 16 * 1024 * 1024;

/// Appends in one commit. At 0.3 ms for a commit 64 writers never have more than 64 waiting; 512 bounds the pause that a
/// burst of thousands makes for the ones behind it.
pub(crate) const BATCH_APPENDS: usize = 512;

/// Bytes in one commit: about what a disk of 1 GB/s writes in a millisecond.
pub(crate) const BATCH_BYTES: usize = 1024 * 1024;

/// Appends that may wait for the writer. At 10,000 appends a second this is less than half a second of waiting; further appends are
/// refused, and their senders can try again later.
pub(crate) const QUEUE: usize = 4096;

/// Bytes that may wait for the writer, so that large appends are refused before memory runs out.
pub(crate) const QUEUE_BYTES: usize = 256 * 1024 * 1024;

/// Recent events kept decoded for subscriptions. A tail that falls further behind than this reads the database again.
pub(crate) const RING_BYTES: usize = 64 * 1024 * 1024;

/// What an event in the ring counts in addition to its payload: its fields, two reference counts, its place in the ring.
pub(crate) const RING_OVERHEAD: usize = 512;

/// Streams whose data key and lineage are kept in memory, about 300 bytes each.
pub(crate) const CACHED_STREAMS: usize = 65_536;

/// Streams whose row the writer remembers, about 300 bytes each.
pub(crate) const WRITER_STREAMS: usize = 65_536;

/// Streams of which the writer remembers all commands and blobs: more than have work at the same time.
pub(crate) const REMEMBERED_STREAMS: usize = 4096;

/// Commands of one stream that the writer remembers, and as many blobs, at 8 bytes each; a run of a hundred steps has about as
/// many. With the limit before, this takes 16 MiB at most.
pub(crate) const REMEMBERED_NAMES: usize = 256;

/// Keys of contents that were put and that no event has named yet, about 300 bytes each. An import has at most some hundred; those of
/// imports that were given up make room for others.
pub(crate) const PENDING_BODIES: usize = 16_384;

/// Events fetched at a time by a tail that catches up, by the follower of other processes, and by `verify`.
pub(crate) const PAGE: usize = 1000;

/// Events that a tail takes from the ring at a time, so that one reader does not hold its lock for long.
pub(crate) const TAIL_BATCH: usize = 256;

/// How often a log that other processes write to is looked at without having been notified.
pub(crate) const POLL: Duration = Duration::from_millis(250);

/// Notifications to other processes are sent at most this often, each in its own transaction: PostgreSQL serialises
/// commits that notify, at about 600 a second for a whole cluster.
pub(crate) const NOTIFY_EVERY: Duration = Duration::from_millis(10);

/// How often an append is prepared again after its session turned out to have another key, or after a commit failed in a
/// way that concerns a single append. Once is enough for each; the third time something is wrong.
pub(crate) const PREPARATIONS: usize = 3;

/// Connections that read. Readers do not block each other; more of them would compete for the cores of a small machine.
pub(crate) const READERS: u32 = 4;

/// Blobs that a verification reads at a time: 8 MiB of the largest.
pub(crate) const BLOBS_PAGE: usize = 128;

/// Differences that a verification reports; the rest are counted.
pub(crate) const DIFFERENCES: usize = 100;

/// Events fetched at a time to answer a repeated command; most have fewer than ten.
pub(crate) const DUPLICATE_PAGE: usize = 64;

/// How often the head of the log is signed, where signed heads are kept. Somebody who can change everything else could take back this much
/// of the log unnoticed. One request in ten minutes is a small load for a store of objects.
pub(crate) const SIGN_EVERY: Duration = Duration::from_secs(10 * 60);

/// How long the signing of the last head may delay the end of a process; most supervisors wait ten seconds before they kill it.
pub(crate) const SIGN_AT_END: Duration = Duration::from_secs(2);

/// How often a backup begins again because a blob that its snapshot names was erased before it could be copied. Once is nearly always
/// enough; a blob that is missing for another reason is missing the third time as well, and is named.
pub(crate) const BACKUP_SNAPSHOTS: usize = 3;

/// An object of a collection that no document has is a stray after this time. An import puts its contents before its event, and none takes
/// an hour.
pub(crate) const STRAY_AFTER: Duration = Duration::from_secs(60 * 60);

/// How much of what is owed is carried out at a time.
pub(crate) const OWED_PAGE: usize = 1000;

/// How often what is owed is looked for: work is left over by a process that ended, by a store that refused, or by a reader that held it
/// up. Looking takes one statement on a table that is nearly always empty.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_secs(10);

/// The longest pause after failures; each failure in a row doubles it. A store that is back is noticed within five minutes.
pub(crate) const SWEEP_AGAIN_MAX: Duration = Duration::from_secs(5 * 60);

/// One large blob. It is sealed in memory, in one piece, so this bounds what a single upload takes.
pub(crate) const BLOB_BYTES: usize = 256 * 1024 * 1024;
