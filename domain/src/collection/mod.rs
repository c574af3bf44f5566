//! What follows from the events of one collection: the documents that an owner keeps, whatever session uses them. The state
//! knows what a list shows of them and where their contents are; the contents are blobs.

mod kind;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use kind::{
    CollectionId, DATABASES, DESIGN_REMARKS, DESIGN_VECTORS, DESIGN_VOTES, DESIGNS, KINDS, Kind,
    NOTES, POST_TEMPLATES, STORY_VECTORS, SearchWords, TEMPLATES,
};

use crate::event::{CollectionEvent, Document, DocumentsImported, Event, SessionEvent};
use crate::ids::DocumentId;

/// A document as the collection has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub document: Document,
    /// When it was put there.
    pub at: DateTime<Utc>,
}

/// The state of a collection: the fold of its events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Collection {
    /// Events folded so far.
    pub version: u64,
    pub kind: String,
    pub name: String,
    pub erased: bool,
    pub documents: BTreeMap<DocumentId, Entry>,
}

impl Collection {
    /// Whether anything has happened yet.
    pub fn exists(&self) -> bool {
        self.version > 0
    }

    /// The document with this id, else the one that has exactly this name; of several the one that was put there last.
    pub fn find(&self, id: Option<&str>, name: Option<&str>) -> Option<&Entry> {
        let by_id = id.and_then(|id| self.documents.get(&DocumentId::from(id)));
        by_id.or_else(|| {
            let named = self
                .documents
                .values()
                .filter(|entry| Some(entry.document.name.as_str()) == name);
            named.max_by_key(|entry| entry.at)
        })
    }

    /// Takes one more event into account.
    pub fn evolve(&mut self, event: &Event) {
        self.version += 1;
        match event {
            Event::Collection(event) => match event {
                CollectionEvent::CollectionOpened(e) => {
                    self.kind.clone_from(&e.kind);
                    self.name.clone_from(&e.name);
                }
                CollectionEvent::DocumentsImported(e) => self.imported(e),
                CollectionEvent::DocumentsRemoved(e) => {
                    for id in &e.ids {
                        self.documents.remove(id);
                    }
                }
            },
            Event::Session(SessionEvent::SessionErased(_)) => {
                self.erased = true;
                self.documents.clear();
            }
            // Of the other aggregate: no collection has them.
            Event::Session(_)
            | Event::Run(_)
            | Event::Step(_)
            | Event::Gate(_)
            | Event::Project(_) => {}
        }
    }

    fn imported(&mut self, e: &DocumentsImported) {
        for document in &e.documents {
            let entry = Entry {
                document: document.clone(),
                at: e.at,
            };
            self.documents.insert(document.id.clone(), entry);
        }
    }
}
