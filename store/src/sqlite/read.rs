//! Reading: a small pool of read-only connections. In write-ahead mode readers never wait for the writer, and the writer never waits for
//! readers.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use domain::streams::RESERVED;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteExecutor, SqlitePool};

use super::errors::storage;
use super::lock::OwnerLock;
use super::search;
use super::snapshot::SqliteSnapshot;
use crate::backend::{AFTER_HEX, By, Rows, Snapshot, StepFilter};
use crate::decide::ClaimedStep;
use crate::error::Storage;
use crate::ids::{CommandId, StreamId};
use crate::rows::{
    ArtifactRow, DOCUMENTS, DeadlineRow, EventRow, StepRow, StreamRow, fixed, narrow, signed,
};
use crate::search::IndexState;

const READING: &str = "reading";

macro_rules! stream_columns {
    () => {
        "s.stream_no, s.owner, s.session, s.version, s.parent_no, s.fork_at, s.erased, s.title, s.pipeline, s.status, \
         s.created_at, s.updated_at"
    };
}
macro_rules! event_columns {
    () => {
        "position, stream_no, version, command_id, ordinal, name, schema_version, recorded_at, actor, correlation, causation, \
         codec, payload, hash"
    };
}
/// The condition that a blob is the one of stream `?1` with the hash `?2`, in the expression that the index uses.
macro_rules! this_blob {
    () => {
        "stream_no = ?1 AND substr(sha256, 1, 8) = substr(?2, 1, 8) AND sha256 = ?2"
    };
}
pub(super) use {event_columns, stream_columns, this_blob};

pub(super) const FIND_BLOB: &str = concat!("SELECT sealed FROM blobs WHERE ", this_blob!());

/// The events of stream `?1` after version `?2` and up to `?3`. It starts with the append that contains the first of them; of each append
/// it reads from its first event to where the next append begins, or to the end of the requested range.
pub(super) const EVENTS_OF: &str = concat!(
    "WITH appends AS (SELECT position AS first, version AS begins, \
     lead(version, 1, 1 + min(?3, (SELECT version FROM streams WHERE stream_no = ?1))) OVER (ORDER BY version) AS ends \
     FROM events WHERE stream_no = ?1 AND ordinal = 0 AND version <= ?3 AND version >= (SELECT coalesce(max(version), 0) \
     FROM events WHERE stream_no = ?1 AND ordinal = 0 AND version <= ?2 + 1)) \
     SELECT ",
    event_columns!(),
    " FROM appends a CROSS JOIN events e ON e.position >= a.first AND e.position < a.first + a.ends - a.begins \
     WHERE e.stream_no = ?1 AND e.version > ?2 AND e.version <= ?3 ORDER BY e.position"
);

pub(super) struct SqliteRows {
    pub(super) pool: SqlitePool,
    /// The lock on a log that this process owns; released after all connections are closed.
    pub(super) lock: Mutex<Option<Arc<OwnerLock>>>,
}

impl SqliteRows {
    /// The events with the keys of their documents.
    async fn with_keys(&self, mut rows: Vec<EventRow>) -> Result<Vec<EventRow>, Storage> {
        for row in rows.iter_mut().filter(|row| row.codec == DOCUMENTS) {
            row.keys = document_keys(&self.pool, row)
                .await
                .map_err(storage(READING))?;
        }
        Ok(rows)
    }
}

/// The keys of the documents of an event, by their places.
pub(super) async fn document_keys<'e>(
    from: impl SqliteExecutor<'e>,
    row: &EventRow,
) -> Result<Vec<(u32, Vec<u8>)>, sqlx::Error> {
    let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(
        "SELECT place, wrapped FROM document_keys WHERE stream_no = ? AND version = ?",
    )
    .bind(row.stream_no)
    .bind(signed(row.version))
    .fetch_all(from)
    .await?;
    let keys = rows.into_iter();
    Ok(keys.map(|(place, key)| (narrow(place), key)).collect())
}

#[async_trait]
impl Rows for SqliteRows {
    async fn facts(&self) -> Result<Vec<(String, String)>, Storage> {
        sqlx::query_as("SELECT name, value FROM meta")
            .fetch_all(&self.pool)
            .await
            .map_err(storage(READING))
    }

    async fn head(&self) -> Result<u64, Storage> {
        let head: i64 = sqlx::query_scalar("SELECT coalesce(max(position), 0) FROM events")
            .fetch_one(&self.pool)
            .await
            .map_err(storage(READING))?;
        Ok(head as u64)
    }

    async fn stream(&self, by: By<'_>) -> Result<Option<(StreamRow, Option<Vec<u8>>)>, Storage> {
        let row = match by {
            By::Id(id) => {
                sqlx::query(concat!(
                    "SELECT ",
                    stream_columns!(),
                    ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) WHERE s.owner = ? AND s.session = ?"
                ))
                .bind(id.owner.as_str())
                .bind(id.session.as_str())
                .fetch_optional(&self.pool)
                .await
            }
            By::No(no) => {
                sqlx::query(concat!(
                    "SELECT ",
                    stream_columns!(),
                    ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) WHERE s.stream_no = ?"
                ))
                .bind(no)
                .fetch_optional(&self.pool)
                .await
            }
        };
        row.and_then(|row| {
            row.map(|row| Ok((stream(&row)?, row.try_get(12)?)))
                .transpose()
        })
        .map_err(storage(READING))
    }

    async fn events_of(
        &self,
        stream_no: i64,
        after: u64,
        up_to: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage> {
        // Versions have no gaps, so this many are the next ones.
        let last = up_to.min(after.saturating_add(limit as u64));
        let rows = sqlx::query(EVENTS_OF)
            .bind(stream_no)
            .bind(signed(after))
            .bind(signed(last))
            .fetch_all(&self.pool)
            .await;
        self.with_keys(each(rows, event)?).await
    }

    async fn events_after(&self, position: u64, limit: usize) -> Result<Vec<EventRow>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events WHERE position > ? ORDER BY position LIMIT ?"
        ))
        .bind(signed(position))
        .bind(limit as i64)
        .fetch_all(&self.pool)
        .await;
        self.with_keys(each(rows, event)?).await
    }

    async fn command(&self, stream_no: i64, command: &CommandId) -> Result<Option<u64>, Storage> {
        let position: Option<i64> = sqlx::query_scalar(
            "SELECT position FROM events WHERE stream_no = ? AND command_id = ? AND ordinal = 0",
        )
        .bind(stream_no)
        .bind(&command.0[..])
        .fetch_optional(&self.pool)
        .await
        .map_err(storage(READING))?;
        Ok(position.map(|position| position as u64))
    }

    async fn blob(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage> {
        sqlx::query_scalar(FIND_BLOB)
            .bind(stream_no)
            .bind(&sha256[..])
            .fetch_optional(&self.pool)
            .await
            .map_err(storage(READING))
    }

    async fn steps(&self, filter: StepFilter<'_>) -> Result<Vec<StepRow>, Storage> {
        let (stream_no, node) = match filter {
            StepFilter::All => (None, None),
            StepFilter::Stream(no) => (Some(no), None),
            StepFilter::Node(node) => (None, Some(node)),
        };
        let rows = sqlx::query(
            "SELECT stream_no, run, step, attempt, due, node, epoch FROM open_steps \
             WHERE (?1 IS NULL OR stream_no = ?1) AND (?2 IS NULL OR node = ?2) ORDER BY stream_no, run, step",
        )
        .bind(stream_no)
        .bind(node)
        .fetch_all(&self.pool)
        .await;
        each(rows, step)
    }

    async fn deadlines(&self, up_to: i64, limit: usize) -> Result<Vec<DeadlineRow>, Storage> {
        let rows = sqlx::query(
            "SELECT stream_no, gate, run, due FROM deadlines WHERE due <= ? ORDER BY due LIMIT ?",
        )
        .bind(up_to)
        .bind(limit as i64)
        .fetch_all(&self.pool)
        .await;
        each(rows, deadline)
    }

    async fn next_deadline(&self) -> Result<Option<i64>, Storage> {
        sqlx::query_scalar("SELECT min(due) FROM deadlines")
            .fetch_one(&self.pool)
            .await
            .map_err(storage(READING))
    }

    async fn now(&self, clock: i64) -> Result<i64, Storage> {
        let last: Option<i64> =
            sqlx::query_scalar("SELECT recorded_at FROM events ORDER BY position DESC LIMIT 1")
                .fetch_optional(&self.pool)
                .await
                .map_err(storage(READING))?;
        Ok(last.map_or(clock, |last| last.max(clock)))
    }

    async fn claimed(
        &self,
        stream_no: i64,
        (run, step_text): &ClaimedStep,
        clock: i64,
    ) -> Result<Option<(StepRow, bool)>, Storage> {
        let row = sqlx::query(
            "SELECT s.stream_no, s.run, s.step, s.attempt, s.due, s.node, s.epoch, \
             EXISTS (SELECT 1 FROM nodes n WHERE n.node = s.node AND n.lease_until > ?) \
             FROM open_steps s WHERE s.stream_no = ? AND s.run = ? AND s.step = ?",
        )
        .bind(clock)
        .bind(stream_no)
        .bind(i64::from(*run))
        .bind(step_text.as_str())
        .fetch_optional(&self.pool)
        .await;
        row.and_then(|row| {
            row.map(|row| Ok((step(&row)?, row.try_get(7)?)))
                .transpose()
        })
        .map_err(storage(READING))
    }

    async fn has_free_steps(&self, clock: i64) -> Result<bool, Storage> {
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM open_steps WHERE node IS NULL) \
             OR EXISTS (SELECT 1 FROM nodes n JOIN open_steps s USING (node) WHERE n.lease_until <= ?)",
        )
        .bind(clock)
        .fetch_one(&self.pool)
        .await
        .map_err(storage(READING))
    }

    async fn nodes(&self, now: i64) -> Result<Vec<(String, i64)>, Storage> {
        sqlx::query_as("SELECT node, lease_until FROM nodes WHERE lease_until > ? ORDER BY node")
            .bind(now)
            .fetch_all(&self.pool)
            .await
            .map_err(storage(READING))
    }

    async fn sessions(
        &self,
        owner: &str,
        before: i64,
        limit: usize,
    ) -> Result<Vec<(StreamRow, Vec<u8>)>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            stream_columns!(),
            ", k.wrapped FROM streams s JOIN data_keys k USING (stream_no) \
             WHERE s.owner = ?1 AND s.stream_no < ?2 AND s.version > 0 AND s.erased = 0 \
             AND NOT EXISTS (SELECT 1 FROM json_each(?4) AS reserved \
             WHERE substr(s.session, 1, length(reserved.value)) = reserved.value) \
             ORDER BY s.stream_no DESC LIMIT ?3"
        ))
        .bind(owner)
        .bind(before)
        .bind(limit as i64)
        .bind(serde_json::json!(RESERVED).to_string())
        .fetch_all(&self.pool)
        .await;
        each(rows, |row| Ok((stream(row)?, row.try_get(12)?)))
    }

    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<String>, Storage> {
        sqlx::query_scalar(
            "SELECT session FROM streams WHERE owner = ?1 AND version > 0 AND erased = 0 \
             AND substr(session, 1, length(?2)) = ?2 ORDER BY stream_no DESC",
        )
        .bind(owner)
        .bind(prefix)
        .fetch_all(&self.pool)
        .await
        .map_err(storage(READING))
    }

    async fn artifact(&self, owner: &str, artifact: &str) -> Result<Option<(i64, u64)>, Storage> {
        let row = sqlx::query(
            "SELECT a.stream_no, a.version FROM artifacts a JOIN streams s USING (stream_no) \
             WHERE a.artifact_id = ? AND s.owner = ? ORDER BY a.stream_no LIMIT 1",
        )
        .bind(artifact)
        .bind(owner)
        .fetch_optional(&self.pool)
        .await;
        row.and_then(|row| {
            row.map(|row| Ok((row.try_get(0)?, unsigned(&row, 1)?)))
                .transpose()
        })
        .map_err(storage(READING))
    }

    async fn artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<String>, Storage> {
        let row = sqlx::query(
            "SELECT a.artifact_id FROM artifacts a JOIN streams s USING (stream_no) \
             WHERE a.artifact_id >= ? AND a.artifact_id < ? AND s.owner = ? \
             ORDER BY a.artifact_id, a.stream_no LIMIT 1",
        )
        .bind(prefix)
        .bind(format!("{prefix}{AFTER_HEX}"))
        .bind(owner)
        .fetch_optional(&self.pool)
        .await;
        row.and_then(|row| row.map(|row| row.try_get(0)).transpose())
            .map_err(storage(READING))
    }

    async fn forks(&self, stream_no: i64) -> Result<Vec<StreamRow>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            stream_columns!(),
            " FROM streams s WHERE s.parent_no = ? AND s.erased = 0 ORDER BY s.stream_no"
        ))
        .bind(stream_no)
        .fetch_all(&self.pool)
        .await;
        each(rows, stream)
    }

    async fn index_state(&self, stream_no: i64) -> Result<Option<IndexState>, Storage> {
        let state = search::state_of(&self.pool, stream_no).await;
        state.map_err(storage(READING))
    }

    async fn search(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage> {
        let found = search::search(&self.pool, stream_no, any, limit).await;
        found.map_err(storage("searching"))
    }

    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, Storage> {
        Ok(Box::new(
            SqliteSnapshot::begin(&self.pool)
                .await
                .map_err(storage(READING))?,
        ))
    }

    async fn close(&self) {
        self.pool.close().await;
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        *lock = None;
    }
}

pub(super) fn each<T>(
    rows: Result<Vec<SqliteRow>, sqlx::Error>,
    read: impl Fn(&SqliteRow) -> Result<T, sqlx::Error>,
) -> Result<Vec<T>, Storage> {
    rows.and_then(|rows| rows.iter().map(read).collect())
        .map_err(storage(READING))
}

pub(super) fn stream(row: &SqliteRow) -> Result<StreamRow, sqlx::Error> {
    let parent: Option<i64> = row.try_get(4)?;
    let fork_at: Option<i64> = row.try_get(5)?;
    Ok(StreamRow {
        no: row.try_get(0)?,
        id: Arc::new(StreamId {
            owner: row.try_get::<&str, _>(1)?.into(),
            session: row.try_get::<&str, _>(2)?.into(),
        }),
        version: unsigned(row, 3)?,
        parent: parent.zip(fork_at.map(|at| at as u64)),
        erased: row.try_get::<i64, _>(6)? != 0,
        title: row.try_get::<&[u8], _>(7)?.into(),
        pipeline: row.try_get::<&str, _>(8)?.into(),
        status: row.try_get::<&str, _>(9)?.into(),
        created_at: row.try_get(10)?,
        updated_at: row.try_get(11)?,
    })
}

/// Values that were tampered with are read as something that the hash of the row contradicts, never as an error, so that
/// `verify` can say which event it is.
pub(super) fn event(row: &SqliteRow) -> Result<EventRow, sqlx::Error> {
    Ok(EventRow {
        position: unsigned(row, 0)?,
        stream_no: row.try_get(1)?,
        version: unsigned(row, 2)?,
        command: CommandId(fixed(row.try_get(3)?)),
        ordinal: narrow(row.try_get(4)?),
        name: text(row.try_get(5)?),
        schema: narrow(row.try_get(6)?),
        recorded_at: row.try_get(7)?,
        actor: text(row.try_get(8)?),
        correlation: row.try_get::<Option<&[u8]>, _>(9)?.map(text),
        causation: row.try_get::<Option<&[u8]>, _>(10)?.map(text),
        codec: u8::try_from(row.try_get::<i64, _>(11)?).unwrap_or(u8::MAX),
        payload: row.try_get(12)?,
        hash: fixed(row.try_get(13)?),
        keys: vec![],
    })
}

pub(super) fn step(row: &SqliteRow) -> Result<StepRow, sqlx::Error> {
    Ok(StepRow {
        stream_no: row.try_get(0)?,
        run: narrow(row.try_get(1)?),
        step: row.try_get::<&str, _>(2)?.into(),
        attempt: narrow(row.try_get(3)?),
        due: row.try_get(4)?,
        node: row.try_get::<Option<&str>, _>(5)?.map(Into::into),
        epoch: row.try_get(6)?,
    })
}

pub(super) fn deadline(row: &SqliteRow) -> Result<DeadlineRow, sqlx::Error> {
    Ok(DeadlineRow {
        stream_no: row.try_get(0)?,
        gate: row.try_get::<&str, _>(1)?.into(),
        run: narrow(row.try_get(2)?),
        due: row.try_get(3)?,
    })
}

pub(super) fn artifact(row: &SqliteRow) -> Result<ArtifactRow, sqlx::Error> {
    Ok(ArtifactRow {
        artifact: row.try_get::<&str, _>(0)?.into(),
        stream_no: row.try_get(1)?,
        version: unsigned(row, 2)?,
        kind: row.try_get::<&str, _>(3)?.into(),
    })
}

fn unsigned(row: &SqliteRow, column: usize) -> Result<u64, sqlx::Error> {
    Ok(row.try_get::<i64, _>(column)? as u64)
}

fn text<'a, T: From<Cow<'a, str>>>(bytes: &'a [u8]) -> T {
    String::from_utf8_lossy(bytes).into()
}
