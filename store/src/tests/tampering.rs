use domain::collection::kind_of_stream;
use domain::event::{
    CollectionOpened, Document, DocumentsImported, DocumentsRemoved, FilePut, SessionEvent,
};
use domain::hash::{Blob, BlobRef};
use domain::streams::work_session;
use domain::tokens::TOKENIZER;
use domain::{DocumentId, Event};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, SqliteConnection};

use super::rig::{
    ANN, Rig, TestDatabase, artifact, at, database, gate_opened, message, messages, opened,
    requested, run_started, scrap_words, session,
};
use crate::chain::Body;
use crate::engine::EventLog;
use crate::prepare::{Key, admit};
use crate::{
    Append, IndexChange, IndexedDocument, Log, ReadError, SMALL_BLOB, StreamId, VerifyOptions,
};

/// What is stored in one column of one event.
#[derive(Clone, Debug, PartialEq)]
enum Cell {
    Int(i64),
    Text(Option<String>),
    Bytes(Vec<u8>),
}

const INTS: [&str; 7] = [
    "position",
    "stream_no",
    "version",
    "ordinal",
    "schema_version",
    "recorded_at",
    "codec",
];
const TEXTS: [&str; 4] = ["name", "actor", "correlation", "causation"];
const BYTES: [&str; 3] = ["command_id", "payload", "hash"];

pub(crate) async fn any_changed_value_is_found(rig: &Rig) {
    let (one, two) = (session("one"), session("two"));
    let mut append = rig.next(&one, 0, vec![opened("One"), message("hi")]);
    append.correlation = Some("r1".to_owned());
    rig.log.append(append).await.expect("appends");
    rig.append(&two, vec![opened("Two")]).await;
    rig.append(&one, messages(1)).await;
    rig.sound().await;

    let mut hand = Hand::into(rig).await;
    let mut changed = 0;
    for column in INTS.into_iter().chain(TEXTS).chain(BYTES) {
        let before = hand.get(column, 2).await;
        for (n, other) in others(&before).into_iter().enumerate() {
            // Checking a value of a column on a server needs a round trip, which takes time; so only some of the values are checked there.
            if matches!(rig.place, TestDatabase::Postgres { .. }) && n % 5 != 0 {
                continue;
            }
            if !hand.set(column, 2, &other).await {
                continue;
            }
            let report = rig.log.verify(0).await.expect("verifies");
            assert!(
                report.first_broken.is_some(),
                "{column}: {before:?} became {other:?}, and nobody noticed"
            );
            changed += 1;
            let at = if let (Cell::Int(at), "position") = (&other, column) {
                *at
            } else {
                2
            };
            assert!(hand.set(column, at, &before).await, "{column} is put back");
        }
    }
    assert!(changed > 50, "{changed}");
    rig.sound().await;
    // The end is cut off: the chain itself is whole, but the row of the session says that the session is longer.
    if hand.delete_last().await {
        let report = rig.log.verify(0).await.expect("verifies");
        assert_eq!(report.first_broken, None);
        assert!(!report.is_sound());
    }
}

/// Values that differ from this one a little.
fn others(cell: &Cell) -> Vec<Cell> {
    match cell {
        Cell::Int(value) => (0..63).map(|bit| Cell::Int(value ^ (1 << bit))).collect(),
        Cell::Text(None) => vec![
            Cell::Text(Some(String::new())),
            Cell::Text(Some("x".to_owned())),
        ],
        Cell::Text(Some(text)) => {
            let mut all = vec![
                Cell::Text(Some(format!("{text} "))),
                Cell::Text(Some(String::new())),
            ];
            for n in 0..text.len() {
                let mut bytes = text.clone().into_bytes();
                bytes[n] ^= 1;
                all.extend(
                    String::from_utf8(bytes)
                        .ok()
                        .map(|text| Cell::Text(Some(text))),
                );
            }
            all
        }
        Cell::Bytes(bytes) => {
            let flipped = (0..bytes.len() * 8).map(|bit| {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                bytes
            });
            let shorter = bytes[..bytes.len() - 1].to_vec();
            // One bit in each byte.
            flipped
                .step_by(9)
                .chain([shorter])
                .map(Cell::Bytes)
                .collect()
        }
    }
}

/// Access to the stored data that bypasses the log.
enum Hand<'a> {
    Memory(&'a crate::memory::Shared),
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl<'a> Hand<'a> {
    async fn into(rig: &'a Rig) -> Self {
        match &rig.place {
            TestDatabase::Memory(tables) => Self::Memory(tables),
            TestDatabase::Sqlite(folder) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new()
                    .filename(database(folder.path()))
                    .foreign_keys(false);
                let mut connection = SqliteConnection::connect_with(&options)
                    .await
                    .expect("connects");
                sqlx::query("INSERT INTO maintenance VALUES ('a test')")
                    .execute(&mut connection)
                    .await
                    .expect("lifts");
                Self::Sqlite(connection)
            }
            TestDatabase::Postgres { url, schema } => {
                let mut connection = PgConnection::connect(url).await.expect("connects");
                let path = AssertSqlSafe(format!("SET search_path TO {schema}"));
                sqlx::query(path)
                    .execute(&mut connection)
                    .await
                    .expect("sets");
                sqlx::query("INSERT INTO maintenance VALUES ('a test')")
                    .execute(&mut connection)
                    .await
                    .expect("lifts");
                Self::Postgres(connection)
            }
        }
    }

    async fn get(&mut self, column: &'static str, position: i64) -> Cell {
        let select = AssertSqlSafe(format!(
            "SELECT {column} FROM events WHERE position = {position}"
        ));
        macro_rules! cell {
            ($row:expr) => {{
                let row = $row;
                if INTS.contains(&column) {
                    Cell::Int(row.get(0))
                } else if TEXTS.contains(&column) {
                    Cell::Text(row.get(0))
                } else {
                    Cell::Bytes(row.get(0))
                }
            }};
        }
        match self {
            Self::Memory(tables) => {
                let mut cell = None;
                tables.change(|tables| {
                    let row = &tables.events[position as usize - 1];
                    cell = Some(match column {
                        "position" => Cell::Int(row.position as i64),
                        "stream_no" => Cell::Int(row.stream_no),
                        "version" => Cell::Int(row.version as i64),
                        "ordinal" => Cell::Int(i64::from(row.ordinal)),
                        "schema_version" => Cell::Int(i64::from(row.schema)),
                        "recorded_at" => Cell::Int(row.recorded_at),
                        "codec" => Cell::Int(i64::from(row.codec)),
                        "name" => Cell::Text(Some(row.name.to_string())),
                        "actor" => Cell::Text(Some(row.actor.to_string())),
                        "correlation" => Cell::Text(row.correlation.as_deref().map(str::to_owned)),
                        "causation" => Cell::Text(row.causation.as_deref().map(str::to_owned)),
                        "command_id" => Cell::Bytes(row.command.0.to_vec()),
                        "payload" => Cell::Bytes(row.payload.clone()),
                        _ => Cell::Bytes(row.hash.to_vec()),
                    });
                });
                cell.expect("it was read")
            }
            Self::Sqlite(connection) => cell!(
                sqlx::query(select)
                    .fetch_one(connection)
                    .await
                    .expect("reads")
            ),
            Self::Postgres(connection) => cell!(
                sqlx::query(select)
                    .fetch_one(connection)
                    .await
                    .expect("reads")
            ),
        }
    }

    /// False where the database refuses the value.
    async fn set(&mut self, column: &'static str, position: i64, cell: &Cell) -> bool {
        macro_rules! update {
            ($connection:expr, $mark:literal) => {{
                let text = format!(
                    concat!("UPDATE events SET {} = ", $mark, " WHERE position = {}"),
                    column, position
                );
                let query = sqlx::query(AssertSqlSafe(text));
                let query = match cell {
                    Cell::Int(value) => query.bind(*value),
                    Cell::Text(value) => query.bind(value.clone()),
                    Cell::Bytes(value) => query.bind(value.clone()),
                };
                query
                    .execute($connection)
                    .await
                    .is_ok_and(|done| done.rows_affected() == 1)
            }};
        }
        match self {
            Self::Memory(tables) => {
                let mut fits = true;
                tables.change(|tables| {
                    // In memory a row keeps its place whatever position it claims to have.
                    let row = &mut tables.events[1];
                    match (column, cell.clone()) {
                        ("position", Cell::Int(value)) => row.position = value as u64,
                        ("stream_no", Cell::Int(value)) => row.stream_no = value,
                        ("version", Cell::Int(value)) => row.version = value as u64,
                        ("ordinal", Cell::Int(value)) => {
                            fits = u32::try_from(value).map(|v| row.ordinal = v).is_ok()
                        }
                        ("schema_version", Cell::Int(value)) => {
                            fits = u32::try_from(value).map(|v| row.schema = v).is_ok();
                        }
                        ("recorded_at", Cell::Int(value)) => row.recorded_at = value,
                        ("codec", Cell::Int(value)) => {
                            fits = u8::try_from(value).map(|v| row.codec = v).is_ok()
                        }
                        ("name", Cell::Text(Some(value))) => row.name = value.into(),
                        ("actor", Cell::Text(Some(value))) => row.actor = value.into(),
                        ("correlation", Cell::Text(value)) => {
                            row.correlation = value.map(Into::into)
                        }
                        ("causation", Cell::Text(value)) => row.causation = value.map(Into::into),
                        ("command_id", Cell::Bytes(value)) => {
                            fits = value.try_into().map(|v| row.command.0 = v).is_ok();
                        }
                        ("payload", Cell::Bytes(value)) => row.payload = value,
                        ("hash", Cell::Bytes(value)) => {
                            fits = value.try_into().map(|v| row.hash = v).is_ok()
                        }
                        _ => fits = false,
                    }
                });
                fits
            }
            Self::Sqlite(connection) => update!(connection, "?"),
            Self::Postgres(connection) => update!(connection, "$1"),
        }
    }

    /// How the first parameter of a statement is written.
    fn mark(&self) -> &'static str {
        match self {
            Self::Memory(_) | Self::Sqlite(_) => "?",
            Self::Postgres(_) => "$1",
        }
    }

    /// Carries a statement out. There is nothing to do for a log in memory, which no other program can reach.
    async fn run(&mut self, statement: &str, parameter: Option<&[u8]>) -> bool {
        macro_rules! run {
            ($connection:expr) => {{
                let query = sqlx::query(AssertSqlSafe(statement.to_owned()));
                let query = match parameter {
                    Some(bytes) => query.bind(bytes.to_vec()),
                    None => query,
                };
                let done = query.execute($connection).await.expect("carries it out");
                assert_eq!(done.rows_affected(), 1, "{statement}");
                true
            }};
        }
        match self {
            Self::Memory(_) => false,
            Self::Sqlite(connection) => run!(connection),
            Self::Postgres(connection) => run!(connection),
        }
    }

    async fn bytes(&mut self, select: &str) -> Option<Vec<u8>> {
        macro_rules! bytes {
            ($connection:expr) => {{
                let query = sqlx::query_scalar(AssertSqlSafe(select.to_owned()));
                Some(query.fetch_one($connection).await.expect("reads"))
            }};
        }
        match self {
            Self::Memory(_) => None,
            Self::Sqlite(connection) => bytes!(connection),
            Self::Postgres(connection) => bytes!(connection),
        }
    }

    async fn delete_last(&mut self) -> bool {
        let delete = "DELETE FROM events WHERE position = (SELECT max(position) FROM events)";
        match self {
            Self::Memory(_) => return false,
            Self::Sqlite(connection) => drop(
                sqlx::query(delete)
                    .execute(connection)
                    .await
                    .expect("deletes"),
            ),
            Self::Postgres(connection) => drop(
                sqlx::query(delete)
                    .execute(connection)
                    .await
                    .expect("deletes"),
            ),
        }
        true
    }
}

/// What is kept beside the events, in tables that have one row here.
const NUMBERS: [(&str, &str); 10] = [
    ("streams", "version"),
    ("streams", "created_at"),
    ("streams", "updated_at"),
    ("open_steps", "run"),
    ("open_steps", "attempt"),
    ("open_steps", "due"),
    ("deadlines", "run"),
    ("deadlines", "due"),
    ("artifacts", "version"),
    ("artifacts", "stream_no"),
];
const WORDS: [(&str, &str); 8] = [
    ("streams", "owner"),
    ("streams", "session"),
    ("streams", "pipeline"),
    ("streams", "status"),
    ("open_steps", "step"),
    ("deadlines", "gate"),
    ("artifacts", "artifact_id"),
    ("artifacts", "kind"),
];
const SEALED: [(&str, &str); 4] = [
    ("streams", "title"),
    ("data_keys", "wrapped"),
    ("blobs", "sha256"),
    ("blobs", "sealed"),
];

pub(crate) async fn any_changed_value_beside_the_events_is_found(rig: &Rig) {
    let one = session("one");
    let events = vec![
        opened("One"),
        run_started(1),
        requested(1, "a", 1),
        gate_opened(1, "g", Some(9)),
        artifact("art_1"),
    ];
    let mut append = rig.next(&one, 0, events);
    append.blobs = vec![Blob::of("kept")];
    rig.log.append(append).await.expect("appends");
    rig.sound().await;
    let report = rig.log.verify(0).await.expect("verifies");
    assert_eq!((report.compared, report.blobs), (true, 1));

    let mut hand = Hand::into(rig).await;
    let changes = |(table, column): (&str, &str), there: &str, back: &str| {
        [there, back].map(|value| format!("UPDATE {table} SET {column} = {value}"))
    };
    let numbers = NUMBERS.map(|at| changes(at, &format!("{} + 1", at.1), &format!("{} - 1", at.1)));
    let words = WORDS.map(|at| {
        let back = format!("substr({0}, 1, length({0}) - 1)", at.1);
        changes(at, &format!("{} || 'x'", at.1), &back)
    });
    for [there, back] in numbers.into_iter().chain(words) {
        if hand.run(&there, None).await {
            rig.unsound(&there).await;
            assert!(hand.run(&back, None).await, "{back}");
        }
    }
    for (table, column) in SEALED {
        let Some(bytes) = hand.bytes(&format!("SELECT {column} FROM {table}")).await else {
            continue;
        };
        let update = |mark: &str| format!("UPDATE {table} SET {column} = {mark}");
        let update = update(hand.mark());
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(hand.run(&update, Some(&other)).await, "{update}");
            rig.unsound(&format!("{update} at {at}")).await;
        }
        assert!(hand.run(&update, Some(&bytes)).await, "{update}");
    }
    rig.sound().await;
}

/// What a verification says.
async fn differences(rig: &Rig) -> String {
    let report = rig.log.verify(0).await.expect("verifies");
    report.differences.join("\n")
}

pub(crate) async fn a_blob_that_an_event_names_and_that_is_gone_is_found(rig: &Rig) {
    let one = session("one");
    let large = vec![7; SMALL_BLOB + 1];
    let blobs = [Blob::of("small"), Blob::of(large.clone())];
    let file = |n: usize| {
        FilePut {
            path: format!("{n}.txt"),
            blob: blobs[n].reference().clone(),
            media_type: "text/plain".to_owned(),
        }
        .into()
    };
    let name = rig.put(&one, large.clone()).await;
    let mut append = rig.next(&one, 0, vec![opened("One"), file(0), file(1)]);
    append.blobs = vec![blobs[0].clone()];
    rig.log.append(append).await.expect("appends");
    rig.sound().await;
    let report = rig.log.verify(0).await.expect("verifies");
    assert_eq!((report.blobs, report.is_complete()), (2, true));
    let options = VerifyOptions {
        shallow: true,
        ..VerifyOptions::default()
    };
    let shallow = rig.log.verify_with(options).await.expect("verifies");
    assert_eq!((shallow.blobs, shallow.is_complete()), (1, false));
    assert!(shallow.unseen[0].starts_with("1 blobs"), "{shallow:?}");

    let objects = &rig.log.core().objects;
    objects.delete_all(&one).await.expect("deletes");
    assert!(differences(rig).await.contains("is missing"));
    let other = objects.put(&one, &name.sha256, vec![1; 100]).await;
    other.expect("puts");
    assert!(differences(rig).await.contains("is not what was put"));
    rig.put(&one, large).await;
    rig.sound().await;
    let mut hand = Hand::into(rig).await;
    if hand.run("DELETE FROM blobs", None).await {
        assert!(differences(rig).await.contains("of 5 bytes is missing"));
    }
}

fn scrap_text(id: &str) -> String {
    format!("The body of {id}, twice {id}")
}

fn scrap(id: &str) -> Document {
    Document {
        id: id.into(),
        name: format!("Title of {id}"),
        media_type: "text/plain".to_owned(),
        blob: BlobRef::of(scrap_text(id).as_bytes()),
        facts: Value::Null,
    }
}

/// A new collection with these documents, which is not indexed yet.
async fn put_scraps(rig: &Rig, stream: &StreamId, scraps: &[(Document, String)]) {
    let kind = kind_of_stream(&stream.session).expect("a collection");
    let events = vec![
        CollectionOpened {
            kind: kind.to_owned(),
            name: String::new(),
        }
        .into(),
        DocumentsImported {
            batch: String::new(),
            documents: scraps
                .iter()
                .map(|(document, _)| document.clone())
                .collect(),
            at: at(1),
        }
        .into(),
    ];
    let mut append = rig.next(stream, 0, events);
    append.blobs = scraps
        .iter()
        .map(|(_, text)| Blob::of(text.clone()))
        .collect();
    rig.log.append(append).await.expect("appends");
}

pub(crate) async fn a_collection_of_a_kind_that_is_not_there_is_said_not_to_be_compared(rig: &Rig) {
    let scraps = ["one", "two"].map(|id| (scrap(id), scrap_text(id)));
    for name in [
        "collection:other",
        "collection:other:second",
        "collection:another",
    ] {
        put_scraps(rig, &session(name), &scraps).await;
    }
    // The work on a collection is no collection, and its kind is not asked for.
    let work = work_session(&session("collection:other").session);
    let stream = session(work.as_str());
    rig.append(&stream, vec![opened("Work")]).await;
    let change = IndexChange {
        stream: session("collection:other"),
        expected: None,
        tokenizer: TOKENIZER,
        version: 2,
        put: vec![],
        remove: vec![],
    };
    rig.log.index(change).await.expect("indexes");
    let report = rig.log.verify(0).await.expect("verifies");
    assert!(report.is_sound() && !report.is_complete(), "{report:?}");
    let not_there = |count, name| {
        format!(
            "the search indexes of {count} collections of `{name}`, a kind that this program does not have"
        )
    };
    let expected = [not_there(1, "another"), not_there(2, "other")];
    assert_eq!(report.unseen, expected);
    // Their documents are compared as those of any kind.
    let ids = vec!["one".into()];
    let removed = DocumentsRemoved { ids, at: at(2) };
    let stream = session("collection:another");
    rig.append(&stream, vec![removed.into()]).await;
    let report = rig.log.verify(0).await.expect("verifies");
    assert!(report.is_sound(), "{report:?}");
}

pub(crate) async fn a_search_index_with_other_words_than_its_documents_is_found(rig: &Rig) {
    let stream = session("collection:scraps");
    let scraps = ["one", "two", "three"].map(|id| (scrap(id), scrap_text(id)));
    put_scraps(rig, &stream, &scraps).await;
    let report = rig.log.verify(0).await.expect("verifies");
    assert!(report.is_sound() && !report.is_complete(), "{report:?}");

    let put = scraps.iter().map(|(document, text)| {
        let words = scrap_words(document, text.as_bytes());
        IndexedDocument {
            id: document.id.mark(),
            title: words.title,
            tags: words.tags,
            body: words.body,
        }
    });
    let change = IndexChange {
        stream: stream.clone(),
        expected: None,
        tokenizer: TOKENIZER,
        version: 2,
        put: put.collect(),
        remove: vec![],
    };
    rig.log.index(change).await.expect("indexes");
    rig.sound().await;
    let report = rig.log.verify(0).await.expect("verifies");
    assert_eq!((report.indexed, report.is_complete()), (3, true));

    let mut hand = Hand::into(rig).await;
    let [one, two, three] = ["one", "two", "three"].map(|id| DocumentId::from(id).mark());
    let words = match &hand {
        Hand::Memory(_) => return,
        Hand::Sqlite(_) => {
            format!(
                "DELETE FROM search_words WHERE rowid = (SELECT doc_no FROM search_documents WHERE document = '{one}')"
            )
        }
        Hand::Postgres(_) => {
            format!("UPDATE search_documents SET words = ''::tsvector WHERE document = '{one}'")
        }
    };
    for (statement, told) in [
        (words, format!("other words than its document {one}")),
        (
            format!("DELETE FROM search_documents WHERE document = '{two}'"),
            format!("other words than its document {two}"),
        ),
        (
            format!("UPDATE search_documents SET document = 'four' WHERE document = '{three}'"),
            "a document that no event says: four".to_owned(),
        ),
        (
            "DELETE FROM search_indexes".to_owned(),
            "belong to none".to_owned(),
        ),
    ] {
        assert!(hand.run(&statement, None).await, "{statement}");
        let told_all = differences(rig).await;
        assert!(told_all.contains(&told), "{statement}: {told_all}");
    }
}

pub(crate) async fn an_unknown_event_breaks_nothing_but_its_own_session(rig: &Rig) {
    let (one, two) = (session("one"), session("two"));
    rig.append(&one, vec![opened("One")]).await;
    append_unknown(
        &rig.log,
        rig.next(&one, 1, vec![message("from the future")]),
    )
    .await;
    rig.append(&one, vec![requested(1, "a", 1), artifact("a1")])
        .await;
    rig.append(&two, vec![opened("Two"), requested(1, "b", 1)])
        .await;

    let read = rig.log.read(&one, 0, 10).await;
    assert!(
        matches!(read, Err(ReadError::Undecodable { position: 2, .. })),
        "{read:?}"
    );
    assert_eq!(rig.log.read(&one, 0, 1).await.expect("reads").len(), 1);
    let page = rig.log.read_all(0, 10).await.expect("reads");
    assert_eq!(page.scanned_to, 6);
    assert_eq!(
        page.events
            .iter()
            .map(|(_, r)| r.position)
            .collect::<Vec<_>>(),
        [1, 3, 4, 5, 6]
    );
    let report = rig.log.verify(0).await.expect("verifies");
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.events, report.unknown), (6, 1));
    assert_eq!(
        rig.log.sessions(ANN, None, 10).await.expect("reads").len(),
        2
    );
    // A verification that starts in the middle only computes the chain again.
    let report = rig.log.verify(4).await.expect("verifies");
    assert_eq!(
        (
            report.events,
            report.head,
            report.compared,
            report.is_sound()
        ),
        (3, 6, false, true)
    );
}

/// Records an event as a newer program would.
async fn append_unknown(log: &EventLog, append: Append) {
    let stream: StreamId = append.stream.clone();
    let mut prepared = admit(append).expect("is well formed");
    let key = log.core().key_for_test(&stream).await;
    prepared
        .seal(Key {
            data: key.clone(),
            new: None,
        })
        .expect("seals");
    let version = prepared.recorded[0].version;
    let event = &mut prepared.events[0];
    event.name = "FutureHappened".into();
    event.payload = key.seal_event(&stream, version, "FutureHappened", |plain| {
        plain.extend(b"{}")
    });
    event.facets.clear();
    event.body = Body {
        stream: &stream,
        version,
        command: &prepared.command,
        ordinal: 0,
        name: "FutureHappened",
        schema: event.schema,
        actor: &prepared.actor,
        correlation: None,
        causation: None,
        codec: event.codec,
        payload: &event.payload,
    }
    .hash();
    // The ring gets the message that the event was made from; readers of the database see the event as it is stored.
    assert!(matches!(
        prepared.recorded[0].event,
        Event::Session(SessionEvent::MessageReceived(_))
    ));
    log.append_prepared_for_test(prepared).await;
}
