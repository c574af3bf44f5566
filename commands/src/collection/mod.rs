//! What can be asked of a collection, one file a verb. The same form as for sessions: a pure function of the state, the
//! command and the time.

mod database;
mod import;
mod put;
mod refusal;
mod remove;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use domain::collection::CollectionId;
use domain::{Collection, Event};

pub use database::{FILES_MAX, check_files};
pub use import::{
    BATCH_MAX, FACTS_BYTES_MAX, ID_BYTES_MAX, ImportCounts, ImportDocuments, NAME_CHARS_MAX,
    check_document_id, check_import,
};
pub use put::PutDocument;
pub use refusal::CollectionRefusal;
pub use remove::RemoveDocuments;

/// Everything that can be asked of a collection.
#[derive(Clone, Debug, PartialEq)]
pub enum CollectionCommand {
    Put(PutDocument),
    Import(ImportDocuments),
    Remove(RemoveDocuments),
}

/// Decides one command. Where everything is as it is wanted already, there are no events.
///
/// # Errors
///
/// Why it is refused; nothing has happened then.
pub fn decide(
    collection: &Collection,
    id: &CollectionId,
    command: CollectionCommand,
    now: DateTime<Utc>,
) -> Result<Vec<Event>, CollectionRefusal> {
    if collection.erased {
        return Err(CollectionRefusal::Erased);
    }
    match command {
        CollectionCommand::Put(command) => command.decide(collection, id, now),
        CollectionCommand::Import(command) => command.decide(collection, id, now),
        CollectionCommand::Remove(command) => command.decide(collection, now),
    }
}
