//! The prose of a chapter as a text: how long it is, what changed in it, two people's changes of it, and dividing it.

mod diff;
mod divide;
mod matching;
mod merge;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use diff::{ProseDiff, diff};
pub(crate) use divide::{merge_text, split_text};
pub(crate) use merge::merge;
pub(crate) use words::word_count;
