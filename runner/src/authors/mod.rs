//! The offline authors, which answer prompts where no model is configured: they select whole blocks and whole sentences of what they are
//! given and place them as they stand, under their own headings, and sign what they make. Each product has a function that gives the
//! authors of its prompts, and registers them with its other parts. A prompt without an author is never asked offline.

pub mod design;
pub mod outline;
pub mod source;
pub mod trial;
pub mod wishes;
pub mod words;

use std::collections::BTreeMap;

use domain::carry::{TurnResult, Work};
use serde_json::Value;

/// Tools with their arguments.
pub type WantedCalls = Vec<(&'static str, Value)>;

/// What answers a prompt without a model: a function of what the step may see, so that its answer is the same every time.
#[derive(Clone, Copy, Debug)]
pub enum Author {
    /// Gives the structure that is wanted.
    Structure(fn(&Work) -> Value),
    /// Gives the next calls in a loop of tools, after these turns.
    Calls(fn(&Work, &[TurnResult]) -> WantedCalls),
}

/// The authors of prompts by their kinds, each a function that answers if it has what it needs.
#[macro_export]
macro_rules! authors {
    ($($kind:ident$given:tt { $($prompt:literal $author:path;)* })*) => {
        $crate::authors::Authors::default()
            $($(.with($prompt, $crate::authors!($kind$given $author)))*)*
    };
    (Structure(work) $author:path) => {
        $crate::authors::Author::Structure(|work| $author(work).unwrap_or_default())
    };
    (Calls(turns) $author:path) => {
        $crate::authors::Author::Calls(|work, turns| $author(work, turns).unwrap_or_default())
    };
}

/// Authors by the prompts that they answer.
#[derive(Clone, Debug, Default)]
pub struct Authors {
    by_prompt: BTreeMap<&'static str, Author>,
    /// A prompt that was given a second author.
    twice: Option<&'static str>,
}

impl Authors {
    /// Adds the author of a prompt, which is named as in [`ModelTurn::prompt`](domain::carry::ModelTurn::prompt).
    #[must_use]
    pub fn with(mut self, prompt: &'static str, author: Author) -> Self {
        if self.by_prompt.insert(prompt, author).is_some() {
            self.twice = Some(prompt);
        }
        self
    }

    /// These and others. A prompt that both answer has two authors.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.twice = self.twice.or(others.twice);
        let each = others.by_prompt.into_iter();
        each.fold(self, |all, (prompt, author)| all.with(prompt, author))
    }

    /// A prompt that was given two authors: which of them answers would depend on the order in which they were added.
    pub fn twice(&self) -> Option<&'static str> {
        self.twice
    }

    /// The author of a prompt, if it has one.
    pub fn of(&self, prompt: &str) -> Option<Author> {
        self.by_prompt.get(prompt).copied()
    }

    /// Every prompt that has an author.
    pub fn prompts(&self) -> impl Iterator<Item = &'static str> {
        self.by_prompt.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_has_two_authors_is_found() {
        let author = Author::Structure(|_| Value::Null);
        let one = Authors::default().with("fan/step", author);
        assert_eq!(one.twice(), None);
        assert_eq!(
            one.clone().with("fan/step", author).twice(),
            Some("fan/step")
        );
        let other = Authors::default().with("fan/other", author);
        let both = one.clone().and(other);
        assert_eq!(both.twice(), None);
        let prompts: Vec<_> = both.prompts().collect();
        assert_eq!(prompts, ["fan/other", "fan/step"]);
        assert_eq!(both.and(one).twice(), Some("fan/step"));
    }
}
