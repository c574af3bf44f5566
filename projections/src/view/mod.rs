//! A session as `GET /v1/sessions/{id}[?at=N]` shows it: a pure function of the state at that version.
//!
//! Runs form a tree. They are listed flat, each with its base and its children, since a long chain of refinements would
//! nest deeper than JSON readers go.

mod of;

use domain::event::Intent;
use domain::settings::{Budget, Settings};
use domain::{ArtifactId, GateId, MessageId, RunId, StepId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

pub use of::session;

/// A session.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct SessionView {
    /// The version that this is true at.
    pub version: u64,
    pub title: String,
    /// What a message of this session starts unless it says otherwise.
    pub pipeline: SmolStr,
    pub forked_from: Option<Origin>,
    pub erased: bool,
    /// The run that is at work.
    pub active: Option<RunId>,
    /// The run whose artifacts are the current ones.
    pub head: Option<RunId>,
    /// In the order of their starting; a tree by `base_run` and `children`.
    pub runs: Vec<RunView>,
    pub artifacts: Vec<ArtifactView>,
    pub messages: Vec<MessageView>,
    /// Messages that wait for their turn, the next one first.
    pub queue: Vec<QueuedView>,
    pub files: Vec<FileView>,
}

/// Where a fork comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Origin {
    pub session: String,
    /// The last version taken from it.
    pub at: u64,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Running,
    /// A gate is open and nothing is at work.
    Waiting,
    Completed,
    Failed,
    Cancelled,
}

/// One execution of a pipeline.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct RunView {
    pub run: RunId,
    pub base_run: Option<RunId>,
    /// Runs that build on this one.
    pub children: Vec<RunId>,
    pub pipeline: SmolStr,
    pub status: RunStatus,
    pub brief: String,
    pub message: Option<MessageId>,
    pub intent: Option<IntentView>,
    pub feedback: Option<String>,
    pub started_at: String,
    pub outcome: Option<OutcomeView>,
    pub settings: Settings,
    pub budget: BudgetView,
    pub stages: Vec<StageView>,
    pub gates: Vec<GateView>,
    pub decisions: Vec<DecisionView>,
    /// The artifacts that count in this run, made here or taken over.
    pub artifacts: Vec<ArtifactId>,
}

/// How the run's message was understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct IntentView {
    pub intent: Intent,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<SmolStr>,
    pub confidence: f64,
    pub by: String,
    pub reason: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case", tag = "is")]
#[ts(optional_fields)]
pub enum OutcomeView {
    Completed {
        #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
        final_artifact: Option<ArtifactId>,
        partial: bool,
    },
    Failed {
        code: String,
        message: String,
    },
    Cancelled {
        reason: String,
    },
}

/// What a run may use, has used, and holds back for its open steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct BudgetView {
    pub limits: Budget,
    pub spent: SpentView,
    pub reserved: ReservedView,
}

/// What a run has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SpentView {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: u64,
    /// Milliseconds that calls took, those made at the same time added up.
    pub working_ms: u64,
}

/// What a run holds back for its open steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ReservedView {
    pub calls: u64,
    pub tokens: u64,
    pub cost_micros: u64,
}

/// A phase of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct StageView {
    pub stage: SmolStr,
    /// `open`, `completed`, `failed`, `cancelled`, `reopened`.
    pub status: SmolStr,
    pub items: u32,
    /// How often it was gone back to.
    pub reopened: u32,
    pub steps: Vec<StepView>,
}

/// A unit of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct StepView {
    pub step: StepId,
    /// Empty for a stage with a single step.
    pub item: SmolStr,
    /// `open`, `succeeded`, `failed`, `cancelled`, `reopened`.
    pub status: SmolStr,
    /// The latest attempt, from 1.
    pub attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
    /// What was wrong with the latest output, if it was rejected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub violations: Vec<String>,
    /// Turns of the latest attempt that have an answer.
    pub turns: usize,
    pub artifacts: Vec<ArtifactId>,
}

/// Why the latest attempt failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct StepError {
    pub code: String,
    pub message: String,
    pub retryable: bool,
}

/// A place where the run waits, or waited, for a person.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct GateView {
    pub gate: GateId,
    pub name: String,
    pub subject: Option<ArtifactId>,
    pub question: String,
    /// JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub schema: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub options: Vec<String>,
    pub deadline: Option<String>,
    /// The answer that the deadline gives.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub default: Value,
    /// Absent while it is open.
    pub answer: Option<AnswerView>,
}

/// How a gate was answered, and whether by a person or a deadline.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case", tag = "is")]
#[ts(optional_fields)]
pub enum AnswerView {
    Confirmed {
        edits: Option<ArtifactId>,
        by: String,
    },
    Declined {
        feedback: Option<String>,
        by: String,
    },
    Given {
        #[schemars(description = "What the schema of the gate says.")]
        #[ts(type = "unknown")]
        answer: Value,
        by: String,
    },
}

/// Who decided what, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DecisionView {
    pub what: String,
    pub choice: String,
    pub reason: String,
    pub by: String,
}

/// A typed, versioned product. Its content is fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct ArtifactView {
    pub artifact: ArtifactId,
    pub kind: SmolStr,
    /// Counts the versions of this kind and item, from 1.
    pub number: u32,
    pub title: SmolStr,
    pub run: RunId,
    pub step: StepId,
    /// Empty for a stage with a single step.
    pub item: SmolStr,
    /// What it was made from.
    pub from: Vec<ArtifactId>,
    /// Whether it counts now: in the head, or in the run at work.
    pub current: bool,
    /// Whether something that it was made from counts no longer: a person edited that, and left this as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<_>", optional)]
    pub older: bool,
    /// Where the content is served.
    pub content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobView>,
}

/// A content that is kept beside the events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct BlobView {
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    pub media_type: String,
}

/// Something that was said, either way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct MessageView {
    pub message: MessageId,
    /// `user` or `assistant`.
    pub role: SmolStr,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub attachments: Vec<String>,
    pub run: RunId,
}

/// A message that waits for its turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct QueuedView {
    pub message: MessageId,
    /// The run that will take it up.
    pub run: RunId,
    pub pipeline: SmolStr,
    /// Why it was withdrawn; its run is then cancelled when its turn comes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub withdrawn: Option<String>,
}

/// A file of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FileView {
    pub path: String,
    pub blob: BlobView,
}
