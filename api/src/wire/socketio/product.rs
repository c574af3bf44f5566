//! The product `course`: everything that a program which makes courses registers.

use domain::pipelines::course::Course;

use super::CourseProtocol;
use crate::server::Builder;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Course)
        .authors(offline::course::authors())
        .protocol(&CourseProtocol)
        .console(super::console::FOLDER)
}
