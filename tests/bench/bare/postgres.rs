//! On PostgreSQL: rows copied as they are, which is the fastest way into a table.

use std::time::{Duration, Instant};

use futures::TryStreamExt;
use sqlx::postgres::{PgConnection, PgPoolCopyExt};
use sqlx::{AssertSqlSafe, Connection, PgPool};

use super::{ROWID, TABLES, share};

/// How the binary format of COPY begins: a signature, flags, and the length of an extension that nobody uses.
const HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// How it ends: a row of -1 fields.
const END: [u8; 2] = (-1_i16).to_be_bytes();

/// Two schemas of one database.
pub(crate) struct BarePostgres {
    from: PgPool,
    to: PgConnection,
    log: String,
    bare: String,
}

impl BarePostgres {
    /// The tables beside the log in this schema.
    pub(crate) async fn new(url: &str, log: &str) -> Self {
        let from = PgPool::connect(url).await.expect("the database answers");
        let to = PgConnection::connect(url)
            .await
            .expect("the database answers");
        let mut bare = Self {
            from,
            to,
            log: log.to_owned(),
            bare: format!("{log}_bare"),
        };
        let mut made = format!("CREATE SCHEMA {};", bare.bare);
        for (table, _) in TABLES {
            let like = format!("LIKE {}.{table} INCLUDING ALL", bare.log);
            made += &format!("CREATE TABLE {}.{table} ({like});", bare.bare);
        }
        bare.run(made).await;
        bare
    }

    async fn run(&mut self, sql: String) {
        let ran = sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(&mut self.to)
            .await;
        ran.expect("it is well formed");
    }

    pub(super) async fn events(&mut self) -> u64 {
        let count = format!("SELECT count(*) FROM {}.events", self.bare);
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .fetch_one(&mut self.to)
            .await
            .expect("a table");
        count.unsigned_abs()
    }

    pub(super) async fn rewrite(&mut self, which: &str, commits: usize) -> Duration {
        let mut tables = vec![];
        for (table, order) in TABLES {
            let order = if order == ROWID { "ctid" } else { order };
            let log = &self.log;
            let select = format!("SELECT * FROM {log}.{table} WHERE {which} ORDER BY {order}");
            tables.push((table, self.read(&select).await));
        }
        let started = Instant::now();
        for n in 0..commits {
            self.run("BEGIN".to_owned()).await;
            for (table, rows) in &tables {
                let rows = share(rows, n, commits);
                if !rows.is_empty() {
                    self.write(table, rows).await;
                }
            }
            self.run("COMMIT".to_owned()).await;
        }
        started.elapsed()
    }

    /// The rows of a query, each as COPY gives it.
    async fn read(&self, select: &str) -> Vec<Vec<u8>> {
        let copy = format!("COPY ({select}) TO STDOUT (FORMAT binary)");
        let copied = self.from.copy_out_raw(&copy).await.expect("rows");
        let parts: Vec<_> = copied.try_collect().await.expect("rows");
        let all = parts.concat();
        let mut rest = all.strip_prefix(HEAD).expect("a head");
        let mut rows = vec![];
        while rest[..2] != END {
            let (row, behind) = rest.split_at(row_length(rest));
            rows.push(row.to_vec());
            rest = behind;
        }
        rows
    }

    async fn write(&mut self, table: &str, rows: &[Vec<u8>]) {
        let copy = format!("COPY {}.{table} FROM STDIN (FORMAT binary)", self.bare);
        let mut sink = self.to.copy_in_raw(&copy).await.expect("a table");
        let all = [HEAD, &rows.concat(), &END].concat();
        sink.send(all).await.expect("the same rows fit");
        sink.finish().await.expect("the same rows fit");
    }
}

/// How many bytes the first row has: the number of its fields, then each behind its length, which is -1 for a null.
fn row_length(bytes: &[u8]) -> usize {
    let (fields, _) = bytes.split_first_chunk().expect("a number of fields");
    let mut at = size_of::<i16>();
    for _ in 0..i16::from_be_bytes(*fields) {
        let (length, _) = bytes[at..].split_first_chunk().expect("a length");
        at += size_of::<i32>() + usize::try_from(i32::from_be_bytes(*length)).unwrap_or(0);
    }
    at
}
