//! The collection behind the searches of a story.

use palimpsest::prelude::resource::Kind;

/// Vectors that a model made of the small pieces that searches of a story look through (`vectors::VectorDocument`), a document for each
/// exchange with it; a collection for each project, so that it is erased with the project. A series of twenty books is eighty thousand
/// pieces, some thousand exchanges of 64.
pub(crate) const STORY_VECTORS: Kind = Kind {
    name: "story_vectors",
    documents_max: 5_000,
    document_bytes_max: 1024 * 1024,
    searched: None,
};
