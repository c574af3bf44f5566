//! The product `course`: everything that a program which makes courses registers.

use domain::pipelines::course::Course;
use include_dir::{Dir, include_dir};

use super::CourseProtocol;
use super::form::HTML;
use crate::server::Builder;

static PROMPTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts/course");

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Course)
        .prompts("course", &PROMPTS)
        .authors(offline::course::authors())
        .protocol(&CourseProtocol)
        .console(super::console::FOLDER)
        .form(HTML)
}
