//! The layer of tests: a program in memory, with a person who answers what is asked; logs that are written by hand, for wires; sessions that
//! are driven by commands, for flows; and what the authors of a pipeline are held to.

pub use crate::trial::Trial;
/// A server within a test, for protocols.
pub use crate::trial::serving;

/// Logs for wires, written like a story.
pub use projections::trial as logs;

// A session that is driven by commands.
pub use commands::trial::SessionFixture;
pub use commands::{
    AnswerGate, AskPerson, Cancel, Command, EditedBodies, Finished, Fork, MeetDeadline, NewBody,
    RestartStep, Resume, SkipStep, fork_events,
};

/// Steps for offline authors, and the law that their words stand in what they were given.
pub use runner::authors::trial as authoring;

/// The types that the pages of a product are sent, in a file beside them.
pub use crate::typescript::TypeScript;

/// What every prompt of a product is held against.
pub use runner::prompts::trial as prompts;

// The parts of an engine in memory, and what is written into its log.
pub use domain::collection::Kinds;
pub use domain::hash::Blob;
pub use domain::settings::Price;
pub use runner::ports::{Embedded, EmbeddingRequest, Embeddings, Message};
pub use runner::ports::{Model, ModelAnswer, ModelRequest, Search, Usage};
pub use runner::prompts::Prompts;
pub use runner::{Curator, Parts};
pub use store::{Append, CommandId, IndexChange, MasterKey, MemoryLog};
