//! What a message to a session means, and which parts of what is there it is about.
//!
//! Each pipeline says of itself what it has (`vocabulary.rs` beside its stages): its stages and what touches them, what its parts are
//! called. Rules read a message with that. Where there is a model it decides, with the list of what is there, and its answer is
//! held against that list.

mod answers;
pub mod asked;
pub mod intent;
pub mod items;
pub(crate) mod numbers;
pub mod pictures;
pub mod rules;
#[cfg(test)]
mod tests;
mod words;
