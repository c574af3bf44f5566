//! Logs to measure.

use std::path::Path;
use std::sync::Arc;

use runner::clock::Clock;
use store::{EventLog, Log, MasterKey, PostgresLog, PostgresOptions, SqliteLog, SqliteOptions};

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(".").expect("a folder on the disk that is measured")
}

pub(crate) async fn sqlite(folder: &Path) -> Arc<EventLog> {
    let options = SqliteOptions::new(MasterKey::new([7; 32]), Clock::system().as_fn(), folder);
    Arc::new(
        SqliteLog::open(&folder.join("log.db"), options)
            .await
            .expect("a fresh log opens"),
    )
}

/// The address of a PostgreSQL to measure on, where there is one.
pub(crate) fn postgres_url() -> Option<String> {
    std::env::var("PALIMPSEST_TEST_POSTGRES").ok()
}

/// A name for a schema that does not exist yet.
pub(crate) fn fresh_schema() -> String {
    format!("bench_{}", runner::clock::fresh_id()).to_lowercase()
}

/// A log on PostgreSQL, in a schema of its own.
pub(crate) async fn postgres(url: &str, schema: &str, folder: &Path) -> Arc<EventLog> {
    let mut options =
        PostgresOptions::new(MasterKey::new([7; 32]), Clock::system().as_fn(), folder);
    options.schema = Some(schema.to_owned());
    let log = PostgresLog::open(url, options).await;
    Arc::new(log.expect("the database answers"))
}

/// Bytes of the database file and its write-ahead log.
pub(crate) fn bytes(folder: &Path) -> u64 {
    let size = |name: &str| std::fs::metadata(folder.join(name)).map_or(0, |m| m.len());
    size("log.db") + size("log.db-wal")
}

pub(crate) async fn events(log: &dyn Log) -> u64 {
    *log.head().borrow()
}
