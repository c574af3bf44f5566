//! Which collections there are, what each may hold, and the streams they are.

use crate::ids::SessionId;

/// What the name of every collection's stream begins with. No session of a client may be called so.
pub const STREAM_PREFIX: &str = "collection:";

const MIB: u64 = 1024 * 1024;

/// A sort of documents, with how much there may be of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    pub name: &'static str,
    /// Documents in one collection.
    pub documents_max: usize,
    /// Bytes of one document.
    pub document_bytes_max: u64,
}

/// Templates of reports, in Markdown or HTML. A megabyte is a book of five hundred pages; a person keeps tens of templates,
/// a department hundreds, and a list of more than a thousand is looked through by nobody.
pub const TEMPLATES: Kind = Kind {
    name: "templates",
    documents_max: 1_000,
    document_bytes_max: MIB,
};

/// Knowledge bases of reports, each with all its files. What the sections of one report are written from is read by models
/// piece by piece; sixteen megabytes of JSON are more than they ever get through, and fit into memory a few times.
pub const DATABASES: Kind = Kind {
    name: "databases",
    documents_max: 1_000,
    document_bytes_max: 16 * MIB,
};

/// One collection of an owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CollectionId {
    pub kind: Kind,
    /// Which one of this kind; empty where an owner has a single one.
    pub name: String,
}

impl CollectionId {
    /// The only one of its kind.
    pub fn only(kind: Kind) -> Self {
        Self {
            kind,
            name: String::new(),
        }
    }

    /// The name of its stream within its owner: `collection:templates`, `collection:notes:travel`.
    pub fn stream(&self) -> SessionId {
        let kind = self.kind.name;
        SessionId::new(if self.name.is_empty() {
            format!("{STREAM_PREFIX}{kind}")
        } else {
            format!("{STREAM_PREFIX}{kind}:{}", self.name)
        })
    }
}

/// Whether a stream of this name is a collection and not a session.
pub fn is_collection(session: &SessionId) -> bool {
    session.as_str().starts_with(STREAM_PREFIX)
}
