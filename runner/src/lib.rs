//! The only crate that makes things happen: mailboxes, model and tool calls, prompts, clock and ids. It carries out what the
//! log asks for, and every outcome is a command.

pub mod authors;
pub mod clock;
mod collections;
mod computing;
pub mod crash;
mod engine;
mod error;
mod parts;
pub mod ports;
mod projects;
pub mod prompts;
mod reading;
mod sessions;
mod steps;
mod streams;
#[cfg(test)]
mod tests;
pub mod tools;
mod typesetting;
mod waits;

pub use collections::{Changed, CollectionError, Collections, DocumentHits, Imported, NewDocument};
pub use engine::{Engine, Erased, Preview};
pub use error::{EngineError, SendError};
pub use parts::{EngineLimits, Parts};
pub use projects::{ProjectChanged, ProjectError, Projects, changes};
pub use sessions::{Applied, Envelope};
pub use steps::Delta;
pub use streams::Curator;
pub use typesetting::FontTypesetter;
pub use waits::{StepWait, WaitLine, WaitReason};
