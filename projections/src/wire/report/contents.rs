//! What frames hold of artifacts and of exchanges with models. Contents are shared, never copied.

use std::sync::Arc;

use domain::event::{ArtifactProduced, Body, ModelCalled};
use domain::{ArtifactId, StepId};
use serde::{Serialize, Serializer};
use serde_json::Value;
use smol_str::SmolStr;

use super::words::SECTIONS;
use crate::content_path;

/// Takes the place of a content that has to be fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Away {
    pub url: String,
    /// Bytes.
    pub size: u64,
    pub media_type: String,
}

/// The content of an artifact.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HeldContent {
    Json(Arc<Value>),
    Away(Away),
}

impl HeldContent {
    pub(super) fn of(e: &ArtifactProduced) -> Self {
        match &e.body {
            Body::Event { json } => Self::Json(Arc::clone(json)),
            Body::Blob { blob, media_type } => Self::Away(Away {
                url: content_path(&e.artifact),
                size: blob.size,
                media_type: media_type.clone(),
            }),
        }
    }

    /// The value that a JSON pointer leads to; `None` where the content is elsewhere.
    pub(super) fn get(&self, pointer: &str) -> Option<&Value> {
        match self {
            Self::Json(json) => json.pointer(pointer),
            Self::Away(_) => None,
        }
    }

    pub(super) fn text(&self, pointer: &str) -> Option<&str> {
        self.get(pointer).and_then(Value::as_str)
    }
}

/// A part of a content, named by a JSON pointer; if the content is elsewhere, its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub whole: HeldContent,
    pub pointer: String,
}

impl Piece {
    pub(super) fn of(whole: &HeldContent, pointer: impl Into<String>) -> Self {
        Self {
            whole: whole.clone(),
            pointer: pointer.into(),
        }
    }
}

impl Serialize for Piece {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.whole {
            HeldContent::Json(json) => json.pointer(&self.pointer).serialize(serializer),
            HeldContent::Away(away) => away.serialize(serializer),
        }
    }
}

/// A task by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskName {
    pub id: u32,
    pub title: String,
}

/// A whole task of the plan, or its name where the plan is not at hand.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TaskRef {
    Whole(Piece),
    Name(TaskName),
}

/// The plan that counts now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) content: HeldContent,
    /// The exchanges that made it; an edited plan has those of the plan that was edited.
    pub(super) statistics: Calls,
}

impl Plan {
    pub(super) fn tasks(&self) -> Piece {
        Piece::of(&self.content, "/tasks")
    }

    pub(super) fn summary(&self) -> Option<Piece> {
        let summary = self.content.get("/plan_summary")?;
        (!summary.is_null()).then(|| Piece::of(&self.content, "/plan_summary"))
    }

    /// The ids of its tasks, in their order.
    pub(super) fn ids(&self) -> Vec<u32> {
        let tasks = self.content.get("/tasks").and_then(Value::as_array);
        tasks.into_iter().flatten().filter_map(id_of).collect()
    }

    fn place(&self, id: u32) -> Option<usize> {
        let tasks = self.content.get("/tasks")?.as_array()?;
        tasks.iter().position(|task| id_of(task) == Some(id))
    }

    pub(super) fn title(&self, id: u32) -> Option<&str> {
        let place = self.place(id)?;
        self.content.text(&format!("/tasks/{place}/title"))
    }

    pub(super) fn task(&self, id: u32) -> Option<Piece> {
        let place = self.place(id)?;
        Some(Piece::of(&self.content, format!("/tasks/{place}")))
    }
}

fn id_of(task: &Value) -> Option<u32> {
    let id = task.get("id")?.as_u64()?;
    u32::try_from(id).ok()
}

/// The result of a solver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolverResult {
    /// The section.
    pub output: HeldContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// `solver`.
    pub agent_name: &'static str,
    /// The model that wrote it; absent where no model did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A section with the name of its task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Solved {
    pub task: TaskName,
    pub result: SolverResult,
}

/// What the sections were made from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanContext {
    /// The pipeline.
    pub name: &'static str,
    pub question: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Piece>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_summary: Option<Piece>,
    pub plan_statistics: Calls,
}

/// An artifact that is a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileMade {
    pub artifact_id: ArtifactId,
    pub kind: SmolStr,
    pub file_name: String,
    pub url: String,
    /// Bytes.
    pub size: u64,
    pub media_type: String,
}

/// Exchanges with models, shared by the frames that contain them.
pub type Calls = Arc<Vec<Arc<Call>>>;

/// One exchange with a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Call {
    /// Unique in the session: step, attempt, turn and try.
    pub id: String,
    /// `chat`.
    pub call_type: &'static str,
    pub timestamp: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub total_tokens: u64,
    /// `plan` or `solver`.
    pub origin: &'static str,
    /// `planner` or `solver`.
    pub agent: &'static str,
    pub model: SmolStr,
    pub metadata: CallMetadata,
    #[serde(skip)]
    pub(super) step: StepId,
}

/// Further data about an exchange.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallMetadata {
    /// The role that the model was asked for.
    pub role: SmolStr,
    pub stage: SmolStr,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<u32>,
    pub attempt: u32,
    pub turn: u32,
    #[serde(rename = "try")]
    pub try_number: u32,
    pub cached_tokens: u64,
    /// Millionths of the currency the prices are in.
    pub cost_micros: u64,
    pub latency_ms: u64,
    /// The error code, if it gave no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Call {
    pub(super) fn of(e: &ModelCalled, timestamp: String) -> Self {
        let solves = e.step.stage == SECTIONS;
        Self {
            id: format!("{}#{}.{}.{}", e.step, e.attempt, e.turn, e.try_number),
            call_type: "chat",
            timestamp,
            input_tokens: e.usage.input,
            output_tokens: e.usage.output,
            total_tokens: e.usage.input.saturating_add(e.usage.output),
            origin: if solves { "solver" } else { "plan" },
            agent: if solves { SOLVER } else { "planner" },
            model: e.model.clone(),
            metadata: CallMetadata {
                role: e.role.clone(),
                stage: e.step.stage.clone(),
                task_id: task_id(&e.step),
                attempt: e.attempt,
                turn: e.turn,
                try_number: e.try_number,
                cached_tokens: e.usage.cached,
                cost_micros: e.cost_micros,
                latency_ms: e.latency_ms,
                error: e.error.as_ref().map(|error| error.code.clone()),
            },
            step: e.step.clone(),
        }
    }
}

/// The name of the agent that writes a section.
pub(super) const SOLVER: &str = "solver";

/// The task that a step solves; `None` where the step does not write a section.
pub(super) fn task_id(step: &StepId) -> Option<u32> {
    if step.stage == SECTIONS {
        step.item.parse().ok()
    } else {
        None
    }
}

/// The sums of some exchanges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metrics {
    pub calls: u64,
    /// How many of those gave no answer.
    pub failed_calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub total_tokens: u64,
    /// Millionths of the currency the prices are in.
    pub cost_micros: u64,
    /// The times of exchanges are added up, even of those at the same time.
    pub latency_ms: u64,
}

impl Metrics {
    pub(super) fn of(calls: &[Arc<Call>]) -> Self {
        let mut sums = Self::default();
        for call in calls {
            sums.calls += 1;
            sums.failed_calls += u64::from(call.metadata.error.is_some());
            sums.input_tokens = sums.input_tokens.saturating_add(call.input_tokens);
            sums.output_tokens = sums.output_tokens.saturating_add(call.output_tokens);
            sums.total_tokens = sums.total_tokens.saturating_add(call.total_tokens);
            sums.cost_micros = sums.cost_micros.saturating_add(call.metadata.cost_micros);
            sums.latency_ms = sums.latency_ms.saturating_add(call.metadata.latency_ms);
        }
        sums
    }
}
