//! Runs, their stages, and the decisions about them.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

use super::Body;
use crate::ids::{ArtifactId, MessageId, RunId, StepId};
use crate::settings::Settings;

family! {
    /// What happened to a run, to its stages, and to which of the runs is the head.
    RunEvent in Run {
        RunStarted = 1,
        IntentClassified = 1,
        RefinementRequested = 1,
        ArtifactEdited = 1,
        StageStarted = 1,
        StageClosed = 1,
        StagesReopened = 1,
        DecisionMade = 1,
        RunCompleted = 1,
        RunFailed = 1,
        RunCancelled = 1,
        HeadMoved = 1,
    }
}

/// One execution of a pipeline begins.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    pub run: RunId,
    pub pipeline: SmolStr,
    /// The run this one builds on, when that is known at the start (an explicit refinement, a resumption, a restart).
    pub base_run: Option<RunId>,
    pub message: Option<MessageId>,
    /// What is wanted, in the person's words.
    pub brief: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    pub settings: Settings,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// How a message was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Something new is wanted.
    Initial,
    /// A change to an earlier run, from a stage on.
    Refinement,
    /// The message asks for nothing that this pipeline makes.
    Irrelevant,
    /// An ended run is continued where it stopped.
    Resumption,
    /// Named steps of an ended run are redone.
    Restart,
    /// A person wrote the next version of an artifact.
    Edit,
}

/// The branch of the run is fixed: what it builds on and which artifacts it takes over.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntentClassified {
    pub run: RunId,
    pub intent: Intent,
    /// The stage from which a refinement redoes the work.
    pub target: Option<SmolStr>,
    pub base_run: Option<RunId>,
    /// The language of the run, where it is not the one of its settings: a change that is written in another language does not change the
    /// language of the deck.
    pub language: Option<String>,
    /// Artifacts of the base run that this run uses as its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<ArtifactId>,
    /// The steps that a restart does again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepId>,
    /// 0 to 1; 1 where a person or a rule decided.
    pub confidence: f64,
    /// `rules`, `person`, or the name of the model.
    pub by: String,
    pub reason: String,
    /// What is said to the person when the message is irrelevant.
    pub reply: Option<String>,
}

/// A change is wanted to an earlier run, from this stage on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefinementRequested {
    pub run: RunId,
    pub base_run: RunId,
    pub stage: SmolStr,
    pub feedback: String,
    /// The parts of the stage that the change is about; empty where it is about the whole stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
    /// The parts after a change of their order, in the new order, each by the name that it had before, with `0` for a new part; empty where
    /// something else is wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
}

/// A person wrote the next version of an artifact. The step of that artifact leaves this content and asks no model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactEdited {
    pub run: RunId,
    /// The version that was edited.
    pub artifact: ArtifactId,
    pub kind: SmolStr,
    /// The step that leaves the next version.
    pub step: StepId,
    /// The parts that are different, where the artifact holds several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
    /// What the person wrote.
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageStarted {
    pub run: RunId,
    pub stage: SmolStr,
    /// The number of pieces of work that a client may show; 1 for a single step.
    pub items: u32,
}

/// How a stage was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum StageOutcome {
    Completed,
    Failed,
    Cancelled,
    Reopened,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageClosed {
    pub run: RunId,
    pub stage: SmolStr,
    pub outcome: StageOutcome,
}

/// Going back: these stages and steps count as not done, with everything made from them.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StagesReopened {
    pub run: RunId,
    pub stages: Vec<SmolStr>,
    pub steps: Vec<StepId>,
    /// What the redone steps are told.
    pub feedback: Option<String>,
    /// The stage that the feedback is for; where absent, the feedback is for every one of these stages.
    pub feedback_for: Option<String>,
    pub reason: String,
}

/// Routing, quality gates, skills: who decided what, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionMade {
    pub run: RunId,
    pub what: String,
    pub choice: String,
    pub reason: String,
    pub by: String,
}

/// The name of the one who decided, where neither a person nor a model did.
pub const RULES: &str = "rules";

/// The run delivered what it was asked for, or as much of it as there is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunCompleted {
    pub run: RunId,
    /// The deliverable; absent after a message that asked for none.
    #[serde(rename = "final", default, skip_serializing_if = "Option::is_none")]
    pub final_artifact: Option<ArtifactId>,
    pub partial: bool,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFailed {
    pub run: RunId,
    /// For programs: `stage_failed`, `budget`, `too_many_decisions`.
    pub code: String,
    /// For people: what went wrong and what to do.
    pub message: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunCancelled {
    pub run: RunId,
    pub reason: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// Another branch becomes the current one, because a person chose it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadMoved {
    pub run: RunId,
}
