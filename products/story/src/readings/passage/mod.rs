//! A passage of a chapter that a message is about: its place, what can be done with it, and the chapter with another text in its place.
//! Offsets are Unicode scalar values of the chapter's text, counted from 0; a passage ends before its second offset.

mod cut;
mod result;
mod selection;
mod task;
#[cfg(test)]
mod tests;

pub(crate) use cut::put_in;
pub(crate) use result::{PassageResult, VARIANTS};
pub(crate) use selection::{PassageRefusal, PassageSelection, SelectedPassage, read, select};
pub(crate) use task::{PassageTask, PassageWish, wish};
