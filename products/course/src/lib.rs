//! The product `course`: a teaching deck with narration. The folder has all of it: the pipeline with its stages and shapes, offline authors,
//! the protocol over Socket.IO, and its views in the console.

mod authors;
mod form;
mod pipeline;
mod wire;

use palimpsest::embedded_folder;
use palimpsest::prelude::Builder;

use form::{HTML, HTML_WITHOUT_NOTES};
pub use pipeline::Course;
use wire::into::CourseProtocol;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Course)
        .prompts("course", &embedded_folder!("../../prompts/course/"))
        .authors(authors::authors())
        .protocol(&CourseProtocol)
        .console(palimpsest::console_folder!("course", []))
        .form(HTML)
        .form(HTML_WITHOUT_NOTES)
}
