//! Languages: which ones a text names, in which one it wishes its answer, and in which one it is written.

mod names;
mod wish;
mod written;

pub use names::{Named, english_name, named};
pub(crate) use wish::{MENTIONED, WISHED, examples};
pub use wish::{Wish, wished};
pub use written::{Written, written};
