//! Words that say nothing of what a text is about.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::rows::rows;

/// The words; the head of the file says which.
const STOP: &str = include_str!("../data/stop.tsv");

static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| rows(STOP).map(|[word, _]| word).collect());

/// Whether a word, in lower case, says nothing of what a text is about.
pub fn is_stop_word(word: &str) -> bool {
    KNOWN.contains(word)
}
