//! What `data` says in a frame of the native wire, by its `type`: a struct a kind of event.
//!
//! The names and the order of fields are the protocol's. A field may be added if clients that do not know it stay correct; a field that is
//! absent is left out, never null. `api/console/types/protocol.ts` is made from these types.

mod gate;
mod run;
mod session;
mod step;

use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;

pub use gate::{AnswerGiven, BudgetRaised, GateOpened, PlanConfirmed, PlanDeclined};
pub use run::{
    ArtifactEdited, DecisionMade, HeadMoved, IntentClassified, RefinementRequested, RunCancelled,
    RunCompleted, RunFailed, RunStarted, StageClosed, StageStarted, StagesReopened,
};
pub use session::{
    FilePut, FileRemoved, MessageQueued, MessageReceived, MessageSent, MessageWithdrawn,
    SessionErased, SessionForked, SessionOpened, SessionTitled,
};
pub use step::{
    ArtifactBlob, ArtifactProduced, Attempt, CallProblem, ModelCalled, OutputRejected,
    StepCancelled, StepFailed, StepRequested, StepSucceeded, ToolCalled, ToolReturned,
};

use crate::wire::FrameData;

macro_rules! events {
    ($($name:literal = $kind:ident($data:ty)),* $(,)?) => {
        /// An event as clients read it: the name and what it says. Serialised it is what it says alone; the name is beside it in
        /// the [`Envelope`](super::Envelope), from which it is deserialised.
        #[derive(Clone, Debug, Deserialize, TS)]
        #[serde(tag = "type", content = "data")]
        pub enum NativeEvent {
            $(#[serde(rename = $name)] $kind($data)),*
        }

        impl NativeEvent {
            /// Whether an event of this name exists.
            pub fn is_name(name: &str) -> bool {
                matches!(name, $($name)|*)
            }
        }

        impl Serialize for NativeEvent {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Self::$kind(data) => data.serialize(serializer)),* }
            }
        }

        impl FrameData for NativeEvent {
            fn name(&self) -> &'static str {
                match self { $(Self::$kind(_) => $name),* }
            }

            fn is_terminal(&self) -> bool {
                matches!(self, Self::RunCompleted(_) | Self::RunFailed(_) | Self::RunCancelled(_))
            }
        }
    };
}

events! {
    "session_opened" = SessionOpened(SessionOpened),
    "session_titled" = SessionTitled(SessionTitled),
    "session_forked" = SessionForked(SessionForked),
    "session_erased" = SessionErased(SessionErased),
    "message_received" = MessageReceived(MessageReceived),
    "message_queued" = MessageQueued(Box<MessageQueued>),
    "message_withdrawn" = MessageWithdrawn(MessageWithdrawn),
    "message_sent" = MessageSent(MessageSent),
    "file_put" = FilePut(FilePut),
    "file_removed" = FileRemoved(FileRemoved),
    "run_started" = RunStarted(Box<RunStarted>),
    "intent_classified" = IntentClassified(Box<IntentClassified>),
    "refinement_requested" = RefinementRequested(RefinementRequested),
    "artifact_edited" = ArtifactEdited(ArtifactEdited),
    "stage_started" = StageStarted(StageStarted),
    "stage_closed" = StageClosed(StageClosed),
    "stages_reopened" = StagesReopened(StagesReopened),
    "step_requested" = StepRequested(StepRequested),
    "model_called" = ModelCalled(Box<ModelCalled>),
    "tool_called" = ToolCalled(ToolCalled),
    "tool_returned" = ToolReturned(Box<ToolReturned>),
    "output_rejected" = OutputRejected(OutputRejected),
    "artifact_produced" = ArtifactProduced(Box<ArtifactProduced>),
    "step_succeeded" = StepSucceeded(StepSucceeded),
    "step_failed" = StepFailed(StepFailed),
    "step_cancelled" = StepCancelled(StepCancelled),
    "decision_made" = DecisionMade(DecisionMade),
    "gate_opened" = GateOpened(Box<GateOpened>),
    "plan_confirmed" = PlanConfirmed(PlanConfirmed),
    "plan_declined" = PlanDeclined(PlanDeclined),
    "answer_given" = AnswerGiven(AnswerGiven),
    "budget_raised" = BudgetRaised(BudgetRaised),
    "run_completed" = RunCompleted(RunCompleted),
    "run_failed" = RunFailed(RunFailed),
    "run_cancelled" = RunCancelled(RunCancelled),
    "head_moved" = HeadMoved(HeadMoved),
}
