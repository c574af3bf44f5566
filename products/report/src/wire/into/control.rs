//! Control of a run by the client. If it is accepted, it is an event, and its notice is folded from the log; if it is refused, the
//! connection sends a notice of its own.

use palimpsest::prelude::pipeline::{Run, StageState};
use palimpsest::prelude::wire::{
    ApiError, CommandAnswer, CommandRequest, Session, SessionId, fresh_id,
};
use serde_json::{Value, json};

use super::dispatcher::{Dispatcher, MessageRefusal};
use super::incoming::Incoming;

/// The stages of the report pipeline that this file names.
const PLAN: &str = "plan";
const SECTIONS: &str = "sections";
/// The stages after planning.
const AFTER_PLANNING: [&str; 3] = [SECTIONS, "report", "export"];

/// How often a decision is made again because the session changed under it.
const TRIES: usize = 8;

impl Dispatcher {
    pub(crate) async fn cancel(&self, session: &SessionId) -> Result<(), MessageRefusal> {
        let answer = self.ask(session, fresh_id(), "cancel", Value::Null).await;
        self.controlled(session, "cancel", None, answer).await
    }

    pub(crate) async fn cancel_task(
        &self,
        session: &SessionId,
        state: &Session,
        incoming: &Incoming,
    ) -> Result<(), MessageRefusal> {
        let task = incoming
            .task()
            .ok_or_else(|| MessageRefusal::new("Missing task_id for cancel_task"))?;
        // Leaving out a task that is left out already records no event, so that there would be no notice.
        let active = state.active_run();
        if active.is_some_and(|run| run.is_skipped(SECTIONS, &task)) {
            let refused = Refusal {
                action: "cancel_task",
                task: Some(&task),
                code: "left_out",
            };
            self.not_done(session, refused, "The task is left out already")
                .await;
            return Ok(());
        }
        let payload = json!({ "stage": SECTIONS, "item": task });
        let answer = self.ask(session, fresh_id(), "skip_step", payload).await;
        self.controlled(session, "cancel_task", Some(&task), answer)
            .await
    }

    pub(crate) async fn restart_task(
        &self,
        session: &SessionId,
        state: &Session,
        incoming: &Incoming,
    ) -> Result<(), MessageRefusal> {
        let task = incoming
            .task()
            .ok_or_else(|| MessageRefusal::new("Missing task_id for restart_task"))?;
        let mut payload =
            json!({ "stage": SECTIONS, "item": task, "settings": { "attended": true } });
        if state.active.is_none()
            && let Some(run) = latest_with(state, &task)
        {
            payload["run"] = json!(run.id);
        }
        let answer = self.ask(session, fresh_id(), "restart_step", payload).await;
        self.controlled(session, "restart_task", Some(&task), answer)
            .await
    }

    /// Cancels a run whose plan is not being carried out yet. The command names the version of the session, so that a plan that is
    /// confirmed in the meantime is not cancelled.
    pub(crate) async fn cancel_plan(&self, session: &SessionId) -> Result<(), MessageRefusal> {
        let stream = self.owner.stream(session);
        for _ in 0..TRIES {
            let state = self.report.app.engine.session(&stream).await;
            let state = state.map_err(ApiError::from)?;
            let Some(run) = state.active_run().filter(|run| is_planning(run)) else {
                let (code, text) = if state.active.is_some() {
                    ("solving", "Solving has started; user.cancel ends it")
                } else {
                    ("nothing_to_do", "Nothing is being planned")
                };
                let refused = Refusal::of("cancel_plan", code);
                self.not_done(session, refused, text).await;
                return Ok(());
            };
            let request = CommandRequest {
                expected_version: Some(state.version),
                ..CommandRequest::cancel(fresh_id(), run.id, Some("cancel_plan"))
            };
            let answer = self.report.app.ask(&self.owner, session, request).await;
            match answer {
                Err(error) if error.error.code == "stale" => {}
                answer => return self.controlled(session, "cancel_plan", None, answer).await,
            }
        }
        Err(ApiError::busy().into())
    }

    pub(crate) async fn replan(
        &mut self,
        session: &SessionId,
        state: &Session,
        incoming: &Incoming,
    ) -> Result<(), MessageRefusal> {
        let Some(run) = state.active_run() else {
            return self.plan_anew(session, state, incoming).await;
        };
        if run.input.get("mode").and_then(Value::as_str) == Some("solve_tasks") {
            let text =
                "The given tasks are being solved, without a plan of ours; user.cancel ends that";
            let refused = Refusal::of("replan", "no_plan");
            self.not_done(session, refused, text).await;
            return Ok(());
        }
        let payload = json!({
            "stage": PLAN, "run": run.id, "feedback": incoming.question(), "settings": { "attended": true },
        });
        let answer = self.ask(session, fresh_id(), "restart_step", payload).await;
        self.controlled(session, "replan", None, answer).await
    }

    /// Sends a notice if a control was refused.
    async fn controlled(
        &self,
        session: &SessionId,
        action: &str,
        task: Option<&str>,
        answer: Result<CommandAnswer, ApiError>,
    ) -> Result<(), MessageRefusal> {
        let Err(error) = answer else {
            return Ok(());
        };
        if error.status.is_server_error() {
            return Err(error.into());
        }
        let text = match error.error.code.as_ref() {
            "nothing_to_do" | "ended" => "Session is not active",
            _ => &error.error.message,
        };
        let code = error.error.code.as_ref();
        let refused = Refusal { action, task, code };
        self.not_done(session, refused, text).await;
        Ok(())
    }

    async fn not_done(&self, session: &SessionId, refused: Refusal<'_>, text: &str) {
        let Refusal { action, task, code } = refused;
        let mut control = json!({ "action": action, "ok": false, "error_code": code });
        if let Some(task) = task.and_then(|task| task.parse::<u64>().ok()) {
            control["task_id"] = task.into();
        }
        self.notice(session, text, control).await;
    }
}

/// A control that was refused.
struct Refusal<'a> {
    action: &'a str,
    task: Option<&'a str>,
    code: &'a str,
}

impl<'a> Refusal<'a> {
    fn of(action: &'a str, code: &'a str) -> Self {
        Self {
            action,
            task: None,
            code,
        }
    }
}

/// Whether the plan of a run is still to be made or to be confirmed.
fn is_planning(run: &Run) -> bool {
    AFTER_PLANNING.iter().all(|stage| {
        run.stage(stage)
            .is_none_or(|stage| stage.state == StageState::Reopened)
    })
}

/// The run in which a section is solved again: the head if it has the section, else the latest run that has it.
fn latest_with<'a>(state: &'a Session, task: &str) -> Option<&'a Run> {
    let has = |run: &&Run| run.step(SECTIONS, task).is_some() || run.took_over(SECTIONS, task);
    let head = state.head.and_then(|head| state.run(head));
    head.filter(has)
        .or_else(|| state.runs.values().rev().find(has))
}
