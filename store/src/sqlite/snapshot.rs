//! Everything at one moment: a read transaction.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use async_trait::async_trait;
use futures::TryStreamExt as _;
use sqlx::{Row, Sqlite, SqlitePool, Transaction};

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

const VERIFYING: &str = "verifying";

/// The words of every document, from the search index itself, which keeps no texts. It is a table of this connection alone.
const VOCABULARY: &str =
    "CREATE VIRTUAL TABLE temp.verified_words USING fts5vocab('main', 'search_words', 'instance')";

pub(super) struct SqliteSnapshot {
    transaction: Transaction<'static, Sqlite>,
    /// The words of documents by their numbers, once they were asked for.
    words: Option<HashMap<i64, Words>>,
}

/// A summary of the words of a document that does not depend on the order in which they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    count: u64,
    sum: u64,
}

impl Words {
    fn of(row: &IndexRow) -> Self {
        let mut words = Self::default();
        for (column, text) in [
            ("title", &row.title),
            ("tags", &row.tags),
            ("body", &row.body),
        ] {
            for (place, word) in (0..).zip(text.split_whitespace()) {
                words.add(column, place, word);
            }
        }
        words
    }

    fn add(&mut self, column: &str, place: i64, word: &str) {
        let mut hasher = DefaultHasher::new();
        (column, place, word).hash(&mut hasher);
        self.count += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

impl SqliteSnapshot {
    pub(super) async fn begin(pool: &SqlitePool) -> Result<Self, sqlx::Error> {
        let mut transaction = pool.begin().await?;
        // It begins with the first read.
        sqlx::query("SELECT 1 FROM events LIMIT 1")
            .fetch_optional(&mut *transaction)
            .await?;
        Ok(Self {
            transaction,
            words: None,
        })
    }

    async fn words(&mut self) -> Result<&HashMap<i64, Words>, Storage> {
        if self.words.is_none() {
            let read = Self::read_words(&mut self.transaction).await;
            self.words = Some(read.map_err(storage(VERIFYING))?);
        }
        Ok(self.words.as_ref().expect("they were read just now"))
    }

    async fn read_words(
        transaction: &mut Transaction<'static, Sqlite>,
    ) -> Result<HashMap<i64, Words>, sqlx::Error> {
        let mut words: HashMap<i64, Words> = HashMap::new();
        sqlx::query(VOCABULARY).execute(&mut **transaction).await?;
        let mut rows = sqlx::query(r#"SELECT doc, col, "offset", term FROM temp.verified_words"#)
            .fetch(&mut **transaction);
        while let Some(row) = rows.try_next().await? {
            let of = words.entry(row.try_get(0)?).or_default();
            of.add(row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        }
        drop(rows);
        sqlx::query("DROP TABLE temp.verified_words")
            .execute(&mut **transaction)
            .await?;
        Ok(words)
    }
}

#[async_trait]
impl Snapshot for SqliteSnapshot {
    async fn events_after(
        &mut self,
        position: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events WHERE position > ? ORDER BY position LIMIT ?"
        ))
        .bind(signed(position))
        .bind(limit as i64)
        .fetch_all(&mut *self.transaction)
        .await;
        let mut rows = each(rows, event)?;
        for row in rows.iter_mut().filter(|row| row.codec == DOCUMENTS) {
            row.keys = document_keys(&mut *self.transaction, row)
                .await
                .map_err(storage(VERIFYING))?;
        }
        Ok(rows)
    }

    async fn streams(&mut self) -> Result<Vec<(StreamRow, Option<Vec<u8>>)>, Storage> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            stream_columns!(),
            ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) ORDER BY s.stream_no"
        ))
        .fetch_all(&mut *self.transaction)
        .await;
        each(rows, |row| Ok((stream(row)?, row.try_get(12)?)))
    }

    async fn steps(&mut self) -> Result<Vec<StepRow>, Storage> {
        let rows =
            sqlx::query("SELECT stream_no, run, step, attempt, due, node, epoch FROM open_steps")
                .fetch_all(&mut *self.transaction)
                .await;
        each(rows, step)
    }

    async fn deadlines(&mut self) -> Result<Vec<DeadlineRow>, Storage> {
        let rows = sqlx::query("SELECT stream_no, gate, run, due FROM deadlines")
            .fetch_all(&mut *self.transaction)
            .await;
        each(rows, deadline)
    }

    async fn artifacts(&mut self) -> Result<Vec<ArtifactRow>, Storage> {
        let rows = sqlx::query("SELECT artifact_id, stream_no, version, kind FROM artifacts")
            .fetch_all(&mut *self.transaction)
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
            "SELECT stream_no, sha256, sealed FROM blobs WHERE stream_no = ?1 \
             ORDER BY substr(sha256, 1, 8), rowid LIMIT ?2 OFFSET ?3",
        )
        .bind(stream_no)
        .bind(limit as i64)
        .bind(skip as i64)
        .fetch_all(&mut *self.transaction)
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
                .fetch_all(&mut *self.transaction)
                .await;
        each(rows, super::search::state)
    }

    async fn indexed(&mut self, stream_no: i64) -> Result<Vec<String>, Storage> {
        let rows = sqlx::query("SELECT document FROM search_documents WHERE stream_no = ?")
            .bind(stream_no)
            .fetch_all(&mut *self.transaction)
            .await;
        each(rows, |row| row.try_get(0))
    }

    async fn indexed_otherwise(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage> {
        let mut others = vec![];
        for row in rows {
            let number: Option<i64> = sqlx::query_scalar(
                "SELECT doc_no FROM search_documents WHERE stream_no = ? AND document = ?",
            )
            .bind(stream_no)
            .bind(&row.document)
            .fetch_optional(&mut *self.transaction)
            .await
            .map_err(storage(VERIFYING))?;
            let stored = self.words().await?;
            let stored = number.map(|number| stored.get(&number).copied().unwrap_or_default());
            if stored != Some(Words::of(row)) {
                others.push(row.document.clone());
            }
        }
        Ok(others)
    }

    async fn stray_index_rows(&mut self) -> Result<u64, Storage> {
        let numbers: Vec<i64> = sqlx::query_scalar(
            "SELECT doc_no FROM search_documents WHERE stream_no IN (SELECT stream_no FROM search_indexes)",
        )
        .fetch_all(&mut *self.transaction)
        .await
        .map_err(storage(VERIFYING))?;
        let all: i64 = sqlx::query_scalar("SELECT count(*) FROM search_documents")
            .fetch_one(&mut *self.transaction)
            .await
            .map_err(storage(VERIFYING))?;
        let named: HashSet<i64> = numbers.into_iter().collect();
        let without_index = all.unsigned_abs() - named.len() as u64;
        let words = self.words().await?;
        let without_document = words
            .keys()
            .filter(|number| !named.contains(number))
            .count();
        Ok(without_index.max(without_document as u64))
    }
}
