//! What follows from the events of one collection: the documents that an owner keeps, whatever session uses them. The state has what a list
//! shows of the documents, and where their contents are; the contents are blobs.

mod kind;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use kind::{BadKind, CollectionId, Kind, Kinds, SearchWords, kind_of_stream};

use crate::event::{CollectionEvent, Document, DocumentsImported, Event, SessionEvent};
use crate::hash::Sha256;
use crate::ids::DocumentId;

/// A document together with when it was put into the collection.
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
    #[serde(skip)]
    marks: Marks,
}

/// The ids of documents by their marks, computed from the documents when a mark is first looked up.
#[derive(Clone, Debug, Default)]
struct Marks(OnceLock<HashMap<DocumentId, DocumentId>>);

impl PartialEq for Marks {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Collection {
    /// The document whose id has this mark.
    pub fn marked(&self, mark: &DocumentId) -> Option<&Entry> {
        self.documents.get(self.marks().get(mark)?)
    }

    fn marks(&self) -> &HashMap<DocumentId, DocumentId> {
        let ids = || self.documents.keys();
        self.marks
            .0
            .get_or_init(|| ids().map(|id| (id.mark(), id.clone())).collect())
    }

    /// A stored event has marks in the place of the ids of removed documents, so the id may be a mark.
    fn remove(&mut self, id: &DocumentId) {
        let unmarked = match self.documents.contains_key(id) {
            true => Some(id.clone()),
            false if id.is_mark() => self.marks().get(id).cloned(),
            false => None,
        };
        if let Some(id) = unmarked {
            self.documents.remove(&id);
            if let Some(marks) = self.marks.0.get_mut() {
                marks.remove(&id.mark());
            }
        }
    }

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
                        self.remove(id);
                    }
                }
            },
            Event::Session(SessionEvent::SessionErased(_)) => {
                self.erased = true;
                self.documents.clear();
                self.marks = Marks::default();
            }
            // These events belong to the other aggregates; no collection has them.
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
            if let Some(marks) = self.marks.0.get_mut() {
                marks.insert(document.id.mark(), document.id.clone());
            }
            self.documents.insert(document.id.clone(), entry);
        }
    }
}

/// What the marks of documents begin with.
const MARK: &str = "removed:";

/// Digits of a mark: 128 bits, which no two documents of a collection share by chance.
const MARK_DIGITS: usize = 32;

impl DocumentId {
    /// A hash that replaces the id where the id itself must not be stored.
    pub fn mark(&self) -> Self {
        let hash = Sha256::of_parts([&b"palimpsest document"[..], self.as_str().as_bytes()]);
        Self::new(format!("{MARK}{}", &hash.hex()[..MARK_DIGITS]))
    }

    /// Whether it is such a hash.
    pub fn is_mark(&self) -> bool {
        let digits = self.as_str().strip_prefix(MARK);
        digits.is_some_and(|digits| digits.len() == MARK_DIGITS)
    }
}
