//! Places where a run waits for a person.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{ArtifactId, GateId, RunId, StepId};
use crate::settings::Budget;

family! {
    /// What happened at the places where a run waits for a person.
    #[expect(clippy::large_enum_variant, reason = "an event is as large as the largest of all families wherever it stands")]
    GateEvent in Gate {
        GateOpened = 1,
        PlanConfirmed = 1,
        PlanDeclined = 1,
        AnswerGiven = 1,
        BudgetRaised = 1,
    }
}

/// The name of the gate that opens when a run can't afford its next step.
pub const BUDGET_GATE: &str = "budget";

/// The name recorded as the one who answered a gate, where the gate closes because its subject is made anew.
pub const SUPERSEDED: &str = "superseded";

/// The run waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateOpened {
    pub run: RunId,
    pub gate: GateId,
    /// Which gate of the pipeline this is.
    pub name: String,
    /// The artifact that the gate asks about; the same gate with another subject is another question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<ArtifactId>,
    /// The step whose model asks while it works, and which goes on with the answer; absent where the flow asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    pub question: String,
    /// JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(
        with = "chrono::serde::ts_microseconds_option",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<i64>")]
    pub deadline: Option<DateTime<Utc>>,
    /// The answer that is taken at the deadline.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub default: Value,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// A proposal was accepted, perhaps with changes, which are then an artifact version of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanConfirmed {
    pub run: RunId,
    pub gate: GateId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<ArtifactId>,
    /// `person` or `deadline`.
    pub by: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDeclined {
    pub run: RunId,
    pub gate: GateId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// `person` or `deadline`.
    pub by: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerGiven {
    pub run: RunId,
    pub gate: GateId,
    pub answer: Value,
    /// `person` or `deadline`; `default` where there was nobody to ask, `superseded` where the subject is made anew.
    pub by: String,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// A person raised the budget of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetRaised {
    pub run: RunId,
    /// The new limits.
    pub budget: Budget,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}
