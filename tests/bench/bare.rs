//! The least that anybody could do: the rows of a log written to another file of the same schema, in as many commits.

use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteRow, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row, SqliteConnection, TypeInfo, ValueRef};

/// The tables, and the order in which their rows were written.
const TABLES: [(&str, &str); 5] = [
    ("streams", "stream_no"),
    ("data_keys", "stream_no"),
    ("events", "position"),
    ("blobs", "rowid"),
    ("artifacts", "artifact_id"),
];

/// Where the events are among them.
const EVENTS: usize = 2;

/// Rows in one statement.
const BLOCK: usize = 50;

async fn open(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::from_str("sqlite:")
        .expect("an address")
        .filename(path)
        .create_if_missing(true);
    let options = options
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(false);
    options.connect().await.expect("the database opens")
}

/// Copies the log of this folder, and says how long the writing took from its nth session on, in so many commits. Those before
/// are written first, in commits of the same size.
pub(crate) async fn rewrite(folder: &Path, sessions_before: usize, commits: u64) -> Duration {
    let mut from = open(&folder.join("log.db")).await;
    let mut to = open(&folder.join("bare.db")).await;
    // Without the search index, of which no row is copied.
    let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index') \
        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%'";
    for row in sqlx::query(schema)
        .fetch_all(&mut from)
        .await
        .expect("a schema")
    {
        let sql: String = row.get(0);
        sqlx::query(AssertSqlSafe(sql))
            .execute(&mut to)
            .await
            .expect("the same schema");
    }
    let commits = usize::try_from(commits)
        .expect("a number of commits")
        .max(1);
    let before = read(&mut from, &format!("stream_no <= {sessions_before}")).await;
    let measured = read(&mut from, &format!("stream_no > {sessions_before}")).await;
    let events = |tables: &Tables| tables[EVENTS].1.len();
    let commits_before = commits * events(&before) / events(&measured);
    write(&mut to, &before, commits_before).await;
    let started = Instant::now();
    write(&mut to, &measured, commits).await;
    started.elapsed()
}

type Tables = Vec<(&'static str, Vec<SqliteRow>)>;

async fn read(from: &mut SqliteConnection, which: &str) -> Tables {
    let mut tables = vec![];
    for (table, order) in TABLES {
        let select = format!("SELECT * FROM {table} WHERE {which} ORDER BY {order}");
        let rows = sqlx::query(AssertSqlSafe(select))
            .fetch_all(&mut *from)
            .await;
        tables.push((table, rows.expect("rows")));
    }
    tables
}

async fn write(to: &mut SqliteConnection, tables: &Tables, commits: usize) {
    for n in 0..commits {
        let mut transaction = to.begin().await.expect("a transaction");
        for (table, rows) in tables {
            let share = &rows[rows.len() * n / commits..rows.len() * (n + 1) / commits];
            for block in share.chunks(BLOCK) {
                insert(&mut transaction, table, block).await;
            }
        }
        transaction.commit().await.expect("a commit");
    }
}

async fn insert(to: &mut SqliteConnection, table: &str, rows: &[SqliteRow]) {
    let Some(first) = rows.first() else { return };
    let row = format!("({})", vec!["?"; first.columns().len()].join(","));
    let sql = format!(
        "INSERT INTO {table} VALUES {}",
        vec![row.as_str(); rows.len()].join(",")
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for row in rows {
        for column in 0..row.columns().len() {
            let value = row.try_get_raw(column).expect("a column");
            query = match value.type_info().name() {
                _ if value.is_null() => query.bind(None::<i64>),
                "INTEGER" => query.bind(row.get::<i64, _>(column)),
                "TEXT" => query.bind(row.get::<String, _>(column)),
                _ => query.bind(row.get::<Vec<u8>, _>(column)),
            };
        }
    }
    query.execute(to).await.expect("the same rows fit");
}
