//! The collection of templates of posts.

use palimpsest::prelude::resource::Kind;

/// Templates of posts that a person kept: looks of pictures, tones of writing, structures of content; JSON documents. As many as templates
/// of reports may be kept, and each may be as large as what a confirmation may change at a gate.
pub(crate) const POST_TEMPLATES: Kind = Kind {
    name: "post_templates",
    documents_max: 1_000,
    document_bytes_max: 64 * 1024,
    searched: None,
};
