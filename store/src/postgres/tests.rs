use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::engine::EventLog;
use crate::tests::rig::{
    drop_schema, messages, opened, postgres_options, postgres_url, requested, session,
    start_of_time,
};
use crate::{
    Acceptance, Append, AppendError, CommandId, HeadOptions, Log, MasterKey, MismatchKind, NodeId,
    OpenError, PostgresLog, PostgresOptions, ReadError, StreamId, TailItem, Whose,
};

/// A fresh schema for a test.
struct Schema {
    url: String,
    name: String,
}

impl Schema {
    async fn new(test: &str) -> Option<Self> {
        let url = postgres_url()?;
        let name = format!("test_pg_{test}");
        drop_schema(&url, &name).await;
        Some(Self { url, name })
    }

    fn options(&self) -> PostgresOptions {
        postgres_options(&start_of_time(), &self.name)
    }

    async fn open(&self) -> Result<EventLog, OpenError> {
        PostgresLog::open(&self.url, self.options()).await
    }

    async fn raw(&self) -> PgConnection {
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        let path = AssertSqlSafe(format!("SET search_path TO {}", self.name));
        sqlx::query(path)
            .execute(&mut connection)
            .await
            .expect("sets");
        connection
    }
}

#[tokio::test]
async fn a_backup_has_every_table_of_a_log() {
    let Some(schema) = Schema::new("tables").await else {
        return;
    };
    schema.open().await.expect("opens").close().await;
    let sql = "SELECT table_name::text FROM information_schema.tables \
               WHERE table_schema = current_schema() AND table_name <> '_sqlx_migrations' ORDER BY 1";
    let mut raw = schema.raw().await;
    let mut found: Vec<String> = sqlx::query_scalar(sql)
        .fetch_all(&mut raw)
        .await
        .expect("reads");
    let mut copied = super::backup::tables(i64::MAX);
    found.sort_unstable();
    copied.sort_unstable();
    assert_eq!(found, copied);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_write_one_log_without_a_gap() {
    let Some(schema) = Schema::new("several").await else {
        return;
    };
    // Each of them may be the first to open the log.
    let (one, two, three) = tokio::join!(schema.open(), schema.open(), schema.open());
    let logs = [
        one.expect("opens"),
        two.expect("opens"),
        three.expect("opens"),
    ];
    const APPENDS: u64 = 30;
    let writers = logs.iter().enumerate().flat_map(|(n, log)| {
        (0..3).map(move |m| async move {
            let stream = session(&format!("s{n}{m}"));
            for appended in 0..APPENDS {
                append(log, &stream, appended * 2, 2)
                    .await
                    .expect("appends");
            }
        })
    });
    let head = 9 * APPENDS * 2;
    let readers = logs.iter().map(|log| async move {
        let mut tail = log.tail(0);
        for position in 1..=head {
            assert_eq!(
                tail.next_event().await.expect("reads").recorded.position,
                position
            );
        }
    });
    // All of them also race for one session.
    let contested = session("contested");
    let race = logs.iter().map(|log| append(log, &contested, 0, 2));
    let (_, ()) = tokio::join!(futures::future::join_all(writers), async {
        futures::future::join_all(readers).await;
    });
    let won = futures::future::join_all(race).await;
    // The same command from all: one process carried it out, the others were told so.
    assert!(won.iter().all(|result| *result == Ok(head + 2)), "{won:?}");
    for log in &logs {
        let report = log.verify(0).await.expect("verifies");
        assert!(report.is_sound(), "{report:?}");
        assert_eq!(report.head, head + 2);
        log.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn news_crosses_from_process_to_process() {
    let Some(schema) = Schema::new("news").await else {
        return;
    };
    let (here, there) = (
        schema.open().await.expect("opens"),
        schema.open().await.expect("opens"),
    );
    let one = session("one");
    let mut watch = there.watch_stream(&one);
    let mut tail = there.tail(0);
    assert_eq!(tail.next().await, Ok(TailItem::CaughtUp(0)));
    append(&here, &one, 0, 2).await.expect("appends");
    watch.wait_for(|version| *version == 2).await.expect("open");
    assert_eq!(tail.next_event().await.expect("reads").recorded.position, 1);

    // An erasure by the other process takes effect here, although this process still knew the key.
    assert_eq!(there.read(&one, 0, 10).await.expect("reads").len(), 2);
    let end = vec![
        domain::event::SessionErased {
            reason: "asked for".to_owned(),
        }
        .into(),
    ];
    here.erase(
        Append::new(one.clone(), 2, CommandId::of(&one, "end"), end),
        crate::Forks::Refuse,
    )
    .await
    .expect("erases");
    assert_eq!(
        there.read(&one, 0, 10).await,
        Err(ReadError::Erased {
            stream: one.clone()
        })
    );
    assert_eq!(
        append(&there, &one, 3, 1).await,
        Err(AppendError::Erased { stream: one })
    );
    here.close().await;
    there.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_that_look_at_once_take_a_step_once() {
    let Some(schema) = Schema::new("nodes").await else {
        return;
    };
    let (here, there) = (
        schema.open().await.expect("opens"),
        schema.open().await.expect("opens"),
    );
    let one = session("one");
    let steps = (0..40).map(|n| requested(1, &format!("i{n}"), 1)).collect();
    here.append(Append::new(one.clone(), 0, CommandId::of(&one, "x"), steps))
        .await
        .expect("appends");
    let (a, b) = (NodeId::new("a"), NodeId::new("b"));
    let lease = std::time::Duration::from_secs(3600);
    let ended = Whose::LeaseEnded {
        own_left: lease / 2,
    };
    here.renew(&a, lease).await.expect("beats");
    there.renew(&b, lease).await.expect("beats");
    let (left, right) = tokio::join!(here.take_over(&a, ended), there.take_over(&b, ended));
    assert_eq!(left.expect("takes").len() + right.expect("takes").len(), 40);
    here.close().await;
    there.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_connection_is_made_again() {
    let Some(schema) = Schema::new("lost").await else {
        return;
    };
    let log = schema.open().await.expect("opens");
    let one = session("one");
    append(&log, &one, 0, 1).await.expect("appends");
    let mut raw = schema.raw().await;
    let name = format!("palimpsest {}", schema.name);
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
    )
    .bind(&name[..name.len().min(63)])
    .execute(&mut raw)
    .await
    .expect("terminates");
    // The first attempt finds the connection gone; one under the same command id gets through.
    let mut done = append(&log, &one, 1, 1).await;
    if done.is_err() {
        done = append(&log, &one, 1, 1).await;
    }
    assert_eq!(done, Ok(2));
    assert!(log.verify(0).await.expect("verifies").is_sound());
    log.close().await;
}

#[tokio::test]
async fn another_master_key_and_another_database_are_refused() {
    let Some(schema) = Schema::new("refused").await else {
        return;
    };
    schema.open().await.expect("opens").close().await;
    let other = PostgresOptions {
        master: MasterKey::new([8; 32]),
        ..schema.options()
    };
    assert_eq!(
        PostgresLog::open(&schema.url, other).await.err(),
        Some(OpenError::WrongMasterKey)
    );
    let mut raw = schema.raw().await;
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'x', true, '', 0)")
        .execute(&mut raw)
        .await
        .expect("inserts");
    assert!(matches!(
        schema.open().await.err(),
        Some(OpenError::Newer { found: 9999, .. })
    ));
    sqlx::query("DROP TABLE _sqlx_migrations")
        .execute(&mut raw)
        .await
        .expect("drops");
    assert!(matches!(
        schema.open().await.err(),
        Some(OpenError::Foreign { .. })
    ));
}

#[tokio::test]
async fn events_are_neither_changed_nor_deleted() {
    let Some(schema) = Schema::new("append_only").await else {
        return;
    };
    let log = schema.open().await.expect("opens");
    let one = session("one");
    log.append(Append::new(
        one.clone(),
        0,
        CommandId::of(&one, "x"),
        vec![opened("One")],
    ))
    .await
    .expect("appends");
    let mut raw = schema.raw().await;
    for statement in [
        "UPDATE events SET actor = 'nobody'",
        "DELETE FROM events",
        "TRUNCATE events CASCADE",
    ] {
        let error = sqlx::query(AssertSqlSafe(statement))
            .execute(&mut raw)
            .await
            .expect_err("is refused");
        assert!(error.to_string().contains("events are never"), "{error}");
    }
    log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_lost_its_last_events_is_refused_and_notices_it_while_it_is_open() {
    let Some(schema) = Schema::new("heads").await else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let heads = HeadOptions::new(folder.path().join("heads"));
    let options = |heads: &HeadOptions| PostgresOptions {
        heads: Some(heads.clone()),
        ..schema.options()
    };
    let one = session("one");
    let log = PostgresLog::open(&schema.url, options(&heads)).await;
    let log = log.expect("opens");
    assert_eq!(append(&log, &one, 0, 3).await, Ok(3));
    // Another process with a data folder of its own goes on, which is no loss for this one.
    let other = tempfile::tempdir().expect("a folder");
    let others = HeadOptions::new(other.path().join("heads"));
    let second = PostgresLog::open(&schema.url, options(&others)).await;
    let second = second.expect("opens");
    assert_eq!(append(&second, &one, 3, 2).await, Ok(5));
    assert_eq!(append(&log, &one, 5, 1).await, Ok(6));
    assert_eq!(append(&second, &one, 6, 1).await, Ok(7));

    let mut raw = schema.raw().await;
    for statement in [
        "INSERT INTO maintenance VALUES ('a test')",
        "DELETE FROM events WHERE position > 4",
        "UPDATE streams SET version = 4",
    ] {
        sqlx::query(statement)
            .execute(&mut raw)
            .await
            .expect("carries it out");
    }
    for log in [&log, &second] {
        let refused = append(log, &one, 4, 1).await;
        let Err(AppendError::Storage(storage)) = refused else {
            panic!("{refused:?}");
        };
        assert!(storage.is_loss(), "{storage}");
        log.close().await;
    }
    let refused = PostgresLog::open(&schema.url, options(&heads)).await.err();
    let Some(OpenError::Behind(mismatch)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(mismatch.kind, MismatchKind::Behind);
    assert_eq!(mismatch.known.map(|head| head.position), Some(6));
    assert_eq!(mismatch.found.position, 4);
    let accepting = HeadOptions {
        accept: Some(Acceptance {
            by: "ann".to_owned(),
            reason: "a test".to_owned(),
        }),
        ..heads.clone()
    };
    let log = PostgresLog::open(&schema.url, options(&accepting)).await;
    let log = log.expect("opens");
    assert_eq!(append(&log, &one, 4, 1).await, Ok(5));
    let known = log.anchor().await.expect("reads");
    assert_eq!((known.mismatch, known.accepted.len()), (None, 1));
    log.close().await;
    let log = PostgresLog::open(&schema.url, options(&heads)).await;
    log.expect("opens").close().await;
}
