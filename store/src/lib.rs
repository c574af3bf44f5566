//! The log: appended events in one total order, their hash chain, what is kept beside them (open steps, deadlines,
//! artifacts, lists), blobs, and the tail that readers follow. On SQLite, on PostgreSQL, and in memory for tests.
//!
//! Everything is used as `Arc<dyn Log>`. One engine carries out the trait; the three backends only hold rows.

mod anchor;
mod backend;
mod backup;
mod batcher;
mod cache;
mod chain;
mod core;
pub mod cqrs;
mod decide;
mod documents;
mod engine;
mod error;
mod files;
mod heads;
mod ids;
mod limits;
mod log;
pub mod memory;
mod migrations;
mod net;
mod objects;
mod opening;
pub mod panics;
pub mod postgres;

mod prepare;
mod records;
mod ring;
mod rows;
mod seal;
mod search;
mod sheet;
mod sql;
mod sqlite;
mod tail;
#[cfg(test)]
mod tests;
mod verify;
mod watchers;
mod witness;

pub use anchor::{
    Acceptance, Accepted, AnchorReport, HeadMismatch, HeadOptions, LogHead, MismatchKind,
    SignedReport,
};
pub use backup::{Backup, BackupError, BackupFile, BackupManifest, DatabaseKind};
pub use engine::EventLog;
pub use error::{AppendError, AppendFailure, OpenError, ReadError, Storage};
pub use ids::{CommandId, NodeId, StreamId};
pub use limits::SMALL_BLOB;
pub use log::Log;
pub use memory::MemoryLog;
pub use objects::{AnswerStore, ObjectOptions};
pub use postgres::{PostgresLog, PostgresOptions};

pub use records::{
    Append, Claim, Clock, Committed, Deadline, Forks, Node, OpenStep, Page, Provenance, Renewal,
    SessionLine, Standing, Steps, Whose,
};
pub use ring::Delivered;
pub use seal::MasterKey;
pub use search::{Hits, IndexChange, IndexState, IndexedDocument};
pub use sqlite::{SqliteLog, SqliteOptions};
pub use tail::{Tail, TailItem};
pub use verify::{Broken, VerifyOptions, VerifyReport};
