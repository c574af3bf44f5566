//! What the databases hold, row by row, and what one commit writes.

use std::sync::Arc;
use std::time::Duration;

use domain::facets::Status;
use domain::hash::Sha256;
use smol_str::SmolStr;

use crate::chain::{Body, Hash};
use crate::ids::{CommandId, NodeId, StreamId};
use crate::records::Claim;

/// The payload is JSON.
pub(crate) const PLAIN: u8 = 1;
/// The payload is JSON, sealed with the data key of the session.
pub(crate) const SEALED: u8 = 129;

/// The payload is sealed as well, and in it each document of a collection with a key of its own.
pub(crate) const DOCUMENTS: u8 = 130;

/// A stream and its line in lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StreamRow {
    pub(crate) no: i64,
    pub(crate) id: Arc<StreamId>,
    /// 0 while only blobs were put.
    pub(crate) version: u64,
    /// The stream it was forked from and the last version taken from there.
    pub(crate) parent: Option<(i64, u64)>,
    pub(crate) erased: bool,
    /// Sealed; an empty value means no title.
    pub(crate) title: Arc<[u8]>,
    pub(crate) pipeline: SmolStr,
    /// As `Status::as_str` writes it; an empty text means no status.
    pub(crate) status: SmolStr,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// A stored event. Times are microseconds since 1970.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventRow {
    pub(crate) position: u64,
    pub(crate) stream_no: i64,
    pub(crate) version: u64,
    pub(crate) command: CommandId,
    pub(crate) ordinal: u32,
    pub(crate) name: SmolStr,
    pub(crate) schema: u32,
    pub(crate) recorded_at: i64,
    pub(crate) actor: SmolStr,
    pub(crate) correlation: Option<Arc<str>>,
    pub(crate) causation: Option<Arc<str>>,
    pub(crate) codec: u8,
    pub(crate) payload: Vec<u8>,
    pub(crate) hash: Hash,
    /// Sealed keys of the documents that it brought and that were not removed, by their places in it.
    pub(crate) keys: Vec<(u32, Vec<u8>)>,
}

impl EventRow {
    /// The body as the chain hashes it.
    pub(crate) fn body<'a>(&'a self, stream: &'a StreamId) -> Body<'a> {
        Body {
            stream,
            version: self.version,
            command: &self.command,
            ordinal: self.ordinal,
            name: &self.name,
            schema: self.schema,
            actor: &self.actor,
            correlation: self.correlation.as_deref(),
            causation: self.causation.as_deref(),
            codec: self.codec,
            payload: &self.payload,
        }
    }
}

/// A sealed blob.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlobRow {
    pub(crate) stream_no: i64,
    pub(crate) sha256: [u8; 32],
    pub(crate) sealed: Vec<u8>,
}

/// The sealed key of a document as one event brought it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DocumentKeyRow {
    pub(crate) stream_no: i64,
    pub(crate) version: u64,
    pub(crate) place: u32,
    pub(crate) key: DocumentKey,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DocumentKey {
    /// Identifies the document without revealing its name.
    pub(crate) mark: [u8; 16],
    /// Of its content.
    pub(crate) sha256: [u8; 32],
    /// Sealed with the key of the collection.
    pub(crate) wrapped: Vec<u8>,
    /// The key of its content, where that is an object with a key of its own; sealed in the same way.
    pub(crate) body: Option<Vec<u8>>,
}

/// The name of the object with a content: a hash of its sealed key, or that of the content where it has no key of its own.
pub(crate) fn object_name(sha256: [u8; 32], body: Option<&[u8]>) -> [u8; 32] {
    body.map_or(sha256, |body| *Sha256::of(body).as_bytes())
}

/// The name that a content of documents of a stream has as an object, where it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyRow {
    pub(crate) stream_no: i64,
    pub(crate) sha256: [u8; 32],
    pub(crate) name: [u8; 32],
}

/// A document that is not wanted any longer: its keys in the events up to this version are removed, and so are contents that no other
/// document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DocumentGone {
    pub(crate) stream_no: i64,
    pub(crate) mark: [u8; 16],
    pub(crate) up_to: u64,
}

/// A step without an outcome.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StepRow {
    pub(crate) stream_no: i64,
    pub(crate) run: u32,
    pub(crate) step: SmolStr,
    pub(crate) attempt: u32,
    pub(crate) due: i64,
    pub(crate) node: Option<SmolStr>,
    /// As in `OpenStep`.
    pub(crate) epoch: i64,
}

impl StepRow {
    /// Whether this claim is the one on the step now.
    pub(crate) fn is_claimed_by(&self, claim: &Claim) -> bool {
        self.attempt == claim.attempt
            && self.node.as_deref() == Some(&claim.node.0)
            && self.epoch == signed(claim.epoch)
    }
}

/// The epoch of the claim that is made by the append that opens a step.
pub(crate) const FIRST_EPOCH: i64 = 1;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeadlineRow {
    pub(crate) stream_no: i64,
    pub(crate) gate: SmolStr,
    pub(crate) run: u32,
    pub(crate) due: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArtifactRow {
    pub(crate) artifact: SmolStr,
    pub(crate) stream_no: i64,
    pub(crate) version: u64,
    pub(crate) kind: SmolStr,
}

/// A stream that ends for good.
#[derive(Debug)]
pub(crate) struct ErasedRow {
    pub(crate) no: i64,
    /// The artifacts that are recorded in this stream. They are listed because the rows of artifacts are in the order of their ids, and no
    /// index finds them by stream.
    pub(crate) artifacts: Vec<SmolStr>,
}

/// Work outside of the transaction of an event, which the event obliges to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owed {
    /// The object with this name is to be deleted: the body of a removed document.
    Object([u8; 32]),
    /// All objects of a stream that was erased are to be deleted.
    Objects,
    /// What the database still has of deleted keys is to be removed.
    Residue,
}

impl Owed {
    /// As stored.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Object(_) => "object",
            Self::Objects => "objects",
            Self::Residue => "residue",
        }
    }

    /// As stored.
    pub(crate) fn name(&self) -> &[u8] {
        match self {
            Self::Object(name) => name,
            Self::Objects | Self::Residue => &[],
        }
    }

    /// `None` for a kind that this program does not know.
    pub(crate) fn from_stored(kind: &str, name: &[u8]) -> Option<Self> {
        [Self::Object(fixed(name)), Self::Objects, Self::Residue]
            .into_iter()
            .find(|owed| owed.kind() == kind)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OwedRow {
    pub(crate) stream_no: i64,
    pub(crate) owed: Owed,
}

/// The end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) position: u64,
    pub(crate) hash: Hash,
    pub(crate) recorded_at: i64,
}

/// Everything that one commit writes. Removals come before additions, streams before what refers to them.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// New streams, and streams of which more has changed than `moved` covers.
    pub(crate) streams: Vec<StreamRow>,
    /// Streams of which only the version, the status and the time of change are new.
    pub(crate) moved: Vec<StreamRow>,
    /// Sealed data keys of new streams.
    pub(crate) keys: Vec<(i64, Vec<u8>)>,
    pub(crate) events: Vec<EventRow>,
    /// Ones that are already there are left as they are.
    pub(crate) blobs: Vec<BlobRow>,
    pub(crate) runs_closed: Vec<(i64, u32)>,
    pub(crate) steps_closed: Vec<(i64, u32, SmolStr)>,
    pub(crate) gates_met: Vec<(i64, SmolStr)>,
    pub(crate) steps_opened: Vec<StepRow>,
    pub(crate) deadlines: Vec<DeadlineRow>,
    /// Ones that are already there are left as they are.
    pub(crate) artifacts: Vec<ArtifactRow>,
    /// Streams that lose everything except their events: key, steps, deadlines, artifacts, blobs.
    pub(crate) erased: Vec<ErasedRow>,
    pub(crate) document_keys: Vec<DocumentKeyRow>,
    pub(crate) documents_gone: Vec<DocumentGone>,
    /// The commit adds the objects of removed documents. Ones that are already there are left as they are.
    pub(crate) owed: Vec<OwedRow>,
    /// The end of the log afterwards, if the commit has events.
    pub(crate) head: Option<Head>,
}

impl Writes {
    /// Whether keys are destroyed, of which nothing may be left in free pages.
    pub(crate) fn destroys(&self) -> bool {
        !self.erased.is_empty() || !self.documents_gone.is_empty()
    }

    /// Every stream that is written to, as it will be.
    pub(crate) fn touched(&self) -> impl Iterator<Item = &StreamRow> {
        self.streams.iter().chain(&self.moved)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.touched().next().is_none() && self.events.is_empty() && self.blobs.is_empty()
    }
}

/// A stored status; `None` for the empty text and for one this program does not know.
pub(crate) fn status(text: &str) -> Option<Status> {
    use Status::{Cancelled, Completed, Erased, Failed, Running, Waiting};
    [Running, Waiting, Completed, Failed, Cancelled, Erased]
        .into_iter()
        .find(|status| status.as_str() == text)
}

/// The node of an open step as stored.
pub(crate) fn node_text(node: Option<&NodeId>) -> Option<SmolStr> {
    node.map(|node| node.0.clone())
}

/// The type in which databases compare it; no version or position is larger.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// How long something lasts, in the unit of stored times.
pub(crate) fn micros(duration: Duration) -> i64 {
    // A duration that is too long leaves room for a time that it is added to.
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX / 4)
}

/// A number that was tampered with is read as one that does not match the hash of its row.
pub(crate) fn narrow(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Bytes with the wrong length are read as bytes that do not match the hash of their row.
pub(crate) fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([u8::MAX; N])
}
