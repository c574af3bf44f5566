//! Everything at one moment: a read transaction.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use async_trait::async_trait;
use futures::TryStreamExt as _;
use sqlx::{Row, Sqlite, SqlitePool, Transaction};

use super::errors::storage;
use crate::error::Storage;
use crate::search::IndexRow;
use crate::sql::{Columns as _, Moment, Reader as _, VERIFYING};

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
impl Moment for SqliteSnapshot {
    type Transaction = Transaction<'static, Sqlite>;
    const BLOBS_OF: &'static str = "SELECT stream_no, sha256, sealed FROM blobs WHERE stream_no = $1 \
         ORDER BY substr(sha256, 1, 8), rowid LIMIT $2 OFFSET $3";

    fn transaction(&mut self) -> &mut Self::Transaction {
        &mut self.transaction
    }

    async fn differing(
        &mut self,
        stream_no: i64,
        rows: &[IndexRow],
    ) -> Result<Vec<String>, Storage> {
        let mut others = vec![];
        for row in rows {
            let sql = "SELECT doc_no FROM search_documents WHERE stream_no = $1 AND document = $2";
            let values = [stream_no.into(), row.document.as_str().into()];
            let number = self
                .transaction
                .first(VERIFYING, sql, &values, |row| row.number(0))
                .await?;
            let stored = self.words().await?;
            let stored = number.map(|number| stored.get(&number).copied().unwrap_or_default());
            if stored != Some(Words::of(row)) {
                others.push(row.document.clone());
            }
        }
        Ok(others)
    }

    async fn strays(&mut self) -> Result<u64, Storage> {
        let sql = "SELECT doc_no FROM search_documents WHERE stream_no IN (SELECT stream_no FROM search_indexes)";
        let numbers = self
            .transaction
            .all(VERIFYING, sql, &[], |row| row.number(0))
            .await?;
        let sql = "SELECT count(*) FROM search_documents";
        let all = self
            .transaction
            .one(VERIFYING, sql, &[], |row| row.count(0))
            .await?;
        let named: HashSet<i64> = numbers.into_iter().collect();
        let without_index = all - named.len() as u64;
        let words = self.words().await?;
        let without_document = words
            .keys()
            .filter(|number| !named.contains(number))
            .count();
        Ok(without_index.max(without_document as u64))
    }
}
