//! Two people's changes of the same version, put together. What only one of them changed is taken; where both changed the same sentence in
//! different ways, only they can decide.

use serde::Serialize;

use super::matching::{matches, sentences};

/// A piece of a text that two people changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum MergePiece {
    /// It was changed by nobody, by one of the two, or by both in the same way.
    Agreed { value: String },
    /// Both changed it, in different ways.
    Conflict {
        base: String,
        ours: String,
        theirs: String,
    },
}

/// The result of putting two changes together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct MergedProse {
    /// In the order of the text; no two pieces that are agreed stand beside each other.
    pub pieces: Vec<MergePiece>,
}

impl MergedProse {
    /// The text with both changes; `None` where they contradict each other.
    pub(crate) fn text(&self) -> Option<String> {
        let agreed = self.pieces.iter().map(|piece| match piece {
            MergePiece::Agreed { value } => Some(value.as_str()),
            MergePiece::Conflict { .. } => None,
        });
        agreed.collect()
    }

    /// How many places somebody has to decide.
    pub(crate) fn conflicts(&self) -> usize {
        let is_conflict = |piece: &&MergePiece| matches!(piece, MergePiece::Conflict { .. });
        self.pieces.iter().filter(is_conflict).count()
    }

    fn agree(&mut self, value: &str) {
        if value.is_empty() {
            return;
        }
        if let Some(MergePiece::Agreed { value: before }) = self.pieces.last_mut() {
            before.push_str(value);
        } else {
            self.pieces.push(MergePiece::Agreed {
                value: value.to_owned(),
            });
        }
    }
}

/// Puts together what two people made of `base`, sentence by sentence.
pub(crate) fn merge(base: &str, ours: &str, theirs: &str) -> MergedProse {
    let (base, ours, theirs) = (sentences(base), sentences(ours), sentences(theirs));
    let mut in_ours = vec![None; base.len()];
    for (at, other) in matches(&base, &ours) {
        in_ours[at] = Some(other);
    }
    let mut in_theirs = vec![None; base.len()];
    for (at, other) in matches(&base, &theirs) {
        in_theirs[at] = Some(other);
    }
    let mut merged = MergedProse::default();
    let (mut from, mut our, mut their) = (0, 0, 0);
    for at in 0..base.len() {
        // A sentence that all three versions have divides the text: what is before it and what is after it can be decided separately.
        if let (Some(one), Some(other)) = (in_ours[at], in_theirs[at]) {
            decide(
                &base[from..at],
                &ours[our..one],
                &theirs[their..other],
                &mut merged,
            );
            merged.agree(base[at]);
            (from, our, their) = (at + 1, one + 1, other + 1);
        }
    }
    decide(&base[from..], &ours[our..], &theirs[their..], &mut merged);
    merged
}

fn decide(base: &[&str], ours: &[&str], theirs: &[&str], merged: &mut MergedProse) {
    if ours == theirs || theirs == base {
        merged.agree(&ours.concat());
    } else if ours == base {
        merged.agree(&theirs.concat());
    } else {
        merged.pieces.push(MergePiece::Conflict {
            base: base.concat(),
            ours: ours.concat(),
            theirs: theirs.concat(),
        });
    }
}
