//! A passage of a chapter that a message is about: its place, what can be done with it, and the chapter with another text in its place.
//! Offsets are Unicode scalar values of the chapter's text, counted from 0; a passage ends before its second offset.

mod cut;
mod result;
mod selection;
mod task;
#[cfg(test)]
mod tests;

pub use cut::{CutError, put_in};
pub use result::{PassageResult, PassageVariant, VARIANTS, replacement};
pub use selection::{
    AROUND_CHARS, PassageRefusal, PassageSelection, SelectedPassage, SelectedVersion, TOKENS_MAX,
    read, select,
};
pub use task::{PassageTask, PassageWish, wish};
