//! The search index, in FTS5.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use sqlx::SqlitePool;

use crate::error::Storage;
use crate::rows::signed;
use crate::search::{IndexRow, IndexState, IndexWrites, next_state};
use crate::sql::Wanted;

const STATE: &str =
    "SELECT stream_no, tokenizer, version, generation FROM search_indexes WHERE stream_no = ?";

/// Title words count four times, tags twice. `CROSS JOIN` makes SQLite look the words up first: the planner would rather look for them once
/// for each document of the collection.
pub(super) async fn search(
    pool: &SqlitePool,
    stream_no: i64,
    any: &[Vec<String>],
    limit: usize,
) -> Result<(u64, Vec<String>), Storage> {
    let lists = any.iter().map(|all| format!("({})", all.join(" AND ")));
    let lists: Vec<String> = lists.collect();
    let wanted = Wanted {
        words: &lists.join(" OR "),
        stream_no,
        limit,
    };
    wanted
        .search(
            &mut pool.clone(),
            "SELECT count(*) FROM search_words w CROSS JOIN search_documents d ON d.doc_no = w.rowid \
             WHERE w.search_words MATCH $1 AND d.stream_no = $2",
            "SELECT d.document FROM search_words w CROSS JOIN search_documents d ON d.doc_no = w.rowid \
             WHERE w.search_words MATCH $1 AND d.stream_no = $2 \
             ORDER BY bm25(search_words, 4.0, 2.0, 1.0), d.document LIMIT $3",
        )
        .await
}

/// Everything is done in one transaction, which is rolled back if it is dropped before its end.
pub(super) fn index(
    connection: &mut Connection,
    writes: &IndexWrites,
) -> Result<Option<IndexState>, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let written = write(&transaction, writes)?;
    if written.is_some() {
        transaction.commit()?;
    }
    Ok(written)
}

fn write(
    connection: &Connection,
    writes: &IndexWrites,
) -> Result<Option<IndexState>, rusqlite::Error> {
    let no = writes.stream_no;
    let is_live = connection
        .prepare_cached("SELECT 1 FROM streams WHERE stream_no = ? AND erased = 0")?
        .exists([no])?;
    let stored = connection.prepare_cached(STATE)?.query_row([no], |row| {
        Ok(IndexState {
            tokenizer: row.get(1)?,
            version: row.get::<_, i64>(2)? as u64,
            generation: row.get::<_, i64>(3)? as u64,
        })
    });
    let Some(next) = next_state(stored.optional()?, writes).filter(|_| is_live) else {
        return Ok(None);
    };
    if writes.expected.is_none() {
        forget(connection, no)?;
    }
    for document in &writes.remove {
        remove(connection, no, document)?;
    }
    for row in &writes.put {
        put(connection, no, row)?;
    }
    let mut set = connection.prepare_cached(
        "INSERT INTO search_indexes (stream_no, tokenizer, version, generation) VALUES (?, ?, ?, ?) \
         ON CONFLICT (stream_no) DO UPDATE SET tokenizer = excluded.tokenizer, version = excluded.version, \
         generation = excluded.generation",
    )?;
    set.execute(params![
        no,
        next.tokenizer,
        signed(next.version),
        signed(next.generation)
    ])?;
    Ok(Some(next))
}

fn remove(connection: &Connection, no: i64, document: &str) -> Result<(), rusqlite::Error> {
    let mut delete = connection.prepare_cached(
        "DELETE FROM search_documents WHERE stream_no = ? AND document = ? RETURNING doc_no",
    )?;
    let doc_no: Option<i64> = delete
        .query_row(params![no, document], |row| row.get(0))
        .optional()?;
    if let Some(doc_no) = doc_no {
        connection
            .prepare_cached("DELETE FROM search_words WHERE rowid = ?")?
            .execute([doc_no])?;
    }
    Ok(())
}

fn put(connection: &Connection, no: i64, row: &IndexRow) -> Result<(), rusqlite::Error> {
    let mut number = connection.prepare_cached(
        "INSERT INTO search_documents (stream_no, document) VALUES (?, ?) \
         ON CONFLICT (stream_no, document) DO UPDATE SET document = excluded.document RETURNING doc_no",
    )?;
    let doc_no: i64 = number.query_row(params![no, row.document], |row| row.get(0))?;
    let mut words = connection.prepare_cached(
        "INSERT OR REPLACE INTO search_words (rowid, title, tags, body) VALUES (?, ?, ?, ?)",
    )?;
    words
        .execute(params![doc_no, row.title, row.tags, row.body])
        .map(drop)
}

/// Everything of one stream.
pub(super) fn forget(connection: &Connection, no: i64) -> Result<(), rusqlite::Error> {
    for delete in [
        "DELETE FROM search_words WHERE rowid IN (SELECT doc_no FROM search_documents WHERE stream_no = ?)",
        "DELETE FROM search_documents WHERE stream_no = ?",
        "DELETE FROM search_indexes WHERE stream_no = ?",
    ] {
        connection.prepare_cached(delete)?.execute([no])?;
    }
    Ok(())
}
