//! Reading: a pool of connections.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::streams::RESERVED;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, PgPool, Row};

use super::errors::storage;
use super::search;
use super::snapshot::PostgresSnapshot;
use crate::backend::{AFTER_HEX, By, Rows, Snapshot, StepFilter};
use crate::decide::ClaimedStep;
use crate::error::Storage;
use crate::ids::{CommandId, StreamId};
use crate::rows::{
    ArtifactRow, DOCUMENTS, DeadlineRow, EventRow, StepRow, StreamRow, fixed, narrow, signed,
};
use crate::search::IndexState;

const READING: &str = "reading";

/// How long a read may take before it is given up. A read over a connection that was cut off without notice would never end. Reads go in
/// pages, and the slowest of them takes a fraction of a second.
const READ_MAX: Duration = Duration::from_secs(20);

/// A read that ends whatever the database does.
pub(super) trait InTime<T>: Future<Output = Result<T, sqlx::Error>> + Send + Sized {
    /// The result of the read; after `READ_MAX` an error, as if the connection had been cut.
    fn in_time(self) -> impl Future<Output = Result<T, sqlx::Error>> + Send {
        async move {
            tokio::time::timeout(READ_MAX, self)
                .await
                .unwrap_or_else(|_| {
                    let cause = format!("no answer within {} seconds", READ_MAX.as_secs());
                    Err(sqlx::Error::Io(std::io::Error::new(
                        std::io::ErrorKind::TimedOut,
                        cause,
                    )))
                })
        }
    }
}

impl<T, F: Future<Output = Result<T, sqlx::Error>> + Send> InTime<T> for F {}

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
/// The database's clock, in microseconds; unlike `now()` it goes on within a transaction.
macro_rules! now {
    () => {
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    };
}
pub(super) use {event_columns, now, stream_columns};

pub(super) struct PostgresRows {
    pub(super) pool: PgPool,
}

impl PostgresRows {
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
    from: impl PgExecutor<'e>,
    row: &EventRow,
) -> Result<Vec<(u32, Vec<u8>)>, sqlx::Error> {
    let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(
        "SELECT place, wrapped FROM document_keys WHERE stream_no = $1 AND version = $2",
    )
    .bind(row.stream_no)
    .bind(signed(row.version))
    .fetch_all(from)
    .in_time()
    .await?;
    let keys = rows.into_iter();
    Ok(keys.map(|(place, key)| (narrow(place), key)).collect())
}

#[async_trait]
impl Rows for PostgresRows {
    async fn facts(&self) -> Result<Vec<(String, String)>, Storage> {
        sqlx::query_as("SELECT name, value FROM meta")
            .fetch_all(&self.pool)
            .in_time()
            .await
            .map_err(storage(READING))
    }

    async fn head(&self) -> Result<u64, Storage> {
        let head: i64 = sqlx::query_scalar("SELECT coalesce(max(position), 0) FROM events")
            .fetch_one(&self.pool)
            .in_time()
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
                    ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) WHERE s.owner = $1 AND s.session = $2"
                ))
                .bind(id.owner.as_str())
                .bind(id.session.as_str())
                .fetch_optional(&self.pool)
                .in_time()
                .await
            }
            By::No(no) => {
                sqlx::query(concat!(
                    "SELECT ",
                    stream_columns!(),
                    ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) WHERE s.stream_no = $1"
                ))
                .bind(no)
                .fetch_optional(&self.pool)
                .in_time()
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
        let rows = sqlx::query(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events WHERE stream_no = $1 AND version > $2 AND version <= $3 ORDER BY version LIMIT $4"
        ))
        .bind(stream_no)
        .bind(signed(after))
        .bind(signed(up_to))
        .bind(limit as i64)
        .fetch_all(&self.pool)
        .in_time()
        .await;
        self.with_keys(each(rows, event)?).await
    }

    async fn events_after(&self, position: u64, limit: usize) -> Result<Vec<EventRow>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events WHERE position > $1 ORDER BY position LIMIT $2"
        ))
        .bind(signed(position))
        .bind(limit as i64)
        .fetch_all(&self.pool)
        .in_time()
        .await;
        self.with_keys(each(rows, event)?).await
    }

    async fn command(&self, stream_no: i64, command: &CommandId) -> Result<Option<u64>, Storage> {
        let position: Option<i64> = sqlx::query_scalar(
            "SELECT position FROM events WHERE stream_no = $1 AND command_id = $2 AND ordinal = 0",
        )
        .bind(stream_no)
        .bind(&command.0[..])
        .fetch_optional(&self.pool)
        .in_time()
        .await
        .map_err(storage(READING))?;
        Ok(position.map(|position| position as u64))
    }

    async fn blob(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage> {
        sqlx::query_scalar("SELECT sealed FROM blobs WHERE stream_no = $1 AND sha256 = $2")
            .bind(stream_no)
            .bind(&sha256[..])
            .fetch_optional(&self.pool)
            .in_time()
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
             WHERE ($1::bigint IS NULL OR stream_no = $1) AND ($2::text IS NULL OR node = $2) ORDER BY stream_no, run, step",
        )
        .bind(stream_no)
        .bind(node)
        .fetch_all(&self.pool)
        .in_time()
        .await;
        each(rows, step)
    }

    async fn deadlines(&self, up_to: i64, limit: usize) -> Result<Vec<DeadlineRow>, Storage> {
        let rows = sqlx::query(
            "SELECT stream_no, gate, run, due FROM deadlines WHERE due <= $1 ORDER BY due LIMIT $2",
        )
        .bind(up_to)
        .bind(limit as i64)
        .fetch_all(&self.pool)
        .in_time()
        .await;
        each(rows, deadline)
    }

    async fn next_deadline(&self) -> Result<Option<i64>, Storage> {
        sqlx::query_scalar("SELECT min(due) FROM deadlines")
            .fetch_one(&self.pool)
            .in_time()
            .await
            .map_err(storage(READING))
    }

    async fn now(&self, _clock: i64) -> Result<i64, Storage> {
        sqlx::query_scalar(concat!("SELECT ", now!()))
            .fetch_one(&self.pool)
            .in_time()
            .await
            .map_err(storage(READING))
    }

    async fn claimed(
        &self,
        stream_no: i64,
        (run, step_text): &ClaimedStep,
        _clock: i64,
    ) -> Result<Option<(StepRow, bool)>, Storage> {
        let row = sqlx::query(concat!(
            "SELECT s.stream_no, s.run, s.step, s.attempt, s.due, s.node, s.epoch, \
             EXISTS (SELECT 1 FROM nodes n WHERE n.node = s.node AND n.lease_until > ",
            now!(),
            ") FROM open_steps s WHERE s.stream_no = $1 AND s.run = $2 AND s.step = $3"
        ))
        .bind(stream_no)
        .bind(i64::from(*run))
        .bind(step_text.as_str())
        .fetch_optional(&self.pool)
        .in_time()
        .await;
        row.and_then(|row| {
            row.map(|row| Ok((step(&row)?, row.try_get(7)?)))
                .transpose()
        })
        .map_err(storage(READING))
    }

    async fn has_free_steps(&self, _clock: i64) -> Result<bool, Storage> {
        sqlx::query_scalar(concat!(
            "SELECT EXISTS (SELECT 1 FROM open_steps WHERE node IS NULL) \
             OR EXISTS (SELECT 1 FROM nodes n JOIN open_steps s USING (node) WHERE n.lease_until <= ",
            now!(),
            ")"
        ))
        .fetch_one(&self.pool)
        .in_time()
        .await
        .map_err(storage(READING))
    }

    async fn nodes(&self, _clock: i64) -> Result<Vec<(String, i64)>, Storage> {
        sqlx::query_as(concat!(
            "SELECT node, lease_until FROM nodes WHERE lease_until > ",
            now!(),
            " ORDER BY node"
        ))
        .fetch_all(&self.pool)
        .in_time()
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
             WHERE s.owner = $1 AND s.stream_no < $2 AND s.version > 0 AND NOT s.erased \
             AND NOT EXISTS (SELECT 1 FROM unnest($4::text[]) AS reserved (prefix) \
             WHERE starts_with(s.session, reserved.prefix)) ORDER BY s.stream_no DESC LIMIT $3"
        ))
        .bind(owner)
        .bind(before)
        .bind(limit as i64)
        .bind(RESERVED)
        .fetch_all(&self.pool)
        .in_time()
        .await;
        each(rows, |row| Ok((stream(row)?, row.try_get(12)?)))
    }

    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<String>, Storage> {
        sqlx::query_scalar(
            "SELECT session FROM streams WHERE owner = $1 AND version > 0 AND NOT erased \
             AND starts_with(session, $2) ORDER BY stream_no DESC",
        )
        .bind(owner)
        .bind(prefix)
        .fetch_all(&self.pool)
        .in_time()
        .await
        .map_err(storage(READING))
    }

    async fn artifact(&self, owner: &str, artifact: &str) -> Result<Option<(i64, u64)>, Storage> {
        let row = sqlx::query(
            "SELECT a.stream_no, a.version FROM artifacts a JOIN streams s USING (stream_no) \
             WHERE a.artifact_id = $1 AND s.owner = $2 ORDER BY a.stream_no LIMIT 1",
        )
        .bind(artifact)
        .bind(owner)
        .fetch_optional(&self.pool)
        .in_time()
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
        // Databases order punctuation differently, so the range alone is not enough.
        let row = sqlx::query(
            "SELECT a.artifact_id FROM artifacts a JOIN streams s USING (stream_no) \
             WHERE a.artifact_id >= $1 AND a.artifact_id < $2 AND s.owner = $3 AND starts_with(a.artifact_id, $1) \
             ORDER BY a.artifact_id, a.stream_no LIMIT 1",
        )
        .bind(prefix)
        .bind(format!("{prefix}{AFTER_HEX}"))
        .bind(owner)
        .fetch_optional(&self.pool)
        .in_time()
        .await;
        row.and_then(|row| row.map(|row| row.try_get(0)).transpose())
            .map_err(storage(READING))
    }

    async fn forks(&self, stream_no: i64) -> Result<Vec<StreamRow>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            stream_columns!(),
            " FROM streams s WHERE s.parent_no = $1 AND NOT s.erased ORDER BY s.stream_no"
        ))
        .bind(stream_no)
        .fetch_all(&self.pool)
        .in_time()
        .await;
        each(rows, stream)
    }

    async fn index_state(&self, stream_no: i64) -> Result<Option<IndexState>, Storage> {
        let state = search::state_of(&self.pool, stream_no).in_time().await;
        state.map_err(storage(READING))
    }

    async fn search(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage> {
        let found = search::search(&self.pool, stream_no, any, limit)
            .in_time()
            .await;
        found.map_err(storage("searching"))
    }

    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, Storage> {
        Ok(Box::new(
            PostgresSnapshot::begin(&self.pool)
                .in_time()
                .await
                .map_err(storage(READING))?,
        ))
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

pub(super) fn each<T>(
    rows: Result<Vec<PgRow>, sqlx::Error>,
    read: impl Fn(&PgRow) -> Result<T, sqlx::Error>,
) -> Result<Vec<T>, Storage> {
    rows.and_then(|rows| rows.iter().map(read).collect())
        .map_err(storage(READING))
}

pub(super) fn stream(row: &PgRow) -> Result<StreamRow, sqlx::Error> {
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
        erased: row.try_get(6)?,
        title: row.try_get::<&[u8], _>(7)?.into(),
        pipeline: row.try_get::<&str, _>(8)?.into(),
        status: row.try_get::<&str, _>(9)?.into(),
        created_at: row.try_get(10)?,
        updated_at: row.try_get(11)?,
    })
}

/// Values that were tampered with are read as something that the hash of the row contradicts, never as an error, so that
/// `verify` can say which event it is.
pub(super) fn event(row: &PgRow) -> Result<EventRow, sqlx::Error> {
    Ok(EventRow {
        position: unsigned(row, 0)?,
        stream_no: row.try_get(1)?,
        version: unsigned(row, 2)?,
        command: CommandId(fixed(row.try_get(3)?)),
        ordinal: narrow(row.try_get(4)?),
        name: row.try_get::<&str, _>(5)?.into(),
        schema: narrow(row.try_get(6)?),
        recorded_at: row.try_get(7)?,
        actor: row.try_get::<&str, _>(8)?.into(),
        correlation: row.try_get::<Option<&str>, _>(9)?.map(Into::into),
        causation: row.try_get::<Option<&str>, _>(10)?.map(Into::into),
        codec: u8::try_from(row.try_get::<i64, _>(11)?).unwrap_or(u8::MAX),
        payload: row.try_get(12)?,
        hash: fixed(row.try_get(13)?),
        keys: vec![],
    })
}

pub(super) fn step(row: &PgRow) -> Result<StepRow, sqlx::Error> {
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

pub(super) fn deadline(row: &PgRow) -> Result<DeadlineRow, sqlx::Error> {
    Ok(DeadlineRow {
        stream_no: row.try_get(0)?,
        gate: row.try_get::<&str, _>(1)?.into(),
        run: narrow(row.try_get(2)?),
        due: row.try_get(3)?,
    })
}

pub(super) fn artifact(row: &PgRow) -> Result<ArtifactRow, sqlx::Error> {
    Ok(ArtifactRow {
        artifact: row.try_get::<&str, _>(0)?.into(),
        stream_no: row.try_get(1)?,
        version: unsigned(row, 2)?,
        kind: row.try_get::<&str, _>(3)?.into(),
    })
}

fn unsigned(row: &PgRow, column: usize) -> Result<u64, sqlx::Error> {
    Ok(row.try_get::<i64, _>(column)? as u64)
}
