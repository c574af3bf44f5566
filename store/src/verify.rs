//! Verification: the chain is computed again over what is stored, and what is kept beside the events is made again from them
//! and compared.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::Event;
use domain::facets::{Facet, facets};
use domain::hash::Sha256;
use smol_str::SmolStr;

use crate::backend::Snapshot;
use crate::chain::{GENESIS, Hash, link};
use crate::core::Core;
use crate::error::ReadError;
use crate::ids::StreamId;
use crate::limits::{BLOBS_PAGE, DIFFERENCES, PAGE};
use crate::net::{Net, OnStream};
use crate::rows::{
    ArtifactRow, BlobRow, DeadlineRow, EventRow, FIRST_EPOCH, PLAIN, StepRow, StreamRow, Writes,
};
use crate::seal::DataKey;

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Events whose hash was computed again.
    pub events: u64,
    /// Position of the last of them.
    pub head: u64,
    /// Where the chain is first broken; nothing after it was looked at.
    pub first_broken: Option<Broken>,
    /// Events that this program does not know. They are linked correctly, but what is kept beside the events of their sessions
    /// could not be compared.
    pub unknown: u64,
    /// Whether what is kept beside the events was compared: only from the beginning, and only if the chain is whole.
    pub compared: bool,
    /// Blobs in the database that were opened, when it was. Those that are objects beside it are looked at when they are read.
    pub blobs: u64,
    /// In what way it differs from what the events say; the first hundred ways.
    pub differences: Vec<String>,
    /// How many ways more.
    pub more_differences: u64,
}

impl VerifyReport {
    pub fn is_sound(&self) -> bool {
        self.first_broken.is_none() && self.differences.is_empty()
    }

    fn differs(&mut self, what: String) {
        if self.differences.len() < DIFFERENCES {
            self.differences.push(what);
        } else {
            self.more_differences += 1;
        }
    }
}

/// The first event that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    pub position: u64,
    pub what: String,
}

pub(crate) async fn verify(core: &Core, from: u64) -> Result<VerifyReport, ReadError> {
    let mut snapshot = core.rows.snapshot().await?;
    let from = from.max(1);
    let mut rebuilt = Rebuilt::new(core, &mut *snapshot, from == 1).await?;
    let mut report = VerifyReport {
        head: from - 1,
        ..VerifyReport::default()
    };
    let mut before = Before {
        hash: GENESIS,
        recorded_at: i64::MIN,
    };
    if from > 1 {
        match snapshot.events_after(from - 2, 1).await?.first() {
            Some(row) if row.position == from - 1 => {
                before = Before {
                    hash: row.hash,
                    recorded_at: row.recorded_at,
                };
            }
            Some(_) | None => {
                report.first_broken = Some(Broken {
                    position: from - 1,
                    what: "it is missing".to_owned(),
                });
                return Ok(report);
            }
        }
    }
    loop {
        let rows = snapshot.events_after(report.head, PAGE).await?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let position = report.head + 1;
            if let Err(what) =
                check(&row, position, &before, &rebuilt).and_then(|()| rebuilt.take(&row))
            {
                report.first_broken = Some(Broken { position, what });
                return Ok(report);
            }
            before = Before {
                hash: row.hash,
                recorded_at: row.recorded_at,
            };
            report.head = position;
            report.events += 1;
        }
        // Hashing is all computing; others on this thread get their turn.
        tokio::task::yield_now().await;
    }
    report.unknown = rebuilt.unknown;
    if from == 1 {
        report.compared = true;
        rebuilt.compare(&mut *snapshot, &mut report).await?;
    }
    Ok(report)
}

struct Before {
    hash: Hash,
    recorded_at: i64,
}

fn check(row: &EventRow, position: u64, before: &Before, rebuilt: &Rebuilt) -> Result<(), String> {
    if row.position != position {
        return Err(format!("it is missing; the next one is {}", row.position));
    }
    let stream = rebuilt
        .streams
        .get(&row.stream_no)
        .ok_or("its session is not in the table of streams")?;
    let hash = link(
        &before.hash,
        row.position,
        row.recorded_at,
        row.stream_no,
        &row.body(&stream.row.id).hash(),
    );
    if hash != row.hash {
        return Err("its hash does not follow from its content and the event before".to_owned());
    }
    if row.recorded_at < before.recorded_at {
        return Err("it was recorded before the event before".to_owned());
    }
    Ok(())
}

/// What the events say about everything that is kept beside them.
struct Rebuilt {
    streams: HashMap<i64, Stream>,
    by_id: HashMap<Arc<StreamId>, i64>,
    steps: BTreeMap<(i64, SmolStr), StepRow>,
    deadlines: BTreeMap<(i64, SmolStr), DeadlineRow>,
    artifacts: BTreeMap<(SmolStr, i64), ArtifactRow>,
    unknown: u64,
    /// Whether the events are taken in from the first one on.
    whole: bool,
}

struct Stream {
    /// As stored.
    row: StreamRow,
    key: Option<DataKey>,
    /// The sealed key is there but does not open.
    key_damaged: bool,
    version: u64,
    parent: Option<(i64, u64)>,
    erased: bool,
    title: String,
    pipeline: SmolStr,
    status: &'static str,
    created_at: i64,
    updated_at: i64,
    /// It has an event that this program does not know, so what follows from its events is not known either.
    unknown: bool,
}

impl Rebuilt {
    async fn new(core: &Core, snapshot: &mut dyn Snapshot, whole: bool) -> Result<Self, ReadError> {
        let mut streams = HashMap::new();
        let mut by_id = HashMap::new();
        for (row, wrapped) in snapshot.streams().await? {
            let key = wrapped
                .as_ref()
                .and_then(|wrapped| core.master.unwrap(&row.id, wrapped));
            by_id.insert(row.id.clone(), row.no);
            let stream = Stream {
                key_damaged: wrapped.is_some() && key.is_none(),
                key,
                version: 0,
                parent: None,
                erased: false,
                title: String::new(),
                pipeline: SmolStr::default(),
                status: "",
                created_at: row.created_at,
                updated_at: row.updated_at,
                unknown: false,
                row,
            };
            streams.insert(stream.row.no, stream);
        }
        Ok(Self {
            streams,
            by_id,
            steps: BTreeMap::new(),
            deadlines: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            unknown: 0,
            whole,
        })
    }

    /// Takes one event in.
    fn take(&mut self, row: &EventRow) -> Result<(), String> {
        let stream = self
            .streams
            .get_mut(&row.stream_no)
            .ok_or("its session is not in the table of streams")?;
        if stream.version == 0 {
            stream.created_at = row.recorded_at;
        }
        stream.updated_at = row.recorded_at;
        let before = std::mem::replace(&mut stream.version, row.version);
        let event = match decode(row, stream)? {
            Decoded::Event(event) => event,
            Decoded::Unknown => {
                stream.unknown = true;
                self.unknown += 1;
                return Ok(());
            }
            Decoded::Gone => return Ok(()),
        };
        let mut follows = before + 1;
        let facets = facets(&event);
        for facet in &facets {
            match facet {
                Facet::Listed {
                    title: Some(title), ..
                } => stream.title.clone_from(title),
                Facet::Forked { parent, at } => {
                    let id = StreamId {
                        owner: stream.row.id.owner.clone(),
                        session: parent.clone(),
                    };
                    stream.parent = self.by_id.get(&id).map(|no| (*no, *at));
                    follows = at + 1;
                }
                Facet::Erased => stream.erased = true,
                Facet::Listed { .. }
                | Facet::StepOpened { .. }
                | Facet::StepClosed { .. }
                | Facet::DeadlineSet { .. }
                | Facet::DeadlineMet { .. }
                | Facet::RunClosed { .. }
                | Facet::ArtifactAt { .. } => {}
            }
        }
        let known = before > 0 || self.whole;
        if row.version != follows && known && !stream.unknown && !stream.row.erased {
            return Err(format!(
                "it has version {} in its session where {follows} follows",
                row.version
            ));
        }
        let mut writes = Writes::default();
        let mut net = Net::default();
        for facet in facets {
            if let OnStream::Listed { pipeline, status } =
                net.take(row.stream_no, false, row.version, facet, None)
            {
                if let Some(pipeline) = pipeline {
                    stream.pipeline = pipeline;
                }
                if let Some(status) = status {
                    stream.status = status;
                }
            }
        }
        net.write(&mut writes);
        self.apply(writes);
        Ok(())
    }

    fn apply(&mut self, writes: Writes) {
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
        for row in writes.steps_opened {
            self.steps.insert((row.stream_no, row.step.clone()), row);
        }
        for row in writes.deadlines {
            self.deadlines
                .insert((row.stream_no, row.gate.clone()), row);
        }
        for row in writes.artifacts {
            self.artifacts
                .entry((row.artifact.clone(), row.stream_no))
                .or_insert(row);
        }
    }

    async fn compare(
        &self,
        snapshot: &mut dyn Snapshot,
        report: &mut VerifyReport,
    ) -> Result<(), ReadError> {
        let mut streams: Vec<_> = self.streams.values().collect();
        streams.sort_unstable_by_key(|stream| stream.row.no);
        for stream in streams {
            stream.compare(report);
        }
        let steps = snapshot.steps().await?.into_iter().map(|row| StepRow {
            node: None,
            epoch: FIRST_EPOCH,
            ..row
        });
        self.compare_rows(
            "open step",
            self.steps.values().cloned(),
            steps,
            |row| row.stream_no,
            report,
        );
        let deadlines = snapshot.deadlines().await?.into_iter();
        self.compare_rows(
            "deadline",
            self.deadlines.values().cloned(),
            deadlines,
            |row| row.stream_no,
            report,
        );
        let artifacts = snapshot.artifacts().await?.into_iter();
        self.compare_rows(
            "artifact",
            self.artifacts.values().cloned(),
            artifacts,
            |row| row.stream_no,
            report,
        );
        self.open_blobs(snapshot, report).await?;
        for (no, state) in snapshot.index_states().await? {
            self.compare_index(no, state.version, report);
        }
        Ok(())
    }

    /// A blob is bound to its session and to the hash that it is named by, so that it opens only as it was put.
    async fn open_blobs(
        &self,
        snapshot: &mut dyn Snapshot,
        report: &mut VerifyReport,
    ) -> Result<(), ReadError> {
        let mut numbers: Vec<i64> = self.streams.keys().copied().collect();
        numbers.sort_unstable();
        for no in numbers {
            let stream = &self.streams[&no];
            let mut seen = 0;
            loop {
                let rows = snapshot.blobs_of(no, seen, BLOBS_PAGE).await?;
                if rows.is_empty() {
                    break;
                }
                seen += rows.len();
                for row in rows {
                    stream.open_blob(&row, report);
                }
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }

    /// What is in a search index is not compared, as its words cannot be read. But it is of a stream that is there, and not
    /// ahead of it.
    fn compare_index(&self, no: i64, version: u64, report: &mut VerifyReport) {
        match self.streams.get(&no) {
            Some(stream) if !stream.erased && version <= stream.version => {}
            Some(stream) => report.differs(format!(
                "session {}: its search index is at version {version}, its events end at {}{}",
                stream.row.id,
                stream.version,
                if stream.erased { ", erased" } else { "" }
            )),
            None => report.differs(format!("a search index belongs to no session: {no}")),
        }
    }

    fn compare_rows<T: Ord + std::fmt::Debug>(
        &self,
        what: &str,
        wanted: impl Iterator<Item = T>,
        stored: impl Iterator<Item = T>,
        stream_no: impl Fn(&T) -> i64,
        report: &mut VerifyReport,
    ) {
        // Nothing follows from events that are gone, and too little from ones that are not known.
        let certain = |row: &T| {
            self.streams
                .get(&stream_no(row))
                .is_none_or(|stream| !stream.unknown)
        };
        let alive = |row: &T| {
            self.streams
                .get(&stream_no(row))
                .is_some_and(|stream| !stream.erased)
        };
        let mut wanted: Vec<T> = wanted.filter(|row| certain(row) && alive(row)).collect();
        let mut stored: Vec<T> = stored.filter(certain).collect();
        wanted.sort_unstable();
        stored.sort_unstable();
        for row in wanted
            .iter()
            .filter(|row| stored.binary_search(row).is_err())
        {
            report.differs(format!("missing {what}: {row:?}"));
        }
        for row in stored
            .iter()
            .filter(|row| wanted.binary_search(row).is_err())
        {
            report.differs(format!("stored {what} that no event says: {row:?}"));
        }
    }
}

impl Stream {
    fn open_blob(&self, row: &BlobRow, report: &mut VerifyReport) {
        let (name, sha256) = (&self.row.id, Sha256::from(row.sha256));
        let Some(key) = &self.key else {
            // That a key does not open is told of the session.
            if !self.key_damaged {
                report.differs(format!("session {name}: its blob {sha256} has no key"));
            }
            return;
        };
        match key.open_blob(name, &sha256, &row.sealed) {
            Some(plain) if Sha256::of(&plain) == sha256 => report.blobs += 1,
            Some(_) | None => report.differs(format!(
                "session {name}: its blob {sha256} is not what was put"
            )),
        }
    }

    fn compare(&self, report: &mut VerifyReport) {
        let row = &self.row;
        let name = &row.id;
        if self.key_damaged {
            report.differs(format!("session {name}: its key does not open"));
        }
        if row.version != self.version {
            report.differs(format!(
                "session {name}: stored at version {}, its events end at {}",
                row.version, self.version
            ));
        }
        if row.erased != self.erased {
            report.differs(format!(
                "session {name}: stored as erased is {}, its events say {}",
                row.erased, self.erased
            ));
        }
        if (row.created_at, row.updated_at) != (self.created_at, self.updated_at) {
            report.differs(format!(
                "session {name}: its times are not those of its events"
            ));
        }
        if self.unknown || self.erased || row.erased {
            return;
        }
        if row.parent != self.parent {
            report.differs(format!(
                "session {name}: stored fork {:?}, its events say {:?}",
                row.parent, self.parent
            ));
        }
        if (&*row.pipeline, &*row.status) != (self.pipeline.as_str(), self.status) {
            report.differs(format!(
                "session {name}: stored as {} {}, its events say {} {}",
                row.pipeline, row.status, self.pipeline, self.status
            ));
        }
        let title = self
            .key
            .as_ref()
            .and_then(|key| key.open_title(name, &row.title));
        if title.as_ref() != Some(&self.title) {
            report.differs(format!(
                "session {name}: its title is not that of its events"
            ));
        }
    }
}

enum Decoded {
    Event(Box<Event>),
    Unknown,
    /// The session was erased.
    Gone,
}

fn decode(row: &EventRow, stream: &Stream) -> Result<Decoded, String> {
    let opened;
    let plain = match (row.codec, &stream.key) {
        (PLAIN, _) => &row.payload,
        (_, Some(key)) => {
            opened = key
                .open_event(&stream.row.id, row.version, &row.name, &row.payload)
                .ok_or("it does not open with the key of its session")?;
            &opened
        }
        (_, None) if stream.row.erased => return Ok(Decoded::Gone),
        (_, None) => return Err("the key of its session is missing or damaged".to_owned()),
    };
    Ok(Event::decode(&row.name, row.schema, plain)
        .map_or(Decoded::Unknown, |event| Decoded::Event(Box::new(event))))
}
