//! The least that anybody could do: the rows of a log written to other tables of the same schema and with the same settings, in as
//! many commits, by one thread that has nothing else to do.

mod postgres;
mod sqlite;

use std::ops::Range;
use std::time::Duration;

pub(crate) use postgres::BarePostgres;
pub(crate) use sqlite::BareSqlite;

/// Where a row lies; on PostgreSQL that is `ctid`.
const ROWID: &str = "rowid";

/// The tables, and the order in which their rows were written.
const TABLES: [(&str, &str); 5] = [
    ("streams", "stream_no"),
    ("data_keys", "stream_no"),
    ("events", "position"),
    ("blobs", ROWID),
    ("artifacts", "stream_no, version"),
];

/// A log and the tables that its rows are written to.
pub(crate) enum Bare {
    Sqlite(BareSqlite),
    Postgres(BarePostgres),
}

impl Bare {
    /// How many events the tables have.
    pub(crate) async fn events(&mut self) -> u64 {
        match self {
            Self::Sqlite(bare) => bare.events(),
            Self::Postgres(bare) => bare.events().await,
        }
    }

    /// Writes the rows of the sessions with these numbers in so many commits, and says how long the writing took.
    pub(crate) async fn rewrite(&mut self, sessions: Range<usize>, commits: u64) -> Duration {
        let Range { start, end } = sessions;
        let which = format!("stream_no >= {start} AND stream_no < {end}");
        let commits = usize::try_from(commits)
            .expect("a number of commits")
            .max(1);
        match self {
            Self::Sqlite(bare) => bare.rewrite(&which, commits),
            Self::Postgres(bare) => bare.rewrite(&which, commits).await,
        }
    }
}

/// The rows that the n-th of so many commits writes.
fn share<T>(rows: &[T], n: usize, commits: usize) -> &[T] {
    &rows[rows.len() * n / commits..rows.len() * (n + 1) / commits]
}
