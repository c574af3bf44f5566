//! What an append needs before its turn comes, done by whoever appends: encoding, sealing, hashing of bodies, facets.

use std::sync::Arc;

use chrono::DateTime;
use domain::event::{CollectionEvent, SessionEvent};
use domain::facets::{Facet, facets};
use domain::hash::{Blob, Sha256};
use domain::{Event, Recorded, SessionId};
use foldhash::{HashMap, HashMapExt};
use smol_str::SmolStr;

use crate::chain::{Body, Hash};
use crate::documents;
use crate::error::AppendError;
use crate::ids::{CommandId, NodeId, StreamId};
use crate::limits::{APPEND_BYTES, SMALL_BLOB};
use crate::records::{Append, Claim};
use crate::rows::{DOCUMENTS, DocumentKey, PLAIN, SEALED};
use crate::seal::DataKey;

/// An append that is ready to be given its place.
pub(crate) struct Prepared {
    pub(crate) stream: Arc<StreamId>,
    /// `None` where the append has no event, only blobs for a session that may not exist yet.
    pub(crate) expected: Option<u64>,
    pub(crate) command: CommandId,
    pub(crate) actor: SmolStr,
    pub(crate) correlation: Option<Arc<str>>,
    causation: Option<Arc<str>>,
    pub(crate) content: Option<Sha256>,
    pub(crate) node: Option<NodeId>,
    pub(crate) claim: Option<Claim>,
    /// The data key, where the stream did not exist yet; everything below is sealed with it.
    pub(crate) new_key: Option<NewKey>,
    /// The session it is forked from and the last version taken from there.
    pub(crate) fork: Option<(Arc<StreamId>, u64)>,
    pub(crate) erases: bool,
    /// If this append erases its session: the artifacts of the session, including those of this append.
    pub(crate) artifacts: Vec<SmolStr>,
    pub(crate) events: Vec<SealedEvent>,
    /// The events as readers get them, without position and time yet.
    pub(crate) recorded: Vec<Arc<Recorded>>,
    pub(crate) blobs: Vec<SealedBlob>,
    /// The same blobs unsealed, to be sealed again in case the key turns out to be another one.
    pub(crate) plain_blobs: Vec<Blob>,
    /// The sealed keys of contents of documents that it names, where they have one.
    pub(crate) bodies: HashMap<Sha256, Vec<u8>>,
    /// The sealed title, if an event sets one.
    pub(crate) title: Option<Vec<u8>>,
    /// Its size in bytes, as it counts for the limits of a batch.
    pub(crate) bytes: usize,
}

pub(crate) struct SealedEvent {
    pub(crate) name: SmolStr,
    pub(crate) schema: u32,
    pub(crate) causation: Option<Arc<str>>,
    pub(crate) codec: u8,
    pub(crate) payload: Vec<u8>,
    pub(crate) body: Hash,
    pub(crate) facets: Vec<Facet>,
    /// Keys of the documents that it brings, in their order.
    pub(crate) documents: Vec<DocumentKey>,
    /// Marks of the documents that it removes.
    pub(crate) gone: Vec<[u8; 16]>,
}

pub(crate) struct SealedBlob {
    pub(crate) sha256: [u8; 32],
    pub(crate) sealed: Vec<u8>,
}

/// The key to seal with.
pub(crate) struct Key {
    pub(crate) data: Arc<DataKey>,
    /// The key sealed for storage, if the stream is not there yet.
    pub(crate) new: Option<Vec<u8>>,
}

/// The key of a stream that is written for the first time.
pub(crate) struct NewKey {
    pub(crate) data: Arc<DataKey>,
    /// Sealed for storage.
    pub(crate) wrapped: Vec<u8>,
}

/// Checks what can be checked without the log, and takes the append apart; `seal` makes it ready.
pub(crate) fn admit(append: Append) -> Result<Prepared, AppendError> {
    if append.events.is_empty() {
        return Err(AppendError::Empty);
    }
    let stream = Arc::new(append.stream);
    let shape = shape(&stream, append.expected, &append.events)?;
    for blob in &append.blobs {
        check_blob(blob)?;
    }
    let actor = append.actor.text().clone();
    let first = shape.fork.as_ref().map_or(append.expected, |(_, at)| *at) + 1;
    let recorded = (first..)
        .zip(0..)
        .zip(append.events)
        .map(|((version, ordinal), event)| {
            Arc::new(Recorded {
                position: 0,
                version,
                event_id: append.command.event_id(ordinal),
                recorded_at: DateTime::UNIX_EPOCH,
                actor: append.actor.clone(),
                event,
            })
        })
        .collect();
    Ok(Prepared {
        stream,
        expected: Some(append.expected),
        command: append.command,
        actor,
        correlation: append.correlation.map(Into::into),
        causation: append.causation.map(Into::into),
        content: append.content,
        node: append.node,
        claim: append.claim,
        new_key: None,
        fork: shape.fork,
        erases: shape.erases,
        artifacts: vec![],
        events: vec![],
        recorded,
        blobs: vec![],
        plain_blobs: append.blobs,
        bodies: HashMap::new(),
        title: None,
        bytes: 0,
    })
}

/// Blobs without an event.
pub(crate) fn admit_blobs(stream: &StreamId, blobs: Vec<Blob>) -> Prepared {
    Prepared {
        stream: Arc::new(stream.clone()),
        expected: None,
        command: CommandId([0; 16]),
        actor: SmolStr::default(),
        correlation: None,
        causation: None,
        content: None,
        node: None,
        claim: None,
        new_key: None,
        fork: None,
        erases: false,
        artifacts: vec![],
        events: vec![],
        recorded: vec![],
        blobs: vec![],
        plain_blobs: blobs,
        bodies: HashMap::new(),
        title: None,
        bytes: 0,
    }
}

struct Shape {
    fork: Option<(Arc<StreamId>, u64)>,
    erases: bool,
}

fn shape(stream: &StreamId, expected: u64, events: &[Event]) -> Result<Shape, AppendError> {
    let mut shape = Shape {
        fork: None,
        erases: false,
    };
    for (n, event) in events.iter().enumerate() {
        if let Event::Session(SessionEvent::SessionForked(forked)) = event {
            if n != 0 || expected != 0 {
                return Err(AppendError::Misplaced);
            }
            shape.fork = Some((Arc::new(parent(stream, &forked.parent)), forked.at));
        }
        if let Event::Session(SessionEvent::SessionErased(_)) = event {
            if n + 1 != events.len() {
                return Err(AppendError::Misplaced);
            }
            shape.erases = true;
        }
    }
    Ok(shape)
}

fn parent(stream: &StreamId, parent: &SessionId) -> StreamId {
    StreamId {
        owner: stream.owner.clone(),
        session: parent.clone(),
    }
}

fn check_blob(blob: &Blob) -> Result<(), AppendError> {
    let bytes = blob.bytes().len();
    if bytes > SMALL_BLOB {
        return Err(AppendError::BlobTooLarge {
            bytes,
            limit: SMALL_BLOB,
        });
    }
    Ok(())
}

impl Prepared {
    /// Encodes and seals. Does so again if it was done before with another key.
    pub(crate) fn seal(&mut self, key: Key) -> Result<(), AppendError> {
        let stream = &*self.stream;
        let mut bytes = 0;
        let content = self.content;
        let mut mark: Option<Arc<str>> =
            content.map(|content| key.data.content_mark(&content).into());
        self.title = None;
        self.events.clear();
        self.events.reserve(self.recorded.len());
        for (ordinal, recorded) in (0..).zip(&self.recorded) {
            let event = &recorded.event;
            let facets = facets(event);
            if let Some(title) = title_of(&facets) {
                self.title = Some(key.data.seal_title(stream, title));
            }
            let name = event.name();
            let (mut document_keys, mut gone) = (vec![], vec![]);
            let seal = |event: &Event| {
                let write = |plain: &mut Vec<u8>| event.encode_into(plain);
                key.data.seal_event(stream, recorded.version, name, write)
            };
            // The end of a session has to be readable after its key is gone: it tells readers to forget it.
            let (codec, payload) = match event {
                Event::Session(SessionEvent::SessionErased(_)) => (PLAIN, event.encode()),
                Event::Collection(CollectionEvent::DocumentsImported(e)) => {
                    let (version, bodies) = (recorded.version, &self.bodies);
                    let (payload, keys) = documents::seal(&key.data, stream, version, e, bodies);
                    document_keys = keys;
                    (DOCUMENTS, payload)
                }
                Event::Collection(CollectionEvent::DocumentsRemoved(e)) => {
                    let (stored, marks) = documents::without_names(&key.data, e);
                    gone = marks;
                    (SEALED, seal(&stored))
                }
                Event::Session(_)
                | Event::Run(_)
                | Event::Step(_)
                | Event::Gate(_)
                | Event::Collection(_)
                | Event::Project(_) => (SEALED, seal(event)),
            };
            // The mark stands in the first event alone.
            let causation = mark.take().or_else(|| self.causation.clone());
            let body = Body {
                stream,
                version: recorded.version,
                command: &self.command,
                ordinal,
                name,
                schema: event.schema(),
                actor: &self.actor,
                correlation: self.correlation.as_deref(),
                causation: causation.as_deref(),
                codec,
                payload: &payload,
            }
            .hash();
            bytes += payload.len();
            self.events.push(SealedEvent {
                name: SmolStr::new_static(name),
                schema: event.schema(),
                causation,
                codec,
                payload,
                body,
                facets,
                documents: document_keys,
                gone,
            });
        }
        self.blobs.clear();
        for blob in &self.plain_blobs {
            let sha256 = &blob.reference().sha256;
            let sealed = key.data.seal_blob(stream, sha256, blob.bytes());
            bytes += sealed.len();
            self.blobs.push(SealedBlob {
                sha256: *sha256.as_bytes(),
                sealed,
            });
        }
        if bytes > APPEND_BYTES {
            return Err(AppendError::TooLarge {
                bytes,
                limit: APPEND_BYTES,
            });
        }
        self.bytes = bytes;
        self.new_key = key.new.map(|wrapped| NewKey {
            data: key.data,
            wrapped,
        });
        Ok(())
    }
}

fn title_of(facets: &[Facet]) -> Option<&str> {
    facets.iter().find_map(|facet| {
        if let Facet::Listed { title, .. } = facet {
            title.as_deref()
        } else {
            None
        }
    })
}
