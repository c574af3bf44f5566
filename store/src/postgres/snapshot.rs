//! Everything at one moment: a transaction that sees nothing that is committed after its beginning.

use async_trait::async_trait;
use sqlx::{PgPool, Postgres, Transaction};

use super::errors::storage;
use crate::error::Storage;
use crate::search::IndexRow;
use crate::sql::{Columns as _, Moment, Reader as _, VERIFYING};

pub(super) struct PostgresSnapshot(Transaction<'static, Postgres>);

impl PostgresSnapshot {
    pub(super) async fn begin(pool: &PgPool) -> Result<Self, sqlx::Error> {
        let mut transaction = pool.begin().await?;
        sqlx::query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            .execute(&mut *transaction)
            .await?;
        Ok(Self(transaction))
    }
}

#[async_trait]
impl Moment for PostgresSnapshot {
    type Transaction = Transaction<'static, Postgres>;
    const BLOBS_OF: &'static str = "SELECT stream_no, sha256, sealed FROM blobs WHERE stream_no = $1 ORDER BY sha256 LIMIT $2 OFFSET $3";

    fn transaction(&mut self) -> &mut Self::Transaction {
        &mut self.0
    }

    async fn differing(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage> {
        let column = |value: fn(&IndexRow) -> &str| -> Vec<String> {
            rows.iter().map(|row| value(row).to_owned()).collect()
        };
        sqlx::query_scalar(concat!(
            "SELECT w.document FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) w (document, title, tags, body) \
             LEFT JOIN search_documents d ON d.stream_no = $1 AND d.document = w.document WHERE d.words IS DISTINCT FROM (",
            super::search::words!(),
            ")"
        ))
        .bind(stream_no)
        .bind(column(|row| &row.document))
        .bind(column(|row| &row.title))
        .bind(column(|row| &row.tags))
        .bind(column(|row| &row.body))
        .fetch_all(&mut *self.0)
        .await
        .map_err(storage(VERIFYING))
    }

    async fn strays(&mut self) -> Result<u64, Storage> {
        let sql = "SELECT count(*) FROM search_documents d WHERE NOT EXISTS \
                   (SELECT 1 FROM search_indexes i WHERE i.stream_no = d.stream_no)";
        self.0.one(VERIFYING, sql, &[], |row| row.count(0)).await
    }
}
