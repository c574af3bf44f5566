//! Steps: what the runner was asked to do, each turn of that work, and the one outcome of each attempt.

use std::ops::AddAssign;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

use super::ArtifactProduced;
use crate::hash::{BlobRef, Sha256};
use crate::ids::{ArtifactId, StepId};

family! {
    /// What happened to a step, from its request to the outcome of each attempt, with what it made.
    StepEvent in Step {
        StepRequested = 1,
        ModelCalled = 1,
        ToolCalled = 1,
        ToolReturned = 1,
        OutputRejected = 1,
        ArtifactProduced = 1,
        StepSucceeded = 1,
        StepFailed = 1,
        StepCancelled = 1,
    }
}

impl StepEvent {
    /// The attempt that this event says succeeded or failed.
    pub fn attempt(&self) -> Option<(&StepId, u32)> {
        match self {
            Self::ModelCalled(ModelCalled { step, attempt, .. })
            | Self::ToolCalled(ToolCalled { step, attempt, .. })
            | Self::ToolReturned(ToolReturned { step, attempt, .. })
            | Self::OutputRejected(OutputRejected { step, attempt, .. })
            | Self::ArtifactProduced(ArtifactProduced { step, attempt, .. })
            | Self::StepSucceeded(StepSucceeded { step, attempt, .. })
            | Self::StepFailed(StepFailed { step, attempt, .. }) => Some((step, *attempt)),
            Self::StepRequested(_) | Self::StepCancelled(_) => None,
        }
    }
}

/// What a model got wrong, in words that it can act upon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Violation {
    /// JSON pointer into the output; empty for the whole.
    pub path: String,
    pub message: String,
}

impl Violation {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }

    /// Several in one line for a person.
    pub fn listed(all: &[Self]) -> String {
        let all: Vec<_> = all
            .iter()
            .map(|found| match found.path.as_str() {
                "" => found.message.clone(),
                path => format!("`{path}` {}", found.message),
            })
            .collect();
        all.join("; ")
    }
}

/// What an attempt is told in addition to the stage's prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Guidance {
    /// What a person or a reviewer wants changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub feedback: Option<String>,
    /// What was wrong with the attempt before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
}

impl Guidance {
    pub fn is_empty(&self) -> bool {
        self.feedback.is_none() && self.violations.is_empty()
    }
}

/// The worst that one turn of a step may use; held back from the budget until the step has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Reserve {
    pub calls: u64,
    pub tokens: u64,
    /// Millionths of the currency the prices are in.
    pub cost_micros: u64,
}

impl AddAssign for Reserve {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.tokens += other.tokens;
        self.cost_micros += other.cost_micros;
    }
}

impl Reserve {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The runner is asked to carry out an attempt of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRequested {
    pub step: StepId,
    /// Counted from 1 over the whole run, also across reopenings.
    pub attempt: u32,
    /// The attempt is not started before this time.
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub due: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Guidance::is_empty")]
    pub guidance: Guidance,
    #[serde(default, skip_serializing_if = "Reserve::is_nothing")]
    pub reserve: Reserve,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// Tokens as the provider counted them, or as they were estimated where it did not; 0 where there was no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Whether the provider did not count, so that these are an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub estimated: bool,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Which prompt was sent: its path without extension, and the hash of its template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct PromptRef {
    pub id: SmolStr,
    pub sha256: Sha256,
}

/// Why an exchange gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct CallError {
    /// `unreachable`, `timeout`, `rate_limited`, `out_of_credit`, `server`, `cut`, `rejected`, `auth`, `malformed`, `not_kept`,
    /// `no_model_of_this_name`, `too_long`, `filtered`, `refused`, `empty`, `length`, `loop`, `not_an_answer`; of tools `off`,
    /// `search_failed`, `unknown_tool`.
    pub code: String,
    pub message: String,
    pub retryable: bool,
    /// The wait that the provider asked for, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry_after_ms: Option<u64>,
    /// When this turn asks the model again; a restart of the server does not change this time.
    #[serde(
        default,
        with = "chrono::serde::ts_microseconds_option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<i64>")]
    #[ts(optional, type = "number")]
    pub again_at: Option<DateTime<Utc>>,
    /// Until when this model is not asked if there is another one, because the model cannot work at present.
    #[serde(
        default,
        with = "chrono::serde::ts_microseconds_option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<i64>")]
    #[ts(optional, type = "number")]
    pub closed_until: Option<DateTime<Utc>>,
}

impl CallError {
    /// An error that does not delay or stop later calls.
    pub fn new(code: impl Into<String>, message: impl Into<String>, retryable: bool) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            retryable,
            retry_after_ms: None,
            again_at: None,
            closed_until: None,
        }
    }
}

/// The kind of the artifact that says what became of the files that were given; this artifact is not a result that a run was asked for.
pub const MATERIAL: &str = "material";

/// Characters of [`ModelCalled::thought`]: some paragraphs, which is about what models write before they call a tool. The whole text is in
/// the response; here it is short, since every client and every fold of the log reads it.
pub const THOUGHT_CHARS_MAX: usize = 2_000;

/// One exchange with a model: an answer, which is never asked for again, or an error.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelCalled {
    pub step: StepId,
    pub attempt: u32,
    pub turn: u32,
    #[serde(rename = "try")]
    pub try_number: u32,
    /// The task that the model is called for; it decides which model is called.
    pub role: SmolStr,
    /// The model that answered, as the provider names it, else the one that was asked.
    pub model: SmolStr,
    pub prompt: Option<PromptRef>,
    pub request: BlobRef,
    pub response: Option<BlobRef>,
    pub finish_reason: Option<SmolStr>,
    /// What the model said with its calls of tools, or else its reasoning, at most [`THOUGHT_CHARS_MAX`] characters. Present only for turns
    /// in which the model could call tools: in other turns what it says is the result.
    pub thought: Option<String>,
    pub usage: Usage,
    pub cost_micros: u64,
    pub latency_ms: u64,
    /// What was learned about the model from refusals within the exchange, in words: from then on the model is asked in a different way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<String>,
    pub error: Option<CallError>,
}

/// A tool is about to be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCalled {
    pub step: StepId,
    pub attempt: u32,
    pub turn: u32,
    pub tool: SmolStr,
    pub input: Value,
}

/// A tool answered; the answer is never asked for again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolReturned {
    pub step: StepId,
    pub attempt: u32,
    pub turn: u32,
    pub tool: SmolStr,
    pub output: BlobRef,
    /// One line for people: `3 results for ...`, `search is off`.
    pub summary: String,
    pub latency_ms: u64,
    /// Millionths of the currency the prices are in; 0 where it costs nothing or the price is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cost_micros: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CallError>,
}

/// The output of a model was wrong. This is recorded as a fact; it is not an error of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputRejected {
    pub step: StepId,
    pub attempt: u32,
    pub violations: Vec<Violation>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepSucceeded {
    pub step: StepId,
    pub attempt: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactId>,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// The code of an attempt whose output was rejected.
pub const OUTPUT_REJECTED: &str = "output_rejected";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFailed {
    pub step: StepId,
    pub attempt: u32,
    pub code: String,
    pub message: String,
    pub retryable: bool,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepCancelled {
    pub step: StepId,
    pub attempt: u32,
    /// `cancelled`, `forked`, `reopened`, `stage_failed`, `budget`.
    pub reason: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}
