//! The product `post`: everything that a program which makes posts registers.

use domain::notes::NOTES;
use domain::pipelines::post::{POST_TEMPLATES, Post};

use super::PostProtocol;
use super::notes_resource::Notes;
use crate::server::Builder;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Post)
        .authors(offline::post::authors())
        .kind(NOTES)
        .kind(POST_TEMPLATES)
        .resource::<Notes>()
        .protocol(&PostProtocol)
        .console(super::console::FOLDER)
}
