//! On SQLite: another file.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::{TABLES, share};

/// The writer's settings.
const SETTINGS: [(&str, &str); 7] = [
    ("page_size", "8192"),
    ("journal_mode", "WAL"),
    ("synchronous", "FULL"),
    ("foreign_keys", "OFF"),
    ("wal_autocheckpoint", "2000"),
    ("temp_store", "MEMORY"),
    ("cache_size", "-16384"),
];

/// Two files.
pub(crate) struct BareSqlite {
    from: Connection,
    to: Connection,
}

impl BareSqlite {
    pub(crate) fn new(log: &Path, folder: &Path) -> Self {
        let from = Connection::open(log.join("log.db")).expect("the log opens");
        let to = Connection::open(folder.join("bare.db")).expect("the database opens");
        for (name, value) in SETTINGS {
            to.pragma_update(None, name, value).expect("a setting");
        }
        make_tables(&from, &to);
        Self { from, to }
    }

    pub(super) fn events(&self) -> u64 {
        let count = self.to.query_row("SELECT count(*) FROM events", [], |row| {
            row.get::<_, i64>(0)
        });
        count.expect("a table").unsigned_abs()
    }

    pub(super) fn rewrite(&mut self, which: &str, commits: usize) -> Duration {
        let rows = read(&self.from, which);
        let started = Instant::now();
        write(&mut self.to, &rows, commits);
        started.elapsed()
    }
}

/// The same tables and indexes, but for those of the search, of which no row is copied.
fn make_tables(from: &Connection, to: &Connection) {
    let mut select = from
        .prepare(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index') \
             AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%'",
        )
        .expect("a schema");
    let made = select.query_map([], |row| row.get::<_, String>(0));
    for sql in made.expect("a schema") {
        to.execute_batch(&sql.expect("a text"))
            .expect("the same schema");
    }
}

type Tables = Vec<(&'static str, Vec<Vec<Value>>)>;

fn read(from: &Connection, which: &str) -> Tables {
    let rows = |(table, order)| {
        let mut select = from
            .prepare(&format!(
                "SELECT * FROM {table} WHERE {which} ORDER BY {order}"
            ))
            .expect("a table");
        let columns = select.column_count();
        let rows = select.query_map([], |row| (0..columns).map(|n| row.get(n)).collect());
        let rows = rows.expect("rows").collect::<Result<_, _>>();
        (table, rows.expect("rows"))
    };
    TABLES.into_iter().map(rows).collect()
}

fn write(to: &mut Connection, tables: &Tables, commits: usize) {
    for n in 0..commits {
        let transaction = to.transaction().expect("a transaction");
        for (table, rows) in tables {
            let share = share(rows, n, commits);
            let Some(first) = share.first() else { continue };
            let places = vec!["?"; first.len()].join(",");
            let mut insert = transaction
                .prepare_cached(&format!("INSERT INTO {table} VALUES ({places})"))
                .expect("a statement");
            for row in share {
                insert
                    .execute(params_from_iter(row))
                    .expect("the same rows fit");
            }
        }
        transaction.commit().expect("a commit");
    }
}
