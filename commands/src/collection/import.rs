//! Documents are put into a collection together: all of them or none. A document with a known id replaces the one that has it.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::collection::CollectionId;
use domain::event::{CollectionOpened, Document, DocumentsImported};
use domain::{Collection, Event};

use super::CollectionRefusal;

/// Documents of one import. At 300 bytes of data for each, its event stays smaller than a page of the log; a client with thousands of
/// documents sends several imports.
pub const BATCH_MAX: usize = 500;

/// The longest id, in bytes: the same as for all ids of clients. A UUID has 36.
pub const ID_BYTES_MAX: usize = 128;

/// The longest name, in characters: a line in a list. It is also what the name of an import may have.
pub const NAME_CHARS_MAX: usize = 200;

/// The longest media type, in bytes: twice the longest that is registered.
const MEDIA_TYPE_BYTES_MAX: usize = 200;

/// Bytes of JSON that a document may say about itself in lists: a few numbers and names. It is in memory for every document.
pub const FACTS_BYTES_MAX: usize = 2 * 1024;

#[derive(Clone, Debug, PartialEq)]
pub struct ImportDocuments {
    /// The name of the import, for the audit.
    pub batch: String,
    /// Their contents are kept by the caller.
    pub documents: Vec<Document>,
}

impl ImportDocuments {
    pub(super) fn decide(
        self,
        collection: &Collection,
        id: &CollectionId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, CollectionRefusal> {
        self.check(id)?;
        let news: Vec<Document> = self
            .documents
            .into_iter()
            .filter(|document| {
                let known = collection.documents.get(&document.id);
                known.is_none_or(|known| known.document != *document)
            })
            .collect();
        if news.is_empty() {
            return Ok(vec![]);
        }
        let is_new = |document: &&Document| !collection.documents.contains_key(&document.id);
        let documents = collection.documents.len() + news.iter().filter(is_new).count();
        let most = id.kind.documents_max;
        if documents > most {
            return Err(CollectionRefusal::TooMany { documents, most });
        }
        let mut events = vec![];
        if !collection.exists() {
            let opened = CollectionOpened {
                kind: id.kind.name.to_owned(),
                name: id.name.clone(),
            };
            events.push(opened.into());
        }
        let imported = DocumentsImported {
            batch: self.batch,
            documents: news,
            at: now,
        };
        events.push(imported.into());
        Ok(events)
    }

    fn check(&self, id: &CollectionId) -> Result<(), CollectionRefusal> {
        let documents = self.documents.len();
        if documents > BATCH_MAX {
            return Err(CollectionRefusal::BatchTooLarge {
                documents,
                most: BATCH_MAX,
            });
        }
        if self.batch.chars().count() > NAME_CHARS_MAX {
            return Err(bad_name(&self.batch));
        }
        let mut ids = BTreeSet::new();
        for document in &self.documents {
            check(document, id)?;
            if !ids.insert(&document.id) {
                let id = document.id.to_string();
                return Err(CollectionRefusal::Twice { id });
            }
        }
        Ok(())
    }
}

fn check(document: &Document, id: &CollectionId) -> Result<(), CollectionRefusal> {
    check_document_id(document.id.as_str())?;
    check_document_name(&document.name)?;
    let media_type = &document.media_type;
    if media_type.len() > MEDIA_TYPE_BYTES_MAX || !media_type.contains('/') {
        return Err(CollectionRefusal::BadMediaType {
            media_type: shown(media_type),
        });
    }
    let (bytes, most) = (document.blob.size, id.kind.document_bytes_max);
    if bytes > most {
        return Err(CollectionRefusal::TooLarge {
            id: document.id.to_string(),
            bytes,
            most,
        });
    }
    if !document.facts.is_null() && document.facts.to_string().len() > FACTS_BYTES_MAX {
        return Err(CollectionRefusal::FactsTooLarge {
            id: document.id.to_string(),
            most: FACTS_BYTES_MAX,
        });
    }
    Ok(())
}

/// The effect that an import would have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Documents that are not there yet.
    pub added: usize,
    /// Documents that would replace others.
    pub replaced: usize,
    /// Documents that are there already, with the same content.
    pub unchanged: usize,
}

/// Whether documents may be put into a collection, however many imports they need: a reason to refuse any of these imports is found before
/// the first.
///
/// # Errors
///
/// The first thing that is wrong with them.
pub fn check_import(
    collection: &Collection,
    id: &CollectionId,
    documents: &[Document],
) -> Result<ImportCounts, CollectionRefusal> {
    if collection.erased {
        return Err(CollectionRefusal::Erased);
    }
    let mut counts = ImportCounts::default();
    let mut ids = BTreeSet::new();
    for document in documents {
        check(document, id)?;
        if !ids.insert(&document.id) {
            let id = document.id.to_string();
            return Err(CollectionRefusal::Twice { id });
        }
        match collection.documents.get(&document.id) {
            None => counts.added += 1,
            Some(known) if known.document == *document => counts.unchanged += 1,
            Some(_) => counts.replaced += 1,
        }
    }
    let documents = collection.documents.len() + counts.added;
    let most = id.kind.documents_max;
    if documents > most {
        return Err(CollectionRefusal::TooMany { documents, most });
    }
    Ok(counts)
}

/// Whether a document may have this id. Ids are used in addresses, so characters with a meaning there are not allowed.
///
/// # Errors
///
/// [`CollectionRefusal::BadId`] where it may not.
pub fn check_document_id(id: &str) -> Result<(), CollectionRefusal> {
    let fits = |c: char| {
        !c.is_control() && !c.is_whitespace() && !matches!(c, '/' | '?' | '#' | '%' | '\\')
    };
    let is_dots = id == "." || id == "..";
    if id.is_empty() || id.len() > ID_BYTES_MAX || is_dots || !id.chars().all(fits) {
        return Err(CollectionRefusal::BadId { id: shown(id) });
    }
    Ok(())
}

/// Whether a document may have this name.
///
/// # Errors
///
/// [`CollectionRefusal::BadName`] where it may not.
pub fn check_document_name(name: &str) -> Result<(), CollectionRefusal> {
    let too_long = name.chars().count() > NAME_CHARS_MAX;
    if name.trim().is_empty() || too_long || name.chars().any(char::is_control) {
        return Err(bad_name(name));
    }
    Ok(())
}

fn bad_name(name: &str) -> CollectionRefusal {
    CollectionRefusal::BadName { name: shown(name) }
}

/// As much of a text as an error message has room for.
fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}
