//! Verification: the chain is computed again over what is stored, what is kept beside the events is made again from them and
//! compared, every blob that an event names is opened, and the end of the log is held against its head file.

mod blobs;
mod search;
mod strays;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::facets::{Facet, facets};
use domain::{DocumentId, Event};
use smol_str::SmolStr;

use crate::anchor::Accepted;
use crate::backend::Snapshot;
use crate::chain::{GENESIS, Hash, link};
use crate::core::Core;
use crate::documents;
use crate::error::ReadError;
use crate::ids::StreamId;
use crate::limits::{DIFFERENCES, PAGE};
use crate::net::{Net, OnStream};
use crate::rows::{
    ArtifactRow, DOCUMENTS, DeadlineRow, EventRow, FIRST_EPOCH, PLAIN, StepRow, StreamRow, Writes,
};
use crate::seal::DataKey;
use crate::search::IndexState;
use blobs::Named;
pub(crate) use blobs::find_large_blobs;
use search::Documents;

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerifyOptions {
    /// From this position on; what is kept beside the events is looked at from the beginning only.
    pub from: u64,
    /// Leaves out blobs that are files or objects beside the database.
    pub shallow: bool,
}

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
    /// Whether what is kept beside the events was compared. This is done only when verification starts at the beginning and the chain is
    /// whole.
    pub compared: bool,
    /// Blobs that were opened, if the comparison was made: those in the database, and those beside it that events name.
    pub blobs: u64,
    /// Documents whose words in search indexes were compared.
    pub indexed: u64,
    /// What was not looked at, and why.
    pub unseen: Vec<String>,
    /// Losses of the log that somebody knows of.
    pub accepted: Vec<Accepted>,
    /// How what is kept beside the events differs from what the events say; the first hundred differences.
    pub differences: Vec<String>,
    /// How many more differences there are.
    pub more_differences: u64,
}

impl VerifyReport {
    pub fn is_sound(&self) -> bool {
        self.first_broken.is_none() && self.differences.is_empty()
    }

    /// Whether everything was looked at.
    pub fn is_complete(&self) -> bool {
        self.compared && self.unseen.is_empty()
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

pub(crate) async fn verify(core: &Core, options: VerifyOptions) -> Result<VerifyReport, ReadError> {
    let anchor = core.anchor().await?;
    let mut snapshot = core.rows.snapshot().await?;
    let from = options.from.max(1);
    let mut rebuilt = Rebuilt::new(core, &mut *snapshot, from == 1).await?;
    let mut report = VerifyReport {
        head: from - 1,
        accepted: anchor.accepted.clone(),
        ..VerifyReport::default()
    };
    if options.shallow && core.objects.keeps_heads() {
        report
            .unseen
            .push("signed heads in the place for blobs".to_owned());
    }
    if !options.shallow {
        for contradiction in core.signed(&anchor).await?.contradictions {
            report.differs(contradiction);
        }
    }
    if let Some(mismatch) = anchor.mismatch {
        report.differs(mismatch.to_string());
    }
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
        // Hashing is computation without a pause; other tasks on this thread get their turn.
        tokio::task::yield_now().await;
    }
    report.unknown = rebuilt.unknown;
    if rebuilt.unknown > 0 {
        report.unseen.push(format!(
            "{} events that this program does not know, and what is kept beside the events of their sessions",
            rebuilt.unknown
        ));
    }
    if from == 1 {
        report.compared = true;
        rebuilt.compare(&mut *snapshot, &mut report).await?;
        rebuilt
            .open_blobs(core, &mut *snapshot, options.shallow, &mut report)
            .await?;
        rebuilt
            .find_strays(core, &mut *snapshot, options.shallow, &mut report)
            .await?;
        rebuilt
            .compare_indexes(core, &mut *snapshot, &mut report)
            .await?;
    } else {
        report.unseen.push(format!(
            "events before position {from}, and what is kept beside the events"
        ));
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
    /// Whether the events are read from the first one on.
    whole: bool,
    /// How far search indexes are, by the numbers of their streams.
    indexes: BTreeMap<i64, IndexState>,
}

struct Stream {
    /// As stored.
    row: StreamRow,
    key: Option<DataKey>,
    /// A sealed key is there.
    has_key: bool,
    /// The sealed key is there but does not open.
    key_damaged: bool,
    /// The blobs that its events name; those of a collection are named by its documents.
    named: Vec<Named>,
    /// The documents, if the stream is a collection.
    documents: Option<Documents>,
    /// If the stream is a collection: the names of the objects that its documents may have, earlier ones included, each with the hash of
    /// its content.
    bodies: HashMap<[u8; 32], [u8; 32]>,
    version: u64,
    parent: Option<(i64, u64)>,
    erased: bool,
    title: String,
    pipeline: SmolStr,
    status: &'static str,
    created_at: i64,
    updated_at: i64,
    /// Whether it has an event that this program does not know; then the state that follows from its events is not known either.
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
                has_key: wrapped.is_some(),
                key_damaged: wrapped.is_some() && key.is_none(),
                named: vec![],
                documents: Documents::of(&core.kinds, &row.id),
                bodies: HashMap::new(),
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
        for body in snapshot.bodies().await? {
            if let Some(stream) = streams.get_mut(&body.stream_no) {
                stream.bodies.insert(body.name, body.sha256);
            }
        }
        Ok(Self {
            streams,
            by_id,
            steps: BTreeMap::new(),
            deadlines: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            unknown: 0,
            whole,
            indexes: snapshot.index_states().await?.into_iter().collect(),
        })
    }

    /// Takes one event into account.
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
            Decoded::Event(event, gone) => {
                if let Some(documents) = &mut stream.documents {
                    documents.missing(gone);
                }
                event
            }
            Decoded::Unknown => {
                stream.unknown = true;
                self.unknown += 1;
                return Ok(());
            }
            Decoded::Gone => return Ok(()),
        };
        let mut follows = before + 1;
        match &mut stream.documents {
            Some(documents) => {
                documents.take(&event, self.indexes.get(&row.stream_no));
                // Documents with keys of their own have their rows.
                if row.codec != DOCUMENTS {
                    let named = blobs::named(&event).map(|named| (named.sha256, named.sha256));
                    stream.bodies.extend(named);
                }
            }
            None => stream.named.extend(blobs::named(&event)),
        }
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
            stream.compare_documents(report);
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
        Ok(())
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
    fn compare(&self, report: &mut VerifyReport) {
        let row = &self.row;
        let name = &row.id;
        if self.key_damaged {
            report.differs(format!("session {name}: its key does not open"));
        }
        if self.has_key == row.erased {
            let is = if row.erased { "still there" } else { "missing" };
            report.differs(format!("session {name}: its key is {is}"));
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
    /// With the marks of documents whose keys are gone.
    Event(Box<Event>, Vec<DocumentId>),
    Unknown,
    /// The session was erased.
    Gone,
}

fn decode(row: &EventRow, stream: &Stream) -> Result<Decoded, String> {
    let opened;
    let mut gone = vec![];
    let plain = match (row.codec, &stream.key) {
        (PLAIN, _) => &row.payload,
        (_, Some(key)) => {
            opened = documents::open(key, &stream.row.id, row)
                .ok_or("it does not open with the key of its session")?;
            gone = opened.gone;
            &opened.plain
        }
        (_, None) if stream.row.erased => return Ok(Decoded::Gone),
        (_, None) => return Err("the key of its session is missing or damaged".to_owned()),
    };
    Ok(
        Event::decode(&row.name, row.schema, plain).map_or(Decoded::Unknown, |event| {
            Decoded::Event(Box::new(event), gone)
        }),
    )
}
