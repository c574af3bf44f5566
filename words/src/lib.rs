//! What is known of natural language without a model: one way to fold a text, and a linear classifier that learns from examples.
//!
//! Whoever has messages to tell apart writes examples into a file `messages/training.tsv` (see [`set`]) and trains with
//! `cargo run -p palimpsest-words -- train`. That leaves a head beside the examples, which [`Head`] reads. The same examples give the same
//! bytes on every machine.

mod features;
mod fold;
mod head;
pub mod measure;
mod script;
pub mod set;
mod subject;
mod synonyms;
mod table;
mod train;

pub use features::{CHARS_MAX, Features};
pub use fold::{folded, simplified};
pub use head::{Head, HeadError};
pub use script::is_ideographic;
pub use subject::{Subject, subject};
pub use synonyms::Synonyms;
pub use table::{ClassedWord, WordTable};
pub use train::{right_when_held_out, train_head, train_subject};

/// The names of the files of a folder with messages.
pub const TRAINING: &str = "training.tsv";
/// Synonyms of the examples; a folder need not have them.
pub const SYNONYMS: &str = "synonyms.tsv";
pub const UNSEEN: &str = "unseen.tsv";
pub const INTENT_HEAD: &str = "intent.head";
/// The head that finds subjects, by its place in the tree.
pub const SUBJECT_HEAD: &str = "words/data/subject.head";
