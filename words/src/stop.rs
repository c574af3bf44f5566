//! Words that say nothing of what a text is about.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The words; the head of the file says which.
const STOP: &str = include_str!("../data/stop.tsv");

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| first_cells(STOP).collect());

/// Whether a word, in lower case, says nothing of what a text is about.
pub fn is_stop_word(word: &str) -> bool {
    KNOWN.contains(word)
}

/// The first cells of a table that is divided by tabs, without its head.
pub(crate) fn first_cells(table: &str) -> impl Iterator<Item = &str> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(|row| row.split('\t').next())
}
