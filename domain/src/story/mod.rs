//! What can be computed from a project of fiction by pure functions of the bible and its prose, and the routing of a message about it.

pub mod archetypes;
pub mod book;
#[cfg(test)]
mod book_tests;
pub mod check;
pub mod context;
pub mod exchange;
pub mod extract;
pub mod folder;
pub mod graph;
mod kind;
pub mod loops;
pub mod names;
pub mod passage;
pub mod printed;
pub mod progress;
pub mod proposals;
pub mod prose;
pub mod routing;
pub mod search;
pub mod state;
mod taken;
pub mod timeline;
pub mod told;

pub use kind::STORY_VECTORS;
