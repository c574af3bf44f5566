//! Imports of more documents than one event may hold. The parts are put in one after the other, but all documents are checked before the
//! first part, so that a fault in any of them keeps all of them out.

use std::sync::Arc;

use bytes::Bytes;
use commands::collection::{
    BATCH_MAX, CollectionCommand, ImportCounts, ImportDocuments, check_import,
};
use domain::Actor;
use domain::collection::{Collection, CollectionId};
use domain::event::Document;
use store::StreamId;

use super::{Asked, CollectionError, Collections, NewDocument};
use crate::error::SendError;
use crate::sessions::blobs::ALONG_BYTES_MAX;
use crate::sessions::client_command;

/// The outcome of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The version of the collection that has all of it.
    pub version: u64,
    /// Whether it had been made before under this id; the counts are then those of that time.
    pub repeated: bool,
    /// Documents that were added.
    pub added: usize,
    /// Documents that replaced others.
    pub replaced: usize,
    /// Documents that were there already, with the same content.
    pub unchanged: usize,
}

impl Collections {
    /// Puts any number of documents in. If any of them is refused, none is put in; `batch` says in the audit what they came with. If the
    /// log fails in the middle, a repetition puts in the rest. The import goes on even if its caller goes away.
    ///
    /// # Errors
    ///
    /// Those of [`Self::put`].
    pub async fn import_all(
        &self,
        owner: &str,
        id: &CollectionId,
        batch: &str,
        documents: Vec<NewDocument>,
        client_id: &str,
        actor: Actor,
    ) -> Result<Imported, CollectionError> {
        let (this, stream) = (self.clone(), StreamId::new(owner, id.stream()));
        let (id, batch, client_id) = (id.clone(), batch.to_owned(), client_id.to_owned());
        let all = async move {
            let of = Of {
                id: &id,
                batch: &batch,
                client_id: &client_id,
                actor: &actor,
            };
            this.import_parts(&stream, of, documents).await
        };
        let done = tokio::spawn(all).await;
        done.unwrap_or(Err(CollectionError::Log(SendError::Stopped)))
    }

    async fn import_parts(
        &self,
        stream: &StreamId,
        of: Of<'_>,
        new: Vec<NewDocument>,
    ) -> Result<Imported, CollectionError> {
        let mailbox = self.mailbox(stream);
        let mut state = mailbox.state.lock().await;
        let collections = &self.inner.collections;
        let name = client_command(stream, &of.part(0));
        let first = collections.find_by(stream, &name, None).await?;
        let before = match &first {
            Some(first) => {
                let version = first.version - first.events.len() as u64;
                let nothing = Collection::default();
                Arc::new(collections.load(stream, nothing, Some(version)).await?)
            }
            None => self.current(stream, &mut state).await?,
        };
        let documents: Vec<Document> = new.iter().map(NewDocument::document).collect();
        let counts = check_import(&before, of.id, &documents)?;
        let mut version = before.version;
        drop(before);
        let contents: Vec<Bytes> = new.into_iter().map(|new| new.content).collect();
        let mut at = 0;
        for (n, length) in (0..).zip(parts(&documents)) {
            let part = at..at + length;
            let command = CollectionCommand::Import(ImportDocuments {
                batch: of.batch.to_owned(),
                documents: documents[part.clone()].to_vec(),
            });
            let asked = Asked {
                command,
                contents: &contents[part.clone()],
                client_id: &of.part(n),
                actor: of.actor.clone(),
            };
            let changed = self.change_held(stream, of.id, &mut state, asked).await?;
            version = changed.version;
            self.follow(stream, of.id, &mut state, &contents[part])
                .await;
            at += length;
        }
        self.settle(&mailbox, &state);
        Ok(imported(version, first.is_some(), counts))
    }
}

/// What all parts of an import have in common.
#[derive(Clone, Copy)]
struct Of<'a> {
    id: &'a CollectionId,
    batch: &'a str,
    client_id: &'a str,
    actor: &'a Actor,
}

impl Of<'_> {
    /// The id of a part, the same for a repetition.
    fn part(&self, n: usize) -> String {
        format!("{}#{n}", self.client_id)
    }
}

/// How many documents each part has: no more than an event may hold, and no more than leave room for their contents in the same append.
fn parts(documents: &[Document]) -> Vec<usize> {
    let mut parts = vec![];
    let (mut length, mut bytes) = (0, 0);
    for document in documents {
        let size = usize::try_from(document.blob.size).unwrap_or(usize::MAX);
        if length > 0 && (length == BATCH_MAX || bytes + size > ALONG_BYTES_MAX) {
            parts.push(length);
            (length, bytes) = (0, 0);
        }
        length += 1;
        bytes += size;
    }
    parts.push(length);
    parts.retain(|length| *length > 0);
    parts
}

fn imported(version: u64, repeated: bool, counts: ImportCounts) -> Imported {
    Imported {
        version,
        repeated,
        added: counts.added,
        replaced: counts.replaced,
        unchanged: counts.unchanged,
    }
}
