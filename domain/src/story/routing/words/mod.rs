//! The words by which rules understand a message, as data: for each language its classes of acts and objects (`*_classes.rs`) and its
//! own turns of phrase; for all languages the rules that put classes together (`rules.rs`); and messages of each intent to learn from
//! (`examples.tsv`).

pub(super) mod en;
mod en_classes;
mod rules;
pub(super) mod zh;
mod zh_classes;

pub(super) use rules::RULES;

use super::table::{Intent, Phase};

/// How much an occurrence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Strength {
    /// The intent is one among several that it could go with.
    Hint,
    /// What is spoken of, which is not yet what is to be done.
    Topic,
    /// What is to be done.
    Act,
    /// What is to be done, and with what.
    Phrase,
    /// What is to be done, whatever else is spoken of.
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

/// What a language has.
pub(super) struct Words {
    pub(super) classes: &'static [Class],
    pub(super) intents: &'static [Line],
    /// Longer words in which shorter ones mean nothing.
    pub(super) neutral: &'static [&'static str],
    /// What follows is not wanted, up to the end of the clause.
    pub(super) negators: &'static [&'static str],
    /// Where what is wanted begins after all.
    pub(super) turns: &'static [&'static str],
    /// What makes a sentence a question.
    pub(super) questions: &'static [&'static str],
    /// What makes a question one for a fact.
    pub(super) facts: &'static [&'static str],
    /// What asks for work, whatever the work is.
    pub(super) requests: &'static [&'static str],
    /// Words for the person who writes and for the assistant who answers; a story seldom speaks of its characters by them.
    pub(super) personal: &'static [&'static str],
    pub(super) phases: &'static [(Phase, &'static [&'static str])],
}
