//! Steps and their attempts, and the solvers of sections, each of which begins and ends once.

use std::sync::Arc;

use palimpsest::prelude::wire::event::{
    ArtifactProduced, StepCancelled, StepFailed, StepRequested,
};
use palimpsest::prelude::wire::{NextAttempt, Now, StepFailure, StepId};

use super::contents::{
    HeldContent, Metrics, SOLVER, Solved, SolverResult, TaskName, TaskRef, task_id,
};
use super::fold::Out;
use super::frames::{Content, Metadata, ReportFrame, Retry};
use super::run::RunState;
use super::words::{self, ERROR_CHARS_MAX};
use crate::stages::Stage;

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

impl RunState {
    pub(crate) fn step_requested(
        &mut self,
        e: &StepRequested,
        begun: NextAttempt,
        out: &mut Out<'_>,
    ) {
        let id = task_id(&e.step);
        let told = id.map(|id| self.solvers.entry(id).or_default().told);
        // The solver of a section that failed for good or was left out begins anew.
        if let (Some(id), Some(SolverStatus::Nothing | SolverStatus::Ended)) = (id, told) {
            self.solver_starts(id, out);
        } else if let Some(failure) = begun.failure {
            let wait_ms = (e.due - e.at).num_milliseconds().max(0);
            out.push(self.retry(&e.step, begun.tries, wait_ms, failure, out.now));
        }
    }

    fn retry(
        &self,
        step: &StepId,
        next: u32,
        wait_ms: i64,
        failure: StepFailure,
        now: Now<'_>,
    ) -> ReportFrame {
        let task_id = task_id(step);
        let seconds = chrono::TimeDelta::milliseconds(wait_ms).as_seconds_f64();
        let (attempt, total) = (next.saturating_sub(1), self.book.attempts.max(next));
        let retry = Retry {
            attempt,
            total_attempts: total,
            next_attempt: next,
            retry_delay_seconds: seconds,
            error_type: failure.code,
            error: words::cut_text(&failure.message, ERROR_CHARS_MAX),
            stage: step.stage.clone(),
            task_id,
        };
        let what = self.language.piece(&step.stage, task_id);
        let text = self.language.retry(&what, attempt, total, seconds);
        self.notice(now, Metadata::Retry { retry }, text)
    }

    pub(crate) fn step_failed(&mut self, e: &StepFailed, is_final: bool, out: &mut Out<'_>) {
        if let Some(id) = task_id(&e.step).filter(|_| is_final) {
            self.solver_fails(id, out);
        }
    }

    pub(crate) fn step_cancelled(&mut self, e: &StepCancelled, out: &mut Out<'_>) {
        // A fork asks for the step again at once, and goes on where its parent was.
        if e.reason != "forked"
            && let Some(id) = task_id(&e.step)
        {
            self.solver_cancelled(id, out);
        }
    }

    /// These steps count as not done.
    pub(crate) fn reopen_steps(&mut self, steps: &[StepId], out: &mut Out<'_>) {
        for id in steps.iter().filter_map(task_id) {
            self.solver_cancelled(id, out);
        }
        for id in steps {
            if let Some(id) = task_id(id) {
                let solver = self.solvers.entry(id).or_default();
                (solver.told, solver.solved) = (SolverStatus::Nothing, None);
            }
            match Stage::named(&id.stage) {
                Some(Stage::Planning) => self.plan = None,
                Some(Stage::Aggregation) => {
                    self.report = None;
                    self.files.clear();
                }
                Some(Stage::Export) => self.files.retain(|kind, _| kind == "markdown"),
                Some(Stage::Preparation | Stage::Writing) | None => {}
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
        now: Now<'_>,
    ) -> ReportFrame {
        let what = event.rsplit('.').next().unwrap_or_default();
        let show = self.language.solver(what, id, &self.title(id));
        let metadata = Metadata::Task { task_id: id };
        self.frame(now, event, content, metadata, show)
    }

    fn tell(&mut self, id: u32, told: SolverStatus) {
        self.solvers.entry(id).or_default().told = told;
    }

    fn solver_starts(&mut self, id: u32, out: &mut Out<'_>) {
        self.tell(id, SolverStatus::Begun);
        let content = Content::Start {
            id,
            title: self.title(id),
            task: self.task(id),
        };
        out.push(self.solver_frame("solver.start", id, content, out.now));
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
    pub(crate) fn solver_cancelled(&mut self, id: u32, out: &mut Out<'_>) {
        if self.has_begun(id) {
            self.leave_out(id, out);
        }
    }

    /// Ends a solver, also one that still waits for its turn.
    pub(crate) fn leave_out(&mut self, id: u32, out: &mut Out<'_>) {
        self.tell(id, SolverStatus::Ended);
        let content = Content::Task {
            task: self.task(id),
        };
        out.push(self.solver_frame("solver.cancelled", id, content, out.now));
    }

    pub(crate) fn solver_restarts(&self, id: u32, out: &mut Out<'_>) {
        let content = Content::Task {
            task: self.task(id),
        };
        out.push(self.solver_frame("solver.restarted", id, content, out.now));
    }

    fn solver_fails(&mut self, id: u32, out: &mut Out<'_>) {
        if !self.has_begun(id) {
            return;
        }
        self.tell(id, SolverStatus::Ended);
        let failure = self.book.failure(words::SECTIONS, &id.to_string());
        let StepFailure { code, message } = failure.cloned().unwrap_or_else(|| StepFailure {
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
        out.push(self.solver_frame("solver.failed", id, content, out.now));
    }

    /// The stage is over: tasks that are not solved by now will not be solved.
    pub(crate) fn settle(&mut self, out: &mut Out<'_>) {
        let ids: Vec<u32> = self.solvers.keys().copied().collect();
        for id in ids {
            self.solver_fails(id, out);
        }
    }

    /// The run is over.
    pub(crate) fn cancel_solvers(&mut self, out: &mut Out<'_>) {
        let ids: Vec<u32> = self.solvers.keys().copied().collect();
        for id in ids {
            self.solver_cancelled(id, out);
        }
    }

    pub(crate) fn section_made(
        &mut self,
        id: u32,
        e: &ArtifactProduced,
        out: &mut Out<'_>,
    ) -> Arc<Solved> {
        let output = HeldContent::of(e);
        let first = self.book.first_attempt(&e.step);
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
            let mut frame = self.solver_frame("solver.completed", id, content, out.now);
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
