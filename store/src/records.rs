//! What is written into a log, and what is read of it.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::facets::Status;
use domain::hash::{Blob, Sha256};
use domain::{Actor, Event, GateId, Recorded, RunId, SessionId, StepId};

use crate::ids::{CommandId, NodeId, StreamId};

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Events to be recorded together in one session.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    pub stream: StreamId,
    /// The version of the logical stream before; 0 for a new one. A new fork begins with `SessionForked {at}`, expects 0 and
    /// gets the versions from `at + 1` on.
    pub expected: u64,
    pub command: CommandId,
    pub actor: Actor,
    /// At least one.
    pub events: Vec<Event>,
    /// Blobs up to `SMALL_BLOB` bytes, written in the same transaction.
    pub blobs: Vec<Blob>,
    /// Claims the steps that these events open for this node.
    pub node: Option<NodeId>,
    /// The claim that gives the right to this append: it is refused once somebody else has claimed that step.
    pub claim: Option<Claim>,
    /// What it belongs to, such as a run.
    pub correlation: Option<String>,
    /// What it follows from, such as the id of an event.
    pub causation: Option<String>,
    /// The hash of what its sender asked for. Under the same command, something else is no repetition. What is kept of it can be compared
    /// with the key of the stream alone, and stands in the first event in the place of what it follows from.
    pub content: Option<Sha256>,
}

impl Append {
    /// An append by the system, without blobs and without a node.
    pub fn new(stream: StreamId, expected: u64, command: CommandId, events: Vec<Event>) -> Self {
        Self {
            stream,
            expected,
            command,
            actor: Actor::system(),
            events,
            blobs: vec![],
            node: None,
            claim: None,
            correlation: None,
            causation: None,
            content: None,
        }
    }
}

/// The right of one process to carry out an attempt of a step of the stream that it is used with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub step: StepId,
    pub attempt: u32,
    pub node: NodeId,
    /// Which claim on this attempt it is; see `OpenStep::epoch`.
    pub epoch: u64,
}

/// The state of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Held,
    /// Nobody else has the step, but the lease of its node has ended, so that anybody may take it.
    LeaseEnded,
    /// The step has an outcome, or somebody else carries it out.
    Lost,
}

/// What came of renewing a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The time by which leases are judged.
    pub now: DateTime<Utc>,
    /// The lease had ended before, so that others may have taken steps of this node.
    pub had_ended: bool,
}

/// Whose steps are taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Nobody's.
    Nobody,
    /// Steps of no node, and those of nodes whose leases have ended; the latter only if the taker's own lease lasts for at least
    /// `own_left`. A taker that had to wait long for the database thereby leaves the others time to renew their leases.
    LeaseEnded { own_left: Duration },
    /// Everybody's: the log belongs to this process alone.
    Everybody,
}

/// The outcome of an append.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    /// Position of the first event.
    pub first: u64,
    /// Position of the last event.
    pub last: u64,
    /// Version of the session after it.
    pub version: u64,
    /// Whether the command had been carried out before; then this is the outcome of that time.
    pub duplicate: bool,
    /// Whether it is known that something else was asked for at that time. Then this is no repetition.
    pub reused: bool,
    /// The events. Empty for a duplicate in a session that was erased since.
    pub recorded: Vec<Arc<Recorded>>,
}

/// Events of all sessions, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    pub events: Vec<(Arc<StreamId>, Arc<Recorded>)>,
    /// The position to go on from. It is further than the last event where events of erased sessions, or ones that this program does not
    /// know, were passed over; at the end of the log it is equal to the position that was asked for.
    pub scanned_to: u64,
}

/// A step that was requested and has no outcome yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenStep {
    pub stream: StreamId,
    pub step: StepId,
    pub attempt: u32,
    /// Not to be started before.
    pub due: DateTime<Utc>,
    /// Who carries it out.
    pub node: Option<NodeId>,
    /// The number of that claim on this attempt: 1 where it was claimed by the append that opened it, one more with each take-over.
    pub epoch: u64,
}

/// Which open steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steps {
    All,
    Of(StreamId),
    ClaimedBy(NodeId),
}

/// A process whose lease has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub node: NodeId,
    pub lease_until: DateTime<Utc>,
}

/// An event with the command that recorded it.
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    pub recorded: Arc<Recorded>,
    pub command: CommandId,
    /// The versions of the first and the last event that the command recorded in this session.
    pub first: u64,
    pub last: u64,
}

/// A gate that is answered automatically at a certain time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadline {
    pub stream: StreamId,
    pub run: RunId,
    pub gate: GateId,
    pub due: DateTime<Utc>,
}

/// The line of a session in lists.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionLine {
    pub session: SessionId,
    pub title: String,
    /// Empty in a fork whose own events name none; its parent does.
    pub pipeline: String,
    /// None until a run has started.
    pub status: Option<Status>,
    pub version: u64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// The session it was forked from and the last version taken from there.
    pub parent: Option<(SessionId, u64)>,
    /// Give it as `before` to get the lines that follow.
    pub cursor: u64,
}

/// What to do about the forks of a session that is to be erased.
#[derive(Clone, Debug, PartialEq)]
pub enum Forks {
    /// The session is not erased while there are any.
    Refuse,
    /// The forks are erased with the session by these appends, each of which ends one fork. All forks have to be among them, direct or
    /// indirect.
    EraseToo(Vec<Append>),
}
