//! One form for texts that mean the same: widths, cases and forms of characters are folded.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use crate::script::{is_hangul, is_ideographic};

/// Traditional ideographs with their simplified forms; the head of the file says where they are from.
const SIMPLIFIED: &str = include_str!("../data/simplified.tsv");

static PAIRS: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let rows = SIMPLIFIED.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| {
        let (old, new) = row.split_once('\t')?;
        Some((old.chars().next()?, new.chars().next()?))
    })
    .collect()
});

/// The simplified form of a traditional ideograph, every other character as it is.
pub fn simplified(c: char) -> char {
    PAIRS.get(&c).copied().unwrap_or(c)
}

static SIMPLE: LazyLock<HashSet<char>> = LazyLock::new(|| PAIRS.values().copied().collect());

/// Whether an ideograph is the simplified form of a traditional one.
pub(crate) fn is_simplified(c: char) -> bool {
    SIMPLE.contains(&c)
}

/// A letter without its accents: people leave them out where they are in a hurry. Ideographs and syllables stay as they are.
pub(crate) fn unaccented(c: char) -> char {
    let is_letter = c.is_alphabetic() && !is_ideographic(c) && !is_hangul(c);
    std::iter::once(c)
        .nfd()
        .next()
        .filter(|_| is_letter)
        .unwrap_or(c)
}

/// A text in compatibility form (NFKC) and lower case, with simplified ideographs, straight quotation marks, and one space in place of
/// each run of white space and control characters; without them at its ends.
pub fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if c.is_whitespace() || c.is_control() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
            continue;
        }
        out.push(match c {
            '‘' | '’' => '\'',
            '“' | '”' => '"',
            c => simplified(c),
        });
    }
    out.truncate(out.trim_end().len());
    out
}
