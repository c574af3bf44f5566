//! The domain events: storage formats, in the past tense, with an integer schema version each.
//!
//! A name or a field written here is in logs for ever. A field may be added with a default; anything else raises the
//! version and adds an upcaster (see `upcast`), and a golden file of the new version is added under `tests/golden`. Times are
//! microseconds since 1970 in UTC.

mod artifact;
mod collection;
mod conversation;
mod gate;
mod run;
mod step;
pub mod upcast;

pub use artifact::{ArtifactProduced, Body, FilePut, FileRemoved};
pub use collection::{CollectionOpened, Document, DocumentsImported, DocumentsRemoved};
pub use conversation::{
    MessageQueued, MessageReceived, MessageSent, MessageWithdrawn, SessionErased, SessionForked,
    SessionOpened, SessionTitled,
};
pub use gate::{AnswerGiven, BudgetRaised, GateOpened, PlanConfirmed, PlanDeclined};
pub use run::{
    DecisionMade, HeadMoved, Intent, IntentClassified, RefinementRequested, RunCancelled,
    RunCompleted, RunFailed, RunStarted, StageClosed, StageOutcome, StageStarted, StagesReopened,
};
pub use step::{
    CallError, Guidance, ModelCalled, OUTPUT_REJECTED, OutputRejected, PromptRef, Reserve,
    StepCancelled, StepFailed, StepRequested, StepSucceeded, THOUGHT_CHARS_MAX, ToolCalled,
    ToolReturned, Usage, Violation,
};

use crate::ids::StepId;

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

macro_rules! events {
    ($($name:ident = $schema:literal),* $(,)?) => {
        /// Everything that can have happened to a session or to a collection.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "type", content = "data")]
        pub enum Event {
            $($name($name)),*
        }

        impl Event {
            /// Every event with the schema version that is written today.
            pub const ALL: &[(&str, u32)] = &[$((stringify!($name), $schema)),*];

            /// The stored name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name)),* }
            }

            /// The schema version in which `encode` writes it.
            pub fn schema(&self) -> u32 {
                match self { $(Self::$name(_) => $schema),* }
            }

            /// The stored payload.
            pub fn encode(&self) -> Vec<u8> {
                let mut payload = vec![];
                self.encode_into(&mut payload);
                payload
            }

            /// Puts the stored payload behind what is there.
            pub fn encode_into(&self, payload: &mut Vec<u8>) {
                let encoded = match self { $(Self::$name(event) => serde_json::to_writer(payload, event)),* };
                encoded.expect("events hold only values that JSON can hold: string keys and finite numbers");
            }

            /// Reads a stored payload; older schema versions go through their upcasters.
            pub fn decode(name: &str, schema: u32, payload: &[u8]) -> Result<Self, DecodeError> {
                match name {
                    $(stringify!($name) => upcast::read(name, schema, $schema, payload).map(Self::$name),)*
                    _ => Err(DecodeError::UnknownName { name: name.to_owned() }),
                }
            }

            /// The JSON Schema of each payload, by name: its hash tells whether a storage format changed.
            pub fn json_schemas() -> Vec<(&'static str, schemars::Schema)> {
                vec![$((stringify!($name), schemars::schema_for!($name))),*]
            }
        }

        $(impl From<$name> for Event {
            fn from(event: $name) -> Self {
                Self::$name(event)
            }
        })*
    };
}

events! {
    SessionOpened = 1,
    SessionTitled = 1,
    SessionForked = 1,
    SessionErased = 1,
    MessageReceived = 1,
    MessageQueued = 1,
    MessageWithdrawn = 1,
    MessageSent = 1,
    FilePut = 1,
    FileRemoved = 1,
    RunStarted = 1,
    IntentClassified = 1,
    RefinementRequested = 1,
    StageStarted = 1,
    StageClosed = 1,
    StagesReopened = 1,
    StepRequested = 1,
    ModelCalled = 1,
    ToolCalled = 1,
    ToolReturned = 1,
    OutputRejected = 1,
    ArtifactProduced = 1,
    StepSucceeded = 1,
    StepFailed = 1,
    StepCancelled = 1,
    DecisionMade = 1,
    GateOpened = 1,
    PlanConfirmed = 1,
    PlanDeclined = 1,
    AnswerGiven = 1,
    BudgetRaised = 1,
    RunCompleted = 1,
    RunFailed = 1,
    RunCancelled = 1,
    HeadMoved = 1,
    CollectionOpened = 1,
    DocumentsImported = 1,
    DocumentsRemoved = 1,
}

impl Event {
    /// The attempt that made something, or failed to.
    pub fn attempt(&self) -> Option<(&StepId, u32)> {
        match self {
            Self::ModelCalled(ModelCalled { step, attempt, .. })
            | Self::ToolCalled(ToolCalled { step, attempt, .. })
            | Self::ToolReturned(ToolReturned { step, attempt, .. })
            | Self::OutputRejected(OutputRejected { step, attempt, .. })
            | Self::ArtifactProduced(ArtifactProduced { step, attempt, .. })
            | Self::StepSucceeded(StepSucceeded { step, attempt, .. })
            | Self::StepFailed(StepFailed { step, attempt, .. }) => Some((step, *attempt)),
            Self::SessionOpened(_)
            | Self::SessionTitled(_)
            | Self::SessionForked(_)
            | Self::SessionErased(_)
            | Self::MessageReceived(_)
            | Self::MessageQueued(_)
            | Self::MessageWithdrawn(_)
            | Self::MessageSent(_)
            | Self::FilePut(_)
            | Self::FileRemoved(_)
            | Self::RunStarted(_)
            | Self::IntentClassified(_)
            | Self::RefinementRequested(_)
            | Self::StageStarted(_)
            | Self::StageClosed(_)
            | Self::StagesReopened(_)
            | Self::StepRequested(_)
            | Self::StepCancelled(_)
            | Self::DecisionMade(_)
            | Self::GateOpened(_)
            | Self::PlanConfirmed(_)
            | Self::PlanDeclined(_)
            | Self::AnswerGiven(_)
            | Self::BudgetRaised(_)
            | Self::RunCompleted(_)
            | Self::RunFailed(_)
            | Self::RunCancelled(_)
            | Self::HeadMoved(_)
            | Self::CollectionOpened(_)
            | Self::DocumentsImported(_)
            | Self::DocumentsRemoved(_) => None,
        }
    }
}
