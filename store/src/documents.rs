//! Documents of collections in events. The log only grows, and yet a document that is removed has to become unreadable. So each document is
//! sealed, inside its event, with a key of its own; the key is kept beside the events and is destroyed when the document is removed. The
//! event stays as it was hashed; later readers of it find the documents whose keys still exist.

use data_encoding::BASE64;
use domain::DocumentId;
use domain::event::{CollectionEvent, DocumentsImported, DocumentsRemoved, Event};
use domain::hash::Sha256;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::StreamId;
use crate::rows::{DOCUMENTS, DocumentKey, EventRow};
use crate::seal::DataKey;

const DOCUMENTS_FIELD: &str = "documents";
const BATCH_FIELD: &str = "batch";

/// A document in a stored event.
#[derive(Serialize, Deserialize)]
struct Piece {
    /// The name by which the event of its removal refers to it.
    mark: DocumentId,
    /// The document and what it came with, as JSON, sealed, in Base64.
    sealed: String,
}

/// A payload that was opened.
pub(crate) struct Opened {
    pub(crate) plain: Vec<u8>,
    /// Marks of documents whose keys are gone.
    pub(crate) gone: Vec<DocumentId>,
}

/// The event with each document sealed by itself, and their keys in the order of the documents. `bodies` are the sealed keys of those
/// contents that have one.
pub(crate) fn seal(
    key: &DataKey,
    stream: &StreamId,
    version: u64,
    imported: &DocumentsImported,
    bodies: &HashMap<Sha256, Vec<u8>>,
) -> (Vec<u8>, Vec<DocumentKey>) {
    let mut keys = Vec::with_capacity(imported.documents.len());
    let mut pieces = Vec::with_capacity(imported.documents.len());
    for (place, document) in (0..).zip(&imported.documents) {
        let (own, wrapped) = key.document_key(stream, version, place);
        let plain = serde_json::json!({ "batch": imported.batch, "document": document });
        let sealed = own.seal(stream, version, place, plain.to_string().as_bytes());
        pieces.push(Piece {
            mark: document.id.mark(),
            sealed: BASE64.encode(&sealed),
        });
        keys.push(DocumentKey {
            mark: key.document_mark(document.id.as_str()),
            sha256: *document.blob.sha256.as_bytes(),
            wrapped,
            body: bodies.get(&document.blob.sha256).cloned(),
        });
    }
    let bare = DocumentsImported {
        batch: String::new(),
        documents: vec![],
        at: imported.at,
    };
    let mut event = serde_json::to_value(&bare).expect("an event has only text keys");
    event[DOCUMENTS_FIELD] = serde_json::to_value(&pieces).expect("a piece has only text keys");
    let name = Event::from(bare).name();
    let payload = key.seal_event(stream, version, name, |plain| {
        plain.extend_from_slice(event.to_string().as_bytes());
    });
    (payload, keys)
}

/// Opens a stored payload. `None` where it is not what was sealed.
pub(crate) fn open(key: &DataKey, stream: &StreamId, row: &EventRow) -> Option<Opened> {
    let plain = key.open_event(stream, row.version, &row.name, &row.payload)?;
    if row.codec != DOCUMENTS {
        return Some(Opened {
            plain,
            gone: vec![],
        });
    }
    let mut event: Value = serde_json::from_slice(&plain).ok()?;
    let pieces: Vec<Piece> = serde_json::from_value(event[DOCUMENTS_FIELD].take()).ok()?;
    let (mut documents, mut gone) = (vec![], vec![]);
    for (place, piece) in (0..).zip(pieces) {
        let Some((_, wrapped)) = row.keys.iter().find(|(of, _)| *of == place) else {
            gone.push(piece.mark);
            continue;
        };
        let own = key.open_document_key(stream, row.version, place, wrapped)?;
        let sealed = BASE64.decode(piece.sealed.as_bytes()).ok()?;
        let opened = own.open(stream, row.version, place, &sealed)?;
        let mut opened: Value = serde_json::from_slice(&opened).ok()?;
        event[BATCH_FIELD] = opened[BATCH_FIELD].take();
        documents.push(opened["document"].take());
    }
    event[DOCUMENTS_FIELD] = Value::Array(documents);
    Some(Opened {
        plain: event.to_string().into_bytes(),
        gone,
    })
}

/// Returns the event as it is stored, and the marks of the documents that are removed. It needs the key of the collection.
pub(crate) fn without_names(key: &DataKey, removed: &DocumentsRemoved) -> (Event, Vec<[u8; 16]>) {
    let ids = removed.ids.iter();
    let marks = ids.clone().map(|id| key.document_mark(id.as_str()));
    let marks = marks.collect();
    let stored = DocumentsRemoved {
        ids: ids.map(DocumentId::mark).collect(),
        at: removed.at,
    };
    (CollectionEvent::DocumentsRemoved(stored).into(), marks)
}
