//! The words by which rules understand a message, as data: for each language its classes of acts and objects (`*_classes.rs`) and its own
//! phrases; for all languages the rules that put classes together (`rules.rs`); and messages of each intent to learn from (`examples.tsv`).

pub(super) mod en;
mod en_classes;
mod rules;
pub(super) mod zh;
mod zh_classes;

pub(super) use rules::RULES;

use super::table::Intent;
use crate::project::Phase;

/// How strongly an occurrence indicates an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Strength {
    /// The occurrence fits this intent and several others.
    Hint,
    /// The occurrence names the subject, but not what is to be done.
    Topic,
    /// The occurrence says what is to be done.
    Act,
    /// The occurrence says what is to be done, and to what.
    Phrase,
    /// The occurrence decides what is to be done, whatever else the message mentions.
    Decisive,
}

impl Strength {
    pub(super) const fn weight(self) -> f64 {
        match self {
            Self::Hint => 0.8,
            Self::Topic => 1.6,
            Self::Act => 3.0,
            Self::Phrase => 4.0,
            Self::Decisive => 6.0,
        }
    }
}

/// The words of one intent and strength.
pub(super) type Line = (Intent, Strength, &'static [&'static str]);

/// A name, as the rules write it behind `@`, and the words of one language that belong to it. A word with `…` or `|` in it is a
/// pattern of its own, which counts only for a rule that names the class alone.
pub(super) type Class = (&'static str, &'static [&'static str]);

/// The words of a language.
pub(super) struct Words {
    pub(super) classes: &'static [Class],
    pub(super) intents: &'static [Line],
    /// Longer words that contain shorter ones without meaning them.
    pub(super) neutral: &'static [&'static str],
    /// Words after which, up to the end of the clause, everything is not wanted.
    pub(super) negators: &'static [&'static str],
    /// Words after which what is wanted begins again.
    pub(super) turns: &'static [&'static str],
    /// Words that make a sentence a question.
    pub(super) questions: &'static [&'static str],
    /// Words that make a question one for a fact.
    pub(super) facts: &'static [&'static str],
    /// Words that ask for work of any kind.
    pub(super) requests: &'static [&'static str],
    /// Words for the person who writes and for the assistant who answers; a story rarely uses them for its characters.
    pub(super) personal: &'static [&'static str],
    pub(super) phases: &'static [(Phase, &'static [&'static str])],
}
