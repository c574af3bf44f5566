//! What can have happened, what follows from it, and what each pipeline wants next. Values in, values out: nothing here waits, does I/O,
//! reads the clock or uses randomness. Time and fresh ids come in with the command.

#[macro_use]
mod macros;

pub mod asking;
pub mod by_hand;
pub mod carry;
pub mod collection;
pub mod decision;
pub mod delivery;
pub mod drawing;
pub mod embedding;
pub mod event;
pub mod facets;
pub mod figures;
pub mod flow;
pub mod hash;
pub mod ids;
pub mod judging;
pub mod language;
pub mod markdown;
pub mod masking;
pub mod material;
pub mod numbers;
pub mod pictures;
pub mod pipeline;
pub mod project;
pub mod question;
pub mod recorded;
pub mod schema;
pub mod session;
pub mod settings;
pub mod shown;
pub mod streams;
pub mod text;
pub mod tokens;
pub mod tool_loop;
pub mod typeset;
mod unchanged;
pub mod understanding;
pub mod vectors;
pub mod wording;

pub use collection::Collection;
pub use event::Event;
pub use ids::{ArtifactId, DocumentId, EntryId, GateId, MessageId, RunId, SessionId, StepId};
pub use project::Project;
pub use recorded::{Actor, EventId, Recorded};
pub use session::Session;
