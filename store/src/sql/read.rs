//! Reading, as everybody does it.

use std::path::Path;

use async_trait::async_trait;
use domain::streams::RESERVED;

use super::columns::{
    Columns, deadline, document_key, event, index_state, name, owed, step, stream, stream_and_key,
};
use super::{Reader, Value, event_columns, step_columns, stream_columns};
use crate::backend::{AFTER_HEX, By, DatabaseCopy, Rows, Snapshot, StepFilter};
use crate::decide::ClaimedStep;
use crate::error::Storage;
use crate::ids::CommandId;
use crate::rows::{DOCUMENTS, DeadlineRow, EventRow, OwedRow, StepRow, StreamRow, signed};
use crate::search::IndexState;

pub(crate) const READING: &str = "reading";

/// What reading from a database has of its own. Names differ from those of `Rows`, which everything outside calls.
#[async_trait]
pub(crate) trait Dialect: Send + Sync {
    /// Its pool. Copies share the connections.
    type Pool: Reader + Sync;
    /// The events of stream `$1` after version `$2` and up to `$3`, in order.
    const EVENTS_OF: &'static str;
    /// The blob of stream `$1` with the hash `$2`.
    const BLOB: &'static str;
    /// `sessions!` with the table of reserved prefixes.
    const SESSIONS: &'static str;
    /// `claimed!`, `free_steps!` and `nodes!` with the time by which leases are judged.
    const CLAIMED: &'static str;
    const FREE_STEPS: &'static str;
    const NODES: &'static str;

    fn pool(&self) -> Self::Pool;
    /// As `Rows::now`.
    async fn judged_at(&self, clock: i64) -> Result<i64, Storage>;
    /// As `Rows::search`.
    async fn find(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage>;
    /// As `Rows::snapshot`.
    async fn moment(&self) -> Result<Box<dyn Snapshot>, Storage>;
    /// As `Rows::copy_into`.
    async fn copied(&self, folder: &Path) -> Result<DatabaseCopy, Storage>;
    /// As `Rows::close`.
    async fn end(&self);
}

/// A question to a search index.
pub(crate) struct Wanted<'a> {
    /// As the database's own language of searches writes them.
    pub(crate) words: &'a str,
    pub(crate) stream_no: i64,
    pub(crate) limit: usize,
}

impl Wanted<'_> {
    /// `counting` says how many documents have the words `$1` in stream `$2`; `naming` names the `$3` best of them.
    pub(crate) async fn search(
        &self,
        reader: &mut impl Reader,
        counting: &'static str,
        naming: &'static str,
    ) -> Result<(u64, Vec<String>), Storage> {
        const SEARCHING: &str = "searching";
        let words = || Value::from(self.words);
        let values = [words(), self.stream_no.into()];
        let found = reader.one(SEARCHING, counting, &values, |row| row.count(0));
        let found = found.await?;
        let values = [words(), self.stream_no.into(), (self.limit as i64).into()];
        Ok((found, reader.all(SEARCHING, naming, &values, name).await?))
    }
}

/// Events with the keys of their documents.
pub(super) async fn events(
    reader: &mut impl Reader,
    doing: &'static str,
    sql: &'static str,
    values: &[Value<'_>],
) -> Result<Vec<EventRow>, Storage> {
    let mut rows = reader.all(doing, sql, values, event).await?;
    for row in rows.iter_mut().filter(|row| row.codec == DOCUMENTS) {
        let of = [row.stream_no.into(), signed(row.version).into()];
        row.keys = reader
            .all(
                doing,
                "SELECT place, wrapped FROM document_keys WHERE stream_no = $1 AND version = $2",
                &of,
                document_key,
            )
            .await?;
    }
    Ok(rows)
}

pub(super) const EVENTS_AFTER: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM events WHERE position > $1 ORDER BY position LIMIT $2"
);

#[async_trait]
impl<D: Dialect> Rows for D {
    async fn facts(&self) -> Result<Vec<(String, String)>, Storage> {
        let read = |row: &<D::Pool as Reader>::Row| Ok((row.text(0)?.into(), row.text(1)?.into()));
        self.pool()
            .all(READING, "SELECT name, value FROM meta", &[], read)
            .await
    }

    async fn head(&self) -> Result<u64, Storage> {
        self.pool()
            .one(
                READING,
                "SELECT coalesce(max(position), 0) FROM events",
                &[],
                |row| row.count(0),
            )
            .await
    }

    async fn stream(&self, by: By<'_>) -> Result<Option<(StreamRow, Option<Vec<u8>>)>, Storage> {
        let (sql, values): (_, Vec<Value<'_>>) = match by {
            By::Id(id) => (
                concat!(
                    "SELECT ",
                    stream_columns!(),
                    ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) WHERE s.owner = $1 AND s.session = $2"
                ),
                vec![id.owner.as_str().into(), id.session.as_str().into()],
            ),
            By::No(no) => (
                concat!(
                    "SELECT ",
                    stream_columns!(),
                    ", k.wrapped FROM streams s LEFT JOIN data_keys k USING (stream_no) WHERE s.stream_no = $1"
                ),
                vec![no.into()],
            ),
        };
        self.pool()
            .first(READING, sql, &values, stream_and_key)
            .await
    }

    async fn events_of(
        &self,
        stream_no: i64,
        after: u64,
        up_to: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, Storage> {
        // Versions have no gaps, so this many are the next ones.
        let last = up_to.min(after.saturating_add(limit as u64));
        let values = [stream_no.into(), signed(after).into(), signed(last).into()];
        events(&mut self.pool(), READING, D::EVENTS_OF, &values).await
    }

    async fn events_after(&self, position: u64, limit: usize) -> Result<Vec<EventRow>, Storage> {
        let values = [signed(position).into(), (limit as i64).into()];
        events(&mut self.pool(), READING, EVENTS_AFTER, &values).await
    }

    async fn command(&self, stream_no: i64, command: &CommandId) -> Result<Option<u64>, Storage> {
        self.pool()
            .first(
                READING,
                "SELECT position FROM events WHERE stream_no = $1 AND command_id = $2 AND ordinal = 0",
                &[stream_no.into(), command.0[..].into()],
                |row| row.count(0),
            )
            .await
    }

    async fn blob(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage> {
        let values = [stream_no.into(), sha256[..].into()];
        let read = |row: &<D::Pool as Reader>::Row| row.bytes(0).map(Into::into);
        self.pool().first(READING, D::BLOB, &values, read).await
    }

    async fn body(&self, stream_no: i64, sha256: &[u8; 32]) -> Result<Option<Vec<u8>>, Storage> {
        let sql = "SELECT body FROM document_keys WHERE stream_no = $1 AND sha256 = $2 AND body IS NOT NULL \
                   ORDER BY version, place LIMIT 1";
        let values = [stream_no.into(), sha256[..].into()];
        let read = |row: &<D::Pool as Reader>::Row| row.bytes(0).map(Into::into);
        self.pool().first(READING, sql, &values, read).await
    }

    async fn steps(&self, filter: StepFilter<'_>) -> Result<Vec<StepRow>, Storage> {
        let (stream_no, node) = match filter {
            StepFilter::All => (None, None),
            StepFilter::Stream(no) => (Some(no), None),
            StepFilter::Node(node) => (None, Some(node)),
        };
        self.pool()
            .all(
                READING,
                concat!(
                    "SELECT ",
                    step_columns!(),
                    " FROM open_steps s WHERE ($1 IS NULL OR s.stream_no = $1) AND ($2 IS NULL OR s.node = $2) \
                     ORDER BY s.stream_no, s.run, s.step"
                ),
                &[Value::Number(stream_no), Value::Text(node)],
                step,
            )
            .await
    }

    async fn deadlines(&self, up_to: i64, limit: usize) -> Result<Vec<DeadlineRow>, Storage> {
        self.pool()
            .all(
                READING,
                "SELECT stream_no, gate, run, due FROM deadlines WHERE due <= $1 ORDER BY due LIMIT $2",
                &[up_to.into(), (limit as i64).into()],
                deadline,
            )
            .await
    }

    async fn next_deadline(&self) -> Result<Option<i64>, Storage> {
        let sql = "SELECT min(due) FROM deadlines";
        self.pool()
            .one(READING, sql, &[], |row| row.optional_number(0))
            .await
    }

    async fn now(&self, clock: i64) -> Result<i64, Storage> {
        self.judged_at(clock).await
    }

    async fn claimed(
        &self,
        stream_no: i64,
        (run, step_text): &ClaimedStep,
        clock: i64,
    ) -> Result<Option<(StepRow, bool)>, Storage> {
        let values = [
            stream_no.into(),
            i64::from(*run).into(),
            step_text.as_str().into(),
            clock.into(),
        ];
        self.pool()
            .first(READING, D::CLAIMED, &values, |row| {
                Ok((step(row)?, row.flag(7)?))
            })
            .await
    }

    async fn has_free_steps(&self, clock: i64) -> Result<bool, Storage> {
        self.pool()
            .one(READING, D::FREE_STEPS, &[clock.into()], |row| row.flag(0))
            .await
    }

    async fn nodes(&self, clock: i64) -> Result<Vec<(String, i64)>, Storage> {
        self.pool()
            .all(READING, D::NODES, &[clock.into()], |row| {
                Ok((row.text(0)?.into(), row.number(1)?))
            })
            .await
    }

    async fn sessions(
        &self,
        owner: &str,
        before: i64,
        limit: usize,
    ) -> Result<Vec<(StreamRow, Vec<u8>)>, Storage> {
        let reserved = serde_json::json!(RESERVED).to_string();
        let values = [
            owner.into(),
            before.into(),
            (limit as i64).into(),
            reserved.as_str().into(),
        ];
        self.pool()
            .all(READING, D::SESSIONS, &values, |row| {
                Ok((stream(row)?, row.bytes(12)?.into()))
            })
            .await
    }

    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<String>, Storage> {
        self.pool()
            .all(
                READING,
                "SELECT session FROM streams WHERE owner = $1 AND version > 0 AND NOT erased \
                 AND substr(session, 1, length($2)) = $2 ORDER BY stream_no DESC",
                &[owner.into(), prefix.into()],
                name,
            )
            .await
    }

    async fn artifact(&self, owner: &str, artifact: &str) -> Result<Option<(i64, u64)>, Storage> {
        self.pool()
            .first(
                READING,
                "SELECT a.stream_no, a.version FROM artifacts a JOIN streams s USING (stream_no) \
                 WHERE a.artifact_id = $1 AND s.owner = $2 ORDER BY a.stream_no LIMIT 1",
                &[artifact.into(), owner.into()],
                |row| Ok((row.number(0)?, row.count(1)?)),
            )
            .await
    }

    async fn artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<String>, Storage> {
        let end = format!("{prefix}{AFTER_HEX}");
        self.pool()
            .first(
                READING,
                // Databases order punctuation differently, so the range alone is not enough.
                "SELECT a.artifact_id FROM artifacts a JOIN streams s USING (stream_no) \
                 WHERE a.artifact_id >= $1 AND a.artifact_id < $2 AND s.owner = $3 \
                 AND substr(a.artifact_id, 1, length($1)) = $1 ORDER BY a.artifact_id, a.stream_no LIMIT 1",
                &[prefix.into(), end.as_str().into(), owner.into()],
                name,
            )
            .await
    }

    async fn forks(&self, stream_no: i64) -> Result<Vec<StreamRow>, Storage> {
        self.pool()
            .all(
                READING,
                concat!(
                    "SELECT ",
                    stream_columns!(),
                    " FROM streams s WHERE s.parent_no = $1 AND NOT s.erased ORDER BY s.stream_no"
                ),
                &[stream_no.into()],
                stream,
            )
            .await
    }

    async fn owed(&self, stream_no: Option<i64>, limit: usize) -> Result<Vec<OwedRow>, Storage> {
        self.pool()
            .all(
                READING,
                "SELECT stream_no, kind, name FROM owed WHERE ($1 IS NULL OR stream_no = $1) \
                 ORDER BY stream_no, kind, name LIMIT $2",
                &[Value::Number(stream_no), (limit as i64).into()],
                owed,
            )
            .await
    }

    async fn index_state(&self, stream_no: i64) -> Result<Option<IndexState>, Storage> {
        let state = self
            .pool()
            .first(
                READING,
                "SELECT stream_no, tokenizer, version, generation FROM search_indexes WHERE stream_no = $1",
                &[stream_no.into()],
                index_state,
            )
            .await?;
        Ok(state.map(|(_, state)| state))
    }

    async fn search(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<(u64, Vec<String>), Storage> {
        self.find(stream_no, any, limit).await
    }

    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, Storage> {
        self.moment().await
    }

    async fn copy_into(&self, folder: &Path) -> Result<DatabaseCopy, Storage> {
        self.copied(folder).await
    }

    async fn close(&self) {
        self.end().await;
    }
}
