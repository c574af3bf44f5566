//! What a database has to offer: reading for everybody, and writing for the one writer of this process.

use std::path::Path;

use async_trait::async_trait;

use crate::backup::{BackupFile, DatabaseKind};
use crate::decide::{BatchLookups, ClaimedStep, LookedUp};
use crate::error::Storage;
use crate::ids::{CommandId, StreamId};
use crate::records::{Claim, Whose};
use crate::rows::{
    ArtifactRow, BlobRow, BodyRow, DeadlineRow, EventRow, OwedRow, StepRow, StreamRow, Writes,
};
use crate::search::{IndexRow, IndexState, IndexWrites};

/// The first letter that sorts after all hexadecimal digits. A text that consists of a prefix and further hexadecimal digits sorts before
/// the prefix followed by this letter.
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
    /// The sealed key of a content that is an object, where a document has it and it has a key of its own.
    async fn body(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage>;
    async fn steps(&self, filter: StepFilter<'_>) -> Result<Vec<StepRow>, Storage>;
    /// Deadlines up to a time, earliest first.
    async fn deadlines(&self, up_to: i64, limit: usize) -> Result<Vec<DeadlineRow>, Storage>;
    async fn next_deadline(&self) -> Result<Option<i64>, Storage>;
    /// The time by which leases are judged. `clock` is the time of this process; a database that several processes share uses its own clock
    /// instead.
    async fn now(&self, clock: i64) -> Result<i64, Storage>;
    /// An open step, and whether the lease of the node that carries it out has not ended.
    async fn claimed(
        &self,
        stream_no: i64,
        step: &ClaimedStep,
        clock: i64,
    ) -> Result<Option<(StepRow, bool)>, Storage>;
    /// Whether there are steps that nobody carries out, or nodes whose leases have ended.
    async fn has_free_steps(&self, clock: i64) -> Result<bool, Storage>;
    /// Nodes whose leases have not ended, by name, with the ends of these leases.
    async fn nodes(&self, clock: i64) -> Result<Vec<(String, i64)>, Storage>;
    /// Sessions of an owner (not collections) that have events and were not erased, from the highest number down, with their sealed data keys.
    async fn sessions(
        &self,
        owner: &str,
        before: i64,
        limit: usize,
    ) -> Result<Vec<(StreamRow, Vec<u8>)>, Storage>;
    /// The names of an owner's streams that begin with this prefix, have events and were not erased, from the highest number down.
    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<String>, Storage>;
    /// Stream number and version of an artifact of this owner.
    async fn artifact(&self, owner: &str, artifact: &str) -> Result<Option<(i64, u64)>, Storage>;
    /// The first id of this owner's artifacts that consists of this prefix and further hexadecimal digits.
    async fn artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<String>, Storage>;
    /// Streams forked from this one and not erased.
    async fn forks(&self, stream_no: i64) -> Result<Vec<StreamRow>, Storage>;
    /// At most this much of what is owed, by one stream or by all.
    async fn owed(&self, stream_no: Option<i64>, limit: usize) -> Result<Vec<OwedRow>, Storage>;
    /// How far the search index of a stream is.
    async fn index_state(&self, stream_no: i64) -> Result<Option<IndexState>, Storage>;
    /// How many documents of a stream have all words of at least one of these lists, and which of them match best.
    async fn search(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage>;
    /// A view of everything as it is now, which later commits do not change.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, Storage>;
    /// Copies everything as it is now into files of this folder.
    async fn copy_into(&self, folder: &Path) -> Result<DatabaseCopy, Storage>;
    async fn close(&self);
}

/// A copy of the database as it was at one moment.
pub(crate) struct DatabaseCopy {
    pub(crate) kind: DatabaseKind,
    pub(crate) schema: i64,
    pub(crate) files: Vec<BackupFile>,
    /// What is in the copy.
    pub(crate) snapshot: Box<dyn Snapshot>,
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
    async fn owed(&mut self) -> Result<Vec<OwedRow>, Storage>;
    async fn bodies(&mut self) -> Result<Vec<BodyRow>, Storage>;
    /// Blobs of a stream that are rows, in a fixed order, without the first `skip` of them.
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
    /// Those of these documents that the index of a stream either does not have or has with other words.
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
    /// Whether it waits for a disk or a network, so that its writer needs a thread of its own.
    fn works_apart(&self) -> bool {
        true
    }
    /// Makes sure that nobody else writes, and reads what the batch needs.
    async fn look_up(&mut self, wanted: &BatchLookups) -> Result<LookedUp, Storage>;
    /// Writes everything durably, or nothing. It may take values out of `writes`.
    async fn commit(&mut self, writes: &mut Writes) -> Result<(), Storage>;
    /// After an error: drops the connection and everything remembered. The next call connects and looks again.
    fn forget(&mut self);
    /// Extends a lease to this many microseconds from now; returns the current time and the previous end of the lease.
    async fn renew(
        &mut self,
        node: &str,
        lease: i64,
        clock: i64,
    ) -> Result<(i64, Option<i64>), Storage>;
    /// Makes sure that nobody appends, then assigns the steps to this node.
    async fn take_over(
        &mut self,
        node: &str,
        whose: Whose,
        clock: i64,
    ) -> Result<Vec<StepRow>, Storage>;
    /// The steps of this node no longer belong to any node, and its lease ends. Where a claim is given, with the number of its stream, only
    /// its step is handed back, and the lease goes on.
    async fn hand_back(&mut self, node: &str, claim: Option<(i64, Claim)>) -> Result<(), Storage>;
    /// Removes what the database still has of deleted keys, where that can be done without waiting. Returns whether nothing is left.
    async fn clear_residue(&mut self) -> Result<bool, Storage>;
    /// Deletes the rows of owed work that was done.
    async fn settle(&mut self, done: &[OwedRow]) -> Result<(), Storage>;
    /// Changes a search index and returns its new state. Returns `None` and changes nothing where the change was made for another state of
    /// the index or the stream was erased.
    async fn index(&mut self, writes: IndexWrites) -> Result<Option<IndexState>, Storage>;
    async fn close(&mut self);
}
