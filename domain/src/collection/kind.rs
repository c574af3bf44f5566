//! What a kind of collection may hold, which kinds a program has, and the streams of their collections.

use std::collections::BTreeMap;

use crate::event::Document;
use crate::ids::SessionId;
use crate::streams;

/// The words by which a document is found, each in the form of `tokens::index_words`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchWords {
    pub title: Vec<String>,
    pub tags: Vec<String>,
    pub body: Vec<String>,
}

/// A kind of documents, with its limits.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Lower-case letters, digits and underscores; it stands in the names of streams and in addresses.
    pub name: &'static str,
    /// The most documents in one collection.
    pub documents_max: usize,
    /// The most bytes of one document.
    pub document_bytes_max: u64,
    /// Gives the words of a document with these bytes, for the index in which such documents are searched; where this is absent, there is
    /// no index.
    pub searched: Option<fn(&Document, &[u8]) -> SearchWords>,
}

/// The kinds of collections that a program has. The log that is opened with them verifies their search indexes.
#[derive(Clone, Debug, Default)]
pub struct Kinds(BTreeMap<&'static str, Kind>);

/// Why kinds cannot be registered together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKind {
    #[error("there are two kinds of collections named `{name}`; give one of them another name")]
    Twice { name: &'static str },
    #[error(
        "a kind of collections is named `{name}`; such names have lower-case letters, digits and underscores only"
    )]
    Name { name: &'static str },
}

impl Kinds {
    /// These kinds.
    ///
    /// # Errors
    ///
    /// Two of them have one name, or a name does not fit into the name of a stream.
    pub fn new(kinds: impl IntoIterator<Item = Kind>) -> Result<Self, BadKind> {
        let mut all = BTreeMap::new();
        for kind in kinds {
            let name = kind.name;
            let fits = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
            if name.is_empty() || !name.bytes().all(fits) {
                return Err(BadKind::Name { name });
            }
            if all.insert(name, kind).is_some() {
                return Err(BadKind::Twice { name });
            }
        }
        Ok(Self(all))
    }

    /// The kind with this name.
    pub fn find(&self, name: &str) -> Option<Kind> {
        self.0.get(name).copied()
    }
}

/// One collection of an owner.
#[derive(Clone, Debug)]
pub struct CollectionId {
    pub kind: Kind,
    /// The name that tells this collection from others of its kind; empty where an owner has a single one.
    pub name: String,
}

impl CollectionId {
    /// The collection of a kind of which an owner has a single one.
    pub fn only(kind: Kind) -> Self {
        Self {
            kind,
            name: String::new(),
        }
    }

    /// The name of its stream within its owner: `collection:templates`, `collection:notes:travel`.
    pub fn stream(&self) -> SessionId {
        let (prefix, kind) = (streams::COLLECTION, self.kind.name);
        SessionId::new(if self.name.is_empty() {
            format!("{prefix}{kind}")
        } else {
            format!("{prefix}{kind}:{}", self.name)
        })
    }
}

/// The name of the kind of a collection, by the name of its stream; `None` for any other stream.
pub fn kind_of_stream(stream: &SessionId) -> Option<&str> {
    let name = stream.as_str().strip_prefix(streams::COLLECTION)?;
    // The session of the work on a collection is named after it, and is no collection.
    if streams::is_work_session(stream) {
        return None;
    }
    name.split(':').next()
}
