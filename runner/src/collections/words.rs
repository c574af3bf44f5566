//! The words by which the index finds a document.

use domain::event::Document;
use domain::notes::{Note, theme_word};
use domain::tokens::index_words;
use store::IndexedDocument;

/// What the index has of a note: the words of its title, its tags with its theme, and its body.
pub(super) fn indexed(document: &Document, content: &[u8]) -> IndexedDocument {
    let note = Note::from_content(content).unwrap_or_default();
    let mut tags = index_words(&note.tags.join(" "));
    tags.extend(note.theme_id.map(theme_word));
    IndexedDocument {
        id: document.id.clone(),
        title: index_words(&document.name),
        tags,
        body: index_words(&note.body),
    }
}
