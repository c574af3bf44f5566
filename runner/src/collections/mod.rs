//! The documents of owners: commands to collections in, events appended. Contents are blobs of the collection's stream.

mod answer;
mod import;
mod index;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use commands::collection::{
    CollectionCommand, CollectionRefusal, ImportDocuments, PutDocument, RemoveDocuments, decide,
};
use domain::collection::{Collection, CollectionId, Entry};
use domain::event::Document;
use domain::hash::{Blob, BlobRef};
use domain::{Actor, DocumentId};
use serde_json::Value;
use store::{Append, AppendError, Log, ReadError, StreamId};

use self::answer::{answered_before, changed};
use crate::clock::Clock;
use crate::error::SendError;
use crate::sessions::blobs::{blob, goes_along};
use crate::sessions::{CONFLICTS_MAX, client_command};

pub use commands::collection::FILES_MAX;
pub use import::Imported;
pub use index::DocumentHits;

/// Collections whose state is kept: those of the people who are at work now. One of a thousand documents takes some hundreds
/// of kilobytes.
const KEPT: usize = 64;

/// Documents in all states that are kept: two collections of notes as large as they may be, 140 MB.
const KEPT_DOCUMENTS: usize = 200_000;

/// Events read at a time when a state is folded. An import may hold five hundred documents, so that this is up to thirty
/// megabytes beside the state.
const READ_EVENTS: usize = 32;

/// Bytes of small contents that go with their import: half of what an append may hold. The others are put before it.
const INLINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A document that comes in.
#[derive(Clone, Debug, PartialEq)]
pub struct NewDocument {
    pub id: DocumentId,
    pub name: String,
    pub media_type: String,
    pub content: Bytes,
    /// What lists show of it beside; null where there is nothing.
    pub facts: Value,
}

impl NewDocument {
    fn document(&self) -> Document {
        Document {
            id: self.id.clone(),
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            blob: BlobRef::of(&self.content),
            facts: self.facts.clone(),
        }
    }
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The version of the collection that has it.
    pub version: u64,
    /// It had been made before under this id; this is what it became then.
    pub duplicate: bool,
    /// How many documents came that were not there before; of a repetition it is not known and 0.
    pub added: usize,
    /// How many documents went; of a repetition those that went then.
    pub removed: usize,
}

/// Why a collection was not read or changed. Nothing has happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CollectionError {
    #[error(transparent)]
    Refused(#[from] CollectionRefusal),
    #[error(transparent)]
    Log(#[from] SendError),
}

impl From<AppendError> for CollectionError {
    fn from(error: AppendError) -> Self {
        Self::Log(error.into())
    }
}

impl From<ReadError> for CollectionError {
    fn from(error: ReadError) -> Self {
        Self::Log(error.into())
    }
}

type State = Arc<tokio::sync::Mutex<Option<Arc<Collection>>>>;

/// The collections of a log. Cheap to clone.
#[derive(Clone)]
pub struct Collections(Arc<Inner>);

struct Inner {
    log: Arc<dyn Log>,
    clock: Clock,
    /// Held while a change is decided and appended, so that changes of this process do not get in each other's way.
    states: Mutex<HashMap<StreamId, State>>,
}

impl std::fmt::Debug for Collections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Collections")
    }
}

impl Collections {
    pub fn new(log: Arc<dyn Log>, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            log,
            clock,
            states: Mutex::default(),
        }))
    }

    /// Puts one document in, in the place of the one that has its id.
    ///
    /// # Errors
    ///
    /// [`CollectionRefusal`] where it is not taken; [`SendError::IdReused`] where `client_id` was given to another change.
    pub async fn put(
        &self,
        owner: &str,
        id: &CollectionId,
        document: NewDocument,
        client_id: &str,
        actor: Actor,
    ) -> Result<Changed, CollectionError> {
        let command = CollectionCommand::Put(PutDocument {
            document: document.document(),
        });
        let contents = vec![document.content];
        self.change(owner, id, command, contents, client_id, actor)
            .await
    }

    /// Puts several documents in, all or none; `batch` says in the audit what they came with.
    ///
    /// # Errors
    ///
    /// As of [`Self::put`].
    pub async fn import(
        &self,
        owner: &str,
        id: &CollectionId,
        batch: &str,
        documents: Vec<NewDocument>,
        client_id: &str,
        actor: Actor,
    ) -> Result<Changed, CollectionError> {
        let command = CollectionCommand::Import(ImportDocuments {
            batch: batch.to_owned(),
            documents: documents.iter().map(NewDocument::document).collect(),
        });
        let contents = documents.into_iter().map(|new| new.content).collect();
        self.change(owner, id, command, contents, client_id, actor)
            .await
    }

    /// Takes documents out; ones that are not there are passed over.
    ///
    /// # Errors
    ///
    /// As of [`Self::put`].
    pub async fn remove(
        &self,
        owner: &str,
        id: &CollectionId,
        ids: Vec<DocumentId>,
        client_id: &str,
        actor: Actor,
    ) -> Result<Changed, CollectionError> {
        let command = CollectionCommand::Remove(RemoveDocuments { ids });
        self.change(owner, id, command, vec![], client_id, actor)
            .await
    }

    /// A collection as it is now; one that nothing was put into is empty.
    ///
    /// # Errors
    ///
    /// [`SendError::Erased`], or the log cannot be read.
    pub async fn get(&self, owner: &str, id: &CollectionId) -> Result<Arc<Collection>, SendError> {
        let stream = StreamId::new(owner, id.stream());
        let state = self.state(&stream);
        let mut state = state.lock().await;
        self.load(&stream, &mut state).await
    }

    /// The document with this id, else the one with exactly this name; of several the one that was put there last.
    ///
    /// # Errors
    ///
    /// As of [`Self::get`].
    pub async fn find(
        &self,
        owner: &str,
        id: &CollectionId,
        document: Option<&str>,
        name: Option<&str>,
    ) -> Result<Option<Entry>, SendError> {
        let collection = self.get(owner, id).await?;
        Ok(collection.find(document, name).cloned())
    }

    /// The content of a document.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the content is missing there.
    pub async fn content(
        &self,
        owner: &str,
        id: &CollectionId,
        document: &Document,
    ) -> Result<Bytes, SendError> {
        let stream = StreamId::new(owner, id.stream());
        blob(self.0.log.as_ref(), &stream, &document.blob.sha256).await
    }

    async fn change(
        &self,
        owner: &str,
        id: &CollectionId,
        command: CollectionCommand,
        contents: Vec<Bytes>,
        client_id: &str,
        actor: Actor,
    ) -> Result<Changed, CollectionError> {
        let stream = StreamId::new(owner, id.stream());
        let state = self.state(&stream);
        let mut state = state.lock().await;
        let asked = Asked {
            command,
            contents: &contents,
            client_id,
            actor,
        };
        let changed = self.change_held(&stream, id, &mut state, asked).await?;
        self.follow(&stream, id, &mut state, &contents).await;
        Ok(changed)
    }

    async fn change_held(
        &self,
        stream: &StreamId,
        id: &CollectionId,
        state: &mut Option<Arc<Collection>>,
        asked: Asked<'_>,
    ) -> Result<Changed, CollectionError> {
        let Asked {
            command,
            contents,
            client_id,
            actor,
        } = asked;
        let name = client_command(stream, client_id);
        if let Some(before) = self.0.log.find_command(stream, &name).await? {
            return Ok(answered_before(&before, &command)?);
        }
        let mut blobs = None;
        for _ in 0..CONFLICTS_MAX {
            let collection = self.load(stream, state).await?;
            let events = decide(&collection, id, command.clone(), self.0.clock.now())?;
            if events.is_empty() {
                return Ok(Changed {
                    version: collection.version,
                    duplicate: false,
                    added: 0,
                    removed: 0,
                });
            }
            // Once it is known that they are taken.
            let blobs = match &mut blobs {
                Some(blobs) => blobs,
                none => none.insert(self.keep(stream, contents).await?),
            };
            let append = Append {
                actor: actor.clone(),
                blobs: blobs.clone(),
                ..Append::new(stream.clone(), collection.version, name, events)
            };
            match self.0.log.append(append).await {
                Ok(committed) if committed.duplicate => {
                    return Ok(answered_before(&committed, &command)?);
                }
                Ok(committed) => return Ok(changed(&collection, &committed)),
                Err(AppendError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(SendError::Busy.into())
    }

    /// Small contents are rows of the same append, as long as that has room; the others are there before it.
    async fn keep(&self, stream: &StreamId, contents: &[Bytes]) -> Result<Vec<Blob>, AppendError> {
        let (mut inline, mut room) = (vec![], INLINE_BYTES_MAX);
        for content in contents {
            let blob = Blob::of(content.clone());
            if goes_along(&blob) && content.len() <= room {
                room -= content.len();
                inline.push(blob);
            } else {
                self.0.log.put_blob(stream, blob).await?;
            }
        }
        Ok(inline)
    }

    /// What is kept of a collection, with what has happened to it since: other processes may have appended.
    async fn load(
        &self,
        stream: &StreamId,
        state: &mut Option<Arc<Collection>>,
    ) -> Result<Arc<Collection>, SendError> {
        let mut collection = state.take().unwrap_or_default();
        loop {
            let read = self.0.log.read(stream, collection.version, READ_EVENTS);
            let read = match read.await {
                Ok(read) => read,
                Err(ReadError::NoStream { .. }) => vec![],
                Err(error) => return Err(error.into()),
            };
            if read.is_empty() {
                break;
            }
            let folded = Arc::make_mut(&mut collection);
            for recorded in &read {
                folded.evolve(&recorded.event);
            }
        }
        if collection.exists() {
            *state = Some(Arc::clone(&collection));
        }
        Ok(collection)
    }

    fn state(&self, stream: &StreamId) -> State {
        let mut states = self
            .0
            .states
            .lock()
            .expect("nothing panics while collections are looked up");
        if let Some(state) = states.get(stream) {
            return Arc::clone(state);
        }
        if states.len() >= KEPT || documents(&states) > KEPT_DOCUMENTS {
            // Somebody who uses one holds it too.
            states.retain(|_, state| Arc::strong_count(state) > 1);
        }
        let state = State::default();
        states.insert(stream.clone(), Arc::clone(&state));
        state
    }
}

/// A change that is asked for.
struct Asked<'a> {
    command: CollectionCommand,
    contents: &'a [Bytes],
    client_id: &'a str,
    actor: Actor,
}

/// Documents in these states; of ones that are being changed now it is not known.
fn documents(states: &HashMap<StreamId, State>) -> usize {
    let count = |state: &State| {
        let state = state.try_lock().ok()?;
        Some(state.as_ref()?.documents.len())
    };
    states.values().filter_map(count).sum()
}

#[cfg(test)]
mod tests;
