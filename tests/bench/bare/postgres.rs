//! On PostgreSQL: rows copied within the server, one message a commit, which leaves only what any writer has to wait for.

use std::time::{Duration, Instant};

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection};

use super::{ROWID, TABLES, share};

/// Two schemas of one database.
pub(crate) struct BarePostgres {
    connection: PgConnection,
    log: String,
    bare: String,
}

impl BarePostgres {
    /// The tables beside the log in this schema.
    pub(crate) async fn new(url: &str, log: &str) -> Self {
        let connection = PgConnection::connect(url).await;
        let mut bare = Self {
            connection: connection.expect("the database answers"),
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
            .execute(&mut self.connection)
            .await;
        ran.expect("it is well formed");
    }

    pub(super) async fn events(&mut self) -> u64 {
        let count = format!("SELECT count(*) FROM {}.events", self.bare);
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .fetch_one(&mut self.connection)
            .await
            .expect("a table");
        count.unsigned_abs()
    }

    pub(super) async fn rewrite(&mut self, which: &str, commits: usize) -> Duration {
        let mut tables = vec![];
        for (table, order) in TABLES {
            let order = if order == ROWID { "ctid" } else { order };
            let log = &self.log;
            let select =
                format!("SELECT ctid::text FROM {log}.{table} WHERE {which} ORDER BY {order}");
            let rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(select))
                .fetch_all(&mut self.connection)
                .await
                .expect("rows");
            tables.push((table, rows));
        }
        let copies: Vec<String> = (0..commits)
            .map(|n| {
                let copies = tables.iter().map(|(table, rows)| {
                    let rows = share(rows, n, commits);
                    self.copy(table, rows)
                });
                format!("BEGIN;{}COMMIT", copies.collect::<String>())
            })
            .collect();
        let started = Instant::now();
        for copy in copies {
            self.run(copy).await;
        }
        started.elapsed()
    }

    /// Copies the rows that lie at these places.
    fn copy(&self, table: &str, rows: &[String]) -> String {
        if rows.is_empty() {
            return String::new();
        }
        let (log, bare, rows) = (&self.log, &self.bare, rows.join("','"));
        format!(
            "INSERT INTO {bare}.{table} SELECT * FROM {log}.{table} WHERE ctid = ANY(ARRAY['{rows}']::tid[]);"
        )
    }
}
