use std::fs::File;
use std::sync::Arc;

use domain::hash::Blob;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use tempfile::TempDir;

use super::{SqliteLog, SqliteOptions};
use crate::engine::EventLog;
use crate::tests::rig::{database, messages, opened, session, sqlite_options, start_of_time};
use crate::{
    Append, AppendError, CommandId, Log, MasterKey, NodeId, OpenError, StreamId, TailItem,
};

async fn open(folder: &TempDir) -> Result<EventLog, OpenError> {
    SqliteLog::open(
        &database(folder.path()),
        sqlite_options(&start_of_time(), folder.path()),
    )
    .await
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn refused(result: Result<EventLog, OpenError>) -> OpenError {
    result.err().expect("is refused")
}

async fn append(
    log: &EventLog,
    stream: &StreamId,
    expected: u64,
    count: usize,
) -> Result<u64, AppendError> {
    let command = CommandId::of(stream, &format!("{expected}+{count}"));
    log.append(Append::new(
        stream.clone(),
        expected,
        command,
        messages(count),
    ))
    .await
    .map(|c| c.last)
}

async fn raw(folder: &TempDir) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(database(folder.path()))
        .create_if_missing(true);
    SqliteConnection::connect_with(&options)
        .await
        .expect("connects")
}

#[tokio::test]
async fn a_log_that_is_opened_again_goes_on_where_it_ended() {
    let folder = folder();
    let one = session("one");
    let log = open(&folder).await.expect("opens");
    assert_eq!(append(&log, &one, 0, 3).await, Ok(3));
    log.close().await;
    let log = open(&folder).await.expect("opens again");
    assert_eq!(*log.head().borrow(), 3);
    assert_eq!(append(&log, &one, 0, 3).await, Ok(3));
    assert_eq!(append(&log, &one, 3, 2).await, Ok(5));
    assert!(log.verify(0).await.expect("verifies").is_sound());
}

#[tokio::test]
async fn a_log_has_one_owner_who_leaves_an_address() {
    let folder = folder();
    let options = |address: &str| SqliteOptions {
        owner_address: address.to_owned(),
        ..sqlite_options(&start_of_time(), folder.path())
    };
    let path = database(folder.path());
    let log = SqliteLog::open(&path, options("127.0.0.1:8080"))
        .await
        .expect("opens");
    let second = SqliteLog::open(&path, options("127.0.0.1:9090")).await;
    let owner_address = Some("127.0.0.1:8080".to_owned());
    assert_eq!(refused(second), OpenError::Locked { owner_address });
    log.close().await;
    SqliteLog::open(&path, options("127.0.0.1:9090"))
        .await
        .expect("opens once it is free");
}

#[tokio::test]
async fn a_reader_follows_the_owner_and_cannot_write() {
    let folder = folder();
    let one = session("one");
    let log = open(&folder).await.expect("opens");
    append(&log, &one, 0, 2).await.expect("appends");
    let options = sqlite_options(&start_of_time(), folder.path());
    let reader = SqliteLog::open_read_only(&database(folder.path()), options)
        .await
        .expect("opens");
    assert_eq!(reader.read(&one, 0, 10).await.expect("reads").len(), 2);
    assert!(reader.verify(0).await.expect("verifies").is_sound());
    assert_eq!(
        append(&reader, &one, 2, 1).await,
        Err(AppendError::ReadOnly)
    );
    assert_eq!(
        reader
            .renew(&NodeId::new("n"), std::time::Duration::ZERO)
            .await,
        Err(AppendError::ReadOnly)
    );
    let mut tail = reader.tail(2);
    assert_eq!(tail.next().await, Ok(TailItem::CaughtUp(2)));
    append(&log, &one, 2, 1).await.expect("appends");
    assert_eq!(tail.next_event().await.expect("reads").recorded.position, 3);
}

#[tokio::test]
async fn another_master_key_is_refused() {
    let folder = folder();
    open(&folder).await.expect("opens").close().await;
    let options = || SqliteOptions {
        master: MasterKey::new([8; 32]),
        ..sqlite_options(&start_of_time(), folder.path())
    };
    let path = database(folder.path());
    assert_eq!(
        refused(SqliteLog::open(&path, options()).await),
        OpenError::WrongMasterKey
    );
    assert_eq!(
        refused(SqliteLog::open_read_only(&path, options()).await),
        OpenError::WrongMasterKey
    );
    open(&folder).await.expect("the right one still opens it");
}

#[tokio::test]
async fn what_is_not_a_log_is_left_alone() {
    let folder = folder();
    let mut connection = raw(&folder).await;
    sqlx::query("CREATE TABLE recipes (name TEXT)")
        .execute(&mut connection)
        .await
        .expect("creates");
    connection.close().await.expect("closes");
    let before = std::fs::read(database(folder.path())).expect("reads");
    assert!(matches!(
        refused(open(&folder).await),
        OpenError::Foreign { .. }
    ));
    assert_eq!(
        std::fs::read(database(folder.path())).expect("reads"),
        before
    );

    std::fs::write(database(folder.path()), vec![42; 8192]).expect("writes");
    assert!(matches!(
        refused(open(&folder).await),
        OpenError::Foreign { .. }
    ));
    let options = sqlite_options(&start_of_time(), folder.path());
    let missing = SqliteLog::open_read_only(&folder.path().join("none.db"), options).await;
    assert!(matches!(refused(missing), OpenError::Foreign { .. }));
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = folder();
    open(&folder).await.expect("opens").close().await;
    let mut connection = raw(&folder).await;
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'x', 1, x'00', 0)",
    )
    .execute(&mut connection)
    .await
    .expect("inserts");
    connection.close().await.expect("closes");
    assert!(matches!(
        refused(open(&folder).await),
        OpenError::Newer { found: 9999, .. }
    ));
}

#[tokio::test]
async fn events_are_neither_changed_nor_deleted() {
    let folder = folder();
    let log = open(&folder).await.expect("opens");
    append(&log, &session("one"), 0, 2).await.expect("appends");
    let mut connection = raw(&folder).await;
    for statement in [
        "UPDATE events SET actor = 'nobody'",
        "DELETE FROM events WHERE position = 2",
    ] {
        let error = sqlx::query(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .expect_err("is refused");
        assert!(error.to_string().contains("events are never"), "{error}");
    }
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_passes() {
    let folder = folder();
    let path = database(folder.path());
    let options = |max_pages| SqliteOptions {
        max_pages,
        ..sqlite_options(&start_of_time(), folder.path())
    };
    let log = SqliteLog::open(&path, options(Some(60)))
        .await
        .expect("opens");
    let stream = session("one");
    let mut version = 0;
    let refused = loop {
        match append(&log, &stream, version, 50).await {
            Ok(last) => version = last,
            Err(error) => break error,
        }
    };
    let AppendError::Storage(storage) = refused else {
        panic!("{refused}")
    };
    assert!(storage.to_string().contains("make room"), "{storage}");
    let failure = log.append_failure();
    assert_eq!(failure.map(|failure| failure.cause), Some(storage));
    // Nothing of the refused append is there, earlier events are, and smaller appends may still fit.
    assert_eq!(log.version(&stream).await, Ok(Some(version)));
    assert_eq!(*log.head().borrow(), version);
    assert!(log.verify(0).await.expect("verifies").is_sound());
    log.close().await;
    let log = SqliteLog::open(&path, options(None)).await.expect("opens");
    assert_eq!(append(&log, &stream, version, 50).await, Ok(version + 50));
    assert!(log.verify(0).await.expect("verifies").is_sound());
}

#[tokio::test]
async fn many_appends_at_once_end_in_a_few_commits() {
    let folder = folder();
    let log = Arc::new(open(&folder).await.expect("opens"));
    let tasks: Vec<_> = (0..200)
        .map(|n| {
            let log = log.clone();
            tokio::spawn(async move {
                append(&log, &session(&format!("s{n}")), 0, 7)
                    .await
                    .expect("appends")
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("runs");
    }
    assert_eq!(*log.head().borrow(), 1400);
    assert!(log.verify(0).await.expect("verifies").is_sound());
}

#[tokio::test]
async fn what_was_erased_is_not_in_the_files() {
    let folder = folder();
    let log = open(&folder).await.expect("opens");
    let one = session("one");
    let command = CommandId::of(&one, "open");
    log.append(Append::new(
        one.clone(),
        0,
        command,
        vec![opened("A title nobody must find")],
    ))
    .await
    .expect("appends");
    let key = wrapped_key(&folder).await;
    let holds = |needle: &[u8]| {
        ["log.db", "log.db-wal"].iter().any(|name| {
            let bytes = std::fs::read(folder.path().join(name)).unwrap_or_default();
            bytes.windows(needle.len()).any(|window| window == needle)
        })
    };
    assert!(holds(&key) && !holds(b"A title nobody must find"));
    let end = vec![
        domain::event::SessionErased {
            reason: "asked for".to_owned(),
        }
        .into(),
    ];
    let end = Append::new(one.clone(), 1, CommandId::of(&one, "end"), end);
    // While somebody reads, the write-ahead log is left as it is, and appends go on.
    let mut reader = raw(&folder).await;
    for statement in ["BEGIN", "SELECT count(*) FROM events"] {
        let done = sqlx::query(statement).execute(&mut reader).await;
        done.expect("reads");
    }
    log.erase(end, crate::Forks::Refuse).await.expect("erases");
    log.settle(Some(&one)).await.expect("settles");
    assert!(holds(&key));
    append(&log, &session("two"), 0, 1).await.expect("appends");
    reader.close().await.expect("closes");
    while holds(&key) {
        log.settle(None).await.expect("settles");
    }
    assert_eq!(log.core().rows.owed(None, 10).await, Ok(vec![]));
    assert!(log.verify(0).await.expect("verifies").is_sound());
}

async fn wrapped_key(folder: &TempDir) -> Vec<u8> {
    let mut connection = raw(folder).await;
    sqlx::query_scalar("SELECT wrapped FROM data_keys")
        .fetch_one(&mut connection)
        .await
        .expect("reads")
}

#[tokio::test]
async fn every_lookup_and_removal_uses_an_index() {
    let folder = folder();
    let log = open(&folder).await.expect("opens");
    let mut connection = raw(&folder).await;
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .fetch_all(&mut connection)
            .await
            .expect("a schema");
    for statement in super::write::statements_for_test() {
        let plan: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}")))
                .fetch_all(&mut connection)
                .await
                .expect("plans");
        for (_, _, _, step) in plan {
            let scanned = step.strip_prefix("SCAN ").unwrap_or_default();
            let name = scanned.split(' ').next().unwrap_or_default();
            let alias = name == "e" || name == "s";
            assert!(
                !alias && !tables.iter().any(|table| table == name),
                "{statement}: {step}"
            );
        }
    }
    drop(log);
}

#[tokio::test]
async fn the_tables_refuse_a_version_that_was_taken() {
    let folder = folder();
    let one = session("one");
    let log = open(&folder).await.expect("opens");
    for (expected, count) in [(0, 3), (3, 1), (4, 2)] {
        append(&log, &one, expected, count).await.expect("appends");
    }
    let mut connection = raw(&folder).await;
    // A writer that believes the session to be shorter than it is would do this.
    for version in [1, 4, 5] {
        let taken = sqlx::query(
            "INSERT INTO events SELECT 100, stream_no, ?, randomblob(16), 0, name, schema_version, recorded_at, actor, \
             correlation, causation, codec, payload, hash FROM events WHERE position = 1",
        )
        .bind(version)
        .execute(&mut connection)
        .await;
        let refused = taken.expect_err("is refused").to_string();
        assert!(refused.contains("UNIQUE"), "{version}: {refused}");
    }
    log.close().await;
}

#[tokio::test]
async fn a_blob_that_is_there_is_not_written_again() {
    let folder = folder();
    let one = session("one");
    let mut log = open(&folder).await.expect("opens");
    for n in 0..4 {
        let command = CommandId::of(&one, &n.to_string());
        let mut append = Append::new(one.clone(), n, command, messages(1));
        append.blobs = vec![Blob::of("seen"), Blob::of("seen"), Blob::of("other")];
        log.append(append).await.expect("appends");
        if n == 1 {
            // What the writer remembers is gone once the log is closed.
            log.close().await;
            log = open(&folder).await.expect("opens");
        }
    }
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM blobs")
        .fetch_one(&mut raw(&folder).await)
        .await
        .expect("counts");
    assert_eq!(rows, 2);
    log.close().await;
}

#[test]
fn a_lock_ends_with_its_holder() {
    let folder = folder();
    let path = database(folder.path());
    let lock = super::lock::OwnerLock::take(&path, "here");
    assert!(lock.is_ok());
    assert!(super::lock::OwnerLock::take(&path, "there").is_err());
    drop(lock);
    assert!(super::lock::OwnerLock::take(&path, "there").is_ok());
    assert!(File::open(folder.path().join("log.db.lock")).is_ok());
}

#[test]
fn the_lock_holds_although_the_file_beside_the_database_is_removed() {
    let folder = folder();
    let path = database(folder.path());
    let lock = super::lock::OwnerLock::take(&path, "here").expect("is free");
    std::fs::remove_file(folder.path().join("log.db.lock")).expect("there");
    assert!(super::lock::OwnerLock::take(&path, "there").is_err());
    drop(lock);
    assert!(super::lock::OwnerLock::take(&path, "there").is_ok());
}

#[tokio::test]
async fn a_write_ahead_log_that_another_program_brought_in_is_no_loss_and_one_that_was_cut_is() {
    let folder = folder();
    let one = session("one");
    let log = open(&folder).await.expect("opens");
    assert_eq!(append(&log, &one, 0, 3).await, Ok(3));
    let mut raw = raw(&folder).await;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut raw)
        .await
        .expect("brings it in");
    raw.close().await.expect("closes");
    let path = folder.path().join("log.db-wal");
    assert_eq!(std::fs::metadata(&path).expect("there").len(), 0);
    assert_eq!(append(&log, &one, 3, 1).await, Ok(4));
    File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(0))
        .expect("cut");
    let refused = append(&log, &one, 4, 1).await;
    let Err(AppendError::Storage(storage)) = refused else {
        panic!("{refused:?}");
    };
    assert!(storage.is_loss(), "{storage}");
}
