//! Places where a run waits for a person.

use domain::settings::Budget;
use domain::{ArtifactId, GateId, RunId, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// The run waits for a person.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct GateOpened {
    pub run: RunId,
    pub gate: GateId,
    /// Which gate of the pipeline this is.
    pub name: String,
    /// What it is about.
    pub subject: Option<ArtifactId>,
    /// The step in whose middle a model asks, and which goes on with the answer.
    pub step: Option<StepId>,
    pub question: String,
    /// JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub schema: Value,
    pub options: Vec<String>,
    pub deadline: Option<String>,
    /// The answer that the deadline gives.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub default: Value,
}

/// A proposal was accepted.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct PlanConfirmed {
    pub run: RunId,
    pub gate: GateId,
    /// The next version of the subject, where the person changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<ArtifactId>,
    /// `person`, `deadline`, or `superseded` where what it was about is made anew.
    pub by: String,
}

/// A proposal was not accepted.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(optional_fields)]
pub struct PlanDeclined {
    pub run: RunId,
    pub gate: GateId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// `person`, `deadline`, or `superseded` where what it was about is made anew.
    pub by: String,
}

/// A question was answered.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AnswerGiven {
    pub run: RunId,
    pub gate: GateId,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(type = "unknown", optional)]
    pub answer: Value,
    /// `person`, `deadline`, `default` where nobody attends, or `superseded` where what it was about is made anew.
    pub by: String,
}

/// A person allowed the run more than it had.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct BudgetRaised {
    pub run: RunId,
    /// The new limits.
    pub budget: Budget,
}
