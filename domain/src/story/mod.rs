//! What can be computed from a project of fiction by pure functions of the bible and its prose, and the routing of a message about it.
//!
//! What reads prose may be given any text and any names. So a string is cut by `text::slice` there, which cannot panic, and Clippy warns of
//! any other cut.

pub mod archetypes;
pub mod book;
#[cfg(test)]
mod book_tests;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub mod check;
pub mod context;
pub mod exchange;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub mod extract;
pub mod folder;
pub mod graph;
mod kind;
pub mod loops;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub mod names;
pub mod passage;
pub mod printed;
pub mod progress;
pub mod proposals;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub mod prose;
pub mod routing;
pub mod search;
pub mod state;
mod taken;
pub mod timeline;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub mod told;

pub use kind::STORY_VECTORS;
