//! What a database has to offer: reading for everybody, and writing for the one writer of this process.

use async_trait::async_trait;

use crate::decide::{BatchLookups, ClaimedStep, LookedUp};
use crate::error::Storage;
use crate::ids::{CommandId, StreamId};
use crate::records::Whose;
use crate::rows::{ArtifactRow, BlobRow, DeadlineRow, EventRow, StepRow, StreamRow, Writes};
use crate::search::{IndexRow, IndexState, IndexWrites};

/// The first letter behind the hexadecimal digits: what begins with a prefix and goes on with one of these comes before the
/// prefix with this behind it.
pub(crate) const AFTER_HEX: char = 'g';

/// Which steps are read.
pub(crate) enum StepFilter<'a> {
    All,
    Stream(i64),
    Node(&'a str),
}

/// Which stream.
pub(crate) enum By<'a> {
    Id(&'a StreamId),
    No(i64),
}

/// Reading. Every call sees whole commits.
#[async_trait]
pub(crate) trait Rows: Send + Sync {
    /// What the database says of itself, by name.
    async fn facts(&self) -> Result<Vec<(String, String)>, Storage>;
    async fn head(&self) -> Result<u64, Storage>;
    /// A stream with its sealed data key, unless that was destroyed.
    async fn stream(&self, by: By<'_>) -> Result<Option<(StreamRow, Option<Vec<u8>>)>, Storage>;
    /// Own events of a stream with `after < version <= up_to`, in order.
    async fn events_of(
        &self,
        stream_no: i64,
        after: u64,
        up_to: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage>;
    async fn events_after(&self, position: u64, limit: usize) -> Result<Vec<EventRow>, Storage>;
    /// Position of the first event of a command.
    async fn command(&self, stream_no: i64, command: &CommandId) -> Result<Option<u64>, Storage>;
    async fn blob(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage>;
    async fn steps(&self, filter: StepFilter<'_>) -> Result<Vec<StepRow>, Storage>;
    /// Deadlines up to a time, earliest first.
    async fn deadlines(&self, up_to: i64, limit: usize) -> Result<Vec<DeadlineRow>, Storage>;
    async fn next_deadline(&self) -> Result<Option<i64>, Storage>;
    /// The time by which leases are judged; `clock` is that of this process, which a database that several share does not take.
    async fn now(&self, clock: i64) -> Result<i64, Storage>;
    /// An open step, and whether the lease lasts of whoever carries it out.
    async fn claimed(
        &self,
        stream_no: i64,
        step: &ClaimedStep,
        clock: i64,
    ) -> Result<Option<(StepRow, bool)>, Storage>;
    /// Whether there are steps that nobody carries out, or nodes whose leases have ended.
    async fn has_free_steps(&self, clock: i64) -> Result<bool, Storage>;
    /// Nodes whose leases last, with the ends of these, by name.
    async fn nodes(&self, clock: i64) -> Result<Vec<(String, i64)>, Storage>;
    /// Sessions of an owner (not collections) that have events and were not erased, from the highest number down, with their sealed data keys.
    async fn sessions(
        &self,
        owner: &str,
        before: i64,
        limit: usize,
    ) -> Result<Vec<(StreamRow, Vec<u8>)>, Storage>;
    /// The names of an owner's streams that begin like this, have events and were not erased, from the highest number down.
    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<String>, Storage>;
    /// Stream number and version of an artifact of this owner.
    async fn artifact(&self, owner: &str, artifact: &str) -> Result<Option<(i64, u64)>, Storage>;
    /// The first id of this owner's artifacts that begins like this and goes on in hexadecimal digits.
    async fn artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<String>, Storage>;
    /// Streams forked from this one and not erased.
    async fn forks(&self, stream_no: i64) -> Result<Vec<StreamRow>, Storage>;
    /// How far the search index of a stream is.
    async fn index_state(&self, stream_no: i64) -> Result<Option<IndexState>, Storage>;
    /// How many documents of a stream have all words of any of these lists, and which are the best of them.
    async fn search(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage>;
    /// A view of everything as it is now, which later commits do not change.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, Storage>;
    async fn close(&self);
}

/// Everything at one moment, for verification.
#[async_trait]
pub(crate) trait Snapshot: Send {
    async fn events_after(&mut self, position: u64, limit: usize)
    -> Result<Vec<EventRow>, Storage>;
    /// Streams with their sealed data keys.
    async fn streams(&mut self) -> Result<Vec<(StreamRow, Option<Vec<u8>>)>, Storage>;
    async fn steps(&mut self) -> Result<Vec<StepRow>, Storage>;
    async fn deadlines(&mut self) -> Result<Vec<DeadlineRow>, Storage>;
    async fn artifacts(&mut self) -> Result<Vec<ArtifactRow>, Storage>;
    /// Blobs of a stream that are rows, in an order that stays, after so many of them.
    async fn blobs_of(
        &mut self,
        stream_no: i64,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<BlobRow>, Storage>;
    /// How far search indexes are, by the numbers of their streams.
    async fn index_states(&mut self) -> Result<Vec<(i64, IndexState)>, Storage>;
    /// The documents that the search index of a stream has.
    async fn indexed(&mut self, stream_no: i64) -> Result<Vec<String>, Storage>;
    /// Those of these documents that the index of a stream does not have with just these words.
    async fn indexed_otherwise(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage>;
    /// Rows of search indexes that belong to nothing.
    async fn stray_index_rows(&mut self) -> Result<u64, Storage>;
}

/// Writing. One batch at a time: `look_up`, then `commit` with what was decided, or with nothing.
#[async_trait]
pub(crate) trait Table: Send {
    /// Whether it waits for a disk or a network, so that its writer should have a thread of its own.
    fn works_apart(&self) -> bool {
        true
    }
    /// Makes sure that nobody else writes, and reads what the batch needs.
    async fn look_up(&mut self, wanted: &BatchLookups) -> Result<LookedUp, Storage>;
    /// Writes all of it, durably, or nothing. May take out of it what it likes.
    async fn commit(&mut self, writes: &mut Writes) -> Result<(), Storage>;
    /// After an error: drops the connection and everything remembered. The next call connects and looks again.
    fn forget(&mut self);
    /// Lets a lease last for so many microseconds from now on; gives the time, and the end that it had before.
    async fn renew(
        &mut self,
        node: &str,
        lease: i64,
        clock: i64,
    ) -> Result<(i64, Option<i64>), Storage>;
    /// Makes sure that nobody appends, then makes steps this node's.
    async fn take_over(
        &mut self,
        node: &str,
        whose: Whose,
        clock: i64,
    ) -> Result<Vec<StepRow>, Storage>;
    /// The steps of this node become nobody's, and its lease ends.
    async fn hand_back(&mut self, node: &str) -> Result<(), Storage>;
    /// Changes a search index, and gives what it is then; `None`, and nothing is changed, where the change was made for another
    /// state of it or the stream was erased.
    async fn index(&mut self, writes: IndexWrites) -> Result<Option<IndexState>, Storage>;
    async fn close(&mut self);
}
