//! Reads JSON that is not quite valid, without ever losing a word of it: a document is read with every string whole, or it is
//! refused with words that a model can act on.
//!
//! A general repairer guesses: one that was used here before ended strings at their commas. This reader knows where a string may end,
//! refuses what could be read in two ways, and compares what it read with what came. It never closes anything that is not closed.

mod escapes;
mod guard;
mod reader;
mod strings;
mod tokens;

#[cfg(test)]
mod examples_tests;
#[cfg(test)]
mod laws_tests;

use serde_json::Value;

use reader::Reader;
use strings::{starts_element, starts_member};
use tokens::{gap, is_scalar, quote_pair, scalar};

/// How deep objects and arrays may stand in each other: as deep as `serde_json` reads them.
pub(super) const DEPTH_MAX: usize = 128;

/// Why a text cannot be read as a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The text ended before the document did.
    Cut,
    /// What is wrong, and the byte at which it is.
    Unreadable { at: usize, what: &'static str },
}

/// Reads the document at the beginning of a text. Gives its length in bytes as well; what comes behind it is not looked at.
pub(super) fn read(text: &str) -> Result<(Value, usize), Fault> {
    let mut reader = Reader::new(text);
    let value = reader.document()?;
    let length = reader.at();
    if guard::is_complete(&text[..length], &value) {
        return Ok((value, length));
    }
    Err(Fault::Unreadable {
        at: 0,
        what: "it cannot be repaired without losing text",
    })
}

/// Whether the bracket at the beginning of a text begins a document that is faulty or cut off, and not a remark of the prose
/// around it. A key without quotes counts only if nothing better came before.
pub(super) fn looks_like_document(text: &str, is_first: bool) -> bool {
    let inside = gap(&text[1..]).rest;
    if inside.is_empty() || quote_pair(inside).is_some() || inside.starts_with(['{', '[', '}', ']'])
    {
        return true;
    }
    if text.starts_with('{') {
        return is_first && starts_member(inside);
    }
    // Two numbers or literals after each other are a list; a citation is followed by words.
    let word = scalar(inside);
    let behind = gap(&inside[word.len()..]);
    let next = behind.rest.strip_prefix([',', '，']);
    let goes_on = next.map_or(behind.has_newline && starts_element(behind.rest), |next| {
        starts_element(gap(next).rest)
    });
    is_scalar(word) && goes_on
}
