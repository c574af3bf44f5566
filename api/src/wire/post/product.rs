//! The product `post`: everything that a program which makes posts registers.

use domain::pipelines::post::Post;

use super::PostProtocol;
use crate::server::Builder;

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Post)
        .authors(offline::post::authors())
        .protocol(&PostProtocol)
}
