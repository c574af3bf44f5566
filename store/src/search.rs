//! The index by which the documents of collections are searched: what changes it, what is asked of it, and how words are made
//! unreadable before they are stored.

use std::collections::HashMap;

use aws_lc_rs::hmac;
use domain::DocumentId;

use crate::ids::StreamId;

/// How far the index of a collection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// The version of the rules by which texts are split into words when the index was made.
    pub tokenizer: u32,
    /// The version of the collection up to which the index goes.
    pub version: u64,
    /// How often the index was begun anew.
    pub generation: u64,
}

/// A document as the index has it: its words, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedDocument {
    pub id: DocumentId,
    pub title: Vec<String>,
    pub tags: Vec<String>,
    pub body: Vec<String>,
}

/// A change of the index of one collection.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexChange {
    pub stream: StreamId,
    /// The state that the change was made for; `None` to begin anew whatever the state is.
    pub expected: Option<IndexState>,
    /// The version of the rules by which texts are split into words.
    pub tokenizer: u32,
    /// The version of the collection that the index is up to afterwards.
    pub version: u64,
    /// Documents that are added, or that replace the ones with their ids.
    pub put: Vec<IndexedDocument>,
    /// Documents that are removed; ones that are not there are passed over.
    pub remove: Vec<DocumentId>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// How many documents match.
    pub total: u64,
    /// The first of the documents that match, best first.
    pub documents: Vec<DocumentId>,
}

/// A change as it is stored: words unreadable and with spaces between.
pub(crate) struct IndexWrites {
    pub(crate) stream_no: i64,
    pub(crate) expected: Option<IndexState>,
    pub(crate) tokenizer: u32,
    pub(crate) version: u64,
    pub(crate) put: Vec<IndexRow>,
    pub(crate) remove: Vec<String>,
}

pub(crate) struct IndexRow {
    pub(crate) document: String,
    pub(crate) title: String,
    pub(crate) tags: String,
    pub(crate) body: String,
}

/// The state after a change, given the state that is stored; `None` where the change was made for another state.
pub(crate) fn next_state(stored: Option<IndexState>, writes: &IndexWrites) -> Option<IndexState> {
    if writes.expected.is_some() && writes.expected != stored {
        return None;
    }
    let before = stored.map_or(0, |stored| stored.generation);
    Some(IndexState {
        tokenizer: writes.tokenizer,
        version: writes.version,
        generation: before + u64::from(writes.expected.is_none()),
    })
}

/// Makes words unreadable with the key of a collection. Equal words stay equal, so it can still be seen how often a word occurs, and
/// together with which others.
pub(crate) struct Blinder {
    key: hmac::Key,
    known: HashMap<String, String>,
}

impl Blinder {
    pub(crate) fn new(key: &[u8]) -> Self {
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, key),
            known: HashMap::new(),
        }
    }

    /// A word of 13 letters and digits that begins with a letter, so that both databases treat it as one word. Among a million different
    /// words of a collection, the chance that two become the same is one in thirty million.
    pub(crate) fn word(&mut self, word: &str) -> String {
        if let Some(known) = self.known.get(word) {
            return known.clone();
        }
        let tag = hmac::sign(&self.key, word.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&tag.as_ref()[..8]);
        let blind = in_letters(u64::from_be_bytes(first));
        self.known.insert(word.to_owned(), blind.clone());
        blind
    }

    pub(crate) fn text(&mut self, words: &[String]) -> String {
        let words: Vec<String> = words.iter().map(|word| self.word(word)).collect();
        words.join(" ")
    }
}

/// Thirteen digits of the base 32. The first one has four bits only, so it is a letter.
fn in_letters(number: u64) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let digit = |n: u32| char::from(DIGITS[(number >> (60 - 5 * n)) as usize & 31]);
    (0..13).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_unreadable_and_the_same_with_the_same_key_only() {
        let (mut one, mut again, mut other) = (
            Blinder::new(b"one"),
            Blinder::new(b"one"),
            Blinder::new(b"other"),
        );
        let word = one.word("露营");
        assert_eq!(word, again.word("露营"));
        assert_ne!(word, other.word("露营"));
        assert_ne!(word, one.word("营地"));
        assert_eq!(
            one.text(&["露营".to_owned(), "露营".to_owned()]),
            format!("{word} {word}")
        );
        for n in 0..1_000 {
            let word = one.word(&n.to_string());
            assert!(word.len() == 13 && word.is_ascii(), "{word}");
            assert!(word.starts_with(|c: char| c.is_ascii_lowercase()), "{word}");
        }
    }
}
