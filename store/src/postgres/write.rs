//! Writing: one connection for each process. A batch is decided under an advisory lock that ends with its transaction, so the batches of
//! all processes come one after the other, and everything a batch depends on is read after the lock was acquired.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::SessionId;
use foldhash::{HashMap, HashMapExt};
use smol_str::SmolStr;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};
use tokio::sync::Notify;

use super::errors::storage;
use super::open::hash_at;
use super::read::now;
use super::search;
use crate::anchor::LogHead;
use crate::backend::Table;
use crate::chain::GENESIS;
use crate::decide::{BatchLookups, ClaimedStep, LookedUp, claimed_step};
use crate::error::Storage;
use crate::files::WatchedFiles;
use crate::heads::HeadFile;
use crate::ids::CommandId;
use crate::records::{Claim, Whose};
use crate::rows::{
    DocumentKeyRow, ErasedRow, EventRow, Head, Owed, OwedRow, StepRow, StreamRow, Writes, fixed,
    micros, object_name, signed,
};
use crate::search::{IndexState, IndexWrites};
use crate::sql::{step, stream, stream_columns};

const APPENDING: &str = "appending";
const INDEXING: &str = "indexing";

/// The name of this file in messages to people.
const HEAD_FILE: &str = "the head file of the log, in the data folder,";

/// The writer finds everything that it looks for by an index. The planner cannot know that for tables that were never analysed, such as
/// those of a young log: it would read all events for each batch, and keep to that plan. For the same reason lookups of many keys are
/// written as one lookup for each (`LATERAL` with `LIMIT 1`), which leaves the planner no other way.
const ONLY_INDEXES: &str =
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";

/// A process that stops in the middle of its transaction holds the lock of the log, and everybody would wait for it. Between the statements
/// of a batch there are only microseconds; a connection that is idle for this long loses its transaction.
const NOT_IDLE: &str = "SET idle_in_transaction_session_timeout = '5s'";

/// How long the database may take for a batch before the connection is given up: a connection that was cut off without notice would never
/// answer. This is longer than a process waits for the batches of some others and for one that has stopped.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Writer {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    /// Told after each commit.
    committed: Arc<Notify>,
    end: OwnEnd,
}

/// The end of the log as this process knows it, and the files that it cannot do without.
struct OwnEnd {
    known: LogHead,
    heads: Option<HeadFile>,
    files: WatchedFiles,
    /// Whether the known end was compared with the log since the connection was made.
    is_compared: bool,
}

impl OwnEnd {
    /// A log that ends before what this process committed, or has another event there, is a different log: it was restored from a copy, or
    /// a database took over that had not received everything.
    async fn compare(&mut self, connection: &mut PgConnection, found: Head) -> Result<(), Storage> {
        if found.position < self.known.position {
            let cause = format!(
                "the log ended at {} and now ends at position {}",
                self.known, found.position
            );
            return Err(self.files.lose(cause));
        }
        if std::mem::replace(&mut self.is_compared, true) || self.known.position == 0 {
            return Ok(());
        }
        let there = hash_at(connection, "= $1", self.known.position).await;
        let there = there.map_err(storage(APPENDING))?;
        if there != Some(self.known) {
            let cause = format!("the log has another event at {}", self.known);
            return Err(self.files.lose(cause));
        }
        Ok(())
    }

    fn moved(&mut self, end: Option<Head>) {
        if let Some(end) = end {
            self.known = end.into();
            if let Some(heads) = &mut self.heads {
                heads.write(self.known);
            }
        }
    }
}

impl Writer {
    pub(super) fn new(
        options: PgConnectOptions,
        committed: Arc<Notify>,
        heads: Option<(HeadFile, LogHead)>,
    ) -> Result<Self, Storage> {
        let (heads, known) = heads.unzip();
        let mut files = WatchedFiles::default();
        if let Some(heads) = &heads {
            files.watch(HEAD_FILE, heads.path())?;
        }
        let end = OwnEnd {
            known: known.unwrap_or(LogHead::NOTHING),
            heads,
            files,
            is_compared: true,
        };
        Ok(Self {
            options,
            connection: None,
            committed,
            end,
        })
    }

    async fn write_all(&mut self, writes: &mut Writes) -> Result<(), Storage> {
        let failed = storage(APPENDING);
        let connection = self.connection().await.map_err(&failed)?;
        if writes.is_empty() {
            return sqlx::query("ROLLBACK")
                .execute(connection)
                .await
                .map(drop)
                .map_err(failed);
        }
        let end = writes.head;
        // On an error the connection is given up, which ends the transaction.
        write(connection, std::mem::take(writes))
            .await
            .map_err(&failed)?;
        sqlx::query("COMMIT")
            .execute(connection)
            .await
            .map_err(failed)?;
        self.committed.notify_one();
        self.end.files.check()?;
        self.end.moved(end);
        Ok(())
    }

    async fn connection(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        if self.connection.is_none() {
            let mut connection = self.options.connect().await?;
            for setting in [ONLY_INDEXES, NOT_IDLE] {
                sqlx::raw_sql(setting).execute(&mut connection).await?;
            }
            self.connection = Some(connection);
        }
        Ok(self.connection.as_mut().expect("it was made just now"))
    }
}

/// The answer of the database, or an error if it does not answer in time.
async fn in_time<T>(
    doing: &'static str,
    done: impl Future<Output = Result<T, Storage>>,
) -> Result<T, Storage> {
    match tokio::time::timeout(PATIENCE, done).await {
        Ok(done) => done,
        Err(_) => Err(Storage::new(
            doing,
            format!("no answer within {} seconds", PATIENCE.as_secs()),
            "check the connection to the database; a repetition under the same command id is safe",
        )),
    }
}

/// The lock is that of this schema: logs in other schemas of the same database are independent of it.
const LOCK: &str =
    "SELECT pg_advisory_xact_lock(hashtextextended('palimpsest log ' || current_schema(), 0))";

async fn look_up(
    connection: &mut PgConnection,
    wanted: &BatchLookups,
) -> Result<LookedUp, sqlx::Error> {
    // Every statement sees what was committed before it began; so what is read after the lock is the latest there is.
    sqlx::query("BEGIN ISOLATION LEVEL READ COMMITTED")
        .execute(&mut *connection)
        .await?;
    sqlx::query(LOCK).execute(&mut *connection).await?;
    let last = sqlx::query(
        "SELECT position, hash, recorded_at FROM events ORDER BY position DESC LIMIT 1",
    )
    .fetch_optional(&mut *connection)
    .await?;
    let head = match last {
        None => Head {
            position: 0,
            hash: GENESIS,
            recorded_at: i64::MIN,
        },
        Some(row) => Head {
            position: row.try_get::<i64, _>(0)? as u64,
            hash: fixed(row.try_get(1)?),
            recorded_at: row.try_get(2)?,
        },
    };
    let next_stream_no = sqlx::query_scalar("SELECT coalesce(max(stream_no), 0) + 1 FROM streams")
        .fetch_one(&mut *connection)
        .await?;
    let streams = find_streams(connection, wanted).await?;
    let commands = find_commands(connection, wanted, &streams).await?;
    let mut forks = HashMap::new();
    for row in wanted.forks_of.iter().filter_map(|id| streams.get(id)) {
        let sessions: Vec<String> =
            sqlx::query_scalar("SELECT session FROM streams WHERE parent_no = $1 AND NOT erased")
                .bind(row.no)
                .fetch_all(&mut *connection)
                .await?;
        forks.insert(row.no, sessions.into_iter().map(SessionId::new).collect());
    }
    let claims = find_claims(connection, wanted, &streams).await?;
    Ok(LookedUp {
        head,
        next_stream_no,
        streams,
        commands,
        forks,
        claims,
    })
}

async fn find_streams(
    connection: &mut PgConnection,
    wanted: &BatchLookups,
) -> Result<HashMap<Arc<crate::ids::StreamId>, StreamRow>, sqlx::Error> {
    let owners: Vec<&str> = wanted.streams.iter().map(|id| id.owner.as_str()).collect();
    let sessions: Vec<&str> = wanted
        .streams
        .iter()
        .map(|id| id.session.as_str())
        .collect();
    let rows = sqlx::query(concat!(
        "SELECT ",
        stream_columns!(),
        " FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) w (owner, session) \
         CROSS JOIN LATERAL (SELECT * FROM streams s WHERE s.owner = w.owner AND s.session = w.session LIMIT 1) s"
    ))
    .bind(owners)
    .bind(sessions)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| stream(row).map(|row| (row.id.clone(), row)))
        .collect()
}

async fn find_commands(
    connection: &mut PgConnection,
    wanted: &BatchLookups,
    streams: &HashMap<Arc<crate::ids::StreamId>, StreamRow>,
) -> Result<HashMap<CommandId, u64>, sqlx::Error> {
    let mut numbers = vec![];
    let mut commands: Vec<&[u8]> = vec![];
    for (command, stream) in &wanted.commands {
        // A command on a stream without events has not been carried out before.
        if let Some(row) = streams
            .get(&wanted.streams[*stream])
            .filter(|row| row.version > 0)
        {
            numbers.push(row.no);
            commands.push(&command.0);
        }
    }
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(
        "SELECT w.command_id, e.position FROM unnest($1::bigint[], $2::bytea[]) w (stream_no, command_id) CROSS JOIN LATERAL \
         (SELECT position FROM events e WHERE e.stream_no = w.stream_no AND e.command_id = w.command_id AND e.ordinal = 0 LIMIT 1) e",
    )
    .bind(numbers)
    .bind(commands)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok((
                CommandId(fixed(row.try_get(0)?)),
                row.try_get::<i64, _>(1)? as u64,
            ))
        })
        .collect()
}

async fn find_claims(
    connection: &mut PgConnection,
    wanted: &BatchLookups,
    streams: &HashMap<Arc<crate::ids::StreamId>, StreamRow>,
) -> Result<HashMap<(i64, ClaimedStep), StepRow>, sqlx::Error> {
    let (mut numbers, mut runs, mut steps) = (vec![], vec![], vec![]);
    for ((run, step), stream) in &wanted.claims {
        if let Some(row) = streams.get(&wanted.streams[*stream]) {
            numbers.push(row.no);
            runs.push(i64::from(*run));
            steps.push(step.as_str());
        }
    }
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(
        "SELECT s.stream_no, s.run, s.step, s.attempt, s.due, s.node, s.epoch \
         FROM unnest($1::bigint[], $2::bigint[], $3::text[]) w (stream_no, run, step) CROSS JOIN LATERAL \
         (SELECT * FROM open_steps s WHERE s.stream_no = w.stream_no AND s.run = w.run AND s.step = w.step LIMIT 1) s",
    )
    .bind(numbers)
    .bind(runs)
    .bind(steps)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| step(row).map(|row| ((row.stream_no, (row.run, row.step.clone())), row)))
        .collect()
}

async fn write(connection: &mut PgConnection, mut writes: Writes) -> Result<(), sqlx::Error> {
    let mut streams = std::mem::take(&mut writes.streams);
    streams.append(&mut writes.moved);
    streams.sort_unstable_by_key(|row| row.no);
    put_streams(connection, streams).await?;
    if !writes.keys.is_empty() {
        let (numbers, keys): (Vec<i64>, Vec<Vec<u8>>) =
            std::mem::take(&mut writes.keys).into_iter().unzip();
        sqlx::query("INSERT INTO data_keys (stream_no, wrapped) SELECT * FROM unnest($1::bigint[], $2::bytea[])")
            .bind(numbers)
            .bind(keys)
            .execute(&mut *connection)
            .await?;
    }
    if !writes.events.is_empty() {
        put_events(connection, std::mem::take(&mut writes.events)).await?;
    }
    if !writes.blobs.is_empty() {
        let mut numbers = vec![];
        let mut hashes: Vec<Vec<u8>> = vec![];
        let mut sealed = vec![];
        for row in std::mem::take(&mut writes.blobs) {
            numbers.push(row.stream_no);
            hashes.push(row.sha256.to_vec());
            sealed.push(row.sealed);
        }
        sqlx::query(
            "INSERT INTO blobs (stream_no, sha256, sealed) SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) \
             ON CONFLICT DO NOTHING",
        )
        .bind(numbers)
        .bind(hashes)
        .bind(sealed)
        .execute(&mut *connection)
        .await?;
    }
    close(connection, &mut writes).await?;
    open(connection, &mut writes).await?;
    put_document_keys(connection, &writes.document_keys).await?;
    forget_documents(connection, &mut writes).await?;
    owe(connection, &writes.owed).await?;
    for ErasedRow { no, artifacts } in writes.erased {
        for delete in [
            "DELETE FROM data_keys WHERE stream_no = $1",
            "DELETE FROM document_keys WHERE stream_no = $1",
            "DELETE FROM open_steps WHERE stream_no = $1",
            "DELETE FROM deadlines WHERE stream_no = $1",
            "DELETE FROM blobs WHERE stream_no = $1",
        ] {
            sqlx::query(delete)
                .bind(no)
                .execute(&mut *connection)
                .await?;
        }
        sqlx::query("DELETE FROM artifacts WHERE artifact_id = ANY($1::text[]) AND stream_no = $2")
            .bind(column(&artifacts, SmolStr::as_str))
            .bind(no)
            .execute(&mut *connection)
            .await?;
        search::forget(connection, no).await?;
    }
    Ok(())
}

async fn owe(connection: &mut PgConnection, rows: &[OwedRow]) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO owed (stream_no, kind, name) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[]) \
         ON CONFLICT DO NOTHING",
    )
    .bind(column(rows, |row| row.stream_no))
    .bind(column(rows, |row| row.owed.kind()))
    .bind(column(rows, |row| row.owed.name()))
    .execute(connection)
    .await
    .map(drop)
}

async fn settle(connection: &mut PgConnection, done: &[OwedRow]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "DELETE FROM owed o USING unnest($1::bigint[], $2::text[], $3::bytea[]) w (stream_no, kind, name) \
         WHERE o.stream_no = w.stream_no AND o.kind = w.kind AND o.name = w.name",
    )
    .bind(column(done, |row| row.stream_no))
    .bind(column(done, |row| row.owed.kind()))
    .bind(column(done, |row| row.owed.name()))
    .execute(connection)
    .await
    .map(drop)
}

async fn put_document_keys(
    connection: &mut PgConnection,
    rows: &[DocumentKeyRow],
) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO document_keys (stream_no, version, place, mark, sha256, wrapped, body) SELECT * FROM unnest($1::bigint[], \
         $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])",
    )
    .bind(column(rows, |row| row.stream_no))
    .bind(column(rows, |row| signed(row.version)))
    .bind(column(rows, |row| i64::from(row.place)))
    .bind(column(rows, |row| &row.key.mark[..]))
    .bind(column(rows, |row| &row.key.sha256[..]))
    .bind(column(rows, |row| &row.key.wrapped[..]))
    .bind(column(rows, |row| row.key.body.as_deref()))
    .execute(connection)
    .await
    .map(drop)
}

/// Documents that are not wanted any longer: their keys, and the contents that no other document has.
async fn forget_documents(
    connection: &mut PgConnection,
    writes: &mut Writes,
) -> Result<(), sqlx::Error> {
    for gone in &writes.documents_gone {
        let contents: Vec<(Vec<u8>, Option<Vec<u8>>)> = sqlx::query_as(
            "SELECT DISTINCT k.sha256, k.body FROM document_keys k WHERE k.stream_no = $1 AND k.mark = $2 AND k.version <= $3 \
             AND NOT EXISTS (SELECT 1 FROM document_keys o WHERE o.stream_no = $1 AND o.sha256 = k.sha256 \
             AND o.body IS NOT DISTINCT FROM k.body AND NOT (o.mark = $2 AND o.version <= $3))",
        )
        .bind(gone.stream_no)
        .bind(&gone.mark[..])
        .bind(signed(gone.up_to))
        .fetch_all(&mut *connection)
        .await?;
        let plain = contents.iter().filter(|(_, body)| body.is_none());
        let plain: Vec<&[u8]> = plain.map(|(sha256, _)| &sha256[..]).collect();
        let rows: Vec<Vec<u8>> = sqlx::query_scalar(
            "DELETE FROM blobs WHERE stream_no = $1 AND sha256 = ANY($2::bytea[]) RETURNING sha256",
        )
        .bind(gone.stream_no)
        .bind(plain)
        .fetch_all(&mut *connection)
        .await?;
        sqlx::query(
            "DELETE FROM document_keys WHERE stream_no = $1 AND mark = $2 AND version <= $3",
        )
        .bind(gone.stream_no)
        .bind(&gone.mark[..])
        .bind(signed(gone.up_to))
        .execute(&mut *connection)
        .await?;
        // A content that is not a row is an object.
        let objects = contents
            .iter()
            .filter(|(sha256, body)| body.is_some() || !rows.contains(sha256));
        writes.owed.extend(objects.map(|(sha256, body)| OwedRow {
            stream_no: gone.stream_no,
            owed: Owed::Object(object_name(fixed(sha256), body.as_deref())),
        }));
    }
    Ok(())
}

async fn put_streams(
    connection: &mut PgConnection,
    rows: Vec<StreamRow>,
) -> Result<(), sqlx::Error> {
    let mut columns = StreamColumns::default();
    for row in rows {
        columns.no.push(row.no);
        columns.owner.push(row.id.owner.to_string());
        columns.session.push(row.id.session.to_string());
        columns.version.push(signed(row.version));
        columns.parent_no.push(row.parent.map(|(no, _)| no));
        columns.fork_at.push(row.parent.map(|(_, at)| signed(at)));
        columns.erased.push(row.erased);
        columns.title.push(row.title.to_vec());
        columns.pipeline.push(row.pipeline.to_string());
        columns.status.push(row.status.to_string());
        columns.created_at.push(row.created_at);
        columns.updated_at.push(row.updated_at);
    }
    sqlx::query(
        "INSERT INTO streams (stream_no, owner, session, version, parent_no, fork_at, erased, title, pipeline, status, created_at, \
         updated_at) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], \
         $7::boolean[], $8::bytea[], $9::text[], $10::text[], $11::bigint[], $12::bigint[]) \
         ON CONFLICT (stream_no) DO UPDATE SET version = excluded.version, parent_no = excluded.parent_no, \
         fork_at = excluded.fork_at, erased = excluded.erased, title = excluded.title, pipeline = excluded.pipeline, \
         status = excluded.status, created_at = excluded.created_at, updated_at = excluded.updated_at",
    )
    .bind(columns.no)
    .bind(columns.owner)
    .bind(columns.session)
    .bind(columns.version)
    .bind(columns.parent_no)
    .bind(columns.fork_at)
    .bind(columns.erased)
    .bind(columns.title)
    .bind(columns.pipeline)
    .bind(columns.status)
    .bind(columns.created_at)
    .bind(columns.updated_at)
    .execute(connection)
    .await
    .map(drop)
}

#[derive(Default)]
struct StreamColumns {
    no: Vec<i64>,
    owner: Vec<String>,
    session: Vec<String>,
    version: Vec<i64>,
    parent_no: Vec<Option<i64>>,
    fork_at: Vec<Option<i64>>,
    erased: Vec<bool>,
    title: Vec<Vec<u8>>,
    pipeline: Vec<String>,
    status: Vec<String>,
    created_at: Vec<i64>,
    updated_at: Vec<i64>,
}

async fn put_events(connection: &mut PgConnection, rows: Vec<EventRow>) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO events (position, stream_no, version, command_id, ordinal, name, schema_version, recorded_at, actor, \
         correlation, causation, codec, payload, hash) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], \
         $4::bytea[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::bigint[], \
         $13::bytea[], $14::bytea[])",
    )
    .bind(column(&rows, |row| signed(row.position)))
    .bind(column(&rows, |row| row.stream_no))
    .bind(column(&rows, |row| signed(row.version)))
    .bind(column(&rows, |row| &row.command.0[..]))
    .bind(column(&rows, |row| i64::from(row.ordinal)))
    .bind(column(&rows, |row| &*row.name))
    .bind(column(&rows, |row| i64::from(row.schema)))
    .bind(column(&rows, |row| row.recorded_at))
    .bind(column(&rows, |row| &*row.actor))
    .bind(column(&rows, |row| row.correlation.as_deref()))
    .bind(column(&rows, |row| row.causation.as_deref()))
    .bind(column(&rows, |row| i64::from(row.codec)))
    .bind(column(&rows, |row| &row.payload[..]))
    .bind(column(&rows, |row| &row.hash[..]))
    .execute(connection)
    .await
    .map(drop)
}

fn column<'a, R, T>(rows: &'a [R], value: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

async fn close(connection: &mut PgConnection, writes: &mut Writes) -> Result<(), sqlx::Error> {
    if !writes.runs_closed.is_empty() {
        let rows = &writes.runs_closed;
        for delete in [
            "DELETE FROM open_steps o USING unnest($1::bigint[], $2::bigint[]) w (stream_no, run) \
             WHERE o.stream_no = w.stream_no AND o.run = w.run",
            "DELETE FROM deadlines d USING unnest($1::bigint[], $2::bigint[]) w (stream_no, run) \
             WHERE d.stream_no = w.stream_no AND d.run = w.run",
        ] {
            sqlx::query(delete)
                .bind(column(rows, |row| row.0))
                .bind(column(rows, |row| i64::from(row.1)))
                .execute(&mut *connection)
                .await?;
        }
    }
    if !writes.steps_closed.is_empty() {
        let rows = &writes.steps_closed;
        sqlx::query(
            "DELETE FROM open_steps o USING unnest($1::bigint[], $2::bigint[], $3::text[]) w (stream_no, run, step) \
             WHERE o.stream_no = w.stream_no AND o.run = w.run AND o.step = w.step",
        )
        .bind(column(rows, |row| row.0))
        .bind(column(rows, |row| i64::from(row.1)))
        .bind(column(rows, |row| row.2.as_str()))
        .execute(&mut *connection)
        .await?;
    }
    if !writes.gates_met.is_empty() {
        let rows = &writes.gates_met;
        sqlx::query(
            "DELETE FROM deadlines d USING unnest($1::bigint[], $2::text[]) w (stream_no, gate) \
             WHERE d.stream_no = w.stream_no AND d.gate = w.gate",
        )
        .bind(column(rows, |row| row.0))
        .bind(column(rows, |row| row.1.as_str()))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn open(connection: &mut PgConnection, writes: &mut Writes) -> Result<(), sqlx::Error> {
    if !writes.steps_opened.is_empty() {
        let rows = &writes.steps_opened;
        sqlx::query(
            "INSERT INTO open_steps (stream_no, run, step, attempt, due, node) \
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[]) \
             ON CONFLICT (stream_no, run, step) \
             DO UPDATE SET attempt = excluded.attempt, due = excluded.due, node = excluded.node, epoch = excluded.epoch",
        )
        .bind(column(rows, |row| row.stream_no))
        .bind(column(rows, |row| i64::from(row.run)))
        .bind(column(rows, |row| row.step.as_str()))
        .bind(column(rows, |row| i64::from(row.attempt)))
        .bind(column(rows, |row| row.due))
        .bind(column(rows, |row| row.node.as_deref()))
        .execute(&mut *connection)
        .await?;
    }
    if !writes.deadlines.is_empty() {
        let rows = &writes.deadlines;
        sqlx::query(
            "INSERT INTO deadlines (stream_no, gate, run, due) \
             SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) \
             ON CONFLICT (stream_no, gate) DO UPDATE SET run = excluded.run, due = excluded.due",
        )
        .bind(column(rows, |row| row.stream_no))
        .bind(column(rows, |row| row.gate.as_str()))
        .bind(column(rows, |row| i64::from(row.run)))
        .bind(column(rows, |row| row.due))
        .execute(&mut *connection)
        .await?;
    }
    if !writes.artifacts.is_empty() {
        let rows = &writes.artifacts;
        sqlx::query(
            "INSERT INTO artifacts (artifact_id, stream_no, version, kind) \
             SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) ON CONFLICT DO NOTHING",
        )
        .bind(column(rows, |row| row.artifact.as_str()))
        .bind(column(rows, |row| row.stream_no))
        .bind(column(rows, |row| signed(row.version)))
        .bind(column(rows, |row| row.kind.as_str()))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// This is done under the lock of the log, so that a claim does not change between the check of the claim and the commit that relies on it.
/// The rows of nodes that are gone are removed together with their steps.
async fn take_over(
    connection: &mut PgConnection,
    node: &str,
    whose: Whose,
) -> Result<Vec<StepRow>, sqlx::Error> {
    let from = match whose {
        Whose::Nobody => "node IS NULL",
        Whose::LeaseEnded { .. } => concat!(
            "(node IS NULL OR (node <> $1 \
             AND EXISTS (SELECT 1 FROM nodes n WHERE n.node = $1 AND n.lease_until - $2 >= ",
            now!(),
            ") AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.node = o.node AND n.lease_until > ",
            now!(),
            ")))"
        ),
        Whose::Everybody => "node IS DISTINCT FROM $1",
    };
    let mut transaction = connection.begin().await?;
    sqlx::query(LOCK).execute(&mut *transaction).await?;
    let statement = AssertSqlSafe(format!(
        "UPDATE open_steps o SET node = $1, epoch = epoch + 1 WHERE {from} \
         RETURNING o.stream_no, o.run, o.step, o.attempt, o.due, o.node, o.epoch"
    ));
    let take = sqlx::query(statement).bind(node);
    let take = match whose {
        Whose::LeaseEnded { own_left } => take.bind(micros(own_left)),
        Whose::Nobody | Whose::Everybody => take,
    };
    let rows = take.fetch_all(&mut *transaction).await?;
    if whose != Whose::Nobody {
        // Nodes that still have steps are left: they are alive, or their steps are taken next time.
        sqlx::query(concat!(
            "DELETE FROM nodes n WHERE node <> $1 AND lease_until <= ",
            now!(),
            " AND NOT EXISTS (SELECT 1 FROM open_steps o WHERE o.node = n.node)"
        ))
        .bind(node)
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    rows.iter().map(step).collect()
}

async fn hand_back(
    connection: &mut PgConnection,
    node: &str,
    claim: Option<(i64, Claim)>,
) -> Result<(), sqlx::Error> {
    if let Some((stream_no, claim)) = claim {
        let (run, step) = claimed_step(&claim);
        sqlx::query(
            "UPDATE open_steps SET node = NULL WHERE node = $1 AND stream_no = $2 AND run = $3 AND step = $4 AND epoch = $5",
        )
        .bind(node)
        .bind(stream_no)
        .bind(i64::from(run))
        .bind(step.as_str())
        .bind(signed(claim.epoch))
        .execute(connection)
        .await?;
        return Ok(());
    }
    let mut transaction = connection.begin().await?;
    sqlx::query(LOCK).execute(&mut *transaction).await?;
    for statement in [
        "UPDATE open_steps SET node = NULL WHERE node = $1",
        "DELETE FROM nodes WHERE node = $1",
    ] {
        sqlx::query(statement)
            .bind(node)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

#[async_trait]
impl Table for Writer {
    async fn look_up(&mut self, wanted: &BatchLookups) -> Result<LookedUp, Storage> {
        let failed = storage(APPENDING);
        self.end.files.is_lost()?;
        in_time(APPENDING, async {
            let found = look_up(self.connection().await.map_err(&failed)?, wanted)
                .await
                .map_err(&failed)?;
            if let Some(connection) = &mut self.connection {
                self.end.compare(connection, found.head).await?;
            }
            Ok(found)
        })
        .await
    }

    async fn commit(&mut self, writes: &mut Writes) -> Result<(), Storage> {
        in_time(APPENDING, self.write_all(writes)).await
    }

    fn forget(&mut self) {
        self.connection = None;
        self.end.is_compared = false;
    }

    async fn renew(
        &mut self,
        node: &str,
        lease: i64,
        _clock: i64,
    ) -> Result<(i64, Option<i64>), Storage> {
        let failed = storage("renewing a lease");
        self.end.files.check()?;
        in_time("renewing a lease", async {
            let connection = self.connection().await.map_err(&failed)?;
            sqlx::query_as(concat!(
                "WITH clock AS MATERIALIZED (SELECT ",
                now!(),
                " AS now), before AS MATERIALIZED (SELECT lease_until FROM nodes WHERE node = $1) \
             INSERT INTO nodes (node, lease_until) SELECT $1, now + $2 FROM clock \
             ON CONFLICT (node) DO UPDATE SET lease_until = excluded.lease_until \
             RETURNING (SELECT now FROM clock), (SELECT lease_until FROM before)"
            ))
            .bind(node)
            .bind(lease)
            .fetch_one(connection)
            .await
            .map_err(&failed)
        })
        .await
    }

    async fn take_over(
        &mut self,
        node: &str,
        whose: Whose,
        _clock: i64,
    ) -> Result<Vec<StepRow>, Storage> {
        let failed = storage("taking steps over");
        in_time("taking steps over", async {
            let connection = self.connection().await.map_err(&failed)?;
            take_over(connection, node, whose).await.map_err(&failed)
        })
        .await
    }

    async fn hand_back(&mut self, node: &str, claim: Option<(i64, Claim)>) -> Result<(), Storage> {
        let failed = storage("handing steps back");
        in_time("handing steps back", async {
            let connection = self.connection().await.map_err(&failed)?;
            hand_back(connection, node, claim).await.map_err(&failed)
        })
        .await
    }

    /// Dead rows still have the keys.
    async fn clear_residue(&mut self) -> Result<bool, Storage> {
        const SWEEPING: &str = "sweeping the tables of keys";
        let failed = storage(SWEEPING);
        in_time(SWEEPING, async {
            sqlx::raw_sql("VACUUM data_keys, document_keys")
                .execute(self.connection().await.map_err(&failed)?)
                .await
                .map_err(&failed)
        })
        .await?;
        Ok(true)
    }

    async fn settle(&mut self, done: &[OwedRow]) -> Result<(), Storage> {
        const SETTLING: &str = "settling what was owed";
        let failed = storage(SETTLING);
        in_time(SETTLING, async {
            let connection = self.connection().await.map_err(&failed)?;
            settle(connection, done).await.map_err(&failed)
        })
        .await
    }

    async fn index(&mut self, writes: IndexWrites) -> Result<Option<IndexState>, Storage> {
        let failed = storage(INDEXING);
        let connection = self.connection().await.map_err(&failed)?;
        search::index(connection, writes).await.map_err(failed)
    }

    async fn close(&mut self) {
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "the connection was not closed cleanly; nothing is lost");
        }
    }
}
