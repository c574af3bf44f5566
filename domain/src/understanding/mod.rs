//! What a message to a session means, and which parts of what was already made it is about.
//!
//! Each pipeline describes itself (in `vocabulary.rs` beside its stages): its stages and the words that touch them, and what its parts are
//! called. Rules read a message with these words. Where there is a model, the model decides: it is given the list of the existing parts,
//! and its answer is checked against that list.

mod answers;
pub mod asked;
pub mod intent;
pub mod items;
pub mod numbers;
pub mod pictures;
pub mod rules;
mod words;
