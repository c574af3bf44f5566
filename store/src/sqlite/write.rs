//! Writing: one connection, one transaction at a time. Nobody else writes, so the end of the log and the versions of streams
//! are known from memory; they are read from disk when the connection is made, and again after any error.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::SessionId;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Row, SqliteConnection};

use super::blocks::Rows;
use super::commands::Commands;
use super::errors::storage;
use super::lock::OwnerLock;
use super::read::{step, stream, stream_columns};
use super::search;
use crate::backend::Table;
use crate::cache::Cache;
use crate::chain::GENESIS;
use crate::decide::{Found, Wanted};
use crate::error::Storage;
use crate::ids::{CommandId, StreamId};
use crate::limits::WRITER_STREAMS;
use crate::rows::{Head, StepRow, StreamRow, Writes, fixed, signed};
use crate::search::{IndexState, IndexWrites};

const APPENDING: &str = "appending";
const INDEXING: &str = "indexing";

static FIND_STREAMS: Rows = Rows::new(
    "WITH w (owner, session) AS (VALUES ",
    2,
    concat!(
        ") SELECT ",
        stream_columns!(),
        " FROM w CROSS JOIN streams s ON s.owner = w.owner AND s.session = w.session"
    ),
);
static FIND_COMMANDS: Rows = Rows::new(
    "WITH w (stream_no, command_id) AS (VALUES ",
    2,
    ") SELECT e.command_id, e.position FROM w CROSS JOIN events e \
     ON e.stream_no = w.stream_no AND e.command_id = w.command_id AND e.ordinal = 0",
);
// A row that does not fit ends the transaction, so SQLite need not keep what the pages were before each statement.
static PUT_STREAMS: Rows = Rows::new(
    "INSERT OR ROLLBACK INTO streams (stream_no, owner, session, version, parent_no, fork_at, erased, title, pipeline, status, created_at, \
     updated_at) SELECT * FROM (VALUES ",
    12,
    ") WHERE column1 IS NOT NULL ON CONFLICT (stream_no) DO UPDATE SET version = excluded.version, parent_no = excluded.parent_no, \
     fork_at = excluded.fork_at, erased = excluded.erased, title = excluded.title, pipeline = excluded.pipeline, \
     status = excluded.status, created_at = excluded.created_at, updated_at = excluded.updated_at",
);
static PUT_KEYS: Rows = Rows::new(
    "INSERT OR ROLLBACK INTO data_keys (stream_no, wrapped) SELECT * FROM (VALUES ",
    2,
    ") WHERE column1 IS NOT NULL",
);
static PUT_EVENTS: Rows = Rows::new(
    "INSERT OR ROLLBACK INTO events (position, stream_no, version, command_id, ordinal, name, schema_version, recorded_at, actor, \
     correlation, causation, codec, payload, hash) SELECT * FROM (VALUES ",
    14,
    ") WHERE column1 IS NOT NULL",
);
static PUT_BLOBS: Rows = Rows::new(
    "INSERT OR ROLLBACK INTO blobs (stream_no, sha256, sealed) SELECT * FROM (VALUES ",
    3,
    ") WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING",
);
static CLOSE_RUN_STEPS: Rows = Rows::new(
    "DELETE FROM open_steps WHERE (stream_no, run) IN (VALUES ",
    2,
    ")",
);
static CLOSE_RUN_GATES: Rows = Rows::new(
    "DELETE FROM deadlines WHERE (stream_no, run) IN (VALUES ",
    2,
    ")",
);
static CLOSE_STEPS: Rows = Rows::new(
    "DELETE FROM open_steps WHERE (stream_no, run, step) IN (VALUES ",
    3,
    ")",
);
static MEET_GATES: Rows = Rows::new(
    "DELETE FROM deadlines WHERE (stream_no, gate) IN (VALUES ",
    2,
    ")",
);
static OPEN_STEPS: Rows = Rows::new(
    "INSERT OR ROLLBACK INTO open_steps (stream_no, run, step, attempt, due, node) SELECT * FROM (VALUES ",
    6,
    ") WHERE column1 IS NOT NULL ON CONFLICT DO UPDATE SET attempt = excluded.attempt, due = excluded.due, node = excluded.node",
);
static SET_DEADLINES: Rows = Rows::new(
    "INSERT OR ROLLBACK INTO deadlines (stream_no, gate, run, due) SELECT * FROM (VALUES ",
    4,
    ") WHERE column1 IS NOT NULL ON CONFLICT DO UPDATE SET run = excluded.run, due = excluded.due",
);
static PUT_ARTIFACTS: Rows = Rows::new(
    "INSERT OR ROLLBACK INTO artifacts (artifact_id, stream_no, version, kind) SELECT * FROM (VALUES ",
    4,
    ") WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING",
);

pub(super) struct Writer {
    options: SqliteConnectOptions,
    live: Option<Live>,
    lock: Option<OwnerLock>,
}

struct Live {
    connection: SqliteConnection,
    head: Head,
    next_stream_no: i64,
    streams: Cache<Arc<StreamId>, StreamRow>,
    commands: Commands,
}

impl Writer {
    /// `connection` is one made with these options.
    pub(super) async fn new(
        options: SqliteConnectOptions,
        connection: SqliteConnection,
        lock: OwnerLock,
    ) -> Result<Self, sqlx::Error> {
        Ok(Self {
            options,
            live: Some(Live::new(connection).await?),
            lock: Some(lock),
        })
    }

    async fn live(&mut self) -> Result<&mut Live, sqlx::Error> {
        if self.live.is_none() {
            let connection = self.options.connect().await?;
            self.live = Some(Live::new(connection).await?);
        }
        Ok(self.live.as_mut().expect("it was made just now"))
    }
}

impl Live {
    async fn new(mut connection: SqliteConnection) -> Result<Self, sqlx::Error> {
        let last = sqlx::query(
            "SELECT position, hash, recorded_at FROM events ORDER BY position DESC LIMIT 1",
        )
        .fetch_optional(&mut connection)
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
        let next_stream_no =
            sqlx::query_scalar("SELECT coalesce(max(stream_no), 0) + 1 FROM streams")
                .fetch_one(&mut connection)
                .await?;
        Ok(Self {
            connection,
            head,
            next_stream_no,
            streams: Cache::new(WRITER_STREAMS),
            commands: Commands::new(),
        })
    }

    async fn look_up(&mut self, wanted: &Wanted) -> Result<Found, sqlx::Error> {
        let mut streams = HashMap::with_capacity(wanted.streams.len());
        let mut unknown = vec![];
        for id in &wanted.streams {
            match self.streams.get(id) {
                Some(row) => drop(streams.insert(id.clone(), row)),
                None => unknown.push(id),
            }
        }
        for row in FIND_STREAMS
            .fetch(&mut self.connection, &unknown, |id, values| {
                values.add(id.owner.as_str())?;
                values.add(id.session.as_str())
            })
            .await?
        {
            let row = stream(&row)?;
            self.streams.insert(row.id.clone(), row.clone());
            streams.insert(row.id.clone(), row);
        }
        // A command on a stream without events has not been carried out before.
        let asked: Vec<(i64, CommandId)> = wanted
            .commands
            .iter()
            .filter_map(|(command, stream)| Some((streams.get(&wanted.streams[*stream])?, command)))
            .filter(|(row, command)| row.version > 0 && self.commands.may_have(row.no, command))
            .map(|(row, command)| (row.no, *command))
            .collect();
        let mut commands = HashMap::new();
        for row in FIND_COMMANDS
            .fetch(
                &mut self.connection,
                &asked,
                |(stream_no, command), values| {
                    values.add(*stream_no)?;
                    values.add(&command.0[..])
                },
            )
            .await?
        {
            commands.insert(
                CommandId(fixed(row.try_get(0)?)),
                row.try_get::<i64, _>(1)? as u64,
            );
        }
        let mut forks = HashMap::new();
        for row in wanted.forks_of.iter().filter_map(|id| streams.get(id)) {
            let sessions: Vec<String> = sqlx::query_scalar(
                "SELECT session FROM streams WHERE parent_no = ? AND erased = 0",
            )
            .bind(row.no)
            .fetch_all(&mut self.connection)
            .await?;
            forks.insert(row.no, sessions.into_iter().map(SessionId::new).collect());
        }
        Ok(Found {
            head: self.head,
            next_stream_no: self.next_stream_no,
            streams,
            commands,
            forks,
        })
    }

    async fn commit(&mut self, writes: Writes) -> Result<(), sqlx::Error> {
        let head = writes.head;
        let erases = !writes.erased.is_empty();
        let streams = writes.streams.clone();
        let firsts = writes.events.iter().filter(|event| event.ordinal == 0);
        let commands: Vec<_> = firsts.map(|e| (e.stream_no, e.command)).collect();
        if erases {
            // What is deleted is overwritten, so that no key stays behind in a free page.
            sqlx::query("PRAGMA secure_delete = ON")
                .execute(&mut self.connection)
                .await?;
        }
        sqlx::query("BEGIN IMMEDIATE")
            .execute(&mut self.connection)
            .await?;
        let written = self.write(writes).await;
        if let Err(error) = written {
            // The connection is given up after this; if this fails as well, that ends the transaction.
            let _ = sqlx::query("ROLLBACK").execute(&mut self.connection).await;
            return Err(error);
        }
        sqlx::query("COMMIT").execute(&mut self.connection).await?;
        if let Some(head) = head {
            self.head = head;
        }
        for row in streams {
            if row.no >= self.next_stream_no {
                self.next_stream_no = row.no + 1;
                self.commands.begin(row.no);
            }
            self.streams.insert(row.id.clone(), row);
        }
        for (stream, command) in commands {
            self.commands.put(stream, &command);
        }
        if erases {
            sqlx::query("PRAGMA secure_delete = OFF")
                .execute(&mut self.connection)
                .await?;
            // Nor in the write-ahead log. Readers may hold it up; then a later checkpoint does it.
            sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(&mut self.connection)
                .await?;
        }
        Ok(())
    }

    async fn write(&mut self, writes: Writes) -> Result<(), sqlx::Error> {
        let connection = &mut self.connection;
        PUT_STREAMS
            .run(connection, writes.streams, |row, values| {
                values.add(row.no)?;
                values.add(row.id.owner.as_str())?;
                values.add(row.id.session.as_str())?;
                values.add(signed(row.version))?;
                values.add(row.parent.map(|(no, _)| no))?;
                values.add(row.parent.map(|(_, at)| signed(at)))?;
                values.add(i64::from(row.erased))?;
                values.add(&*row.title)?;
                values.add(row.pipeline)?;
                values.add(row.status)?;
                values.add(row.created_at)?;
                values.add(row.updated_at)
            })
            .await?;
        PUT_KEYS
            .run(connection, writes.keys, |(no, wrapped), values| {
                values.add(no)?;
                values.add(wrapped)
            })
            .await?;
        PUT_EVENTS
            .run(connection, writes.events, |row, values| {
                values.add(signed(row.position))?;
                values.add(row.stream_no)?;
                values.add(signed(row.version))?;
                values.add(&row.command.0[..])?;
                values.add(i64::from(row.ordinal))?;
                values.add(row.name)?;
                values.add(i64::from(row.schema))?;
                values.add(row.recorded_at)?;
                values.add(row.actor)?;
                values.add(row.correlation)?;
                values.add(row.causation)?;
                values.add(i64::from(row.codec))?;
                values.add(row.payload)?;
                values.add(&row.hash[..])
            })
            .await?;
        PUT_BLOBS
            .run(connection, writes.blobs, |row, values| {
                values.add(row.stream_no)?;
                values.add(&row.sha256[..])?;
                values.add(row.sealed)
            })
            .await?;
        let run = |(no, run): (i64, u32), values: &mut super::blocks::Values| {
            values.add(no)?;
            values.add(i64::from(run))
        };
        CLOSE_RUN_STEPS
            .run(connection, writes.runs_closed.clone(), run)
            .await?;
        CLOSE_RUN_GATES
            .run(connection, writes.runs_closed, run)
            .await?;
        CLOSE_STEPS
            .run(
                connection,
                writes.steps_closed,
                |(no, run, step), values| {
                    values.add(no)?;
                    values.add(i64::from(run))?;
                    values.add(step)
                },
            )
            .await?;
        MEET_GATES
            .run(connection, writes.gates_met, |(no, gate), values| {
                values.add(no)?;
                values.add(gate)
            })
            .await?;
        OPEN_STEPS
            .run(connection, writes.steps_opened, |row, values| {
                values.add(row.stream_no)?;
                values.add(i64::from(row.run))?;
                values.add(row.step)?;
                values.add(i64::from(row.attempt))?;
                values.add(row.due)?;
                values.add(row.node)
            })
            .await?;
        SET_DEADLINES
            .run(connection, writes.deadlines, |row, values| {
                values.add(row.stream_no)?;
                values.add(row.gate)?;
                values.add(i64::from(row.run))?;
                values.add(row.due)
            })
            .await?;
        PUT_ARTIFACTS
            .run(connection, writes.artifacts, |row, values| {
                values.add(row.artifact)?;
                values.add(row.stream_no)?;
                values.add(signed(row.version))?;
                values.add(row.kind)
            })
            .await?;
        for no in writes.erased {
            for delete in [
                "DELETE FROM data_keys WHERE stream_no = ?",
                "DELETE FROM open_steps WHERE stream_no = ?",
                "DELETE FROM deadlines WHERE stream_no = ?",
                "DELETE FROM artifacts WHERE stream_no = ?",
                "DELETE FROM blobs WHERE stream_no = ?",
            ] {
                sqlx::query(delete)
                    .bind(no)
                    .execute(&mut *connection)
                    .await?;
            }
            search::forget(connection, no).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl Table for Writer {
    async fn look_up(&mut self, wanted: &Wanted) -> Result<Found, Storage> {
        let failed = storage(APPENDING);
        self.live()
            .await
            .map_err(&failed)?
            .look_up(wanted)
            .await
            .map_err(failed)
    }

    async fn commit(&mut self, writes: Writes) -> Result<(), Storage> {
        if writes.is_empty() {
            return Ok(());
        }
        let failed = storage(APPENDING);
        self.live()
            .await
            .map_err(&failed)?
            .commit(writes)
            .await
            .map_err(failed)
    }

    fn forget(&mut self) {
        self.live = None;
    }

    async fn heartbeat(&mut self, node: &str, lease_until: i64) -> Result<(), Storage> {
        let failed = storage("renewing a lease");
        let connection = &mut self.live().await.map_err(&failed)?.connection;
        sqlx::query(
            "INSERT INTO nodes (node, lease_until) VALUES (?, ?) \
             ON CONFLICT DO UPDATE SET lease_until = excluded.lease_until",
        )
        .bind(node)
        .bind(lease_until)
        .execute(connection)
        .await
        .map(drop)
        .map_err(failed)
    }

    async fn take_over(&mut self, node: &str, now: i64) -> Result<Vec<StepRow>, Storage> {
        let failed = storage("taking steps over");
        let connection = &mut self.live().await.map_err(&failed)?.connection;
        let rows = sqlx::query(
            "UPDATE open_steps SET node = ?1 WHERE node IS NULL \
             OR (node <> ?1 AND node NOT IN (SELECT node FROM nodes WHERE lease_until > ?2)) \
             RETURNING stream_no, run, step, attempt, due, node",
        )
        .bind(node)
        .bind(now)
        .fetch_all(connection)
        .await;
        rows.and_then(|rows| rows.iter().map(step).collect())
            .map_err(failed)
    }

    async fn index(&mut self, writes: IndexWrites) -> Result<Option<IndexState>, Storage> {
        let failed = storage(INDEXING);
        let connection = &mut self.live().await.map_err(&failed)?.connection;
        search::index(connection, writes).await.map_err(failed)
    }

    async fn close(&mut self) {
        if let Some(live) = self.live.take()
            && let Err(error) = live.connection.close().await
        {
            tracing::warn!(%error, "the database was not closed cleanly; nothing is lost");
        }
        self.lock = None;
    }
}

/// Statements that find or remove rows, with two rows each.
#[cfg(test)]
pub(super) fn statements_for_test() -> Vec<String> {
    [
        &FIND_STREAMS,
        &FIND_COMMANDS,
        &CLOSE_RUN_STEPS,
        &CLOSE_RUN_GATES,
        &CLOSE_STEPS,
        &MEET_GATES,
    ]
    .map(Rows::text_for_test)
    .to_vec()
}
