//! What is known of natural language without a model: one way to fold a text, the scripts of characters, where sentences end, and a linear
//! classifier that learns from examples.
//!
//! Whoever has messages to tell apart writes examples into a file `messages/training.tsv` (see [`set`]) and trains with
//! `cargo run -p palimpsest-words -- train`. That leaves a head beside the examples, which [`Head`] reads. The same examples give the same
//! bytes on every machine.

mod content;
mod features;
mod fold;
mod head;
pub mod languages;
pub mod measure;
mod numerals;
mod places;
mod quantities;
mod rows;
mod script;
pub mod sentences;
pub mod set;
mod sizes;
mod stop;
mod subject;
mod synonyms;
mod table;
mod tokens;
mod train;
mod word_table;

pub use content::content_words;
pub use features::{CHARS_MAX, Features};
pub use fold::{folded, simplified};
pub use head::{Head, HeadError};
pub use numerals::{Numeral, Value, numeral, numerals, ordinal, whole};
pub use places::{MarkError, NounAt, Place, PlaceKind, PlaceRole, Places, nouns_in, places};
pub use quantities::{
    DigitRun, Measure, Quantity, columns, digit_runs, is_gap, quantities, quantity,
};
pub use rows::{entries, rows};
pub use script::{is_han, is_hangul, is_ideographic, is_kana, reading_words};
pub use sizes::{Amount, Of, Size, Unit, sizes};
pub use stop::is_stop_word;
pub use subject::{Subject, subject};
pub use synonyms::Synonyms;
pub use train::{
    MarkedPlaces, places_right_when_held_out, right_when_held_out, train_head, train_places,
    train_subject, train_wish, train_written, wishes_right_when_held_out,
};
pub use word_table::{ClassedWord, WordTable};

/// The names of the files of a folder with messages.
pub const TRAINING: &str = "training.tsv";
/// Synonyms of the examples; a folder need not have them.
pub const SYNONYMS: &str = "synonyms.tsv";
pub const UNSEEN: &str = "unseen.tsv";
pub const INTENT_HEAD: &str = "intent.head";
/// The head that finds subjects, by its place in the tree.
pub const SUBJECT_HEAD: &str = "words/data/subject.head";
/// Requests whose subjects are marked, beside those of the products.
pub const SUBJECT_TEXTS: &str = "words/data/subject.tsv";
/// The texts by which languages are told apart, and the head that does.
pub const WRITTEN_TEXTS: &str = "words/data/written.tsv";
pub const WRITTEN_HEAD: &str = "words/data/written.head";
/// The messages in which places are marked, and the head that finds them.
pub const PLACE_TEXTS: &str = "words/data/places.tsv";
pub const PLACE_HEAD: &str = "words/data/places.head";
/// The folder with the messages that name languages. In them `[[` and `]]` stand around the name of a language, and the intent is `wished`
/// or `mentioned`.
pub const LANGUAGE_MESSAGES: &str = "words/messages/language";
