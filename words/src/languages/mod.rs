//! Languages by their names: which ones a text names, and in which one it wishes its answer.

mod names;
mod wish;

pub use names::{Named, english_name, named};
pub(crate) use wish::{MENTIONED, WISHED, examples};
pub use wish::{Wish, wished};
