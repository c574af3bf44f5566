//! How a task is shown, alone and in a list.

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::numbers::session_number;
use palimpsest::prelude::pipeline::{End, Message, Run, StageState};
use palimpsest::prelude::wire::{Frame, Owner, RunId, Session, SessionId, rfc3339};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::pipeline::flow::asker;
use crate::pipeline::stage::Stage;

pub(super) fn task_id(session: &SessionId, run: RunId) -> String {
    format!("{session}:{run}")
}

/// How far a run is.
pub(super) fn status(state: &Session, run: RunId) -> &'static str {
    let Some(run) = state.run(run) else {
        let is_withdrawn = state.withdrawn.contains_key(&run);
        return if is_withdrawn { "cancelled" } else { "queued" };
    };
    match &run.end {
        None if run.open_gates().next().is_some() => "paused",
        None => "running",
        Some(End::Completed { .. }) => "completed",
        Some(End::Failed { .. }) => "failed",
        Some(End::Cancelled { .. }) => "cancelled",
    }
}

/// A run with its owner and its session.
pub(super) struct Task<'a> {
    pub(super) owner: &'a Owner,
    pub(super) session: &'a SessionId,
    pub(super) run: RunId,
    pub(super) state: &'a Session,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskView {
    id: String,
    thread_id: String,
    /// `queued`, `running`, `paused`, `completed`, `failed`, `cancelled`.
    status: &'static str,
    /// 0 to 1.
    progress: f64,
    current_agent: Option<&'static str>,
    /// `none`, `pending`, `responded`.
    hitl_status: &'static str,
    /// The question that waits, as its `ask_user` frame.
    #[schema(value_type = Option<Object>)]
    hitl_data: Option<Value>,
    creative_id: u64,
    error_message: Option<String>,
    /// Events so far; the number of the next one.
    event_count: usize,
    created_at: Option<String>,
    updated_at: Option<String>,
}

/// A task in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct TaskRow {
    id: String,
    thread_id: String,
    /// What was wanted.
    message: String,
    status: &'static str,
    progress: f64,
    current_agent: Option<&'static str>,
    hitl_status: &'static str,
    theme_id: Option<i64>,
    creative_id: u64,
    error_message: Option<String>,
    created_at: Option<String>,
    updated_at: String,
}

impl Task<'_> {
    fn found(&self) -> Option<&Run> {
        self.state.run(self.run)
    }

    pub(super) fn theme_id(&self) -> Option<i64> {
        let mut queue = self.state.queue.iter();
        let input = match self.found() {
            Some(run) => &run.input,
            None => &queue.find(|queued| queued.run == self.run)?.input,
        };
        input["themeId"].as_i64()
    }

    /// The message that started the run.
    fn message(&self) -> Option<&Message> {
        let mut messages = self.state.messages.iter();
        messages.find(|message| message.run == self.run)
    }

    /// When the message came. If the run had to wait, this is before its start.
    pub(super) fn created_at(&self) -> Option<DateTime<Utc>> {
        let said = self.message().and_then(|message| message.at);
        said.or_else(|| self.found().map(|run| run.started_at))
    }

    pub(super) fn status(&self) -> &'static str {
        status(self.state, self.run)
    }

    fn creative_id(&self) -> u64 {
        session_number(&self.owner.0, self.session.as_str())
    }

    fn hitl_status(&self) -> &'static str {
        match self.found() {
            Some(run) if run.is_active() && run.open_gates().next().is_some() => "pending",
            Some(run) if !run.gates.is_empty() => "responded",
            Some(_) | None => "none",
        }
    }

    /// The share of the stages that are done, rounded to two digits.
    fn progress(&self) -> f64 {
        let Some(run) = self.found() else { return 0.0 };
        if let Some(End::Completed { .. }) = run.end {
            return 1.0;
        }
        let is_fast = run.input["fastMode"].as_bool().unwrap_or(false);
        Stage::share(is_fast, |stage| {
            let state = run.stage(stage.name).map(|stage| &stage.state);
            state.is_some_and(|state| *state == StageState::Completed)
        })
    }

    /// The agent that is at work, or whose work waits for an answer.
    fn current_agent(&self) -> Option<&'static str> {
        let run = self.found().filter(|run| run.is_active())?;
        if let Some(gate) = run.open_gates().next() {
            return Some(asker(&gate.opened).name);
        }
        let mut stages = Stage::ALL.into_iter();
        let last = stages.rfind(|stage| {
            let state = run.stage(stage.name).map(|stage| &stage.state);
            state.is_some_and(|state| matches!(state, StageState::Open | StageState::Completed))
        });
        last.map(|stage| stage.agent().name)
    }

    fn error_message(&self) -> Option<String> {
        match self.found()?.end.as_ref()? {
            End::Failed { message, .. } => Some(message.clone()),
            End::Cancelled { reason } => Some(reason.clone()),
            End::Completed { .. } => None,
        }
    }

    pub(super) fn view(&self, frames: &[Frame]) -> TaskView {
        let hitl_status = self.hitl_status();
        let asked = frames.iter().rev().find(|frame| frame.name == "ask_user");
        let asked = asked.filter(|_| hitl_status == "pending");
        let created = self.created_at();
        let updated = frames.last().map(|frame| frame.recorded_at).or(created);
        TaskView {
            id: task_id(self.session, self.run),
            thread_id: self.session.to_string(),
            status: self.status(),
            progress: self.progress(),
            current_agent: self.current_agent(),
            hitl_status,
            hitl_data: asked.and_then(|frame| serde_json::from_str(frame.data.get()).ok()),
            creative_id: self.creative_id(),
            error_message: self.error_message(),
            event_count: frames.len(),
            created_at: created.map(rfc3339),
            updated_at: updated.map(rfc3339),
        }
    }

    pub(super) fn row(&self, updated: DateTime<Utc>) -> TaskRow {
        let brief = self.found().map(|run| run.brief.clone());
        let brief = brief.or_else(|| self.message().map(|message| message.text.clone()));
        TaskRow {
            id: task_id(self.session, self.run),
            thread_id: self.session.to_string(),
            message: brief.unwrap_or_default(),
            status: self.status(),
            progress: self.progress(),
            current_agent: self.current_agent(),
            hitl_status: self.hitl_status(),
            theme_id: self.theme_id(),
            creative_id: self.creative_id(),
            error_message: self.error_message(),
            created_at: self.created_at().map(rfc3339),
            updated_at: rfc3339(updated),
        }
    }
}
