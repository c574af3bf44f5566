//! The log in a PostgreSQL database, written and read by any number of processes.

mod backup;
mod errors;
mod notify;
mod open;
mod read;
mod search;
mod snapshot;
mod write;

#[cfg(test)]
mod tests;

pub use open::{PostgresLog, PostgresOptions};
