//! What a change became, read from what was recorded of it.

use commands::collection::CollectionCommand;
use domain::DocumentId;
use domain::collection::Collection;
use domain::event::{CollectionEvent, Document, Event};
use store::Committed;

use super::Changed;
use crate::error::SendError;

/// What a change became that was made on this state.
pub(super) fn changed(before: &Collection, committed: &Committed) -> Changed {
    let is_new = |document: &&Document| !before.documents.contains_key(&document.id);
    Changed {
        version: committed.version,
        duplicate: false,
        added: imported(committed).filter(is_new).count(),
        removed: removed(committed).count(),
    }
}

/// A repetition gets the first answer; what asks for something else under the same id is none.
pub(super) fn answered_before(
    committed: &Committed,
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
    let is_ours = imported(committed).all(|document| wanted.contains(document))
        && removed(committed).all(|id| ids.contains(id));
    if !is_ours {
        return Err(SendError::IdReused);
    }
    Ok(Changed {
        version: committed.version,
        duplicate: true,
        added: 0,
        removed: removed(committed).count(),
    })
}

fn imported(committed: &Committed) -> impl Iterator<Item = &Document> {
    let documents = committed.recorded.iter().map(|recorded| {
        if let Event::Collection(CollectionEvent::DocumentsImported(e)) = &recorded.event {
            e.documents.as_slice()
        } else {
            &[]
        }
    });
    documents.flatten()
}

fn removed(committed: &Committed) -> impl Iterator<Item = &DocumentId> {
    let ids = committed.recorded.iter().map(|recorded| {
        if let Event::Collection(CollectionEvent::DocumentsRemoved(e)) = &recorded.event {
            e.ids.as_slice()
        } else {
            &[]
        }
    });
    ids.flatten()
}
