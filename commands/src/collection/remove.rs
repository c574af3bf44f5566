//! Documents are removed from a collection. A document that is not there is no reason to refuse: the result is as it was wanted.

use chrono::{DateTime, Utc};
use domain::event::DocumentsRemoved;
use domain::{Collection, DocumentId, Event};

use super::CollectionRefusal;
use super::import::BATCH_MAX;

#[derive(Clone, Debug, PartialEq)]
pub struct RemoveDocuments {
    pub ids: Vec<DocumentId>,
}

impl RemoveDocuments {
    pub(super) fn decide(
        mut self,
        collection: &Collection,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, CollectionRefusal> {
        let documents = self.ids.len();
        if documents > BATCH_MAX {
            return Err(CollectionRefusal::BatchTooLarge {
                documents,
                most: BATCH_MAX,
            });
        }
        self.ids.sort();
        self.ids.dedup();
        self.ids.retain(|id| collection.documents.contains_key(id));
        if self.ids.is_empty() {
            return Ok(vec![]);
        }
        let removed = DocumentsRemoved {
            ids: self.ids,
            at: now,
        };
        Ok(vec![removed.into()])
    }
}
