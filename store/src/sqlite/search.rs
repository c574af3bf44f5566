//! The search index, in FTS5.

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection, SqlitePool};

use crate::rows::signed;
use crate::search::{IndexRow, IndexState, IndexWrites, next_state};

const STATE: &str =
    "SELECT stream_no, tokenizer, version, generation FROM search_indexes WHERE stream_no = ?";

pub(super) async fn state_of(
    pool: &SqlitePool,
    stream_no: i64,
) -> Result<Option<IndexState>, sqlx::Error> {
    let row = sqlx::query(STATE).bind(stream_no).fetch_optional(pool);
    let row = row.await?;
    Ok(row.as_ref().map(state).transpose()?.map(|(_, state)| state))
}

pub(super) fn state(row: &SqliteRow) -> Result<(i64, IndexState), sqlx::Error> {
    let state = IndexState {
        tokenizer: row.try_get(1)?,
        version: row.try_get::<i64, _>(2)? as u64,
        generation: row.try_get::<i64, _>(3)? as u64,
    };
    Ok((row.try_get(0)?, state))
}

/// Title words count four times, tags twice. The words are looked up first, which `CROSS JOIN` says: the planner would rather ask
/// for them once for each document of the collection.
pub(super) async fn search(
    pool: &SqlitePool,
    stream_no: i64,
    any: &[Vec<String>],
    limit: usize,
) -> Result<(u64, Vec<String>), sqlx::Error> {
    let lists = any.iter().map(|all| format!("({})", all.join(" AND ")));
    let lists: Vec<String> = lists.collect();
    let wanted = lists.join(" OR ");
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM search_words w CROSS JOIN search_documents d ON d.doc_no = w.rowid \
         WHERE w.search_words MATCH ?1 AND d.stream_no = ?2",
    )
    .bind(&wanted)
    .bind(stream_no)
    .fetch_one(pool)
    .await?;
    let documents = sqlx::query_scalar(
        "SELECT d.document FROM search_words w CROSS JOIN search_documents d ON d.doc_no = w.rowid \
         WHERE w.search_words MATCH ?1 AND d.stream_no = ?2 \
         ORDER BY bm25(search_words, 4.0, 2.0, 1.0), d.document LIMIT ?3",
    )
    .bind(&wanted)
    .bind(stream_no)
    .bind(limit as i64)
    .fetch_all(pool)
    .await?;
    Ok((total as u64, documents))
}

/// All of it in one transaction. On an error the connection is given up, which ends that.
pub(super) async fn index(
    connection: &mut SqliteConnection,
    writes: IndexWrites,
) -> Result<Option<IndexState>, sqlx::Error> {
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut *connection)
        .await?;
    let written = write(connection, writes).await;
    let end = if let Ok(Some(_)) = &written {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    sqlx::query(end).execute(connection).await?;
    written
}

async fn write(
    connection: &mut SqliteConnection,
    writes: IndexWrites,
) -> Result<Option<IndexState>, sqlx::Error> {
    let no = writes.stream_no;
    let is_live: Option<i64> =
        sqlx::query_scalar("SELECT 1 FROM streams WHERE stream_no = ? AND erased = 0")
            .bind(no)
            .fetch_optional(&mut *connection)
            .await?;
    let stored = sqlx::query(STATE)
        .bind(no)
        .fetch_optional(&mut *connection)
        .await?;
    let stored = stored.as_ref().map(state).transpose()?;
    let next = next_state(stored.map(|(_, state)| state), &writes);
    let Some(next) = next.filter(|_| is_live.is_some()) else {
        return Ok(None);
    };
    if writes.expected.is_none() {
        forget(connection, no).await?;
    }
    for document in &writes.remove {
        remove(connection, no, document).await?;
    }
    for row in &writes.put {
        put(connection, no, row).await?;
    }
    sqlx::query(
        "INSERT INTO search_indexes (stream_no, tokenizer, version, generation) VALUES (?, ?, ?, ?) \
         ON CONFLICT (stream_no) DO UPDATE SET tokenizer = excluded.tokenizer, version = excluded.version, \
         generation = excluded.generation",
    )
    .bind(no)
    .bind(next.tokenizer)
    .bind(signed(next.version))
    .bind(signed(next.generation))
    .execute(connection)
    .await?;
    Ok(Some(next))
}

async fn remove(
    connection: &mut SqliteConnection,
    no: i64,
    document: &str,
) -> Result<(), sqlx::Error> {
    let doc_no: Option<i64> = sqlx::query_scalar(
        "DELETE FROM search_documents WHERE stream_no = ? AND document = ? RETURNING doc_no",
    )
    .bind(no)
    .bind(document)
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(doc_no) = doc_no {
        sqlx::query("DELETE FROM search_words WHERE rowid = ?")
            .bind(doc_no)
            .execute(connection)
            .await?;
    }
    Ok(())
}

async fn put(
    connection: &mut SqliteConnection,
    no: i64,
    row: &IndexRow,
) -> Result<(), sqlx::Error> {
    let doc_no: i64 = sqlx::query_scalar(
        "INSERT INTO search_documents (stream_no, document) VALUES (?, ?) \
         ON CONFLICT (stream_no, document) DO UPDATE SET document = excluded.document RETURNING doc_no",
    )
    .bind(no)
    .bind(&row.document)
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT OR REPLACE INTO search_words (rowid, title, tags, body) VALUES (?, ?, ?, ?)",
    )
    .bind(doc_no)
    .bind(&row.title)
    .bind(&row.tags)
    .bind(&row.body)
    .execute(connection)
    .await?;
    Ok(())
}

/// Everything of one stream.
pub(super) async fn forget(connection: &mut SqliteConnection, no: i64) -> Result<(), sqlx::Error> {
    for delete in [
        "DELETE FROM search_words WHERE rowid IN (SELECT doc_no FROM search_documents WHERE stream_no = ?)",
        "DELETE FROM search_documents WHERE stream_no = ?",
        "DELETE FROM search_indexes WHERE stream_no = ?",
    ] {
        sqlx::query(delete)
            .bind(no)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
