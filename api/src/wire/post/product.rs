//! The product `post`: everything that a program which makes posts registers.

use std::sync::Arc;

use domain::notes::NOTES;
use domain::pipelines::post::{POST_TEMPLATES, Post};
use include_dir::{Dir, include_dir};

use super::PostProtocol;
use super::notes::NotesVerb;
use super::notes_resource::Notes;
use crate::server::Builder;

static PROMPTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts/post");

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Post)
        .prompts("post", &PROMPTS)
        .authors(offline::post::authors())
        .tools(|of| Ok(tools::of_posts(Arc::clone(&of.searches))))
        .kind(NOTES)
        .kind(POST_TEMPLATES)
        .resource::<Notes>()
        .tag("notes", "what posts are written from")
        .tag("posts", "social posts: streams and tasks")
        .protocol(&PostProtocol)
        .console(super::console::FOLDER)
        .verb(&NotesVerb)
}
