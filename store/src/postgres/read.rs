//! Reading: a pool of connections.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Postgres, Transaction};

use super::backup;
use super::errors::storage;
use super::search;
use super::snapshot::PostgresSnapshot;
use crate::backend::{DatabaseCopy, Snapshot};
use crate::error::Storage;
use crate::sql::{
    Columns as _, Dialect, READING, Reader, Value, bound, claimed, event_columns, free_steps,
    nodes, sessions,
};

/// How long a read may take before it is given up. A read over a connection that was cut off without notice would never end. Reads go in
/// pages, and the slowest of them takes a fraction of a second.
const READ_MAX: Duration = Duration::from_secs(20);

/// The database's clock, in microseconds; unlike `now()` it goes on within a transaction.
macro_rules! now {
    () => {
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    };
}
pub(super) use now;

/// The result of a read, whatever the database does; after `READ_MAX` an error, as if the connection had been cut.
async fn in_time<T>(read: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    tokio::time::timeout(READ_MAX, read)
        .await
        .unwrap_or_else(|_| {
            let cause = format!("no answer within {} seconds", READ_MAX.as_secs());
            Err(sqlx::Error::Io(std::io::Error::new(
                std::io::ErrorKind::TimedOut,
                cause,
            )))
        })
}

#[async_trait]
impl Reader for PgPool {
    type Row = PgRow;

    async fn fetch(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<PgRow>, sqlx::Error> {
        in_time(bound(sql, values).fetch_all(&*self)).await
    }

    fn failed(doing: &'static str, error: sqlx::Error) -> Storage {
        storage(doing)(error)
    }
}

#[async_trait]
impl Reader for Transaction<'static, Postgres> {
    type Row = PgRow;

    async fn fetch(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<PgRow>, sqlx::Error> {
        bound(sql, values).fetch_all(&mut **self).await
    }

    fn failed(doing: &'static str, error: sqlx::Error) -> Storage {
        storage(doing)(error)
    }
}

pub(super) struct PostgresRows {
    pub(super) pool: PgPool,
}

#[async_trait]
impl Dialect for PostgresRows {
    type Pool = PgPool;
    const EVENTS_OF: &'static str = concat!(
        "SELECT ",
        event_columns!(),
        " FROM events WHERE stream_no = $1 AND version > $2 AND version <= $3 ORDER BY version"
    );
    const BLOB: &'static str = "SELECT sealed FROM blobs WHERE stream_no = $1 AND sha256 = $2";
    const SESSIONS: &'static str =
        sessions!("json_array_elements_text(CAST($4 AS json)) AS reserved (value)");

    const CLAIMED: &'static str = claimed!(now!());
    const FREE_STEPS: &'static str = free_steps!(now!());
    const NODES: &'static str = nodes!(now!());

    fn pool(&self) -> PgPool {
        self.pool.clone()
    }

    /// The clock of the database.
    async fn judged_at(&self, _clock: i64) -> Result<i64, Storage> {
        let sql = concat!("SELECT ", now!());
        self.pool()
            .one(READING, sql, &[], |row| row.number(0))
            .await
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
        let moment = in_time(PostgresSnapshot::begin(&self.pool)).await;
        Ok(Box::new(moment.map_err(storage(READING))?))
    }

    async fn copied(&self, folder: &Path) -> Result<DatabaseCopy, Storage> {
        backup::copy_into(&self.pool, folder).await
    }

    async fn end(&self) {
        self.pool.close().await;
    }
}
