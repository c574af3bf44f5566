//! The search index, as text search vectors.

use sqlx::{PgConnection, PgPool};

use crate::error::Storage;
use crate::rows::signed;
use crate::search::{IndexState, IndexWrites, next_state};
use crate::sql::{Wanted, index_state};

pub(super) async fn search(
    pool: &PgPool,
    stream_no: i64,
    any: &[Vec<String>],
    limit: usize,
) -> Result<(u64, Vec<String>), Storage> {
    let lists = any.iter().map(|all| format!("({})", all.join(" & ")));
    let lists: Vec<String> = lists.collect();
    let wanted = Wanted {
        words: &lists.join(" | "),
        stream_no,
        limit,
    };
    wanted
        .search(
            &mut pool.clone(),
            "SELECT count(*) FROM search_documents WHERE words @@ to_tsquery('simple', $1) AND stream_no = $2",
            // Weights of D, C, B, A: title words count four times, tags twice.
            "SELECT document FROM search_documents, to_tsquery('simple', $1) q WHERE words @@ q AND stream_no = $2 \
             ORDER BY ts_rank_cd('{0.25, 0.25, 0.5, 1.0}', words, q) DESC, document COLLATE \"C\" LIMIT $3",
        )
        .await
}

/// All of it in one transaction. On an error the connection is given up, which ends that.
/// The words of a document `w`, as the index has them.
macro_rules! words {
    () => {
        "setweight(to_tsvector('simple', w.title), 'A') || setweight(to_tsvector('simple', w.tags), 'B') \
         || setweight(to_tsvector('simple', w.body), 'D')"
    };
}
pub(super) use words;

pub(super) async fn index(
    connection: &mut PgConnection,
    writes: IndexWrites,
) -> Result<Option<IndexState>, sqlx::Error> {
    sqlx::query("BEGIN").execute(&mut *connection).await?;
    let written = write(connection, writes).await?;
    let end = if written.is_some() {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    sqlx::query(end).execute(connection).await?;
    Ok(written)
}

async fn write(
    connection: &mut PgConnection,
    writes: IndexWrites,
) -> Result<Option<IndexState>, sqlx::Error> {
    let no = writes.stream_no;
    // Other changes of this index, and the erasure of its collection, wait for the lock on the stream's row.
    let erased: Option<bool> =
        sqlx::query_scalar("SELECT erased FROM streams WHERE stream_no = $1 FOR UPDATE")
            .bind(no)
            .fetch_optional(&mut *connection)
            .await?;
    let is_live = erased == Some(false);
    let stored = sqlx::query(
        "SELECT stream_no, tokenizer, version, generation FROM search_indexes WHERE stream_no = $1",
    );
    let stored = stored.bind(no).fetch_optional(&mut *connection).await?;
    let stored = stored.as_ref().map(index_state).transpose()?;
    let next = next_state(stored.map(|(_, state)| state), &writes);
    let Some(next) = next.filter(|_| is_live) else {
        return Ok(None);
    };
    if writes.expected.is_none() {
        forget(connection, no).await?;
    }
    if !writes.remove.is_empty() {
        sqlx::query("DELETE FROM search_documents WHERE stream_no = $1 AND document = ANY($2)")
            .bind(no)
            .bind(&writes.remove)
            .execute(&mut *connection)
            .await?;
    }
    put(connection, no, writes).await?;
    sqlx::query(
        "INSERT INTO search_indexes (stream_no, tokenizer, version, generation) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (stream_no) DO UPDATE SET tokenizer = excluded.tokenizer, version = excluded.version, \
         generation = excluded.generation",
    )
    .bind(no)
    .bind(i64::from(next.tokenizer))
    .bind(signed(next.version))
    .bind(signed(next.generation))
    .execute(connection)
    .await?;
    Ok(Some(next))
}

async fn put(
    connection: &mut PgConnection,
    no: i64,
    writes: IndexWrites,
) -> Result<(), sqlx::Error> {
    if writes.put.is_empty() {
        return Ok(());
    }
    let (mut documents, mut titles, mut tags, mut bodies) = (vec![], vec![], vec![], vec![]);
    for row in writes.put {
        documents.push(row.document);
        titles.push(row.title);
        tags.push(row.tags);
        bodies.push(row.body);
    }
    sqlx::query(concat!(
        "INSERT INTO search_documents (stream_no, document, words) SELECT $1, w.document, ",
        words!(),
        " FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) w (document, title, tags, body) \
         ON CONFLICT (stream_no, document) DO UPDATE SET words = excluded.words"
    ))
    .bind(no)
    .bind(documents)
    .bind(titles)
    .bind(tags)
    .bind(bodies)
    .execute(connection)
    .await?;
    Ok(())
}

/// Everything of one stream.
pub(super) async fn forget(connection: &mut PgConnection, no: i64) -> Result<(), sqlx::Error> {
    for delete in [
        "DELETE FROM search_documents WHERE stream_no = $1",
        "DELETE FROM search_indexes WHERE stream_no = $1",
    ] {
        sqlx::query(delete)
            .bind(no)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
