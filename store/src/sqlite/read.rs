//! Reading: a small pool of read-only connections. In write-ahead mode readers never wait for the writer, and the writer never waits for
//! readers.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, SqlitePool, Transaction};

use super::backup;
use super::errors::storage;
use super::lock::OwnerLock;
use super::search;
use super::snapshot::SqliteSnapshot;
use crate::backend::{DatabaseCopy, Snapshot};
use crate::error::Storage;
use crate::sql::{
    Columns as _, Dialect, READING, Reader, Value, bound, claimed, event_columns, free_steps,
    nodes, sessions,
};

/// The condition that a blob is the one of stream `?1` with the hash `?2`, in the expression that the index uses.
macro_rules! this_blob {
    () => {
        "stream_no = ?1 AND substr(sha256, 1, 8) = substr(?2, 1, 8) AND sha256 = ?2"
    };
}
pub(super) use this_blob;

#[async_trait]
impl Reader for SqlitePool {
    type Row = SqliteRow;

    async fn fetch(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<SqliteRow>, sqlx::Error> {
        bound(sql, values).fetch_all(&*self).await
    }

    fn failed(doing: &'static str, error: sqlx::Error) -> Storage {
        storage(doing)(error)
    }
}

#[async_trait]
impl Reader for Transaction<'static, Sqlite> {
    type Row = SqliteRow;

    async fn fetch(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<SqliteRow>, sqlx::Error> {
        bound(sql, values).fetch_all(&mut **self).await
    }

    fn failed(doing: &'static str, error: sqlx::Error) -> Storage {
        storage(doing)(error)
    }
}

pub(super) struct SqliteRows {
    pub(super) pool: SqlitePool,
    /// The lock on a log that this process owns; released after all connections are closed.
    pub(super) lock: Mutex<Option<Arc<OwnerLock>>>,
}

#[async_trait]
impl Dialect for SqliteRows {
    type Pool = SqlitePool;
    /// Starts with the append that contains the first of them; of each append it reads from its first event to where the next append
    /// begins, or to the end of the requested range.
    const EVENTS_OF: &'static str = concat!(
        "WITH appends AS (SELECT position AS first, version AS begins, \
         lead(version, 1, 1 + min($3, (SELECT version FROM streams WHERE stream_no = $1))) OVER (ORDER BY version) AS ends \
         FROM events WHERE stream_no = $1 AND ordinal = 0 AND version <= $3 AND version >= (SELECT coalesce(max(version), 0) \
         FROM events WHERE stream_no = $1 AND ordinal = 0 AND version <= $2 + 1)) \
         SELECT ",
        event_columns!(),
        " FROM appends a CROSS JOIN events e ON e.position >= a.first AND e.position < a.first + a.ends - a.begins \
         WHERE e.stream_no = $1 AND e.version > $2 AND e.version <= $3 ORDER BY e.position"
    );
    const BLOB: &'static str = concat!("SELECT sealed FROM blobs WHERE ", this_blob!());
    const SESSIONS: &'static str = sessions!("json_each($4) AS reserved");

    const CLAIMED: &'static str = claimed!("$4");
    const FREE_STEPS: &'static str = free_steps!("$1");
    const NODES: &'static str = nodes!("$1");

    fn pool(&self) -> SqlitePool {
        self.pool.clone()
    }

    /// The clock of this process, but never before the last event.
    async fn judged_at(&self, clock: i64) -> Result<i64, Storage> {
        let sql = "SELECT recorded_at FROM events ORDER BY position DESC LIMIT 1";
        let mut pool = self.pool();
        let last = pool.first(READING, sql, &[], |row| row.number(0)).await?;
        Ok(last.map_or(clock, |last| last.max(clock)))
    }

    async fn find(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage> {
        search::search(&self.pool, stream_no, any, limit).await
    }

    async fn moment(&self) -> Result<Box<dyn Snapshot>, Storage> {
        let moment = SqliteSnapshot::begin(&self.pool).await;
        Ok(Box::new(moment.map_err(storage(READING))?))
    }

    async fn copied(&self, folder: &Path) -> Result<DatabaseCopy, Storage> {
        backup::copy_into(&self.pool, folder).await
    }

    async fn end(&self) {
        self.pool.close().await;
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        *lock = None;
    }
}
