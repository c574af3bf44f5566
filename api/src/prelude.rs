//! What one needs to write a product of one's own, in layers: [`pipeline`] for what a run does, [`tool`] for what steps ask of the world,
//! [`author`] for what answers prompts while no model is configured, [`wire`] for a protocol of one's own, [`resource`] for what owners keep,
//! [`verb`] for commands of the command line and forms of contents, [`trial`] for the tests. A program with a pipeline and a tool needs nothing
//! but `use palimpsest::prelude::*`; a larger one imports from the layers by name.
//!
//! The layers show what products may use of the crates of the engine. What they do not show can change without notice.

pub mod author;
pub mod pipeline;
pub mod resource;
pub mod tool;
pub mod trial;
pub mod verb;
pub mod wire;

pub use self::author::Author;
pub use self::pipeline::*;
// Two names are in both layers: a flow stops and so does a tool, and vectors are made by a step and by a tool.
pub use self::pipeline::{Stop, embedding};
pub use self::tool::*;
pub use crate::server::{BuildError, Builder, Server};
