//! Everything at one moment, in a transaction.

use async_trait::async_trait;

use super::columns::{
    artifact, blob, body, deadline, index_state, name, owed, step, stream_and_key,
};
use super::read::{EVENTS_AFTER, events};
use super::{Reader, step_columns, stream_columns};
use crate::backend::Snapshot;
use crate::error::Storage;
use crate::rows::{
    ArtifactRow, BlobRow, BodyRow, DeadlineRow, EventRow, OwedRow, StepRow, StreamRow, signed,
};
use crate::search::{IndexRow, IndexState};

pub(crate) const VERIFYING: &str = "verifying";

/// What a view of everything at one moment has of its own. Names differ from those of `Snapshot`, which everything outside calls.
#[async_trait]
pub(crate) trait Moment: Send {
    type Transaction: Reader;
    /// Blobs of stream `$1` in a fixed order, at most `$2` of them, without the first `$3`.
    const BLOBS_OF: &'static str;

    fn transaction(&mut self) -> &mut Self::Transaction;
    /// As `Snapshot::indexed_otherwise`.
    async fn differing(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage>;
    /// As `Snapshot::stray_index_rows`.
    async fn strays(&mut self) -> Result<u64, Storage>;
}

#[async_trait]
impl<M: Moment> Snapshot for M {
    async fn events_after(
        &mut self,
        position: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage> {
        let values = [signed(position).into(), (limit as i64).into()];
        events(self.transaction(), VERIFYING, EVENTS_AFTER, &values).await
    }

    async fn streams(&mut self) -> Result<Vec<(StreamRow, Option<Vec<u8>>)>, Storage> {
        self.transaction()
            .all(
                VERIFYING,
                concat!(
                    "SELECT ",
                    stream_columns!(),
                    ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) ORDER BY s.stream_no"
                ),
                &[],
                stream_and_key,
            )
            .await
    }

    async fn steps(&mut self) -> Result<Vec<StepRow>, Storage> {
        let sql = concat!("SELECT ", step_columns!(), " FROM open_steps s");
        self.transaction().all(VERIFYING, sql, &[], step).await
    }

    async fn deadlines(&mut self) -> Result<Vec<DeadlineRow>, Storage> {
        let sql = "SELECT stream_no, gate, run, due FROM deadlines";
        self.transaction().all(VERIFYING, sql, &[], deadline).await
    }

    async fn artifacts(&mut self) -> Result<Vec<ArtifactRow>, Storage> {
        let sql = "SELECT artifact_id, stream_no, version, kind FROM artifacts";
        self.transaction().all(VERIFYING, sql, &[], artifact).await
    }

    async fn owed(&mut self) -> Result<Vec<OwedRow>, Storage> {
        let sql = "SELECT stream_no, kind, name FROM owed";
        self.transaction().all(VERIFYING, sql, &[], owed).await
    }

    async fn bodies(&mut self) -> Result<Vec<BodyRow>, Storage> {
        let sql = "SELECT stream_no, sha256, body FROM document_keys";
        self.transaction().all(VERIFYING, sql, &[], body).await
    }

    async fn blobs_of(
        &mut self,
        stream_no: i64,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<BlobRow>, Storage> {
        let values = [
            stream_no.into(),
            (limit as i64).into(),
            (skip as i64).into(),
        ];
        self.transaction()
            .all(VERIFYING, M::BLOBS_OF, &values, blob)
            .await
    }

    async fn index_states(&mut self) -> Result<Vec<(i64, IndexState)>, Storage> {
        let sql = "SELECT stream_no, tokenizer, version, generation FROM search_indexes";
        self.transaction()
            .all(VERIFYING, sql, &[], index_state)
            .await
    }

    async fn indexed(&mut self, stream_no: i64) -> Result<Vec<String>, Storage> {
        let sql = "SELECT document FROM search_documents WHERE stream_no = $1";
        self.transaction()
            .all(VERIFYING, sql, &[stream_no.into()], name)
            .await
    }

    async fn indexed_otherwise(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage> {
        self.differing(stream_no, rows).await
    }

    async fn stray_index_rows(&mut self) -> Result<u64, Storage> {
        self.strays().await
    }
}
