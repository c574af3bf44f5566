//! Steps and their attempts, and the solvers of sections, each of which begins and ends once.

use std::sync::Arc;

use palimpsest::prelude::wire::StepId;
use palimpsest::prelude::wire::event::{
    ArtifactProduced, StepCancelled, StepFailed, StepRequested, StepSucceeded,
};
use smol_str::{SmolStr, ToSmolStr};

use super::contents::{
    HeldContent, Metrics, SOLVER, Solved, SolverResult, TaskName, TaskRef, task_id,
};
use super::frames::{Content, Metadata, ReportFrame, Retry};
use super::run::{Moment, RunState};
use super::words::{self, ERROR_CHARS_MAX};

/// One unit of work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    /// The attempt that has no outcome.
    pub(crate) open: Option<u32>,
    /// Attempts since it was first asked for or last reopened.
    used: u32,
    /// The first attempt since then; 0 before it.
    pub(crate) first_attempt: u32,
    /// Why the last attempt failed, until the next one is asked for.
    failure: Option<Failure>,
}

#[derive(Clone, Debug)]
struct Failure {
    code: String,
    message: String,
}

/// What was last sent about a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SolverStatus {
    #[default]
    Nothing,
    Begun,
    Ended,
}

/// The solver of a section.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solver {
    pub(crate) told: SolverStatus,
    pub(crate) solved: Option<Arc<Solved>>,
}

/// A call of a tool that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct OpenTool {
    pub(crate) step: StepId,
    pub(crate) attempt: u32,
    pub(crate) turn: u32,
    pub(crate) step_id: String,
    pub(crate) tool: SmolStr,
}

impl RunState {
    fn step_mut(&mut self, step: &StepId) -> &mut Step {
        let key = (step.stage.clone(), step.item.clone());
        self.steps.entry(key).or_default()
    }

    /// The attempt of a step that has no outcome.
    pub(crate) fn attempt_of(&self, step: &StepId) -> Option<u32> {
        let key = (step.stage.clone(), step.item.clone());
        self.steps.get(&key)?.open
    }

    pub(crate) fn step_requested(
        &mut self,
        e: &StepRequested,
        now: Moment,
        out: &mut Vec<ReportFrame>,
    ) {
        let step = self.step_mut(&e.step);
        if step.first_attempt == 0 {
            step.first_attempt = e.attempt;
        }
        step.open = Some(e.attempt);
        step.used += 1;
        let (used, failure) = (step.used, step.failure.take());
        let id = task_id(&e.step);
        let told = id.map(|id| self.solvers.entry(id).or_default().told);
        // The solver of a section that failed for good or was left out begins anew.
        if let (Some(id), Some(SolverStatus::Nothing | SolverStatus::Ended)) = (id, told) {
            self.solver_starts(id, now, out);
        } else if let Some(failure) = failure {
            let wait_ms = (e.due - e.at).num_milliseconds().max(0);
            out.push(self.retry(&e.step, used, wait_ms, failure, now));
        }
    }

    fn retry(
        &self,
        step: &StepId,
        next: u32,
        wait_ms: i64,
        failure: Failure,
        now: Moment,
    ) -> ReportFrame {
        let task_id = task_id(step);
        let seconds = chrono::TimeDelta::milliseconds(wait_ms).as_seconds_f64();
        let (attempt, total) = (next.saturating_sub(1), self.attempts.max(next));
        let retry = Retry {
            attempt,
            total_attempts: total,
            next_attempt: next,
            retry_delay_seconds: seconds,
            error_type: failure.code,
            error: words::cut(&failure.message, ERROR_CHARS_MAX),
            stage: step.stage.clone(),
            task_id,
        };
        let what = self.language.piece(&step.stage, task_id);
        let text = self.language.retry(&what, attempt, total, seconds);
        self.notice(now, Metadata::Retry { retry }, text)
    }

    pub(crate) fn step_succeeded(
        &mut self,
        e: &StepSucceeded,
        now: Moment,
        out: &mut Vec<ReportFrame>,
    ) {
        let step = self.step_mut(&e.step);
        if step.open == Some(e.attempt) {
            step.open = None;
            self.cut_off_tools(Some(&e.step), now, out);
        }
    }

    pub(crate) fn step_failed(&mut self, e: &StepFailed, now: Moment, out: &mut Vec<ReportFrame>) {
        let attempts = self.attempts;
        let step = self.step_mut(&e.step);
        if step.open != Some(e.attempt) {
            return;
        }
        step.open = None;
        step.failure = Some(Failure {
            code: e.code.clone(),
            message: e.message.clone(),
        });
        let is_final = !e.retryable || step.used >= attempts;
        self.cut_off_tools(Some(&e.step), now, out);
        if let Some(id) = task_id(&e.step).filter(|_| is_final) {
            self.solver_fails(id, now, out);
        }
    }

    pub(crate) fn step_cancelled(
        &mut self,
        e: &StepCancelled,
        now: Moment,
        out: &mut Vec<ReportFrame>,
    ) {
        let step = self.step_mut(&e.step);
        if step.open != Some(e.attempt) {
            return;
        }
        step.open = None;
        step.used = step.used.saturating_sub(1);
        self.cut_off_tools(Some(&e.step), now, out);
        // A fork asks for the step again at once, and goes on where its parent was.
        if e.reason != "forked"
            && let Some(id) = task_id(&e.step)
        {
            self.solver_cancelled(id, now, out);
        }
    }

    /// These steps count as not done.
    pub(crate) fn reopen_steps(
        &mut self,
        steps: &[StepId],
        now: Moment,
        out: &mut Vec<ReportFrame>,
    ) {
        for id in steps.iter().filter_map(task_id) {
            self.solver_cancelled(id, now, out);
        }
        for id in steps {
            *self.step_mut(id) = Step::default();
            if let Some(id) = task_id(id) {
                let solver = self.solvers.entry(id).or_default();
                (solver.told, solver.solved) = (SolverStatus::Nothing, None);
            }
            match id.stage.as_str() {
                words::PLAN => self.plan = None,
                words::REPORT => {
                    self.report = None;
                    self.files.clear();
                }
                "export" => self.files.retain(|kind, _| kind == "markdown"),
                _ => {}
            }
        }
    }

    pub(crate) fn task(&self, id: u32) -> TaskRef {
        let planned = self.plan.as_ref().and_then(|plan| plan.task(id));
        planned.map_or_else(|| TaskRef::Name(self.task_name(id)), TaskRef::Whole)
    }

    fn task_name(&self, id: u32) -> TaskName {
        let title = self.title(id);
        TaskName { id, title }
    }

    /// A frame about a solver, by the last word of its name.
    fn solver_frame(
        &self,
        event: &'static str,
        id: u32,
        content: Content,
        now: Moment,
    ) -> ReportFrame {
        let what = event.rsplit('.').next().unwrap_or_default();
        let show = self.language.solver(what, id, &self.title(id));
        let metadata = Metadata::Task { task_id: id };
        self.frame(now, event, content, metadata, show)
    }

    fn tell(&mut self, id: u32, told: SolverStatus) {
        self.solvers.entry(id).or_default().told = told;
    }

    fn solver_starts(&mut self, id: u32, now: Moment, out: &mut Vec<ReportFrame>) {
        self.tell(id, SolverStatus::Begun);
        let content = Content::Start {
            id,
            title: self.title(id),
            task: self.task(id),
        };
        out.push(self.solver_frame("solver.start", id, content, now));
    }

    pub(crate) fn has_ended(&self, id: u32) -> bool {
        let solver = self.solvers.get(&id);
        solver.is_some_and(|solver| solver.told == SolverStatus::Ended)
    }

    fn has_begun(&self, id: u32) -> bool {
        self.solvers
            .get(&id)
            .is_some_and(|solver| solver.told == SolverStatus::Begun)
    }

    /// Ends a solver that has begun.
    pub(crate) fn solver_cancelled(&mut self, id: u32, now: Moment, out: &mut Vec<ReportFrame>) {
        if self.has_begun(id) {
            self.leave_out(id, now, out);
        }
    }

    /// Ends a solver, also one that still waits for its turn.
    pub(crate) fn leave_out(&mut self, id: u32, now: Moment, out: &mut Vec<ReportFrame>) {
        self.tell(id, SolverStatus::Ended);
        let content = Content::Task {
            task: self.task(id),
        };
        out.push(self.solver_frame("solver.cancelled", id, content, now));
    }

    pub(crate) fn solver_restarts(&self, id: u32, now: Moment, out: &mut Vec<ReportFrame>) {
        let content = Content::Task {
            task: self.task(id),
        };
        out.push(self.solver_frame("solver.restarted", id, content, now));
    }

    fn solver_fails(&mut self, id: u32, now: Moment, out: &mut Vec<ReportFrame>) {
        if !self.has_begun(id) {
            return;
        }
        self.tell(id, SolverStatus::Ended);
        let key = (words::SECTIONS.into(), id.to_smolstr());
        let failure = self.steps.get(&key).and_then(|step| step.failure.clone());
        let Failure { code, message } = failure.unwrap_or_else(|| Failure {
            code: "incomplete".to_owned(),
            message: "the section was not made".to_owned(),
        });
        let content = Content::Failed {
            id,
            title: self.title(id),
            task: self.task(id),
            error: message,
            code,
        };
        out.push(self.solver_frame("solver.failed", id, content, now));
    }

    /// The stage is over: tasks that are not solved by now will not be solved.
    pub(crate) fn settle(&mut self, now: Moment, out: &mut Vec<ReportFrame>) {
        let ids: Vec<u32> = self.solvers.keys().copied().collect();
        for id in ids {
            self.solver_fails(id, now, out);
        }
    }

    /// The run is over.
    pub(crate) fn cancel_solvers(&mut self, now: Moment, out: &mut Vec<ReportFrame>) {
        let ids: Vec<u32> = self.solvers.keys().copied().collect();
        for id in ids {
            self.solver_cancelled(id, now, out);
        }
    }

    pub(crate) fn section_made(
        &mut self,
        id: u32,
        e: &ArtifactProduced,
        now: Moment,
        out: &mut Vec<ReportFrame>,
    ) -> Arc<Solved> {
        let output = HeldContent::of(e);
        let first = self.step_mut(&e.step).first_attempt;
        let statistics = self.calls_of(&e.step.stage, &e.step.item, first);
        let answered = statistics
            .iter()
            .rev()
            .find(|call| call.metadata.error.is_none());
        let title = output
            .text("/title")
            .map_or_else(|| self.title(id), str::to_owned);
        let result = SolverResult {
            summary: output.text("/summary").map(str::to_owned),
            output,
            agent_name: SOLVER,
            model: answered.map(|call| call.model.to_string()),
        };
        let task = TaskName { id, title };
        let solved = Arc::new(Solved { task, result });
        self.solvers.entry(id).or_default().solved = Some(Arc::clone(&solved));
        if self.has_begun(id) {
            self.tell(id, SolverStatus::Ended);
            let content = Content::Solved {
                id,
                title: solved.task.title.clone(),
                summary: solved.result.summary.clone(),
                task: self.task(id),
                result: solved.result.clone(),
            };
            let mut frame = self.solver_frame("solver.completed", id, content, now);
            frame.metadata.metadata = Metadata::Statistics {
                task_id: Some(id),
                metrics: Metrics::of(&statistics),
                statistics,
            };
            out.push(frame);
        }
        solved
    }
}

/// The task that is named by a decision to leave it out or not.
pub(crate) fn skipped(what: &str) -> Option<u32> {
    let place = what.strip_prefix("skip:")?;
    place
        .strip_prefix(words::SECTIONS)?
        .strip_prefix(':')?
        .parse()
        .ok()
}
