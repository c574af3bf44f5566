//! Everything at one moment: a transaction that sees nothing that is committed after its beginning.

use async_trait::async_trait;
use sqlx::{PgPool, Postgres, Row, Transaction};

use super::errors::storage;
use super::read::{
    artifact, deadline, document_keys, each, event, event_columns, step, stream, stream_columns,
};
use crate::backend::Snapshot;
use crate::error::Storage;
use crate::rows::{
    ArtifactRow, BlobRow, DOCUMENTS, DeadlineRow, EventRow, StepRow, StreamRow, fixed, signed,
};
use crate::search::{IndexRow, IndexState};

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
impl Snapshot for PostgresSnapshot {
    async fn events_after(
        &mut self,
        position: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events WHERE position > $1 ORDER BY position LIMIT $2"
        ))
        .bind(signed(position))
        .bind(limit as i64)
        .fetch_all(&mut *self.0)
        .await;
        let mut rows = each(rows, event)?;
        for row in rows.iter_mut().filter(|row| row.codec == DOCUMENTS) {
            row.keys = document_keys(&mut *self.0, row)
                .await
                .map_err(storage("verifying"))?;
        }
        Ok(rows)
    }

    async fn streams(&mut self) -> Result<Vec<(StreamRow, Option<Vec<u8>>)>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            stream_columns!(),
            ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) ORDER BY s.stream_no"
        ))
        .fetch_all(&mut *self.0)
        .await;
        each(rows, |row| Ok((stream(row)?, row.try_get(12)?)))
    }

    async fn steps(&mut self) -> Result<Vec<StepRow>, Storage> {
        let rows =
            sqlx::query("SELECT stream_no, run, step, attempt, due, node, epoch FROM open_steps")
                .fetch_all(&mut *self.0)
                .await;
        each(rows, step)
    }

    async fn deadlines(&mut self) -> Result<Vec<DeadlineRow>, Storage> {
        let rows = sqlx::query("SELECT stream_no, gate, run, due FROM deadlines")
            .fetch_all(&mut *self.0)
            .await;
        each(rows, deadline)
    }

    async fn artifacts(&mut self) -> Result<Vec<ArtifactRow>, Storage> {
        let rows = sqlx::query("SELECT artifact_id, stream_no, version, kind FROM artifacts")
            .fetch_all(&mut *self.0)
            .await;
        each(rows, artifact)
    }

    async fn blobs_of(
        &mut self,
        stream_no: i64,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<BlobRow>, Storage> {
        let rows = sqlx::query(
            "SELECT stream_no, sha256, sealed FROM blobs WHERE stream_no = $1 \
             ORDER BY sha256 LIMIT $2 OFFSET $3",
        )
        .bind(stream_no)
        .bind(limit as i64)
        .bind(skip as i64)
        .fetch_all(&mut *self.0)
        .await;
        each(rows, |row| {
            Ok(BlobRow {
                stream_no: row.try_get(0)?,
                sha256: fixed(row.try_get(1)?),
                sealed: row.try_get(2)?,
            })
        })
    }

    async fn index_states(&mut self) -> Result<Vec<(i64, IndexState)>, Storage> {
        let rows =
            sqlx::query("SELECT stream_no, tokenizer, version, generation FROM search_indexes")
                .fetch_all(&mut *self.0)
                .await;
        each(rows, super::search::state)
    }

    async fn indexed(&mut self, stream_no: i64) -> Result<Vec<String>, Storage> {
        let rows = sqlx::query("SELECT document FROM search_documents WHERE stream_no = $1")
            .bind(stream_no)
            .fetch_all(&mut *self.0)
            .await;
        each(rows, |row| row.try_get(0))
    }

    async fn indexed_otherwise(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage> {
        let column = |value: fn(&IndexRow) -> &str| -> Vec<String> {
            rows.iter().map(|row| value(row).to_owned()).collect()
        };
        let rows = sqlx::query(concat!(
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
        .await;
        each(rows, |row| row.try_get(0))
    }

    async fn stray_index_rows(&mut self) -> Result<u64, Storage> {
        let rows = sqlx::query(
            "SELECT count(*) FROM search_documents d WHERE NOT EXISTS \
             (SELECT 1 FROM search_indexes i WHERE i.stream_no = d.stream_no)",
        )
        .fetch_all(&mut *self.0)
        .await;
        let counted = each(rows, |row| row.try_get::<i64, _>(0))?;
        Ok(counted.iter().map(|count| count.unsigned_abs()).sum())
    }
}
