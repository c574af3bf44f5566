//! What can be asked of a collection, one file a verb. The same form as for sessions: a pure function of the state, the
//! command and the time.

mod import;
mod put;
mod refusal;
mod remove;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use domain::collection::CollectionId;
use domain::{Collection, Event};

pub use import::{
    BATCH_MAX, FACTS_BYTES_MAX, ID_BYTES_MAX, ImportCounts, ImportDocuments, NAME_CHARS_MAX,
    check_document_id, check_document_name, check_import,
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

/// A command to a collection. It names the collection, because an empty collection knows neither its kind nor its name.
#[derive(Clone, Debug)]
pub struct ChangeCollection {
    pub collection: CollectionId,
    pub command: CollectionCommand,
}

impl ChangeCollection {
    pub(crate) fn decide(
        self,
        state: &Collection,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, CollectionRefusal> {
        if state.erased {
            return Err(CollectionRefusal::Erased);
        }
        let id = &self.collection;
        match self.command {
            CollectionCommand::Put(command) => command.decide(state, id, now),
            CollectionCommand::Import(command) => command.decide(state, id, now),
            CollectionCommand::Remove(command) => command.decide(state, now),
        }
    }
}
