//! Which collections there are, what each may hold, and the streams they are.

use crate::event::Document;
use crate::ids::SessionId;
use crate::notes;
use crate::streams;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

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
    pub name: &'static str,
    /// The most documents in one collection.
    pub documents_max: usize,
    /// The most bytes of one document.
    pub document_bytes_max: u64,
    /// Gives the words of a document with these bytes, for the index in which such documents are searched; where this is absent, there is
    /// no index.
    pub searched: Option<fn(&Document, &[u8]) -> SearchWords>,
}

/// Templates of reports, in Markdown or HTML. A megabyte is a book of five hundred pages; a person keeps tens of templates, a department
/// hundreds, and nobody looks through a list of more than a thousand.
pub const TEMPLATES: Kind = Kind {
    name: "templates",
    documents_max: 1_000,
    document_bytes_max: MIB,
    searched: None,
};

/// Knowledge bases of reports, each with all its files. What the sections of one report are written from is read by models
/// piece by piece; sixteen megabytes of JSON are more than they ever get through, and fit into memory a few times.
pub const DATABASES: Kind = Kind {
    name: "databases",
    documents_max: 1_000,
    document_bytes_max: 16 * MIB,
    searched: None,
};

/// Notes of a social platform that posts are written from, a JSON document each (`notes::Note`). What lists and trends need of a note is in
/// memory for every note: a hundred thousand take 70 MB (measured), are read from the log in 0.8 s and copied in 0.15 s by a debug build;
/// with twice as many, users would begin to notice the delay. A team that collects a hundred a day fills it in three years. The longest
/// note (10,000 characters of four bytes) is 40 KB; the limit of 64 KB is what still fits into a database row with its import.
pub const NOTES: Kind = Kind {
    name: "notes",
    documents_max: 100_000,
    document_bytes_max: 64 * KIB,
    searched: Some(notes::search_words),
};

/// Templates of posts that a person kept: looks of pictures, tones of writing, structures of content; JSON documents. As many as templates
/// of reports may be kept, and each may be as large as what a confirmation may change at a gate.
pub const POST_TEMPLATES: Kind = Kind {
    name: "post_templates",
    documents_max: 1_000,
    document_bytes_max: 64 * KIB,
    searched: None,
};

/// Decks that serve as examples for later decks, each as SlideDSL (`designs`). A deck of ten slides is some sixty chunks of 2 KB in memory
/// (`cargo bench --bench palimpsest -- designs`: 103 MB for fifty thousand), so that a thousand are 120 MB; an organisation that keeps what
/// it shows has a few hundred.
pub const DESIGNS: Kind = Kind {
    name: "designs",
    documents_max: 1_000,
    document_bytes_max: MIB,
    searched: None,
};

/// What became of the slides of these decks, a JSON document for each vote and each use (`designs::Vote`). A run leaves one for each of
/// the thirteen references that it is shown and one for each that it kept: enough for five thousand runs.
pub const DESIGN_VOTES: Kind = Kind {
    name: "design_votes",
    documents_max: 100_000,
    document_bytes_max: 4 * KIB,
    searched: None,
};

/// What a curator said of these decks, one JSON document for each deck (`designs::Enrichment`): of five hundred slides, half a kilobyte
/// each.
pub const DESIGN_REMARKS: Kind = Kind {
    name: "design_remarks",
    documents_max: 1_000,
    document_bytes_max: 256 * KIB,
    searched: None,
};

/// Vectors that a model made of the chunks of these decks (`vectors::VectorDocument`), a document for each exchange with it. A deck of ten
/// slides is six exchanges of ten texts; an exchange of 128 texts with the largest vectors is half a megabyte.
pub const DESIGN_VECTORS: Kind = Kind {
    name: "design_vectors",
    documents_max: 20_000,
    document_bytes_max: MIB,
    searched: None,
};

/// Vectors that a model made of the small pieces that searches of a story look through (`vectors::VectorDocument`), a document for each
/// exchange with it; a collection for each project, so that it is erased with the project. A series of twenty books is eighty thousand
/// pieces, some thousand exchanges of 64.
pub const STORY_VECTORS: Kind = Kind {
    name: "story_vectors",
    documents_max: 5_000,
    document_bytes_max: MIB,
    searched: None,
};

/// Every sort that there is.
pub const KINDS: [Kind; 9] = [
    TEMPLATES,
    DATABASES,
    NOTES,
    POST_TEMPLATES,
    DESIGNS,
    DESIGN_VOTES,
    DESIGN_REMARKS,
    DESIGN_VECTORS,
    STORY_VECTORS,
];

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
