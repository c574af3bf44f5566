//! Writing: one connection, one transaction at a time. Nobody else writes, so the end of the log and the versions of streams
//! are known from memory; they are read from disk when the connection is made, and again after any error.
//!
//! The connection is rusqlite's, which works on the thread of whoever calls it: the writer has one of its own. With sqlx, as
//! for reading, each statement would cross to another thread and back, a dozen times a commit.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use domain::SessionId;
use foldhash::{HashMap, HashMapExt};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::commands::Commands;
use super::errors::storage;
use super::lock::OwnerLock;
use super::open::connect;
use super::read::{stream_columns, this_blob};
use super::search;
use crate::backend::Table;
use crate::cache::Cache;
use crate::chain::GENESIS;
use crate::decide::{Found, Wanted};
use crate::error::Storage;
use crate::ids::StreamId;
use crate::limits::WRITER_STREAMS;
use crate::rows::{
    BlobRow, ErasedRow, EventRow, Head, StepRow, StreamRow, Writes, fixed, narrow, signed,
};
use crate::search::{IndexState, IndexWrites};

const APPENDING: &str = "appending";
const INDEXING: &str = "indexing";

const LAST_EVENT: &str =
    "SELECT position, hash, recorded_at FROM events ORDER BY position DESC LIMIT 1";
const NEXT_STREAM: &str = "SELECT coalesce(max(stream_no), 0) + 1 FROM streams";
const FIND_STREAM: &str = concat!(
    "SELECT ",
    stream_columns!(),
    " FROM streams s WHERE s.owner = ? AND s.session = ?"
);
const FIND_COMMAND: &str =
    "SELECT position FROM events WHERE stream_no = ? AND command_id = ? AND ordinal = 0";
const FIND_FORKS: &str = "SELECT session FROM streams WHERE parent_no = ? AND erased = 0";
const PUT_STREAM: &str = "INSERT INTO streams (stream_no, owner, session, version, parent_no, fork_at, erased, title, pipeline, status, \
     created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
     ON CONFLICT (stream_no) DO UPDATE SET version = excluded.version, parent_no = excluded.parent_no, \
     fork_at = excluded.fork_at, erased = excluded.erased, title = excluded.title, pipeline = excluded.pipeline, \
     status = excluded.status, created_at = excluded.created_at, updated_at = excluded.updated_at";
const MOVE_STREAM: &str =
    "UPDATE streams SET version = ?, status = ?, updated_at = ? WHERE stream_no = ?";
const PUT_KEY: &str = "INSERT INTO data_keys (stream_no, wrapped) VALUES (?, ?)";
const PUT_EVENT: &str = "INSERT INTO events (position, stream_no, version, command_id, ordinal, name, schema_version, recorded_at, \
     actor, correlation, causation, codec, payload, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const HAS_BLOB: &str = concat!("SELECT 1 FROM blobs WHERE ", this_blob!());
const PUT_BLOB: &str = "INSERT INTO blobs (stream_no, sha256, sealed) VALUES (?, ?, ?)";
const CLOSE_RUN_STEPS: &str = "DELETE FROM open_steps WHERE stream_no = ? AND run = ?";
const CLOSE_RUN_GATES: &str = "DELETE FROM deadlines WHERE stream_no = ? AND run = ?";
const CLOSE_STEP: &str = "DELETE FROM open_steps WHERE stream_no = ? AND run = ? AND step = ?";
const MEET_GATE: &str = "DELETE FROM deadlines WHERE stream_no = ? AND gate = ?";
const OPEN_STEP: &str = "INSERT INTO open_steps (stream_no, run, step, attempt, due, node) VALUES (?, ?, ?, ?, ?, ?) \
     ON CONFLICT DO UPDATE SET attempt = excluded.attempt, due = excluded.due, node = excluded.node";
const SET_DEADLINE: &str = "INSERT INTO deadlines (stream_no, gate, run, due) VALUES (?, ?, ?, ?) \
     ON CONFLICT DO UPDATE SET run = excluded.run, due = excluded.due";
const PUT_ARTIFACT: &str = "INSERT INTO artifacts (artifact_id, stream_no, version, kind) VALUES (?, ?, ?, ?) \
     ON CONFLICT DO NOTHING";
const ERASE: [&str; 4] = [
    "DELETE FROM data_keys WHERE stream_no = ?",
    "DELETE FROM open_steps WHERE stream_no = ?",
    "DELETE FROM deadlines WHERE stream_no = ?",
    "DELETE FROM blobs WHERE stream_no = ?",
];
const FORGET_ARTIFACT: &str = "DELETE FROM artifacts WHERE artifact_id = ? AND stream_no = ?";
const HEARTBEAT: &str = "INSERT INTO nodes (node, lease_until) VALUES (?, ?) \
     ON CONFLICT DO UPDATE SET lease_until = excluded.lease_until";
const TAKE_OVER: &str = "UPDATE open_steps SET node = ?1 WHERE node IS NULL \
     OR (node <> ?1 AND node NOT IN (SELECT node FROM nodes WHERE lease_until > ?2)) \
     RETURNING stream_no, run, step, attempt, due, node";

/// Where the database is, and how large it may become.
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// In pages; `None` for no limit but the disk's.
    pub(super) max_pages: Option<u32>,
}

pub(super) struct Writer {
    place: Place,
    live: Option<Live>,
    lock: Option<OwnerLock>,
}

struct Live {
    connection: Connection,
    head: Head,
    next_stream_no: i64,
    streams: Cache<Arc<StreamId>, StreamRow>,
    commands: Commands,
}

impl Writer {
    pub(super) fn new(place: Place, lock: OwnerLock) -> Result<Self, rusqlite::Error> {
        let live = Some(Live::new(connect(&place)?)?);
        let lock = Some(lock);
        Ok(Self { place, live, lock })
    }

    fn live(&mut self) -> Result<&mut Live, rusqlite::Error> {
        if self.live.is_none() {
            self.live = Some(Live::new(connect(&self.place)?)?);
        }
        Ok(self.live.as_mut().expect("it was made just now"))
    }

    fn act<T>(
        &mut self,
        doing: &'static str,
        act: impl FnOnce(&mut Live) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Storage> {
        self.live().and_then(act).map_err(storage(doing))
    }
}

impl Live {
    fn new(connection: Connection) -> Result<Self, rusqlite::Error> {
        let last = connection.query_row(LAST_EVENT, [], |row| {
            Ok(Head {
                position: row.get::<_, i64>(0)? as u64,
                hash: fixed(row.get_ref(1)?.as_blob()?),
                recorded_at: row.get(2)?,
            })
        });
        let nothing = Head {
            position: 0,
            hash: GENESIS,
            recorded_at: i64::MIN,
        };
        let head = last.optional()?.unwrap_or(nothing);
        let next_stream_no = connection.query_row(NEXT_STREAM, [], |row| row.get(0))?;
        Ok(Self {
            connection,
            head,
            next_stream_no,
            streams: Cache::new(WRITER_STREAMS),
            commands: Commands::new(),
        })
    }

    fn look_up(&mut self, wanted: &Wanted) -> Result<Found, rusqlite::Error> {
        let mut streams = HashMap::with_capacity(wanted.streams.len());
        let mut find = self.connection.prepare_cached(FIND_STREAM)?;
        for id in &wanted.streams {
            if let Some(row) = self.streams.get(id) {
                streams.insert(id.clone(), row);
                continue;
            }
            let found = find.query_row(params![id.owner.as_str(), id.session.as_str()], stream);
            if let Some(row) = found.optional()? {
                self.streams.insert(row.id.clone(), row.clone());
                streams.insert(row.id.clone(), row);
            }
        }
        let mut commands = HashMap::new();
        let mut find = self.connection.prepare_cached(FIND_COMMAND)?;
        for (command, place) in &wanted.commands {
            // A command on a stream without events has not been carried out before.
            if let Some(row) = streams.get(&wanted.streams[*place])
                && row.version > 0
                && self.commands.may_have(row.no, command)
                && let Some(position) = find
                    .query_row(params![row.no, command.0], |row| row.get::<_, i64>(0))
                    .optional()?
            {
                commands.insert(*command, position as u64);
            }
        }
        let mut forks = HashMap::new();
        for row in wanted.forks_of.iter().filter_map(|id| streams.get(id)) {
            let mut find = self.connection.prepare_cached(FIND_FORKS)?;
            let sessions =
                find.query_map([row.no], |row| Ok(SessionId::new(row.get::<_, String>(0)?)))?;
            forks.insert(row.no, sessions.collect::<Result<_, _>>()?);
        }
        Ok(Found {
            head: self.head,
            next_stream_no: self.next_stream_no,
            streams,
            commands,
            forks,
        })
    }

    fn commit(&mut self, writes: &Writes) -> Result<(), rusqlite::Error> {
        let erases = !writes.erased.is_empty();
        if erases {
            // What is deleted is overwritten, so that no key stays behind in a free page.
            self.connection.pragma_update(None, "secure_delete", "ON")?;
        }
        // Taken back where it is dropped before its end.
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        write(&transaction, writes)?;
        transaction.commit()?;
        if let Some(head) = writes.head {
            self.head = head;
        }
        for row in writes.touched() {
            if row.no >= self.next_stream_no {
                self.next_stream_no = row.no + 1;
                self.commands.begin(row.no);
            }
            self.streams.insert(row.id.clone(), row.clone());
        }
        for first in writes.events.iter().filter(|event| event.ordinal == 0) {
            self.commands.put(first.stream_no, &first.command);
        }
        if erases {
            self.connection
                .pragma_update(None, "secure_delete", "OFF")?;
            // Nor in the write-ahead log. Readers may hold it up; then a later checkpoint does it.
            self.connection
                .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
        }
        Ok(())
    }

    fn heartbeat(&self, node: &str, lease_until: i64) -> Result<(), rusqlite::Error> {
        let mut put = self.connection.prepare_cached(HEARTBEAT)?;
        put.execute(params![node, lease_until]).map(drop)
    }

    fn take_over(&self, node: &str, now: i64) -> Result<Vec<StepRow>, rusqlite::Error> {
        let mut take = self.connection.prepare_cached(TAKE_OVER)?;
        take.query_map(params![node, now], step)?.collect()
    }
}

/// Runs a statement for each of these rows.
fn each<R>(
    connection: &Connection,
    sql: &str,
    rows: &[R],
    run: impl Fn(&mut CachedStatement<'_>, &R) -> Result<usize, rusqlite::Error>,
) -> Result<(), rusqlite::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(sql)?;
    rows.iter()
        .try_for_each(|row| run(&mut statement, row).map(drop))
}

/// Everything of a commit but its beginning and its end.
fn write(connection: &Connection, writes: &Writes) -> Result<(), rusqlite::Error> {
    each(connection, PUT_STREAM, &writes.streams, |put, row| {
        put.execute(params![
            row.no,
            row.id.owner.as_str(),
            row.id.session.as_str(),
            signed(row.version),
            row.parent.map(|(no, _)| no),
            row.parent.map(|(_, at)| signed(at)),
            row.erased,
            row.title,
            row.pipeline,
            row.status,
            row.created_at,
            row.updated_at
        ])
    })?;
    each(connection, MOVE_STREAM, &writes.moved, |put, row| {
        put.execute(params![
            signed(row.version),
            row.status,
            row.updated_at,
            row.no
        ])
    })?;
    each(connection, PUT_KEY, &writes.keys, |put, (no, wrapped)| {
        put.execute(params![no, wrapped])
    })?;
    put_events(connection, &writes.events)?;
    put_blobs(connection, &writes.blobs)?;
    beside(connection, writes)?;
    for ErasedRow { no, artifacts } in &writes.erased {
        for delete in ERASE {
            connection.prepare_cached(delete)?.execute([no])?;
        }
        each(connection, FORGET_ARTIFACT, artifacts, |forget, id| {
            forget.execute(params![id.as_str(), no])
        })?;
        search::forget(connection, *no)?;
    }
    Ok(())
}

/// What most events of a commit have in common is bound when it changes, and not for each of them.
fn put_events(connection: &Connection, rows: &[EventRow]) -> Result<(), rusqlite::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut put = connection.prepare_cached(PUT_EVENT)?;
    let mut bound = None;
    for row in rows {
        let common = (row.schema, row.recorded_at, &row.actor, row.codec);
        let caused = (&row.correlation, &row.causation);
        if bound != Some((common, caused)) {
            put.raw_bind_parameter(7, row.schema)?;
            put.raw_bind_parameter(8, row.recorded_at)?;
            put.raw_bind_parameter(9, &row.actor)?;
            put.raw_bind_parameter(10, &row.correlation)?;
            put.raw_bind_parameter(11, &row.causation)?;
            put.raw_bind_parameter(12, row.codec)?;
            bound = Some((common, caused));
        }
        put.raw_bind_parameter(1, signed(row.position))?;
        put.raw_bind_parameter(2, row.stream_no)?;
        put.raw_bind_parameter(3, signed(row.version))?;
        put.raw_bind_parameter(4, row.command.0)?;
        put.raw_bind_parameter(5, row.ordinal)?;
        put.raw_bind_parameter(6, &row.name)?;
        put.raw_bind_parameter(13, &row.payload)?;
        put.raw_bind_parameter(14, row.hash)?;
        put.raw_execute()?;
    }
    Ok(())
}

/// Each that is not there yet. One statement for both would make a table of its own for what it found, and keep the pages it
/// changes as they were, for each blob.
fn put_blobs(connection: &Connection, rows: &[BlobRow]) -> Result<(), rusqlite::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut has = connection.prepare_cached(HAS_BLOB)?;
    let mut put = connection.prepare_cached(PUT_BLOB)?;
    for row in rows {
        if !has.exists(params![row.stream_no, row.sha256])? {
            put.execute(params![row.stream_no, row.sha256, row.sealed])?;
        }
    }
    Ok(())
}

/// What is kept beside the events.
fn beside(connection: &Connection, writes: &Writes) -> Result<(), rusqlite::Error> {
    for sql in [CLOSE_RUN_STEPS, CLOSE_RUN_GATES] {
        each(connection, sql, &writes.runs_closed, |close, run| {
            close.execute(*run)
        })?;
    }
    each(
        connection,
        CLOSE_STEP,
        &writes.steps_closed,
        |close, (no, run, step)| close.execute(params![no, run, step.as_str()]),
    )?;
    each(
        connection,
        MEET_GATE,
        &writes.gates_met,
        |meet, (no, gate)| meet.execute(params![no, gate.as_str()]),
    )?;
    each(connection, OPEN_STEP, &writes.steps_opened, |open, row| {
        open.execute(params![
            row.stream_no,
            row.run,
            row.step.as_str(),
            row.attempt,
            row.due,
            row.node.as_deref()
        ])
    })?;
    each(connection, SET_DEADLINE, &writes.deadlines, |set, row| {
        set.execute(params![row.stream_no, row.gate.as_str(), row.run, row.due])
    })?;
    each(connection, PUT_ARTIFACT, &writes.artifacts, |put, row| {
        put.execute(params![
            row.artifact.as_str(),
            row.stream_no,
            signed(row.version),
            row.kind.as_str()
        ])
    })
}

fn stream(row: &Row<'_>) -> Result<StreamRow, rusqlite::Error> {
    let parent: Option<i64> = row.get(4)?;
    let fork_at: Option<i64> = row.get(5)?;
    Ok(StreamRow {
        no: row.get(0)?,
        id: Arc::new(StreamId {
            owner: row.get_ref(1)?.as_str()?.into(),
            session: row.get_ref(2)?.as_str()?.into(),
        }),
        version: row.get::<_, i64>(3)? as u64,
        parent: parent.zip(fork_at.map(|at| at as u64)),
        erased: row.get::<_, i64>(6)? != 0,
        title: row.get_ref(7)?.as_blob()?.into(),
        pipeline: row.get_ref(8)?.as_str()?.into(),
        status: row.get_ref(9)?.as_str()?.into(),
        created_at: row.get(10)?,
        updated_at: row.get(11)?,
    })
}

fn step(row: &Row<'_>) -> Result<StepRow, rusqlite::Error> {
    Ok(StepRow {
        stream_no: row.get(0)?,
        run: narrow(row.get(1)?),
        step: row.get_ref(2)?.as_str()?.into(),
        attempt: narrow(row.get(3)?),
        due: row.get(4)?,
        node: row.get_ref(5)?.as_str_or_null()?.map(Into::into),
    })
}

#[async_trait]
impl Table for Writer {
    async fn look_up(&mut self, wanted: &Wanted) -> Result<Found, Storage> {
        self.act(APPENDING, |live| live.look_up(wanted))
    }

    async fn commit(&mut self, writes: &mut Writes) -> Result<(), Storage> {
        if writes.is_empty() {
            return Ok(());
        }
        self.act(APPENDING, |live| live.commit(writes))
    }

    fn forget(&mut self) {
        self.live = None;
    }

    async fn heartbeat(&mut self, node: &str, lease_until: i64) -> Result<(), Storage> {
        self.act("renewing a lease", |live| live.heartbeat(node, lease_until))
    }

    async fn take_over(&mut self, node: &str, now: i64) -> Result<Vec<StepRow>, Storage> {
        self.act("taking steps over", |live| live.take_over(node, now))
    }

    async fn index(&mut self, writes: IndexWrites) -> Result<Option<IndexState>, Storage> {
        self.act(INDEXING, |live| {
            search::index(&mut live.connection, &writes)
        })
    }

    async fn close(&mut self) {
        if let Some(live) = self.live.take()
            && let Err((_, error)) = live.connection.close()
        {
            tracing::warn!(%error, "the database was not closed cleanly; nothing is lost");
        }
        self.lock = None;
    }
}

/// Statements that find or remove rows.
#[cfg(test)]
pub(super) const STATEMENTS_FOR_TEST: [&str; 12] = [
    FIND_STREAM,
    MOVE_STREAM,
    FORGET_ARTIFACT,
    FIND_COMMAND,
    CLOSE_RUN_STEPS,
    CLOSE_RUN_GATES,
    CLOSE_STEP,
    MEET_GATE,
    HAS_BLOB,
    ERASE[3],
    super::read::FIND_BLOB,
    super::read::EVENTS_OF,
];
