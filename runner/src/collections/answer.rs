//! The outcome of a change, read from what was recorded of it.

use commands::collection::CollectionCommand;
use domain::DocumentId;
use domain::event::{CollectionEvent, Document, Event};

use super::Changed;
use crate::error::SendError;
use crate::sessions::Applied;

/// The outcome of a change that was made now and added this many new documents.
pub(super) fn changed(applied: &Applied, added: usize) -> Changed {
    Changed {
        version: applied.version,
        duplicate: false,
        added,
        removed: removed(applied).count(),
    }
}

/// A repetition gets the first answer; a different request with the same id is not a repetition.
pub(super) fn answered_before(
    applied: &Applied,
    command: &CollectionCommand,
) -> Result<Changed, SendError> {
    let wanted: &[Document] = match command {
        CollectionCommand::Put(put) => std::slice::from_ref(&put.document),
        CollectionCommand::Import(import) => &import.documents,
        CollectionCommand::Remove(_) => &[],
    };
    let ids: &[DocumentId] = match command {
        CollectionCommand::Remove(remove) => &remove.ids,
        CollectionCommand::Put(_) | CollectionCommand::Import(_) => &[],
    };
    let is_ours = imported(applied).all(|document| wanted.contains(document))
        && removed(applied).all(|gone| ids.iter().any(|id| id == gone || id.mark() == *gone));
    if !is_ours {
        return Err(SendError::IdReused);
    }
    Ok(Changed {
        version: applied.version,
        duplicate: true,
        added: 0,
        removed: removed(applied).count(),
    })
}

fn imported(applied: &Applied) -> impl Iterator<Item = &Document> {
    let documents = applied.events.iter().map(|recorded| {
        if let Event::Collection(CollectionEvent::DocumentsImported(e)) = &recorded.event {
            e.documents.as_slice()
        } else {
            &[]
        }
    });
    documents.flatten()
}

fn removed(applied: &Applied) -> impl Iterator<Item = &DocumentId> {
    let ids = applied.events.iter().map(|recorded| {
        if let Event::Collection(CollectionEvent::DocumentsRemoved(e)) = &recorded.event {
            e.ids.as_slice()
        } else {
            &[]
        }
    });
    ids.flatten()
}
