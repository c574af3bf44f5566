//! Steps: what the world was asked to do, each turn of it, what was made, and the one outcome of each attempt.

use std::sync::Arc;

use domain::event::{Guidance, PromptRef, Reserve, Usage, Violation};
use domain::hash::{BlobRef, Sha256};
use domain::{ArtifactId, RunId, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

/// Which attempt of which step it is about: first in each frame about a step.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Attempt {
    /// `r1/stage` or `r1/stage/item`; its parts follow.
    pub step: StepId,
    pub run: RunId,
    pub stage: SmolStr,
    /// Empty for a stage with a single step.
    pub item: SmolStr,
    /// Counted from 1 over the whole run, also across reopenings.
    pub attempt: u32,
}

/// The world is asked to do something.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StepRequested {
    #[serde(flatten)]
    pub of: Attempt,
    /// Not to be started before.
    pub due: String,
    pub guidance: Guidance,
    /// Held back from the budget until the step ends.
    pub reserve: Reserve,
}

/// One exchange with a model: an answer, which is never asked for again, or an error.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct ModelCalled {
    #[serde(flatten)]
    pub of: Attempt,
    pub turn: u32,
    /// Exchanges of one turn, from 1.
    #[serde(rename = "try")]
    pub try_number: u32,
    /// What the model is for; decides which one is called.
    pub role: SmolStr,
    /// The model that answered, as the provider names it, else the one that was asked.
    pub model: SmolStr,
    pub prompt: Option<PromptRef>,
    pub request: BlobRef,
    pub response: Option<BlobRef>,
    pub finish_reason: Option<SmolStr>,
    /// What the model said beside its calls of tools, else its reasoning; cut where it is long.
    pub thought: Option<String>,
    pub usage: Usage,
    /// Millionths of the currency the prices are in.
    pub cost_micros: u64,
    pub latency_ms: u64,
    /// What refusals within the exchange taught of the model, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub learned: Vec<String>,
    pub error: Option<CallProblem>,
}

/// Why a call gave no answer.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct CallProblem {
    pub code: String,
    pub message: String,
    pub retryable: bool,
    /// What the provider asked for, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// When the model is asked again by this turn.
    pub again_at: Option<String>,
    /// Until when nobody asks this model where there is another one.
    pub closed_until: Option<String>,
}

/// A tool is about to be called.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolCalled {
    #[serde(flatten)]
    pub of: Attempt,
    pub turn: u32,
    pub tool: SmolStr,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub input: Value,
}

/// A tool answered; the answer is never asked for again.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct ToolReturned {
    #[serde(flatten)]
    pub of: Attempt,
    pub turn: u32,
    pub tool: SmolStr,
    pub output: BlobRef,
    /// One line for people.
    pub summary: String,
    pub latency_ms: u64,
    /// Millionths of the currency the prices are in; absent where it costs nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<_>", optional)]
    pub cost_micros: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<CallProblem>,
}

/// What a model got wrong; another attempt may follow.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct OutputRejected {
    #[serde(flatten)]
    pub of: Attempt,
    pub violations: Vec<Violation>,
}

/// A step, or a person, made something. Its content is `body`, which the wire `lean` leaves out, or a file of which `blob` tells.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct ArtifactProduced {
    #[serde(flatten)]
    pub of: Attempt,
    pub artifact: ArtifactId,
    pub kind: SmolStr,
    /// Which one it is, where its step leaves several of this kind; stands in the place of the item then.
    #[serde(default, skip_serializing_if = "SmolStr::is_empty")]
    #[ts(as = "Option<_>", optional)]
    pub part: SmolStr,
    /// Counts the versions of this kind and item in the session, from 1.
    pub number: u32,
    pub title: SmolStr,
    /// What it was made from.
    pub from: Vec<ArtifactId>,
    /// Whether a client should turn to it.
    pub shown: bool,
    /// Where the content is served: a path.
    pub content: String,
    /// The content, where it is JSON and not large.
    #[ts(type = "unknown", optional)]
    pub body: Option<Arc<Value>>,
    pub blob: Option<ArtifactBlob>,
}

/// A content that is kept beside the events.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ArtifactBlob {
    pub sha256: Sha256,
    /// Bytes.
    pub size: u64,
    pub media_type: String,
    /// What it is called as a file.
    pub file_name: String,
}

/// The attempt made what was wanted.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StepSucceeded {
    #[serde(flatten)]
    pub of: Attempt,
    pub artifacts: Vec<ArtifactId>,
}

/// The attempt failed; another may follow where it is retryable.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StepFailed {
    #[serde(flatten)]
    pub of: Attempt,
    /// For programs.
    pub code: String,
    /// For people.
    pub message: String,
    pub retryable: bool,
}

/// The attempt was given up; it counts as none.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StepCancelled {
    #[serde(flatten)]
    pub of: Attempt,
    /// `cancelled`, `forked`, `reopened`, `run_failed`, `budget`, `skipped`.
    pub reason: String,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
