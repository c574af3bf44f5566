//! The offline authors, which answer prompts where no model is configured. They are registered where a program is put together.

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

/// Authors by the prompts that they answer.
#[derive(Clone, Debug, Default)]
pub struct Authors(BTreeMap<&'static str, Author>);

impl Authors {
    /// Adds the author of a prompt, which is named as in [`ModelTurn::prompt`](domain::carry::ModelTurn::prompt).
    ///
    /// # Panics
    ///
    /// If the prompt has an author already: which of the two answers would depend on the order in which they were added.
    #[must_use]
    pub fn with(mut self, prompt: &'static str, author: Author) -> Self {
        let before = self.0.insert(prompt, author);
        assert!(before.is_none(), "the prompt `{prompt}` has two authors");
        self
    }

    /// The author of a prompt, if it has one.
    pub fn of(&self, prompt: &str) -> Option<Author> {
        self.0.get(prompt).copied()
    }

    /// Every prompt that has an author.
    pub fn prompts(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }
}
