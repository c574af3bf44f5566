//! Logs to test, a clock that tests can set, and events to append.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::collection::{Kind, Kinds, SearchWords};
use domain::event::{
    ArtifactProduced, Body, Document, GateOpened, MessageReceived, PlanConfirmed, RunCompleted,
    RunStarted, SessionErased, SessionForked, SessionOpened, StepRequested, StepSucceeded,
};
use domain::hash::{Blob, BlobRef};
use domain::settings::Settings;
use domain::tokens::index_words;
use domain::{ArtifactId, Event, GateId, MessageId, RunId, SessionId, StepId};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::engine::{EventLog, Parts};
use crate::objects::{ObjectOptions, Objects};
use crate::{
    Append, Clock, CommandId, Committed, Log, MasterKey, PostgresLog, PostgresOptions, SqliteLog,
    SqliteOptions, StreamId, memory,
};

pub(crate) const ANN: &str = "ann";

/// A log and what belongs to it.
pub(crate) struct Rig {
    pub(crate) log: Arc<EventLog>,
    pub(crate) time: Arc<AtomicI64>,
    pub(crate) place: TestDatabase,
    commands: AtomicU64,
}

pub(crate) enum TestDatabase {
    Memory(memory::Shared),
    Sqlite(TempDir),
    Postgres { url: String, schema: String },
}

/// A clock that moves by a microsecond whenever it is read.
pub(crate) fn clock(time: &Arc<AtomicI64>) -> Clock {
    let time = time.clone();
    Arc::new(move || at(time.fetch_add(1, Ordering::Relaxed)))
}

pub(crate) fn at(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).expect("a time of this age of the world")
}

pub(crate) fn start_of_time() -> Arc<AtomicI64> {
    Arc::new(AtomicI64::new(1_700_000_000_000_000))
}

pub(crate) fn master() -> MasterKey {
    MasterKey::new([7; 32])
}

/// A ring of a few dozen events, so that tails have to go back to the database.
const SMALL_RING: usize = 40 * 1024;

impl Rig {
    fn new(log: EventLog, time: Arc<AtomicI64>, place: TestDatabase) -> Self {
        Self {
            log: Arc::new(log),
            time,
            place,
            commands: AtomicU64::new(0),
        }
    }

    pub(crate) async fn memory() -> Self {
        let time = start_of_time();
        let tables = memory::Shared::default();
        let parts = Parts {
            rows: Arc::new(tables.clone()),
            heads: None,
            table: Some(Box::new(tables.clone())),
            objects: Objects::open(&ObjectOptions::Memory).expect("memory"),
            master: master(),
            clock: clock(&time),
            kinds: kinds(),
            many_writers: false,
        };
        let log = EventLog::start_with_ring(parts, SMALL_RING)
            .await
            .expect("starts");
        Self::new(log, time, TestDatabase::Memory(tables))
    }

    pub(crate) async fn sqlite() -> Self {
        let time = start_of_time();
        let folder = tempfile::tempdir().expect("a folder");
        let log = SqliteLog::open(
            &database(folder.path()),
            sqlite_options(&time, folder.path()),
        )
        .await
        .expect("opens");
        Self::new(log, time, TestDatabase::Sqlite(folder))
    }

    /// `None` where there is no PostgreSQL to test against.
    pub(crate) async fn postgres(case: &str) -> Option<Self> {
        let url = postgres_url()?;
        // A name of at most 63 bytes, the same at every run.
        let schema = format!("test_{}", case.get(..50).unwrap_or(case));
        drop_schema(&url, &schema).await;
        let time = start_of_time();
        let log = PostgresLog::open(&url, postgres_options(&time, &schema))
            .await
            .expect("opens");
        Some(Self::new(log, time, TestDatabase::Postgres { url, schema }))
    }

    /// An append under a command of its own, at the version the session has.
    pub(crate) async fn append(&self, stream: &StreamId, events: Vec<Event>) -> Committed {
        let expected = self.log.version(stream).await.expect("reads").unwrap_or(0);
        self.log
            .append(self.next(stream, expected, events))
            .await
            .expect("appends")
    }

    pub(crate) async fn put(&self, stream: &StreamId, bytes: impl Into<Bytes>) -> BlobRef {
        let blob = Blob::of(bytes);
        let name = blob.reference().clone();
        self.log.put_blob(stream, blob).await.expect("puts");
        name
    }

    pub(crate) fn next(&self, stream: &StreamId, expected: u64, events: Vec<Event>) -> Append {
        let n = self.commands.fetch_add(1, Ordering::Relaxed);
        Append::new(
            stream.clone(),
            expected,
            CommandId::of(stream, &n.to_string()),
            events,
        )
    }

    pub(crate) async fn close(&self) {
        self.log.close().await;
    }

    pub(crate) async fn unsound(&self, after: &str) {
        let report = self.log.verify(0).await.expect("verifies");
        assert!(!report.is_sound(), "nobody noticed: {after}");
    }

    pub(crate) async fn sound(&self) {
        let report = self.log.verify(0).await.expect("verifies");
        assert!(report.is_sound() && report.compared, "{report:?}");
        let head = self.log.core().rows.head().await.expect("reads");
        assert_eq!((report.events, report.head), (head, head));
    }
}

pub(crate) fn database(folder: &Path) -> PathBuf {
    folder.join("log.db")
}

pub(crate) fn sqlite_options(time: &Arc<AtomicI64>, folder: &Path) -> SqliteOptions {
    SqliteOptions {
        kinds: kinds(),
        ..SqliteOptions::new(master(), clock(time), folder)
    }
}

pub(crate) fn postgres_options(time: &Arc<AtomicI64>, schema: &str) -> PostgresOptions {
    PostgresOptions {
        master: master(),
        clock: clock(time),
        kinds: kinds(),
        objects: ObjectOptions::Memory,
        schema: Some(schema.to_owned()),
        heads: None,
    }
}

pub(crate) fn postgres_url() -> Option<String> {
    if let Ok(url) = std::env::var("PALIMPSEST_TEST_POSTGRES") {
        return Some(url);
    }
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "PALIMPSEST_TEST_POSTGRES is not set"
    );
    eprintln_skipped();
    None
}

#[expect(
    clippy::print_stderr,
    reason = "who runs the tests has to see what was not tested"
)]
fn eprintln_skipped() {
    eprintln!("skipped: PALIMPSEST_TEST_POSTGRES is not set");
}

pub(crate) async fn drop_schema(url: &str, schema: &str) {
    use sqlx::{Connection, PgConnection};
    let mut connection = PgConnection::connect(url).await.expect("connects");
    let drop = format!("DROP SCHEMA IF EXISTS {schema} CASCADE");
    sqlx::query(sqlx::AssertSqlSafe(drop))
        .execute(&mut connection)
        .await
        .expect("drops");
}

/// A kind of collections whose documents are searched by their names and texts.
pub(crate) const SCRAPS: Kind = Kind {
    name: "scraps",
    documents_max: 10,
    document_bytes_max: 1_000_000,
    searched: Some(scrap_words),
};

pub(crate) fn scrap_words(document: &Document, content: &[u8]) -> SearchWords {
    SearchWords {
        title: index_words(&document.name),
        tags: vec![],
        body: index_words(&String::from_utf8_lossy(content)),
    }
}

fn kinds() -> Kinds {
    Kinds::new([SCRAPS]).expect("there is one")
}

// Events.

pub(crate) fn session(name: &str) -> StreamId {
    StreamId::new(ANN, SessionId::new(name))
}

pub(crate) fn opened(title: &str) -> Event {
    SessionOpened {
        pipeline: "letter".into(),
        title: title.to_owned(),
    }
    .into()
}

pub(crate) fn message(text: &str) -> Event {
    MessageReceived {
        at: None,
        message: MessageId::from("m1"),
        text: text.to_owned(),
        attachments: vec![],
        run: RunId(1),
    }
    .into()
}

pub(crate) fn messages(count: usize) -> Vec<Event> {
    (1..=count)
        .map(|n| message(&format!("message {n}")))
        .collect()
}

pub(crate) fn forked(parent: &StreamId, at: u64) -> Event {
    SessionForked {
        parent: parent.session.clone(),
        at,
    }
    .into()
}

pub(crate) fn erased() -> Event {
    SessionErased {
        reason: "asked for".to_owned(),
    }
    .into()
}

pub(crate) fn run_started(run: u32) -> Event {
    RunStarted {
        run: RunId(run),
        pipeline: "letter".into(),
        base_run: None,
        message: None,
        brief: "a leaf".to_owned(),
        input: Value::Null,
        settings: Settings::default(),
        at: at(1),
    }
    .into()
}

pub(crate) fn step(run: u32, item: &str) -> StepId {
    StepId::new(RunId(run), "pages", item)
}

pub(crate) fn requested(run: u32, item: &str, attempt: u32) -> Event {
    StepRequested {
        step: step(run, item),
        attempt,
        due: at(i64::from(attempt)),
        guidance: domain::event::Guidance::default(),
        reserve: domain::event::Reserve::default(),
        at: at(1),
    }
    .into()
}

pub(crate) fn succeeded(run: u32, item: &str) -> Event {
    StepSucceeded {
        step: step(run, item),
        attempt: 1,
        artifacts: vec![],
        at: at(1),
    }
    .into()
}

pub(crate) fn artifact(id: &str) -> Event {
    ArtifactProduced {
        artifact: ArtifactId::from(id),
        kind: "page".into(),
        part: "".into(),
        number: 1,
        title: "A page".into(),
        step: step(1, "a"),
        attempt: 1,
        body: Body::Event {
            json: Arc::new(json!({ "text": "body" })),
        },
        facts: json!({ "words": 1 }),
        from: vec![],
        shown: true,
    }
    .into()
}

pub(crate) fn gate_opened(run: u32, gate: &str, deadline: Option<i64>) -> Event {
    GateOpened {
        step: None,
        run: RunId(run),
        gate: GateId::from(gate),
        name: "confirm_plan".to_owned(),
        subject: None,
        question: "Is this right?".to_owned(),
        schema: Value::Null,
        options: vec![],
        deadline: deadline.map(at),
        default: Value::Null,
        at: at(1),
    }
    .into()
}

pub(crate) fn confirmed(run: u32, gate: &str) -> Event {
    PlanConfirmed {
        run: RunId(run),
        gate: GateId::from(gate),
        edits: None,
        by: "person".to_owned(),
        at: at(1),
    }
    .into()
}

pub(crate) fn completed(run: u32) -> Event {
    RunCompleted {
        run: RunId(run),
        final_artifact: None,
        partial: false,
        at: at(1),
    }
    .into()
}
