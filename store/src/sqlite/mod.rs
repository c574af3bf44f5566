//! The log in one SQLite file, owned by one process at a time. Others may read it.

mod backup;
mod checkpoint;
mod commit;
mod errors;
mod known;
mod lock;
mod open;
mod read;
mod search;
mod snapshot;
mod write;

#[cfg(test)]
mod tests;

pub use open::{SqliteLog, SqliteOptions};
