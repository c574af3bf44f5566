//! Runs, their stages, and the decisions about them.

use domain::event::{Intent, StageOutcome};
use domain::settings::Settings;
use domain::{ArtifactId, MessageId, RunId, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

/// One execution of a pipeline begins.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct RunStarted {
    pub run: RunId,
    pub pipeline: SmolStr,
    /// The run that this one builds on, where that is known at the start.
    pub base_run: Option<RunId>,
    pub message: Option<MessageId>,
    /// What is wanted, in the person's words.
    pub brief: String,
    /// What was said beside the message.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub input: Value,
    pub settings: Settings,
    /// When it was started: a moment before this was recorded.
    pub at: String,
}

/// The branch of the run is fixed: what it builds on and which artifacts it takes over.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct IntentClassified {
    pub run: RunId,
    pub intent: Intent,
    /// The stage from which a refinement redoes the work.
    pub target: Option<SmolStr>,
    /// Where absent it builds on no run, whatever was said at its start.
    pub base_run: Option<RunId>,
    /// The language of the run, where it is not the one of its settings.
    pub language: Option<String>,
    /// Artifacts of the base run that this run uses as its own.
    pub kept: Vec<ArtifactId>,
    /// The steps that a restart does again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
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
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RefinementRequested {
    pub run: RunId,
    pub base_run: RunId,
    pub stage: SmolStr,
    pub feedback: String,
    /// The parts of the stage that the change is about; absent where it is about all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub items: Vec<String>,
    /// The parts that are left, in their new order; absent where something else is wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub order: Vec<String>,
}

/// A person wrote the next version of an artifact: its step leaves it with this content and asks nobody.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ArtifactEdited {
    pub run: RunId,
    /// The version that was edited.
    pub artifact: ArtifactId,
    pub kind: SmolStr,
    /// The step that leaves the next one.
    pub step: StepId,
    /// The parts that are different, where the artifact holds several; else absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub items: Vec<String>,
}

/// A stage begins, for the first time or once more.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StageStarted {
    pub run: RunId,
    pub stage: SmolStr,
    /// How many pieces of work may be counted, 1 for a single step.
    pub items: u32,
}

/// A stage is over, or is gone back to.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct StageClosed {
    pub run: RunId,
    pub stage: SmolStr,
    pub outcome: StageOutcome,
}

/// Going back: these stages and steps count as not done, and what the steps made does not count.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct StagesReopened {
    pub run: RunId,
    pub stages: Vec<SmolStr>,
    pub steps: Vec<StepId>,
    /// What the redone steps are told.
    pub feedback: Option<String>,
    /// The stage that the feedback is for; every one of them where absent.
    pub feedback_for: Option<String>,
    pub reason: String,
}

/// Routing, quality gates, skills: who decided what, and why.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DecisionMade {
    pub run: RunId,
    pub what: String,
    pub choice: String,
    pub reason: String,
    pub by: String,
}

/// The run delivered what it was asked for, or as much of it as there is. It becomes the head if it has a
/// deliverable, or is partial and has any artifact.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct RunCompleted {
    pub run: RunId,
    /// The deliverable; absent after a message that asked for none.
    #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
    pub final_artifact: Option<ArtifactId>,
    pub partial: bool,
}

/// The run ended without what it was asked for.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunFailed {
    pub run: RunId,
    /// For programs: `stage_failed`, `budget`, `too_many_decisions` and others.
    pub code: String,
    /// For people: what went wrong and what to do.
    pub message: String,
}

/// The run was stopped.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RunCancelled {
    pub run: RunId,
    pub reason: String,
}

/// Another branch is the current one, because a person said so.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct HeadMoved {
    pub run: RunId,
}
