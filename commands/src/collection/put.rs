//! One document is put into a collection. This is an import of one document, without a name.

use chrono::{DateTime, Utc};
use domain::collection::CollectionId;
use domain::event::Document;
use domain::{Collection, Event};

use super::{CollectionRefusal, ImportDocuments};

#[derive(Clone, Debug, PartialEq)]
pub struct PutDocument {
    /// Its content is kept by the caller.
    pub document: Document,
}

impl PutDocument {
    pub(super) fn decide(
        self,
        collection: &Collection,
        id: &CollectionId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, CollectionRefusal> {
        let import = ImportDocuments {
            batch: String::new(),
            documents: vec![self.document],
        };
        import.decide(collection, id, now)
    }
}
