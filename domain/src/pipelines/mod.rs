//! The pipelines that a process serves, one line each.
//!
//! To add one:
//! 1. a folder here with a type that implements [`Pipeline`]: its stages' names, its `flow`, and for each stage a function
//!    from the [`Work`](crate::carry::Work) and the turns so far to the next [`Carry`](crate::carry::Carry);
//! 2. a folder of the same name in `prompts/`, one file for each stage that asks a model (`prompts/README.md` has the form);
//! 3. a line in [`all`];
//! 4. what the offline author answers, in the crate `offline`, by the names of the prompts.
//!
//! A pipeline never names another one. What its artifacts look like is a type with `schemars`; what a schema cannot say is a function that
//! gives violations, each of which is written for the model that has to correct the answer. `course` is the example to read.

pub mod course;
pub mod curator;
pub mod deck;
#[cfg(test)]
mod delivery_tests;
pub mod reader;
pub mod story;
#[cfg(test)]
mod understanding_tests;

use crate::pipeline::Pipelines;

/// Every pipeline there is.
pub fn all() -> Pipelines {
    Pipelines::new(vec![
        &course::Course,
        &deck::Deck,
        &curator::DesignCurator,
        &story::Story,
        &reader::StoryReader,
    ])
}
