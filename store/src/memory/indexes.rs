//! The search index: the words of each document. A search looks through them one document after the other.

use std::collections::{BTreeMap, HashMap};

use crate::search::{IndexRow, IndexState, IndexWrites, next_state};

#[derive(Clone, Default)]
pub(super) struct Indexes {
    states: BTreeMap<i64, IndexState>,
    /// The words of each document, with how often it has each.
    words: BTreeMap<(i64, String), HashMap<String, usize>>,
}

impl Indexes {
    pub(super) fn state(&self, stream_no: i64) -> Option<IndexState> {
        self.states.get(&stream_no).copied()
    }

    pub(super) fn states(&self) -> Vec<(i64, IndexState)> {
        let states = self.states.iter();
        states.map(|(no, state)| (*no, *state)).collect()
    }

    pub(super) fn search(
        &self,
        stream_no: i64,
        any: &[Vec<String>],
        limit: usize,
    ) -> (u64, Vec<String>) {
        let own = self.words.iter().filter(|((no, _), _)| *no == stream_no);
        let mut found: Vec<(usize, &String)> = own
            .filter_map(|((_, document), words)| {
                let has = |word: &String| words.contains_key(word);
                let is_found = any.iter().any(|all| all.iter().all(has));
                let count = |word| words.get(word).copied().unwrap_or(0);
                is_found.then(|| (any.iter().flatten().map(count).sum(), document))
            })
            .collect();
        found.sort_by(|(one, a), (other, b)| other.cmp(one).then(a.cmp(b)));
        let total = found.len() as u64;
        let first = found.into_iter().take(limit);
        (total, first.map(|(_, document)| document.clone()).collect())
    }

    pub(super) fn change(&mut self, writes: IndexWrites) -> Option<IndexState> {
        let no = writes.stream_no;
        let next = next_state(self.state(no), &writes)?;
        if writes.expected.is_none() {
            self.forget(no);
        }
        for document in writes.remove {
            self.words.remove(&(no, document));
        }
        for row in writes.put {
            let counts = counted(&row);
            self.words.insert((no, row.document), counts);
        }
        self.states.insert(no, next);
        Some(next)
    }

    pub(super) fn documents(&self, stream_no: i64) -> Vec<String> {
        let own = self.words.keys().filter(|(no, _)| *no == stream_no);
        own.map(|(_, document)| document.clone()).collect()
    }

    pub(super) fn has(&self, stream_no: i64, row: &IndexRow) -> bool {
        self.words.get(&(stream_no, row.document.clone())) == Some(&counted(row))
    }

    pub(super) fn strays(&self) -> u64 {
        let strays = self.words.keys();
        let strays = strays.filter(|(no, _)| !self.states.contains_key(no));
        strays.count() as u64
    }

    pub(super) fn forget(&mut self, no: i64) {
        self.states.remove(&no);
        self.words.retain(|(stream, _), _| *stream != no);
    }
}

/// How often a document has each word.
fn counted(row: &IndexRow) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for text in [&row.title, &row.tags, &row.body] {
        for word in text.split_whitespace() {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    counts
}
