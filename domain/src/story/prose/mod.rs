//! The prose of a chapter as a text: how long it is, what changed in it, two people's changes of it, and dividing it.

mod diff;
mod divide;
mod matching;
mod merge;
#[cfg(test)]
mod tests;
mod words;

pub use diff::{DiffKind, DiffPiece, ProseDiff, diff};
pub use divide::{DivideError, merge_text, split_text};
pub use merge::{MergePiece, MergedProse, merge};
pub use words::word_count;
