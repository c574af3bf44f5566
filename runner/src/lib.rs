//! The only crate that makes things happen: mailboxes, model and tool calls, prompts, clock and ids. It carries out what the
//! log asks for, and every outcome is a command.

mod asking;
pub mod clock;
mod collections;
pub mod crash;
mod deltas;
mod edits;
mod engine;
mod erase;
mod error;
mod exchange;
#[cfg(test)]
mod exporting;
mod keep;
#[cfg(test)]
mod laws;
mod mailbox;
mod material;
pub mod notes;
mod offline;
mod parts;
mod pictures;
pub mod ports;
pub mod post_templates;
mod press;
mod process;
pub mod prompts;
mod registry;
pub mod resources;
mod shown;
mod timers;
mod tools;
mod turn;
mod typeset;
mod web_search;
mod worker;

pub use collections::{Changed, CollectionError, Collections, Found, Imported, NewDocument};
pub use deltas::Delta;
pub use engine::Engine;
pub use erase::Erased;
pub use error::{EngineError, SendError};
pub use parts::{EngineLimits, Parts};
pub use process::{Applied, Envelope};
pub use typeset::FontTypesetter;
