//! The documents of owners. Commands to collections are decided, and their events are appended. Contents are blobs of the collection's
//! stream.

mod answer;
mod import;
mod index;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use commands::collection::{
    ChangeCollection, CollectionCommand, CollectionRefusal, ImportDocuments, PutDocument,
    RemoveDocuments,
};
use domain::collection::{Collection, CollectionId, Entry, Kind};
use domain::event::Document;
use domain::facets::blobs;
use domain::hash::BlobRef;
use domain::pipeline::Pipelines;
use domain::streams::work_session;
use domain::{Actor, DocumentId, SessionId};
use serde_json::Value;
use store::{Append, AppendError, Log, StreamId};
use tokio_util::sync::CancellationToken;

use self::answer::{answered_before, changed};
use crate::clock::Clock;
use crate::error::SendError;
use crate::sessions::blobs::{blob, keep_all};
use crate::sessions::{Applied, Request, Sessions, client_command};
use crate::streams::{
    Appender, Curator, LiveAggregate, Mailbox, Mailboxes, Streams, append_curated,
};

pub use import::Imported;
pub use index::DocumentHits;

/// How many documents take as much memory as one small collection: some hundred kilobytes or more.
const DOCUMENTS_OF_WEIGHT: usize = 4_000;

/// A document that comes in.
#[derive(Clone, Debug, PartialEq)]
pub struct NewDocument {
    pub id: DocumentId,
    pub name: String,
    pub media_type: String,
    pub content: Bytes,
    /// Further facts that lists show of it; null where there are none.
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

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The version of the collection that has it.
    pub version: u64,
    /// Whether it had been made before under this id; then this is the outcome of that time.
    pub duplicate: bool,
    /// How many documents were added that were not there before; 0 for a repetition, where the number is not known.
    pub added: usize,
    /// How many documents were removed; for a repetition, how many were removed then.
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

impl LiveAggregate for Collection {
    type Error = CollectionError;

    const OPTIMISTIC: bool = false;

    /// An import may hold five hundred documents, so that this is up to thirty megabytes beside the state.
    const READ_EVENTS: usize = 32;

    /// The weight that is kept: this many small collections, which are those of the people who are at work now, or two collections of notes
    /// of the largest size, 140 MB.
    const KEPT: usize = 64;

    const SLACK: usize = 0;

    fn weight(&self) -> usize {
        1 + self.documents.len() / DOCUMENTS_OF_WEIGHT
    }
}

/// The collections of a log. Cheap to clone.
#[derive(Clone)]
pub struct Collections {
    inner: Arc<Inner>,
    /// The session whose step makes the changes, where one does.
    within: Option<SessionId>,
}

struct Inner {
    collections: Streams<Collection>,
    curation: Option<Curation>,
}

/// The curators that work on changes, by the name of the kind of collection, and the sessions in which they work.
struct Curation {
    curators: BTreeMap<&'static str, Curator>,
    sessions: Arc<dyn Sessions>,
}

impl std::fmt::Debug for Collections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Collections")
    }
}

impl Collections {
    /// Collections whose changes begin no runs.
    pub fn new(log: Arc<dyn Log>, clock: Clock) -> Self {
        Self::with(log, clock, None)
    }

    /// Collections whose changes begin runs of their kind's curator.
    pub(crate) fn curated(
        log: Arc<dyn Log>,
        clock: Clock,
        curators: BTreeMap<&'static str, Curator>,
        sessions: Arc<dyn Sessions>,
    ) -> Self {
        Self::with(log, clock, Some(Curation { curators, sessions }))
    }

    fn with(log: Arc<dyn Log>, clock: Clock, curation: Option<Curation>) -> Self {
        let collections = Streams {
            log,
            clock,
            pipelines: Pipelines::new(vec![]),
            // Several of these may be in one process.
            shared: true,
            stop: CancellationToken::new(),
            mailboxes: Mailboxes::default(),
        };
        Self {
            inner: Arc::new(Inner {
                collections,
                curation,
            }),
            within: None,
        }
    }

    /// The same collections for a step of this session. Changes that a curator makes to the collection that it works on ask for no further
    /// work.
    pub(crate) fn within(&self, session: &SessionId) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            within: Some(session.clone()),
        }
    }

    /// The curator that works on this change, and the sessions in which it works; `None` where no curator does.
    fn curator(&self, stream: &StreamId, kind: Kind) -> Option<(&Curator, &dyn Sessions)> {
        let curation = self.inner.curation.as_ref()?;
        let curator = curation.curators.get(kind.name)?;
        let is_own = self.within.as_ref() == Some(&work_session(&stream.session));
        (!is_own).then_some((curator, curation.sessions.as_ref()))
    }

    fn log(&self) -> &dyn Log {
        self.inner.collections.log.as_ref()
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
    /// Those of [`Self::put`].
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
    /// Those of [`Self::put`]. Where their contents could not be deleted, they are out, and a repetition deletes the contents.
    pub async fn remove(
        &self,
        owner: &str,
        id: &CollectionId,
        ids: Vec<DocumentId>,
        client_id: &str,
        actor: Actor,
    ) -> Result<Changed, CollectionError> {
        let command = CollectionCommand::Remove(RemoveDocuments { ids });
        let changed = self
            .change(owner, id, command, vec![], client_id, actor)
            .await?;
        let stream = StreamId::new(owner, id.stream());
        self.log().settle(Some(&stream)).await?;
        Ok(changed)
    }

    /// A collection as it is now; one that nothing was put into is empty.
    ///
    /// # Errors
    ///
    /// [`SendError::Erased`], or the log cannot be read.
    pub async fn get(&self, owner: &str, id: &CollectionId) -> Result<Arc<Collection>, SendError> {
        let stream = StreamId::new(owner, id.stream());
        let mailbox = self.mailbox(&stream);
        let mut state = mailbox.state.lock().await;
        let collection = self.current(&stream, &mut state).await?;
        self.settle(&mailbox, &state);
        Ok(collection)
    }

    /// The document with this id, else the one with exactly this name; of several the one that was put there last.
    ///
    /// # Errors
    ///
    /// Those of [`Self::get`].
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
        blob(self.log(), &stream, &document.blob.sha256).await
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
        let mailbox = self.mailbox(&stream);
        let mut state = mailbox.state.lock().await;
        let asked = Asked {
            command,
            contents: &contents,
            client_id,
            actor,
        };
        let changed = self.change_held(&stream, id, &mut state, asked).await;
        if changed.is_ok() {
            self.follow(&stream, id, &mut state, &contents).await;
        }
        self.settle(&mailbox, &state);
        changed
    }

    async fn change_held(
        &self,
        stream: &StreamId,
        id: &CollectionId,
        state: &mut Option<Arc<Collection>>,
        asked: Asked<'_>,
    ) -> Result<Changed, CollectionError> {
        let request = Request {
            claim: None,
            command: ChangeCollection {
                collection: id.clone(),
                command: asked.command,
            },
            id: client_command(stream, asked.client_id),
            actor: asked.actor,
            expected_version: None,
            blobs: vec![],
            content: None,
        };
        let collections = &self.inner.collections;
        let command = &request.command.command;
        if let Some(before) = collections.find(stream, &request).await? {
            return Ok(answered_before(&before, command)?);
        }
        let mut appender = CollectionAppender {
            collections: self,
            kind: id.kind,
            contents: asked.contents,
            documents_before: 0,
        };
        let applied = collections
            .process_held(stream, state, &request, &mut appender)
            .await?;
        if applied.duplicate {
            return Ok(answered_before(&applied, command)?);
        }
        let documents = state.as_ref().map_or(0, |now| now.documents.len());
        let added = documents.saturating_sub(appender.documents_before);
        Ok(changed(&applied, added))
    }

    fn mailbox(&self, stream: &StreamId) -> Arc<Mailbox<Collection>> {
        self.inner.collections.mailboxes.of(stream)
    }

    /// The state that is kept of a collection, brought up to date: other processes may have appended.
    async fn current(
        &self,
        stream: &StreamId,
        state: &mut Option<Arc<Collection>>,
    ) -> Result<Arc<Collection>, SendError> {
        self.inner.collections.current(stream, state).await
    }

    fn settle(&self, mailbox: &Mailbox<Collection>, state: &Option<Arc<Collection>>) {
        let nothing = Collection::default();
        let state = state.as_deref().unwrap_or(&nothing);
        self.inner.collections.mailboxes.settle(mailbox, state);
    }
}

/// Appends a change with its contents, and the message to the curator that works on it.
struct CollectionAppender<'a> {
    collections: &'a Collections,
    kind: Kind,
    contents: &'a [Bytes],
    /// How many documents there were in the state that was decided on last.
    documents_before: usize,
}

impl Appender<Collection> for CollectionAppender<'_> {
    fn decides_on(&mut self, collection: &Collection) {
        self.documents_before = collection.documents.len();
    }

    async fn append(&mut self, mut append: Append) -> Result<Option<Applied>, CollectionError> {
        let collections = self.collections;
        // A content of a document that is there already is not put again: nothing would name it.
        let contents: Vec<Bytes> = {
            let named: Vec<&BlobRef> = append.events.iter().flat_map(blobs).collect();
            let contents = self.contents.iter();
            let contents = contents.filter(|content| named.contains(&&BlobRef::of(content)));
            contents.cloned().collect()
        };
        append.blobs = keep_all(collections.log(), &append.stream, &contents).await?;
        let curator = collections.curator(&append.stream, self.kind);
        Ok(append_curated(collections.log(), curator, append).await?)
    }
}

/// A change that is asked for.
struct Asked<'a> {
    command: CollectionCommand,
    contents: &'a [Bytes],
    client_id: &'a str,
    actor: Actor,
}

#[cfg(test)]
mod tests;
