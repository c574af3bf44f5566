//! What frames hold of artifacts and of exchanges with models. Contents are shared, never copied.

use std::sync::Arc;

use palimpsest::prelude::wire::event::{ArtifactProduced, Body, ModelCalled};
use palimpsest::prelude::wire::{ArtifactId, StepId, content_path};
use serde::{Serialize, Serializer};
use serde_json::Value;
use smol_str::SmolStr;

use super::words::SECTIONS;

/// Takes the place of a content that has to be fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Away {
    pub(crate) url: String,
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) media_type: String,
}

/// The content of an artifact.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum HeldContent {
    Json(Arc<Value>),
    Away(Away),
}

impl HeldContent {
    pub(crate) fn of(e: &ArtifactProduced) -> Self {
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
    pub(crate) fn get(&self, pointer: &str) -> Option<&Value> {
        match self {
            Self::Json(json) => json.pointer(pointer),
            Self::Away(_) => None,
        }
    }

    pub(crate) fn text(&self, pointer: &str) -> Option<&str> {
        self.get(pointer).and_then(Value::as_str)
    }
}

/// A part of a content, named by a JSON pointer; if the content is elsewhere, its address.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) whole: HeldContent,
    pub(crate) pointer: String,
}

impl Piece {
    pub(crate) fn of(whole: &HeldContent, pointer: impl Into<String>) -> Self {
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
pub(crate) struct TaskName {
    pub(crate) id: u32,
    pub(crate) title: String,
}

/// A whole task of the plan, or its name where the plan is not at hand.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum TaskRef {
    Whole(Piece),
    Name(TaskName),
}

/// The plan that counts now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) content: HeldContent,
    /// The exchanges that made it; an edited plan has those of the plan that was edited.
    pub(crate) statistics: Calls,
}

impl Plan {
    pub(crate) fn tasks(&self) -> Piece {
        Piece::of(&self.content, "/tasks")
    }

    pub(crate) fn summary(&self) -> Option<Piece> {
        let summary = self.content.get("/plan_summary")?;
        (!summary.is_null()).then(|| Piece::of(&self.content, "/plan_summary"))
    }

    /// The ids of its tasks, in their order.
    pub(crate) fn ids(&self) -> Vec<u32> {
        let tasks = self.content.get("/tasks").and_then(Value::as_array);
        tasks.into_iter().flatten().filter_map(id_of).collect()
    }

    fn place(&self, id: u32) -> Option<usize> {
        let tasks = self.content.get("/tasks")?.as_array()?;
        tasks.iter().position(|task| id_of(task) == Some(id))
    }

    pub(crate) fn title(&self, id: u32) -> Option<&str> {
        let place = self.place(id)?;
        self.content.text(&format!("/tasks/{place}/title"))
    }

    pub(crate) fn task(&self, id: u32) -> Option<Piece> {
        let place = self.place(id)?;
        Some(Piece::of(&self.content, format!("/tasks/{place}")))
    }
}

fn id_of(task: &Value) -> Option<u32> {
    let id = task.get("id")?.as_u64()?;
    u32::try_from(id).ok()
}

/// The result of a solver.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SolverResult {
    /// The section.
    pub(crate) output: HeldContent,
    pub(crate) summary: Option<String>,
    /// `solver`.
    pub(crate) agent_name: &'static str,
    /// The model that wrote it; absent where no model did.
    pub(crate) model: Option<String>,
}

/// A section with the name of its task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Solved {
    pub(crate) task: TaskName,
    pub(crate) result: SolverResult,
}

/// What the sections were made from.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlanContext {
    /// The pipeline.
    pub(crate) name: &'static str,
    pub(crate) question: String,
    pub(crate) doc_title: Option<String>,
    pub(crate) tasks: Option<Piece>,
    pub(crate) plan_summary: Option<Piece>,
    pub(crate) plan_statistics: Calls,
}

/// An artifact that is a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FileMade {
    pub(crate) artifact_id: ArtifactId,
    pub(crate) kind: SmolStr,
    pub(crate) file_name: String,
    pub(crate) url: String,
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) media_type: String,
}

/// Exchanges with models, shared by the frames that contain them.
pub(crate) type Calls = Arc<Vec<Arc<Call>>>;

/// One exchange with a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Call {
    /// Unique in the session: step, attempt, turn and try.
    pub(crate) id: String,
    /// `chat`.
    pub(crate) call_type: &'static str,
    pub(crate) timestamp: String,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) total_tokens: u64,
    /// `plan` or `solver`.
    pub(crate) origin: &'static str,
    /// `planner` or `solver`.
    pub(crate) agent: &'static str,
    pub(crate) model: SmolStr,
    pub(crate) metadata: CallMetadata,
    #[serde(skip)]
    pub(crate) step: StepId,
}

/// Further data about an exchange.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CallMetadata {
    /// The role that the model was asked for.
    pub(crate) role: SmolStr,
    pub(crate) stage: SmolStr,
    pub(crate) task_id: Option<u32>,
    pub(crate) attempt: u32,
    pub(crate) turn: u32,
    #[serde(rename = "try")]
    pub(crate) try_number: u32,
    pub(crate) cached_tokens: u64,
    /// Millionths of the currency the prices are in.
    pub(crate) cost_micros: u64,
    pub(crate) latency_ms: u64,
    /// The error code, if it gave no answer.
    pub(crate) error: Option<String>,
}

impl Call {
    pub(crate) fn of(e: &ModelCalled, timestamp: String) -> Self {
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
pub(crate) const SOLVER: &str = "solver";

/// The task that a step solves; `None` where the step does not write a section.
pub(crate) fn task_id(step: &StepId) -> Option<u32> {
    if step.stage == SECTIONS {
        step.item.parse().ok()
    } else {
        None
    }
}

/// The sums of some exchanges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Metrics {
    pub(crate) calls: u64,
    /// How many of those gave no answer.
    pub(crate) failed_calls: u64,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) total_tokens: u64,
    /// Millionths of the currency the prices are in.
    pub(crate) cost_micros: u64,
    /// The times of exchanges are added up, even of those at the same time.
    pub(crate) latency_ms: u64,
}

impl Metrics {
    pub(crate) fn of(calls: &[Arc<Call>]) -> Self {
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
