//! Gives appends their places. A pure function of what is in the log and what is asked for; everything it decides is written by one commit.

use std::sync::Arc;

use chrono::DateTime;
use domain::SessionId;
use foldhash::HashMap;
use smol_str::{SmolStr, ToSmolStr};

use crate::chain::link;
use crate::error::AppendError;
use crate::ids::{CommandId, StreamId};
use crate::limits::RING_OVERHEAD;
use crate::net::{Net, OnStream};
use crate::prepare::Prepared;
use crate::records::{Claim, Committed};
use crate::ring::{Delivered, Entry};
use crate::rows::{
    BlobRow, DocumentGone, DocumentKeyRow, ErasedRow, EventRow, Head, Owed, OwedRow, StepRow,
    StreamRow, Writes,
};
use crate::seal::DataKey;

/// What has to be looked up before a batch can be decided.
#[derive(Default)]
pub(crate) struct BatchLookups {
    /// Streams appended to, and parents of forks. Some may be named twice.
    pub(crate) streams: Vec<Arc<StreamId>>,
    /// Commands, with the place of their stream in `streams`.
    pub(crate) commands: Vec<(CommandId, usize)>,
    /// Streams that are to be erased; their forks have to be looked up.
    pub(crate) forks_of: Vec<Arc<StreamId>>,
    /// Open steps that are claimed, with the place of their stream in `streams`.
    pub(crate) claims: Vec<(ClaimedStep, usize)>,
}

/// A step as its table names it: its run and its text.
pub(crate) type ClaimedStep = (u32, SmolStr);

impl BatchLookups {
    pub(crate) fn add(&mut self, prepared: &Prepared) {
        if prepared.expected.is_some() {
            self.commands.push((prepared.command, self.streams.len()));
        }
        if let Some(claim) = &prepared.claim {
            self.claims.push((claimed_step(claim), self.streams.len()));
        }
        self.streams.push(prepared.stream.clone());
        if let Some((parent, _)) = &prepared.fork {
            self.streams.push(parent.clone());
        }
        if prepared.erases {
            self.forks_of.push(prepared.stream.clone());
        }
    }
}

/// What was found.
pub(crate) struct LookedUp {
    pub(crate) head: Head,
    /// The number for the next new stream.
    pub(crate) next_stream_no: i64,
    pub(crate) streams: HashMap<Arc<StreamId>, StreamRow>,
    /// Position of the first event of commands that were carried out before.
    pub(crate) commands: HashMap<CommandId, u64>,
    /// Forks that were not erased, by the number of their parent.
    pub(crate) forks: HashMap<i64, Vec<SessionId>>,
    /// Those of the claimed steps that are open, by the number of their stream.
    pub(crate) claims: HashMap<(i64, ClaimedStep), StepRow>,
}

pub(crate) fn claimed_step(claim: &Claim) -> ClaimedStep {
    (claim.step.run.0, claim.step.to_smolstr())
}

/// The outcome of an append.
pub(crate) enum Done {
    Written(Committed),
    /// Carried out before; its first event has this position.
    Before(u64),
}

/// Why an append was not done.
#[derive(Debug)]
pub(crate) enum Refusal {
    Error(AppendError),
    /// It was sealed with a new key, but the stream has one by now.
    OtherKey,
    /// Something in the batch cannot be written, perhaps in another append than this one.
    TryAlone,
}

impl From<AppendError> for Refusal {
    fn from(error: AppendError) -> Self {
        Self::Error(error)
    }
}

/// A batch that is being put together.
pub(crate) struct Batch {
    head: Head,
    next_stream_no: i64,
    streams: HashMap<Arc<StreamId>, Slot>,
    commands: HashMap<CommandId, u64>,
    forks: HashMap<i64, Vec<SessionId>>,
    claims: HashMap<(i64, ClaimedStep), StepRow>,
    now: i64,
    net: Net,
    writes: Writes,
    delivered: Vec<Entry>,
    opened: Vec<Opened>,
}

/// A stream that begins with this batch, and its key.
pub(crate) struct Opened {
    pub(crate) no: i64,
    pub(crate) id: Arc<StreamId>,
    pub(crate) key: Arc<DataKey>,
}

struct Slot {
    row: StreamRow,
    change: Change,
    /// First written by this batch.
    fresh: bool,
}

/// How much of a stream's row is new.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Nothing,
    /// Its version, its status and when it changed.
    Moved,
    /// Anything.
    Row,
}

/// The result of a batch.
pub(crate) struct Decided {
    pub(crate) writes: Writes,
    /// Its events, for subscribers.
    pub(crate) delivered: Vec<Entry>,
    /// Streams that begin with it and have no parent.
    pub(crate) opened: Vec<Opened>,
}

impl Batch {
    /// `events` is empty; its memory is used.
    pub(crate) fn new(found: LookedUp, now: i64, events: Vec<EventRow>) -> Self {
        let streams = found.streams.into_iter();
        Self {
            head: found.head,
            next_stream_no: found.next_stream_no,
            streams: streams
                .map(|(id, row)| {
                    (
                        id,
                        Slot {
                            row,
                            change: Change::Nothing,
                            fresh: false,
                        },
                    )
                })
                .collect(),
            commands: found.commands,
            forks: found.forks,
            claims: found.claims,
            // Time never goes back in the log, whatever the clock does.
            now: now.max(found.head.recorded_at),
            net: Net::default(),
            writes: Writes {
                events,
                ..Writes::default()
            },
            delivered: vec![],
            opened: vec![],
        }
    }

    /// All of them, or none.
    pub(crate) fn decide(&mut self, members: &mut [Prepared]) -> Result<Vec<Done>, Refusal> {
        let before: Vec<Option<u64>> = self.check(members)?;
        Ok(members
            .iter_mut()
            .zip(before)
            .map(|(member, before)| {
                before.map_or_else(|| Done::Written(self.apply(member)), Done::Before)
            })
            .collect())
    }

    /// Whether every member can be written after the ones before it. For members that were written before, returns where.
    fn check(&self, members: &[Prepared]) -> Result<Vec<Option<u64>>, Refusal> {
        let mut versions: Vec<(&StreamId, u64)> = vec![];
        let mut before = Vec::with_capacity(members.len());
        for member in members {
            let known = member
                .expected
                .and_then(|_| self.commands.get(&member.command).copied());
            if known.is_none() {
                let version = self.check_one(member, members, &versions)?;
                versions.push((&member.stream, version));
            }
            before.push(known);
        }
        Ok(before)
    }

    /// Returns the version that its stream would have.
    fn check_one(
        &self,
        member: &Prepared,
        group: &[Prepared],
        versions: &[(&StreamId, u64)],
    ) -> Result<u64, Refusal> {
        let now_at = |stream: &StreamId| {
            let in_group = versions
                .iter()
                .rev()
                .find(|(id, _)| *id == stream)
                .map(|(_, version)| *version);
            in_group.or_else(|| self.streams.get(stream).map(|slot| slot.row.version))
        };
        let slot = self.streams.get(&*member.stream);
        if slot.is_some_and(|slot| slot.row.erased) {
            return Err(AppendError::Erased {
                stream: (*member.stream).clone(),
            }
            .into());
        }
        let actual = now_at(&member.stream).unwrap_or(0);
        if let Some(expected) = member.expected.filter(|expected| *expected != actual) {
            return Err(AppendError::Conflict {
                stream: (*member.stream).clone(),
                expected,
                actual,
            }
            .into());
        }
        if let Some(claim) = &member.claim {
            self.check_claim(claim, &member.stream, slot)?;
        }
        if member.new_key.is_some() && now_at(&member.stream).is_some() {
            return Err(Refusal::OtherKey);
        }
        if member.erases {
            self.check_forks(member, slot, group)?;
        }
        let Some((parent, at)) = &member.fork else {
            return Ok(actual + member.events.len() as u64);
        };
        let at = *at;
        match (now_at(parent), self.streams.get(&**parent)) {
            (_, Some(slot)) if slot.row.erased => Err(AppendError::Erased {
                stream: (**parent).clone(),
            }
            .into()),
            (None | Some(0), _) => Err(AppendError::NoParent {
                parent: (**parent).clone(),
            }
            .into()),
            (Some(actual), _) if at == 0 || at > actual => Err(AppendError::ForkOutside {
                parent: (**parent).clone(),
                at,
                actual,
            }
            .into()),
            (Some(_), _) => Ok(at + member.events.len() as u64),
        }
    }

    /// Whether the claim that gives the right to this append is still held.
    fn check_claim(
        &self,
        claim: &Claim,
        stream: &StreamId,
        slot: Option<&Slot>,
    ) -> Result<(), Refusal> {
        let row = slot.and_then(|slot| self.claims.get(&(slot.row.no, claimed_step(claim))));
        if row.is_some_and(|row| row.is_claimed_by(claim)) {
            return Ok(());
        }
        Err(AppendError::ClaimLost {
            stream: stream.clone(),
            step: claim.step.clone(),
        }
        .into())
    }

    fn check_forks(
        &self,
        member: &Prepared,
        slot: Option<&Slot>,
        group: &[Prepared],
    ) -> Result<(), Refusal> {
        let stored = slot
            .and_then(|slot| self.forks.get(&slot.row.no))
            .into_iter()
            .flatten();
        let erased_too = |fork: &SessionId| {
            group.iter().any(|other| {
                other.erases
                    && other.stream.owner == member.stream.owner
                    && other.stream.session == *fork
            })
        };
        let alive: Vec<SessionId> = stored.filter(|fork| !erased_too(fork)).cloned().collect();
        if alive.is_empty() {
            return Ok(());
        }
        Err(AppendError::LiveForks {
            stream: (*member.stream).clone(),
            forks: alive,
        }
        .into())
    }

    /// Gives the append its place. Everything was checked before.
    fn apply(&mut self, member: &mut Prepared) -> Committed {
        let now = self.now;
        let parent = member.fork.as_ref().map(|(parent, at)| {
            (
                self.streams
                    .get(&**parent)
                    .expect("the parent was checked")
                    .row
                    .no,
                *at,
            )
        });
        let slot = self
            .streams
            .entry(member.stream.clone())
            .or_insert_with(|| {
                let no = self.next_stream_no;
                self.next_stream_no += 1;
                let key = member
                    .new_key
                    .take()
                    .expect("a stream without a row was prepared with a new key");
                self.writes.keys.push((no, key.wrapped));
                // A stream without events may still become a fork, and whether a stream is a fork is not known before its parent was looked
                // at.
                if member.fork.is_none() && member.expected.is_some() {
                    self.opened.push(Opened {
                        no,
                        id: member.stream.clone(),
                        key: key.data,
                    });
                }
                Slot {
                    row: new_row(no, member.stream.clone(), now),
                    change: Change::Row,
                    fresh: true,
                }
            });
        let named = member.title.is_some() || parent.is_some();
        let change = if named || member.erases || slot.row.version == 0 {
            Change::Row
        } else if member.recorded.is_empty() {
            Change::Nothing
        } else {
            Change::Moved
        };
        slot.change = slot.change.max(change);
        if let Some(parent) = parent {
            slot.row.parent = Some(parent);
        }
        if slot.row.version == 0 {
            slot.row.created_at = now;
        }
        if let Some(title) = member.title.take() {
            slot.row.title = title.into();
        }
        let first = self.head.position + 1;
        let recorded_at = DateTime::from_timestamp_micros(now)
            .expect("the writer took it from a time of the same range");
        for ((ordinal, event), recorded) in
            (0..).zip(member.events.drain(..)).zip(&mut member.recorded)
        {
            let position = self.head.position + 1;
            let hash = link(&self.head.hash, position, now, slot.row.no, &event.body);
            self.head = Head {
                position,
                hash,
                recorded_at: now,
            };
            // Nobody else holds it yet, so nothing is cloned.
            let readers = Arc::make_mut(recorded);
            readers.position = position;
            readers.recorded_at = recorded_at;
            slot.row.version = readers.version;
            slot.row.updated_at = now;
            for facet in event.facets {
                match self.net.take(
                    slot.row.no,
                    slot.fresh,
                    readers.version,
                    facet,
                    member.node.as_ref(),
                ) {
                    OnStream::Listed { pipeline, status } => {
                        if let Some(pipeline) = pipeline {
                            slot.row.pipeline = pipeline;
                            slot.change = Change::Row;
                        }
                        if let Some(status) = status {
                            slot.row.status = status.into();
                        }
                    }
                    OnStream::Nothing => {}
                }
            }
            self.delivered.push(Entry {
                bytes: event.payload.len() + RING_OVERHEAD,
                item: Some(Delivered {
                    stream: member.stream.clone(),
                    recorded: recorded.clone(),
                }),
            });
            for (place, key) in (0..).zip(event.documents) {
                self.writes.document_keys.push(DocumentKeyRow {
                    stream_no: slot.row.no,
                    version: recorded.version,
                    place,
                    key,
                });
            }
            if !event.gone.is_empty() {
                self.writes.owed.push(OwedRow {
                    stream_no: slot.row.no,
                    owed: Owed::Residue,
                });
            }
            for mark in event.gone {
                self.writes.documents_gone.push(DocumentGone {
                    stream_no: slot.row.no,
                    mark,
                    up_to: recorded.version,
                });
            }
            self.writes.events.push(EventRow {
                position,
                stream_no: slot.row.no,
                version: recorded.version,
                command: member.command,
                ordinal,
                name: event.name,
                schema: event.schema,
                recorded_at: now,
                actor: member.actor.clone(),
                correlation: member.correlation.clone(),
                causation: event.causation,
                codec: event.codec,
                payload: event.payload,
                hash,
                keys: vec![],
            });
        }
        for blob in member.blobs.drain(..) {
            self.writes.blobs.push(BlobRow {
                stream_no: slot.row.no,
                sha256: blob.sha256,
                sealed: blob.sealed,
            });
        }
        if member.erases {
            slot.row.erased = true;
            slot.row.title = [].into();
            for owed in [Owed::Objects, Owed::Residue] {
                let stream_no = slot.row.no;
                self.writes.owed.push(OwedRow { stream_no, owed });
            }
            self.writes.erased.push(ErasedRow {
                no: slot.row.no,
                artifacts: std::mem::take(&mut member.artifacts),
            });
        }
        if member.expected.is_some() {
            self.commands.insert(member.command, first);
        }
        Committed {
            first,
            last: self.head.position,
            version: slot.row.version,
            duplicate: false,
            reused: false,
            recorded: member.recorded.clone(),
        }
    }

    /// What the commit has to write.
    pub(crate) fn finish(mut self) -> Decided {
        self.net.write(&mut self.writes);
        for slot in self.streams.into_values() {
            match slot.change {
                Change::Nothing => {}
                Change::Moved => self.writes.moved.push(slot.row),
                Change::Row => self.writes.streams.push(slot.row),
            }
        }
        self.writes.streams.sort_unstable_by_key(|row| row.no);
        self.writes.moved.sort_unstable_by_key(|row| row.no);
        self.writes.head = (!self.writes.events.is_empty()).then_some(self.head);
        Decided {
            writes: self.writes,
            delivered: self.delivered,
            opened: self.opened,
        }
    }
}

fn new_row(no: i64, id: Arc<StreamId>, now: i64) -> StreamRow {
    StreamRow {
        no,
        id,
        version: 0,
        parent: None,
        erased: false,
        title: [].into(),
        pipeline: "".into(),
        status: "".into(),
        created_at: now,
        updated_at: now,
    }
}
