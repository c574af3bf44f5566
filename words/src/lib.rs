//! What is known of natural language without a model: one way to fold a text, and a linear classifier that learns from examples.
//!
//! Whoever has messages to tell apart writes examples into a file `messages/training.tsv` (see [`set`]) and trains with
//! `cargo run -p palimpsest-words -- train`. That leaves a head beside the examples, which [`Head`] reads. The same examples give the same
//! bytes on every machine.

mod features;
mod fold;
mod head;
pub mod measure;
mod numerals;
mod script;
pub mod set;
mod sizes;
mod subject;
mod synonyms;
mod table;
mod tokens;
mod train;

pub use features::{CHARS_MAX, Features};
pub use fold::{folded, simplified};
pub use head::{Head, HeadError};
pub use numerals::{Numeral, Value, numeral, numerals, ordinal, whole};
pub use script::is_ideographic;
pub use sizes::{Amount, Of, Size, Unit, sizes};
pub use subject::{Subject, subject};
pub use synonyms::Synonyms;
pub use train::{right_when_held_out, train_head, train_subject};

/// The names of the files of a folder with messages.
pub const TRAINING: &str = "training.tsv";
/// Synonyms of the examples; a folder need not have them.
pub const SYNONYMS: &str = "synonyms.tsv";
pub const UNSEEN: &str = "unseen.tsv";
pub const INTENT_HEAD: &str = "intent.head";
/// Messages in many languages from which only the head that finds subjects learns, by their place in the tree.
pub const SUBJECTS: &str = "words/data/subjects.tsv";
/// The head that finds subjects, by its place in the tree.
pub const SUBJECT_HEAD: &str = "words/data/subject.head";
