//! Searching a collection. The index knows documents by the marks of their ids, so that no id is left in it. The index follows the events
//! of the collection: it is brought up to date after each change of this process, and before each search, so that a search sees everything
//! that was there before it, no matter which process put it there.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use domain::DocumentId;
use domain::collection::{Collection, CollectionId, Entry, SearchWords};
use domain::event::{CollectionEvent, Document, Event};
use domain::hash::{BlobRef, Sha256};
use domain::tokens::{Query, TOKENIZER};
use futures::future::try_join_all;
use store::{IndexChange, IndexState, IndexedDocument, StreamId};

use super::Collections;
use crate::error::SendError;
use crate::sessions::blobs::blob;
use crate::streams::{CONFLICTS_MAX, LiveAggregate};

/// Documents that are indexed in one transaction. Everybody who writes to the log waits for it; a hundred notes take some tens
/// of milliseconds.
const INDEXED_AT_ONCE: usize = 100;

/// The words of a document with these bytes.
type WordsOf = fn(&Document, &[u8]) -> SearchWords;

/// What is indexed, and from what.
#[derive(Clone, Copy)]
struct Indexing<'a> {
    stream: &'a StreamId,
    collection: &'a Collection,
    words: WordsOf,
    /// Contents that need not be read.
    contents: &'a HashMap<Sha256, Bytes>,
}

/// Changes of documents: ids of those that were put in, marks of those that were removed.
#[derive(Default)]
struct DocumentChanges {
    come: BTreeSet<DocumentId>,
    gone: BTreeSet<DocumentId>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentHits {
    /// How many documents match.
    pub total: u64,
    /// The first of the documents that match, best first.
    pub entries: Vec<Entry>,
}

impl Collections {
    /// Documents that match the query and also have all of these words, best first. Every database finds the same documents, but may order
    /// them differently.
    ///
    /// # Errors
    ///
    /// Those of [`Self::get`].
    pub async fn search(
        &self,
        owner: &str,
        id: &CollectionId,
        query: &Query,
        besides: &[String],
        limit: usize,
    ) -> Result<DocumentHits, SendError> {
        let stream = StreamId::new(owner, id.stream());
        let mailbox = self.mailbox(&stream);
        let mut state = mailbox.state.lock().await;
        let collection = self.current(&stream, &mut state).await?;
        self.settle(&mailbox, &state);
        let Some(words) = id.kind.searched else {
            return Ok(DocumentHits::default());
        };
        self.catch_up(&stream, &collection, words, &HashMap::new())
            .await?;
        for mut way in query.ways() {
            for words in &mut way {
                words.extend_from_slice(besides);
            }
            let hits = self.log().search(&stream, &way, limit).await?;
            if hits.total > 0 {
                let entries = hits.documents.iter();
                let entries = entries.filter_map(|mark| collection.marked(mark).cloned());
                return Ok(DocumentHits {
                    total: hits.total,
                    entries: entries.collect(),
                });
            }
        }
        Ok(DocumentHits::default())
    }

    /// Brings the index up to date after a change. The change has been made already, so a failure here does not make it fail; the next
    /// search tries again.
    pub(super) async fn follow(
        &self,
        stream: &StreamId,
        id: &CollectionId,
        state: &mut Option<Arc<Collection>>,
        contents: &[Bytes],
    ) {
        let Some(words) = id.kind.searched else {
            return;
        };
        let contents = contents
            .iter()
            .map(|bytes| (BlobRef::of(bytes).sha256, bytes.clone()));
        let contents: HashMap<Sha256, Bytes> = contents.collect();
        let followed = match self.current(stream, state).await {
            Ok(collection) => self.catch_up(stream, &collection, words, &contents).await,
            Err(error) => Err(error),
        };
        if let Err(error) = followed {
            tracing::warn!(%error, "a collection was changed, and its search index is behind");
        }
    }

    /// Indexes everything that has happened since the index was last brought up to date; indexes the whole collection where the index was
    /// made in another way or does not exist. `contents` holds contents that need not be read.
    async fn catch_up(
        &self,
        stream: &StreamId,
        collection: &Collection,
        words: WordsOf,
        contents: &HashMap<Sha256, Bytes>,
    ) -> Result<(), SendError> {
        for _ in 0..CONFLICTS_MAX {
            let stored = self.log().index_state(stream).await?;
            let before = stored.filter(|it| it.tokenizer == TOKENIZER && it.version > 0);
            let is_new = before.is_some_and(|it| it.version >= collection.version);
            if is_new || !collection.exists() {
                return Ok(());
            }
            let changed = match before {
                Some(before) => self.changed_since(stream, before.version).await?,
                None => DocumentChanges {
                    come: collection.documents.keys().cloned().collect(),
                    gone: BTreeSet::new(),
                },
            };
            let indexing = Indexing {
                stream,
                collection,
                words,
                contents,
            };
            if self.index(indexing, before, changed).await? {
                return Ok(());
            }
        }
        Err(SendError::Busy)
    }

    /// Returns whether the documents were indexed here: another process may have been faster.
    async fn index(
        &self,
        indexing: Indexing<'_>,
        mut expected: Option<IndexState>,
        changed: DocumentChanges,
    ) -> Result<bool, SendError> {
        let Indexing {
            stream,
            collection,
            words,
            contents,
        } = indexing;
        let mut put: Vec<&Document> = vec![];
        let mut remove: Vec<DocumentId> = changed.gone.into_iter().collect();
        for id in changed.come {
            match collection.documents.get(&id) {
                Some(entry) => put.push(&entry.document),
                None => remove.push(id.mark()),
            }
        }
        let mut put = put.as_slice();
        loop {
            let (part, rest) = put.split_at(put.len().min(INDEXED_AT_ONCE));
            put = rest;
            // Only the last part brings the index up to the new version; until then it keeps the version that it had.
            let so_far = expected.map_or(0, |it| it.version);
            let version = if put.is_empty() {
                collection.version
            } else {
                so_far
            };
            let bytes = part.iter().map(|document| async {
                match contents.get(&document.blob.sha256) {
                    Some(bytes) => Ok(bytes.clone()),
                    None => blob(self.log(), stream, &document.blob.sha256).await,
                }
            });
            let bytes = try_join_all(bytes).await?;
            let documents = part.iter().zip(&bytes);
            let change = IndexChange {
                stream: stream.clone(),
                expected,
                tokenizer: TOKENIZER,
                version,
                put: documents
                    .map(|(document, bytes)| indexed(document, words(document, bytes)))
                    .collect(),
                remove: std::mem::take(&mut remove),
            };
            expected = self.log().index(change).await?;
            if expected.is_none() {
                return Ok(false);
            }
            if put.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Documents that came or went after a version.
    async fn changed_since(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<DocumentChanges, SendError> {
        let (mut changed, mut after) = (DocumentChanges::default(), version);
        loop {
            let read = self
                .log()
                .read(stream, after, Collection::READ_EVENTS)
                .await?;
            let Some(last) = read.last() else {
                return Ok(changed);
            };
            after = last.version;
            for recorded in &read {
                if let Event::Collection(CollectionEvent::DocumentsImported(e)) = &recorded.event {
                    let ids = e.documents.iter().map(|document| document.id.clone());
                    changed.come.extend(ids);
                }
                if let Event::Collection(CollectionEvent::DocumentsRemoved(e)) = &recorded.event {
                    let marks = e.ids.iter().map(|id| match id.is_mark() {
                        true => id.clone(),
                        false => id.mark(),
                    });
                    changed.gone.extend(marks);
                }
            }
        }
    }
}

fn indexed(document: &Document, words: SearchWords) -> IndexedDocument {
    IndexedDocument {
        id: document.id.mark(),
        title: words.title,
        tags: words.tags,
        body: words.body,
    }
}
