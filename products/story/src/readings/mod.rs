//! What can be computed from a project of fiction by pure functions of the bible and its prose, and the routing of a message about it.
//!
//! What reads prose may be given any text and any names. So a string is cut by `slice` there, which cannot panic, and Clippy warns of
//! any other cut.

pub(crate) mod archetypes;
pub(crate) mod book;
#[cfg(test)]
mod book_tests;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub(crate) mod check;
pub(crate) mod context;
pub(crate) mod exchange;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub(crate) mod extract;
pub(crate) mod folder;
pub(crate) mod graph;
mod kind;
pub(crate) mod loops;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub(crate) mod names;
pub(crate) mod passage;
pub(crate) mod printed;
pub(crate) mod progress;
pub(crate) mod proposals;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub(crate) mod prose;
pub(crate) mod routing;
pub(crate) mod search;
pub(crate) mod state;
mod taken;
pub(crate) mod timeline;
#[cfg_attr(not(test), warn(clippy::string_slice))]
pub(crate) mod told;

pub(crate) use kind::STORY_VECTORS;

use std::slice::SliceIndex;

/// The part of a text at these bytes; empty where the text has no such part.
fn slice(text: &str, at: impl SliceIndex<str, Output = str>) -> &str {
    text.get(at).unwrap_or_default()
}
