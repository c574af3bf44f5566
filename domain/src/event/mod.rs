//! The domain events: storage formats, in the past tense, with an integer schema version each.
//!
//! A name or a field written here is in logs for ever. A field may be added with a default; anything else raises the
//! version and adds an upcaster (see `upcast`), and a golden file of the new version is added under `tests/golden`. Times are
//! microseconds since 1970 in UTC.
//!
//! Events come in families, a file each: the conversation (what is said, the files that come with it, the life of the session itself), runs
//! (their stages, decisions, and which of them is the head), steps (their turns and what they make), gates (questions, their answers, and
//! the budget, which a gate asks for), collections (documents), projects (the bible of a story). An event belongs to what it changes, since
//! code that reads one event of a family mostly reads its neighbours. Families exist only in the program: a stored name does not contain
//! its family, so that an event may be moved to another family.
//!
//! An event is added as a payload and a line in the list of its family, in one file. The compiler then points at the code that reads this
//! family, and only at that. State, facets and wires also list the events that they ignore of a family that they read, so that each new
//! event is decided there. Code that only looks for single events has one line for the rest, and all code has one line for each family that
//! it does not read.

#[macro_use]
mod family;

mod artifact;
mod collection;
mod gate;
mod project;
mod run;
mod session;
mod step;
pub mod upcast;

pub use artifact::{ArtifactProduced, Body};
pub use collection::{
    CollectionEvent, CollectionOpened, Document, DocumentsImported, DocumentsRemoved,
};
pub use family::Event;
pub use gate::{
    AnswerGiven, BUDGET_GATE, BudgetRaised, GateEvent, GateOpened, PlanConfirmed, PlanDeclined,
    SUPERSEDED,
};
pub use project::{
    EntriesPut, EntriesRemoved, FactsFound, FactsJudged, FindingsSettled, ProjectDescribed,
    ProjectEvent, VersionAccepted, VersionRemoved, VersionSaved,
};
pub use run::{
    ArtifactEdited, DecisionMade, HeadMoved, Intent, IntentClassified, RULES, RefinementRequested,
    RunCancelled, RunCompleted, RunEvent, RunFailed, RunStarted, StageClosed, StageOutcome,
    StageStarted, StagesReopened,
};
pub use session::{
    FilePut, FileRemoved, MessageQueued, MessageReceived, MessageSent, MessageWithdrawn,
    SessionErased, SessionEvent, SessionForked, SessionOpened, SessionTitled,
};
pub use step::{
    CallError, Guidance, MATERIAL, ModelCalled, OUTPUT_REJECTED, OutputRejected, PromptRef,
    Reserve, StepCancelled, StepEvent, StepFailed, StepRequested, StepSucceeded, THOUGHT_CHARS_MAX,
    ToolCalled, ToolReturned, Usage, Violation,
};

/// Why stored bytes are not an event.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    #[error(
        "event `{name}` is unknown to this version of the program; use the version that wrote it, or a newer one"
    )]
    UnknownName { name: String },
    #[error(
        "event `{name}` has schema version {found}, newer than the {known} this program knows; use a newer one"
    )]
    NewerSchema {
        name: String,
        found: u32,
        known: u32,
    },
    #[error("event `{name}` of schema version {schema} does not decode: {cause}")]
    Malformed {
        name: String,
        schema: u32,
        cause: serde_json::Error,
    },
}
