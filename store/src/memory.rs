//! A log in memory: the same engine over tables that are collections. For tests, and for trying things out.

mod indexes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use domain::collection::Kinds;
use domain::streams::reserved_prefix;
use foldhash::HashMap;
use smol_str::{SmolStr, format_smolstr};

use self::indexes::Indexes;
use crate::backend::{AFTER_HEX, By, DatabaseCopy, Rows, Snapshot, StepFilter, Table};
use crate::backup::BACKING_UP;
use crate::chain::GENESIS;
use crate::decide::{BatchLookups, ClaimedStep, LookedUp, claimed_step};
use crate::engine::{EventLog, Parts};
use crate::error::Storage;
use crate::ids::{CommandId, StreamId};
use crate::objects::{ObjectOptions, Objects};
use crate::records::{Claim, Clock, Whose};
use crate::rows::{
    ArtifactRow, BlobRow, BodyRow, DOCUMENTS, DeadlineRow, DocumentGone, DocumentKey,
    DocumentKeyRow, ErasedRow, EventRow, Head, Owed, OwedRow, StepRow, StreamRow, Writes, micros,
    object_name,
};
use crate::seal::MasterKey;
use crate::search::{IndexRow, IndexState, IndexWrites};

/// A log that ends with the process.
pub struct MemoryLog;

impl MemoryLog {
    /// A new, empty log without kinds of collections.
    pub async fn open(master: MasterKey, clock: Clock) -> EventLog {
        Self::open_with(master, clock, Kinds::default()).await
    }

    /// A new, empty log that verifies collections of these kinds.
    pub async fn open_with(master: MasterKey, clock: Clock, kinds: Kinds) -> EventLog {
        let tables = Shared::default();
        let parts = Parts {
            rows: Arc::new(tables.clone()),
            heads: None,
            table: Some(Box::new(tables)),
            objects: Objects::open(&ObjectOptions::Memory).expect("a store in memory opens"),
            master,
            clock,
            kinds,
            many_writers: false,
        };
        EventLog::start(parts).await.expect("memory can be read")
    }
}

#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<RwLock<Tables>>);

#[derive(Clone, Default)]
pub(crate) struct Tables {
    streams: BTreeMap<i64, StreamRow>,
    by_id: HashMap<Arc<StreamId>, i64>,
    keys: HashMap<i64, Vec<u8>>,
    pub(crate) events: Vec<EventRow>,
    /// Places in `events`, by stream.
    of_stream: HashMap<i64, Vec<usize>>,
    commands: HashMap<CommandId, u64>,
    blobs: BTreeMap<(i64, [u8; 32]), Vec<u8>>,
    document_keys: Vec<DocumentKeyRow>,
    steps: BTreeMap<(i64, SmolStr), StepRow>,
    deadlines: BTreeMap<(i64, SmolStr), DeadlineRow>,
    artifacts: BTreeMap<(SmolStr, i64), ArtifactRow>,
    nodes: HashMap<String, i64>,
    owed: BTreeSet<OwedRow>,
    searched: Indexes,
}

impl Shared {
    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.0
            .read()
            .expect("nobody panics while holding the tables")
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.0
            .write()
            .expect("nobody panics while holding the tables")
    }

    #[cfg(test)]
    pub(crate) fn change(&self, change: impl FnOnce(&mut Tables)) {
        change(&mut self.write());
    }
}

impl Tables {
    fn with_key(&self, row: &StreamRow) -> (StreamRow, Option<Vec<u8>>) {
        (row.clone(), self.keys.get(&row.no).cloned())
    }

    /// Whether the lease of the node that carries out a step has not ended.
    fn is_held(&self, row: &StepRow, now: i64) -> bool {
        let lease = row.node.as_deref().and_then(|node| self.nodes.get(node));
        lease.is_some_and(|lease| *lease > now)
    }

    fn after(&self, position: u64, limit: usize) -> Vec<EventRow> {
        self.events
            .iter()
            .skip(position as usize)
            .take(limit)
            .cloned()
            .collect()
    }

    /// The events with the keys of their documents.
    fn with_keys(&self, mut rows: Vec<EventRow>) -> Vec<EventRow> {
        for row in rows.iter_mut().filter(|row| row.codec == DOCUMENTS) {
            let keys = self.document_keys.iter();
            let own = keys.filter(|it| (it.stream_no, it.version) == (row.stream_no, row.version));
            row.keys = own.map(|it| (it.place, it.key.wrapped.clone())).collect();
        }
        rows
    }

    /// Removes these documents, and the contents that no other document needs. Those that are objects are owed.
    fn forget_documents(&mut self, all: &[DocumentGone]) {
        for gone in all {
            let is_gone = |row: &DocumentKeyRow| {
                row.stream_no == gone.stream_no
                    && row.key.mark == gone.mark
                    && row.version <= gone.up_to
            };
            let keys = std::mem::take(&mut self.document_keys);
            let (going, staying): (Vec<_>, Vec<_>) = keys.into_iter().partition(is_gone);
            self.document_keys = staying;
            for row in going {
                let DocumentKey { sha256, body, .. } = row.key;
                let is_same = |other: &DocumentKeyRow| {
                    other.stream_no == gone.stream_no
                        && (other.key.sha256, &other.key.body) == (sha256, &body)
                };
                if self.document_keys.iter().any(is_same) {
                    continue;
                }
                // A content that is not a row is an object.
                if body.is_some() || self.blobs.remove(&(gone.stream_no, sha256)).is_none() {
                    self.owed.insert(OwedRow {
                        stream_no: gone.stream_no,
                        owed: Owed::Object(object_name(sha256, body.as_deref())),
                    });
                }
            }
        }
    }

    fn write(&mut self, writes: Writes) {
        for row in writes.streams.into_iter().chain(writes.moved) {
            self.by_id.insert(row.id.clone(), row.no);
            self.streams.insert(row.no, row);
        }
        self.keys.extend(writes.keys);
        for row in writes.events {
            self.of_stream
                .entry(row.stream_no)
                .or_default()
                .push(self.events.len());
            if row.ordinal == 0 {
                self.commands.insert(row.command, row.position);
            }
            self.events.push(row);
        }
        for row in writes.blobs {
            self.blobs
                .entry((row.stream_no, row.sha256))
                .or_insert(row.sealed);
        }
        for (no, run) in writes.runs_closed {
            self.steps
                .retain(|(stream, _), row| *stream != no || row.run != run);
            self.deadlines
                .retain(|(stream, _), row| *stream != no || row.run != run);
        }
        for (no, _, step) in writes.steps_closed {
            self.steps.remove(&(no, step));
        }
        for (no, gate) in writes.gates_met {
            self.deadlines.remove(&(no, gate));
        }
        self.steps.extend(
            writes
                .steps_opened
                .into_iter()
                .map(|row| ((row.stream_no, row.step.clone()), row)),
        );
        self.deadlines.extend(
            writes
                .deadlines
                .into_iter()
                .map(|row| ((row.stream_no, row.gate.clone()), row)),
        );
        for row in writes.artifacts {
            self.artifacts
                .entry((row.artifact.clone(), row.stream_no))
                .or_insert(row);
        }
        self.document_keys.extend(writes.document_keys);
        self.forget_documents(&writes.documents_gone);
        self.owed.extend(writes.owed);
        for ErasedRow { no, artifacts } in writes.erased {
            self.keys.remove(&no);
            self.document_keys.retain(|row| row.stream_no != no);
            self.steps.retain(|(stream, _), _| *stream != no);
            self.deadlines.retain(|(stream, _), _| *stream != no);
            for id in artifacts {
                self.artifacts.remove(&(id, no));
            }
            self.blobs.retain(|(stream, _), _| *stream != no);
            self.searched.forget(no);
        }
    }
}

#[async_trait]
impl Rows for Shared {
    async fn facts(&self) -> Result<Vec<(String, String)>, Storage> {
        Ok(vec![])
    }

    async fn head(&self) -> Result<u64, Storage> {
        Ok(self.read().events.len() as u64)
    }

    async fn stream(&self, by: By<'_>) -> Result<Option<(StreamRow, Option<Vec<u8>>)>, Storage> {
        let tables = self.read();
        let no = match by {
            By::Id(id) => tables.by_id.get(id).copied(),
            By::No(no) => Some(no),
        };
        Ok(no
            .and_then(|no| tables.streams.get(&no))
            .map(|row| tables.with_key(row)))
    }

    async fn events_of(
        &self,
        stream_no: i64,
        after: u64,
        up_to: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage> {
        let tables = self.read();
        let places = tables.of_stream.get(&stream_no).into_iter().flatten();
        let own = places.map(|place| &tables.events[*place]);
        let wanted = own.filter(|row| row.version > after && row.version <= up_to);
        Ok(tables.with_keys(wanted.take(limit).cloned().collect()))
    }

    async fn events_after(&self, position: u64, limit: usize) -> Result<Vec<EventRow>, Storage> {
        let tables = self.read();
        Ok(tables.with_keys(tables.after(position, limit)))
    }

    async fn command(&self, _stream_no: i64, command: &CommandId) -> Result<Option<u64>, Storage> {
        Ok(self.read().commands.get(command).copied())
    }

    async fn blob(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage> {
        Ok(self.read().blobs.get(&(stream_no, *sha256)).cloned())
    }

    async fn body(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage> {
        let tables = self.read();
        let rows = tables.document_keys.iter();
        let mut own = rows.filter(|row| row.stream_no == stream_no && row.key.sha256 == *sha256);
        Ok(own.find_map(|row| row.key.body.clone()))
    }

    async fn steps(&self, filter: StepFilter<'_>) -> Result<Vec<StepRow>, Storage> {
        let tables = self.read();
        let wanted = tables.steps.values().filter(|row| match filter {
            StepFilter::All => true,
            StepFilter::Stream(no) => row.stream_no == no,
            StepFilter::Node(node) => row.node.as_deref() == Some(node),
        });
        Ok(wanted.cloned().collect())
    }

    async fn deadlines(&self, up_to: i64, limit: usize) -> Result<Vec<DeadlineRow>, Storage> {
        let tables = self.read();
        let mut due: Vec<_> = tables
            .deadlines
            .values()
            .filter(|row| row.due <= up_to)
            .cloned()
            .collect();
        due.sort_by_key(|row| row.due);
        due.truncate(limit);
        Ok(due)
    }

    async fn next_deadline(&self) -> Result<Option<i64>, Storage> {
        Ok(self.read().deadlines.values().map(|row| row.due).min())
    }

    async fn now(&self, clock: i64) -> Result<i64, Storage> {
        let tables = self.read();
        let last = tables.events.last().map(|last| last.recorded_at);
        Ok(last.map_or(clock, |last| last.max(clock)))
    }

    async fn claimed(
        &self,
        stream_no: i64,
        (_, step): &ClaimedStep,
        clock: i64,
    ) -> Result<Option<(StepRow, bool)>, Storage> {
        let tables = self.read();
        let row = tables.steps.get(&(stream_no, step.clone()));
        Ok(row.map(|row| (row.clone(), tables.is_held(row, clock))))
    }

    async fn has_free_steps(&self, clock: i64) -> Result<bool, Storage> {
        let tables = self.read();
        Ok(tables.steps.values().any(|row| !tables.is_held(row, clock)))
    }

    async fn nodes(&self, now: i64) -> Result<Vec<(String, i64)>, Storage> {
        let tables = self.read();
        let alive = tables.nodes.iter().filter(|(_, lease)| **lease > now);
        let mut alive: Vec<_> = alive.map(|(node, lease)| (node.clone(), *lease)).collect();
        alive.sort_unstable();
        Ok(alive)
    }

    async fn sessions(
        &self,
        owner: &str,
        before: i64,
        limit: usize,
    ) -> Result<Vec<(StreamRow, Vec<u8>)>, Storage> {
        let tables = self.read();
        let newest_first = tables.streams.range(..before).rev().map(|(_, row)| row);
        let listed = newest_first.filter(|row| {
            let is_session = reserved_prefix(&row.id.session).is_none();
            row.id.owner == owner && row.version > 0 && !row.erased && is_session
        });
        Ok(listed
            .take(limit)
            .map(|row| {
                (
                    row.clone(),
                    tables.keys.get(&row.no).cloned().unwrap_or_default(),
                )
            })
            .collect())
    }

    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<String>, Storage> {
        let tables = self.read();
        let newest_first = tables.streams.values().rev();
        let listed = newest_first.filter(|row| {
            let begins = row.id.session.as_str().starts_with(prefix);
            row.id.owner == owner && row.version > 0 && !row.erased && begins
        });
        Ok(listed.map(|row| row.id.session.to_string()).collect())
    }

    async fn artifact(&self, owner: &str, artifact: &str) -> Result<Option<(i64, u64)>, Storage> {
        let tables = self.read();
        let places = tables
            .artifacts
            .range((artifact.into(), i64::MIN)..=(artifact.into(), i64::MAX));
        let mut own = places.filter(|((_, no), _)| {
            tables
                .streams
                .get(no)
                .is_some_and(|row| row.id.owner == owner)
        });
        Ok(own.next().map(|(_, row)| (row.stream_no, row.version)))
    }

    async fn artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<String>, Storage> {
        let tables = self.read();
        let (from, to) = (prefix.into(), format_smolstr!("{prefix}{AFTER_HEX}"));
        let mut places = tables.artifacts.range((from, i64::MIN)..(to, i64::MIN));
        let own = places.find(|((_, no), _)| {
            tables
                .streams
                .get(no)
                .is_some_and(|row| row.id.owner == owner)
        });
        Ok(own.map(|((id, _), _)| id.to_string()))
    }

    async fn forks(&self, stream_no: i64) -> Result<Vec<StreamRow>, Storage> {
        Ok(self.read().live_forks(stream_no).cloned().collect())
    }

    async fn owed(&self, stream_no: Option<i64>, limit: usize) -> Result<Vec<OwedRow>, Storage> {
        let tables = self.read();
        let rows = tables.owed.iter();
        let wanted = rows.filter(|row| stream_no.is_none_or(|no| row.stream_no == no));
        Ok(wanted.take(limit).copied().collect())
    }

    async fn index_state(&self, stream_no: i64) -> Result<Option<IndexState>, Storage> {
        Ok(self.read().searched.state(stream_no))
    }

    async fn search(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage> {
        Ok(self.read().searched.search(stream_no, any, limit))
    }

    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, Storage> {
        Ok(Box::new(self.read().clone()))
    }

    async fn copy_into(&self, _: &Path) -> Result<DatabaseCopy, Storage> {
        let advice = "it ends with its process; keep it in a database";
        Err(Storage::new(BACKING_UP, "the log is in memory", advice))
    }

    async fn close(&self) {}
}

impl Tables {
    fn live_forks(&self, stream_no: i64) -> impl Iterator<Item = &StreamRow> {
        let forks = self.streams.values();
        forks.filter(move |row| {
            !row.erased && row.parent.is_some_and(|(parent, _)| parent == stream_no)
        })
    }
}

#[async_trait]
impl Snapshot for Tables {
    async fn events_after(
        &mut self,
        position: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage> {
        Ok(self.with_keys(self.after(position, limit)))
    }

    async fn streams(&mut self) -> Result<Vec<(StreamRow, Option<Vec<u8>>)>, Storage> {
        Ok(self
            .streams
            .values()
            .map(|row| self.with_key(row))
            .collect())
    }

    async fn steps(&mut self) -> Result<Vec<StepRow>, Storage> {
        Ok(self.steps.values().cloned().collect())
    }

    async fn deadlines(&mut self) -> Result<Vec<DeadlineRow>, Storage> {
        Ok(self.deadlines.values().cloned().collect())
    }

    async fn artifacts(&mut self) -> Result<Vec<ArtifactRow>, Storage> {
        Ok(self.artifacts.values().cloned().collect())
    }

    async fn owed(&mut self) -> Result<Vec<OwedRow>, Storage> {
        Ok(self.owed.iter().copied().collect())
    }

    async fn bodies(&mut self) -> Result<Vec<BodyRow>, Storage> {
        let body = |row: &DocumentKeyRow| BodyRow {
            stream_no: row.stream_no,
            sha256: row.key.sha256,
            name: object_name(row.key.sha256, row.key.body.as_deref()),
        };
        Ok(self.document_keys.iter().map(body).collect())
    }

    async fn blobs_of(
        &mut self,
        stream_no: i64,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<BlobRow>, Storage> {
        let of_it = (stream_no, [u8::MIN; 32])..=(stream_no, [u8::MAX; 32]);
        let wanted = self.blobs.range(of_it).skip(skip).take(limit);
        Ok(wanted
            .map(|((stream_no, sha256), sealed)| BlobRow {
                stream_no: *stream_no,
                sha256: *sha256,
                sealed: sealed.clone(),
            })
            .collect())
    }

    async fn index_states(&mut self) -> Result<Vec<(i64, IndexState)>, Storage> {
        Ok(self.searched.states())
    }

    async fn indexed(&mut self, stream_no: i64) -> Result<Vec<String>, Storage> {
        Ok(self.searched.documents(stream_no))
    }

    async fn indexed_otherwise(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage> {
        let others = rows.iter().filter(|row| !self.searched.has(stream_no, row));
        Ok(others.map(|row| row.document.clone()).collect())
    }

    async fn stray_index_rows(&mut self) -> Result<u64, Storage> {
        Ok(self.searched.strays())
    }
}

#[async_trait]
impl Table for Shared {
    fn works_apart(&self) -> bool {
        false
    }

    async fn look_up(&mut self, wanted: &BatchLookups) -> Result<LookedUp, Storage> {
        let tables = self.read();
        let last = tables.events.last();
        let row = |id: &Arc<StreamId>| tables.by_id.get(id).and_then(|no| tables.streams.get(no));
        Ok(LookedUp {
            head: last.map_or(
                Head {
                    position: 0,
                    hash: GENESIS,
                    recorded_at: i64::MIN,
                },
                |row| Head {
                    position: row.position,
                    hash: row.hash,
                    recorded_at: row.recorded_at,
                },
            ),
            next_stream_no: tables.streams.last_key_value().map_or(1, |(no, _)| no + 1),
            streams: wanted
                .streams
                .iter()
                .filter_map(|id| Some((id.clone(), row(id)?.clone())))
                .collect(),
            commands: wanted
                .commands
                .iter()
                .filter_map(|(command, _)| Some((*command, *tables.commands.get(command)?)))
                .collect(),
            forks: wanted
                .forks_of
                .iter()
                .filter_map(row)
                .map(|row| {
                    (
                        row.no,
                        tables
                            .live_forks(row.no)
                            .map(|fork| fork.id.session.clone())
                            .collect(),
                    )
                })
                .collect(),
            claims: wanted
                .claims
                .iter()
                .filter_map(|(step, place)| {
                    let no = row(&wanted.streams[*place])?.no;
                    let open = tables.steps.get(&(no, step.1.clone()))?;
                    Some(((no, step.clone()), open.clone()))
                })
                .collect(),
        })
    }

    async fn commit(&mut self, writes: &mut Writes) -> Result<(), Storage> {
        Shared::write(self).write(std::mem::take(writes));
        Ok(())
    }

    fn forget(&mut self) {}

    async fn renew(
        &mut self,
        node: &str,
        lease: i64,
        clock: i64,
    ) -> Result<(i64, Option<i64>), Storage> {
        let until = clock.saturating_add(lease);
        let mut tables = self.write();
        Ok((clock, tables.nodes.insert(node.to_owned(), until)))
    }

    async fn take_over(
        &mut self,
        node: &str,
        whose: Whose,
        clock: i64,
    ) -> Result<Vec<StepRow>, Storage> {
        let mut guard = self.write();
        let tables = &mut *guard;
        let own = tables.nodes.get(node).copied();
        let mut taken = vec![];
        for row in tables.steps.values_mut() {
            let holder = row.node.as_deref();
            let lasts = |holder| tables.nodes.get(holder).is_some_and(|lease| *lease > clock);
            let is_taken = match whose {
                Whose::Nobody => holder.is_none(),
                Whose::LeaseEnded { own_left } => {
                    let is_fresh = own.is_some_and(|own| own - micros(own_left) >= clock);
                    holder.is_none_or(|holder| is_fresh && holder != node && !lasts(holder))
                }
                Whose::Everybody => holder != Some(node),
            };
            if is_taken {
                row.node = Some(node.into());
                row.epoch += 1;
                taken.push(row.clone());
            }
        }
        let Tables { nodes, steps, .. } = tables;
        let has_steps = |node: &str| steps.values().any(|row| row.node.as_deref() == Some(node));
        match whose {
            Whose::Nobody => {}
            Whose::LeaseEnded { .. } => {
                nodes.retain(|known, lease| known == node || *lease > clock || has_steps(known));
            }
            Whose::Everybody => nodes.retain(|known, _| known == node),
        }
        Ok(taken)
    }

    async fn hand_back(&mut self, node: &str, claim: Option<(i64, Claim)>) -> Result<(), Storage> {
        let mut tables = self.write();
        if let Some((no, claim)) = claim {
            let row = tables.steps.get_mut(&(no, claimed_step(&claim).1));
            if let Some(row) = row.filter(|row| row.is_claimed_by(&claim)) {
                row.node = None;
            }
            return Ok(());
        }
        for row in tables.steps.values_mut() {
            row.node.take_if(|holder| holder == node);
        }
        tables.nodes.remove(node);
        Ok(())
    }

    async fn clear_residue(&mut self) -> Result<bool, Storage> {
        Ok(true)
    }

    async fn settle(&mut self, done: &[OwedRow]) -> Result<(), Storage> {
        let mut tables = self.write();
        for row in done {
            tables.owed.remove(row);
        }
        Ok(())
    }

    async fn index(&mut self, writes: IndexWrites) -> Result<Option<IndexState>, Storage> {
        let mut guard = self.write();
        let tables = &mut *guard;
        let no = writes.stream_no;
        let is_live = tables.streams.get(&no).is_some_and(|row| !row.erased);
        Ok(if is_live {
            tables.searched.change(writes)
        } else {
            None
        })
    }

    async fn close(&mut self) {}
}
