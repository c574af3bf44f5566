//! What a message to a session means, and which parts of what was already made it is about.
//!
//! Each pipeline describes itself (in `vocabulary.rs` beside its stages): its stages, what its parts are called, and what was learned from
//! messages to it. By that a message is read without a model. Where there is a model, the model decides: it is given the list of the
//! existing parts, its answer is checked against that list, and of two readings that are both certain the smaller change is made.

mod answers;
pub mod asked;
pub mod intent;
pub mod items;
pub mod pictures;
pub mod rules;
pub mod sizes;
pub mod trial;
