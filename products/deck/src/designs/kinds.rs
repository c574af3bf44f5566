//! The collections behind the design index.

use palimpsest::prelude::resource::Kind;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Decks that serve as examples for later decks, each as SlideDSL. A deck of ten slides is some sixty chunks of 2 KB in memory
/// (`cargo bench --bench palimpsest -- designs`: 103 MB for fifty thousand), so that a thousand are 120 MB; an organisation that keeps what
/// it shows has a few hundred.
pub(crate) const DESIGNS: Kind = Kind {
    name: "designs",
    documents_max: 1_000,
    document_bytes_max: MIB,
    searched: None,
};

/// What became of the slides of these decks, a JSON document for each vote and each use (`Vote`). A run leaves one for each of
/// the thirteen references that it is shown and one for each that it kept: enough for five thousand runs.
pub(crate) const DESIGN_VOTES: Kind = Kind {
    name: "design_votes",
    documents_max: 100_000,
    document_bytes_max: 4 * KIB,
    searched: None,
};

/// What a curator said of these decks, one JSON document for each deck (`Enrichment`): of five hundred slides, half a kilobyte
/// each.
pub(crate) const DESIGN_REMARKS: Kind = Kind {
    name: "design_remarks",
    documents_max: 1_000,
    document_bytes_max: 256 * KIB,
    searched: None,
};

/// Vectors that a model made of the chunks of these decks (`vectors::VectorDocument`), a document for each exchange with it. A deck of ten
/// slides is six exchanges of ten texts; an exchange of 128 texts with the largest vectors is half a megabyte.
pub(crate) const DESIGN_VECTORS: Kind = Kind {
    name: "design_vectors",
    documents_max: 20_000,
    document_bytes_max: MIB,
    searched: None,
};
