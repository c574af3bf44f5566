//! The log as its users see it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::hash::{Blob, Sha256};
use domain::{ArtifactId, Recorded, SessionId};
use tokio::sync::watch;

use crate::anchor::{AnchorReport, SignedReport};
use crate::error::{AppendError, AppendFailure, ReadError};
use crate::ids::{CommandId, NodeId, StreamId};
use crate::records::{
    Append, Claim, Committed, Deadline, Forks, Node, OpenStep, Page, Provenance, Renewal,
    SessionLine, Standing, Steps, Whose,
};
use crate::search::{Hits, IndexChange, IndexState};
use crate::tail::Tail;
use crate::verify::{VerifyOptions, VerifyReport};

/// One total order of events, and what is kept beside it.
#[async_trait]
pub trait Log: Send + Sync {
    /// Records events in one session. It returns when they are durable, usually together with those of other callers.
    async fn append(&self, append: Append) -> Result<Committed, AppendError>;

    /// Records events in several sessions: all or nothing, in this order and without anything in between.
    async fn append_atomic(&self, appends: Vec<Append>) -> Result<Vec<Committed>, AppendError>;

    /// The append of this process that storage did not take, if none was committed since. What is wrong with an append alone is no failure
    /// of storage.
    fn append_failure(&self) -> Option<AppendFailure>;

    /// The outcome of a command that was carried out before; `None` if it was not carried out. If the session was erased since, its events
    /// cannot be read any longer, so at most the event of the erasure is among the events returned. `content` is the hash of what is asked
    /// for now, where it is compared.
    async fn find_command(
        &self,
        stream: &StreamId,
        command: &CommandId,
        content: Option<Sha256>,
    ) -> Result<Option<Committed>, ReadError>;

    /// Events of a session after a version, in order, those inherited by a fork included. An empty answer is the end.
    async fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<Recorded>>, ReadError>;

    /// The event of a version, and which other events were recorded with it; `None` if the session has no such version.
    async fn provenance(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<Option<Provenance>, ReadError>;

    /// The last version of a session; `None` if there is no such session. An erased one still has its version.
    async fn version(&self, stream: &StreamId) -> Result<Option<u64>, ReadError>;

    /// Events of all sessions after a position, in order. Events that nobody can read any more (of erased sessions), and ones
    /// this program does not know, are passed over.
    async fn read_all(&self, after: u64, limit: usize) -> Result<Page, ReadError>;

    /// The position of the last event.
    fn head(&self) -> watch::Receiver<u64>;

    /// Changes when this session gets a new version, and only then. Its value is the last version that this process saw
    /// being recorded since the first such call, 0 before: subscribe, then read, then wait for changes.
    fn watch_stream(&self, stream: &StreamId) -> watch::Receiver<u64>;

    /// Every event after a position, and then every new one, in order.
    fn tail(&self, after: u64) -> Tail;

    /// Keeps a blob for a session and returns when the blob is durable. The session need not exist yet.
    async fn put_blob(&self, stream: &StreamId, blob: Blob) -> Result<(), AppendError>;

    /// Bytes kept for a session or for one that it was forked from.
    async fn get_blob(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
    ) -> Result<Option<Bytes>, ReadError>;

    /// Steps without an outcome.
    async fn open_steps(&self, which: Steps) -> Result<Vec<OpenStep>, ReadError>;

    /// The time by which leases are judged: the database's own where several processes share it; else the clock's, but never before
    /// the last event.
    async fn now(&self) -> Result<DateTime<Utc>, ReadError>;

    /// Declares that this node is alive for this long from now on.
    async fn renew(&self, node: &NodeId, lease: Duration) -> Result<Renewal, AppendError>;

    /// Assigns open steps to this node, atomically, and returns them.
    async fn take_over(&self, node: &NodeId, whose: Whose) -> Result<Vec<OpenStep>, AppendError>;

    /// Whether `take_over` may find something. A cheap call that answers for the present moment.
    async fn has_free_steps(&self) -> Result<bool, ReadError>;

    /// Gives the steps of this node to whoever takes them first, and ends its lease.
    async fn hand_back(&self, node: &NodeId) -> Result<(), AppendError>;

    /// Gives one step to whoever takes it first, if this claim on it stands.
    async fn release(&self, stream: &StreamId, claim: &Claim) -> Result<(), AppendError>;

    /// The state of a claim on a step of this session.
    async fn standing(&self, stream: &StreamId, claim: &Claim) -> Result<Standing, ReadError>;

    /// Processes whose leases last.
    async fn nodes(&self) -> Result<Vec<Node>, ReadError>;

    /// Deadlines that have passed, earliest first.
    async fn due_deadlines(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Deadline>, ReadError>;

    /// When the next deadline passes.
    async fn next_deadline(&self) -> Result<Option<DateTime<Utc>>, ReadError>;

    /// Sessions of an owner, newest first. Erased sessions and streams that are not sessions of a client are left out.
    async fn sessions(
        &self,
        owner: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<SessionLine>, ReadError>;

    /// The names of an owner's streams that begin with this prefix, newest first, including streams that are not sessions of a client.
    /// Erased streams are left out.
    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<SessionId>, ReadError>;

    /// The session and version in which an artifact of this owner was recorded.
    async fn find_artifact(
        &self,
        owner: &str,
        artifact: &ArtifactId,
    ) -> Result<Option<(StreamId, u64)>, ReadError>;

    /// The first artifact of this owner whose id consists of this prefix and further hexadecimal digits, as ids that are made from a hash
    /// do.
    async fn find_artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<ArtifactId>, ReadError>;

    /// Sessions that were forked from this one and not erased since.
    async fn forks_of(&self, stream: &StreamId) -> Result<Vec<SessionId>, ReadError>;

    /// Ends a session for good: records these events, of which the last is `SessionErased`, and in the same transaction destroys the
    /// session's key and whatever is kept beside its events. Its objects are owed then; see `settle`. Returns the outcome for this session
    /// first, then for its forks in the order given: all of them or none.
    async fn erase(&self, append: Append, forks: Forks) -> Result<Vec<Committed>, AppendError>;

    /// Carries out what a stream still owes after an erasure or a removal of documents, or what all streams owe: deletes objects and what the
    /// database still has of deleted keys. What readers of the database hold up is left to the log, which carries out by itself, at its start
    /// and as long as it is open, what is left over.
    ///
    /// # Errors
    ///
    /// The place for blobs or the database failed. What was not done is still owed.
    async fn settle(&self, stream: Option<&StreamId>) -> Result<(), AppendError>;

    /// How far the search index of a collection is; `None` where there is none. The index is behind its collection until somebody brings it
    /// up to date, and is erased with the collection.
    async fn index_state(&self, stream: &StreamId) -> Result<Option<IndexState>, ReadError>;

    /// Changes the search index of a collection and returns its new state. Returns `None` and changes nothing where the change was made for
    /// another state of the index.
    async fn index(&self, change: IndexChange) -> Result<Option<IndexState>, AppendError>;

    /// Documents of a collection that have all words of at least one of these lists, best first. Every database finds the same documents;
    /// their order may differ between databases.
    async fn search(
        &self,
        stream: &StreamId,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<Hits, ReadError>;

    /// Compares the log with what the data folder knows of its end.
    async fn anchor(&self) -> Result<AnchorReport, ReadError>;

    /// Compares the log with what the store of objects knows of its end.
    async fn signed_heads(&self) -> Result<SignedReport, ReadError>;

    /// Computes the chain again from a position on (0 for all of it), and, when that is the beginning, everything that is
    /// kept beside the events.
    async fn verify(&self, from: u64) -> Result<VerifyReport, ReadError> {
        let options = VerifyOptions {
            from,
            ..VerifyOptions::default()
        };
        self.verify_with(options).await
    }

    /// Like `verify`, with more options for what is looked at.
    async fn verify_with(&self, options: VerifyOptions) -> Result<VerifyReport, ReadError>;

    /// Finishes the appends that were accepted and closes the database. Later calls are refused.
    async fn close(&self);
}
