//! The product `post`: a social post with pictures. The folder has all of it: the pipeline with its stages and shapes, offline authors,
//! tools, the protocol, the notes that owners keep for it, its verb, and its view in the console.

mod authors;
mod notes;
mod pipeline;
mod resources;
mod tools;
mod verb;
mod wire;

use palimpsest::embedded_folder;
use palimpsest::prelude::Builder;

use notes::NOTES;
use pipeline::POST_TEMPLATES;
pub use pipeline::Post;
use resources::notes::Notes;
use verb::NotesVerb;
use wire::into::PostProtocol;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Post)
        .prompts("post", &embedded_folder!("../../prompts/post/"))
        .authors(authors::authors())
        .tools(|of| Ok(tools::tools(&of.searches)))
        .kind(NOTES)
        .kind(POST_TEMPLATES)
        .resource::<Notes>()
        .tag("notes", "what posts are written from")
        .tag("posts", "social posts: streams and tasks")
        .protocol(&PostProtocol)
        .console(palimpsest::console_folder!("post", []))
        .verb(&NotesVerb)
}
