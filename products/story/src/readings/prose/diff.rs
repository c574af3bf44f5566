//! What changed from one version to another: first by lines, then by the words within changed lines.

use serde::Serialize;
use utoipa::ToSchema;

use super::matching::{lines, matches, sentences, words};
use super::words::word_count;

/// The most words of both sides for which a changed passage is compared by words; a longer one is compared by sentences, since the time
/// grows with the product of the two numbers.
const WORDS_COMPARED_MAX: usize = 6_000;

/// The difference between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ProseDiff {
    /// The number of added words, counted as everywhere else.
    pub additions: u64,
    /// The number of removed words.
    pub deletions: u64,
    /// In the order of the text. Without the added pieces they are the old version, without the removed pieces the new one.
    pub changes: Vec<DiffPiece>,
}

/// A piece of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct DiffPiece {
    #[serde(rename = "type")]
    pub kind: DiffKind,
    pub value: String,
}

/// What happened to a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DiffKind {
    Add,
    Remove,
    Equal,
}

/// What changed from `old` to `new`.
pub(crate) fn diff(old: &str, new: &str) -> ProseDiff {
    let mut changes = Changes::default();
    compare(
        &lines(old),
        &lines(new),
        &mut changes,
        &|from, to, changes| {
            let (old_words, new_words) = (words(from), words(to));
            if old_words.len() + new_words.len() > WORDS_COMPARED_MAX {
                compare(&sentences(from), &sentences(to), changes, &replaced);
            } else {
                compare(&old_words, &new_words, changes, &replaced);
            }
        },
    );
    let pieces = changes.0;
    let count = |kind: DiffKind| {
        let chosen = pieces.iter().filter(|piece| piece.kind == kind);
        chosen.map(|piece| word_count(&piece.value)).sum()
    };
    ProseDiff {
        additions: count(DiffKind::Add),
        deletions: count(DiffKind::Remove),
        changes: pieces,
    }
}

#[derive(Default)]
struct Changes(Vec<DiffPiece>);

impl Changes {
    fn push(&mut self, kind: DiffKind, value: &str) {
        match self.0.last_mut() {
            _ if value.is_empty() => {}
            Some(last) if last.kind == kind => last.value.push_str(value),
            Some(_) | None => self.0.push(DiffPiece {
                kind,
                value: value.to_owned(),
            }),
        }
    }
}

fn replaced(from: &str, to: &str, changes: &mut Changes) {
    changes.push(DiffKind::Remove, from);
    changes.push(DiffKind::Add, to);
}

/// Pieces that match are the same; what is between them is passed to `differ`, in the old and in the new form.
fn compare(
    old: &[&str],
    new: &[&str],
    changes: &mut Changes,
    differ: &dyn Fn(&str, &str, &mut Changes),
) {
    let (mut from, mut to) = (0, 0);
    let between = |old: &[&str], new: &[&str], changes: &mut Changes| {
        if !old.is_empty() || !new.is_empty() {
            differ(&old.concat(), &new.concat(), changes);
        }
    };
    for (one, other) in matches(old, new) {
        between(&old[from..one], &new[to..other], changes);
        changes.push(DiffKind::Equal, old[one]);
        (from, to) = (one + 1, other + 1);
    }
    between(&old[from..], &new[to..], changes);
}
