//! How well a head does on messages that it has not seen.

use std::collections::BTreeSet;

use crate::fold::folded;
use crate::head::Head;
use crate::set::{Row, Set};
use crate::subject::subject;
use crate::synonyms::Synonyms;

/// The share of runs of four characters from which on two messages are copies of each other.
pub const COPY_SHARE: f64 = 0.6;
/// Messages of fewer runs are said alike by everybody ("undo", "继续").
pub const RUNS_MIN: usize = 6;
const RUN: usize = 4;

/// A head on a set: how many rows there are, how many are right, and by tenths of confidence how many there are, how sure the head is of
/// them on average, and how many are right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    pub rows: usize,
    pub right: usize,
    pub bins: [Bin; 10],
    /// Each wrong message with what it was taken for, and how sure.
    pub wrong: Vec<(String, String, f64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    pub rows: usize,
    pub right: usize,
    pub confidence: f64,
}

/// What a head says of the messages of a set.
pub fn measured(
    head: &Head,
    synonyms: &Synonyms,
    set: &Set,
    allowed: impl Fn(&Row, &str) -> bool,
) -> Measured {
    let mut measured = Measured::default();
    for row in &set.rows {
        let chances = head.probabilities(&row.features(synonyms), |class| allowed(row, class));
        let first = chances.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let Some((class, confidence)) = first else {
            continue;
        };
        let class = &head.classes()[class];
        let is_right = row.classes().any(|right| right == *class);
        let bin = &mut measured.bins[((confidence * 10.0) as usize).min(9)];
        bin.rows += 1;
        bin.confidence += confidence;
        measured.rows += 1;
        if is_right {
            bin.right += 1;
            measured.right += 1;
        } else {
            measured
                .wrong
                .push((row.message(), class.clone(), *confidence));
        }
    }
    for bin in measured.bins.iter_mut().filter(|bin| bin.rows > 0) {
        bin.confidence /= bin.rows as f64;
    }
    measured
}

impl Measured {
    /// How many of a hundred are right.
    pub fn percent(&self) -> f64 {
        100.0 * self.right as f64 / self.rows.max(1) as f64
    }
}

/// The subjects of a set: how many are found exactly, and how many so that three quarters of the longer one are shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subjects {
    pub rows: usize,
    pub exact: usize,
    pub near: usize,
    /// The other messages, each with what was found.
    pub wrong: Vec<(String, String)>,
}

/// What share of the longer one of two subjects has to be shared.
const NEAR: f64 = 0.75;

/// What is found of the subjects that are marked in a set.
pub fn subjects(set: &Set) -> Subjects {
    let mut subjects = Subjects::default();
    for row in &set.rows {
        let Some(right) = row.subject() else { continue };
        let message = row.message();
        let found = subject(&message).map_or("", |found| &message[found.begin..found.end]);
        subjects.rows += 1;
        if found == right {
            subjects.exact += 1;
        } else if is_near(found, right) {
            subjects.near += 1;
        } else {
            subjects.wrong.push((message.clone(), found.to_owned()));
        }
    }
    subjects
}

/// Whether the shorter one of two subjects is three quarters of the longer one.
pub fn is_near(a: &str, b: &str) -> bool {
    let (shorter, longer) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let share = shorter.chars().count() as f64 / longer.chars().count() as f64;
    !shorter.is_empty() && longer.contains(shorter) && share >= NEAR
}

/// The runs of four characters of a message.
fn runs(message: &str) -> BTreeSet<Vec<char>> {
    let chars: Vec<char> = folded(message).chars().collect();
    chars.windows(RUN).map(<[char]>::to_vec).collect()
}

/// The messages of `unseen` of whose runs of four characters more than [`COPY_SHARE`] stand in one message of `training`, each with that.
pub fn copies(unseen: &Set, training: &Set) -> Vec<(String, String)> {
    let known: Vec<(String, BTreeSet<Vec<char>>)> = training
        .rows
        .iter()
        .map(|row| (row.message(), runs(&row.message())))
        .collect();
    let mut copies = vec![];
    for row in &unseen.rows {
        let message = row.message();
        let mine = runs(&message);
        if mine.len() < RUNS_MIN {
            continue;
        }
        let copied = known.iter().find(|(_, theirs)| {
            mine.intersection(theirs).count() as f64 > COPY_SHARE * mine.len() as f64
        });
        copies.extend(copied.map(|(original, _)| (message, original.clone())));
    }
    copies
}
