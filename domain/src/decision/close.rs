//! How a run ends: whatever is open is closed first, then exactly one end is recorded, then the next message is taken up.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::Decision;
use crate::event::{
    ArtifactProduced, RunCancelled, RunFailed, RunStarted, StageClosed, StageOutcome, StepCancelled,
};
use crate::ids::{RunId, StepId};
use crate::pipeline::Pipeline;
use crate::session::{Run, StageState, StepState};

impl Decision<'_> {
    /// Ends the run as failed.
    pub fn fail(&mut self, run: RunId, code: &str, message: &str) {
        self.close_all(run, "run_failed", StageOutcome::Failed);
        let at = self.now();
        self.record(RunFailed {
            run,
            code: code.to_owned(),
            message: message.to_owned(),
            at,
        });
        self.start_next();
    }

    /// Ends the run because somebody wants it to.
    pub fn cancel(&mut self, run: RunId, reason: &str) {
        self.cancel_for_good(run, reason);
        self.start_next();
    }

    /// Ends the run and takes up no further message.
    pub fn cancel_for_good(&mut self, run: RunId, reason: &str) {
        self.close_all(run, "cancelled", StageOutcome::Cancelled);
        let at = self.now();
        self.record(RunCancelled {
            run,
            reason: reason.to_owned(),
            at,
        });
    }

    /// Ends the run with what it has made so far.
    pub fn finish_partial(&mut self, run: RunId) {
        self.close_all(run, "budget", StageOutcome::Cancelled);
        let Some(pipeline) = self
            .run(run)
            .and_then(|state| self.pipelines().find(&state.pipeline))
        else {
            return;
        };
        self.complete(run, pipeline, true);
    }

    fn close_all(&mut self, run: RunId, reason: &str, outcome: StageOutcome) {
        self.cancel_steps(run, reason);
        let Some(state) = self.run(run) else { return };
        let open = state
            .stages
            .iter()
            .filter(|(_, stage)| stage.state == StageState::Open);
        let open: Vec<_> = open.map(|(name, _)| name.clone()).collect();
        for stage in open {
            self.record(StageClosed {
                run,
                stage,
                outcome,
            });
        }
    }

    /// Closes every open attempt of the run.
    pub fn cancel_steps(&mut self, run: RunId, reason: &str) {
        let Some(state) = self.run(run) else { return };
        let open = state
            .open_steps()
            .map(|(stage, item, step)| (StepId::new(run, stage, item), step.attempt));
        let open: Vec<_> = open.collect();
        let at = self.now();
        for (step, attempt) in open {
            self.record(StepCancelled {
                step,
                attempt,
                reason: reason.to_owned(),
                at,
            });
        }
    }

    /// Takes up the next queued message, if no run is active.
    pub fn start_next(&mut self) {
        if self.session.active.is_some() || self.session.erased {
            return;
        }
        let Some(next) = self.session.queue.front().cloned() else {
            return;
        };
        let said = self
            .session
            .messages
            .iter()
            .find(|m| m.message == next.message);
        let brief = said.map(|m| m.text.clone()).unwrap_or_default();
        let at = self.now();
        self.record(RunStarted {
            run: next.run,
            pipeline: next.pipeline,
            base_run: None,
            message: Some(next.message),
            brief,
            input: next.input,
            settings: next.settings,
            at,
        });
        self.advance(next.run);
    }
}

pub(super) fn is_open(run: Option<&Run>, stage: &str) -> bool {
    run.and_then(|run| run.stage(stage))
        .is_some_and(|stage| stage.state == StageState::Open)
}

/// Everything that becomes invalid when these stages (or only these steps of them) are done again: their steps; the steps of everything
/// that was made from their artifacts, directly or indirectly; and the steps that work from any of these and have made nothing, since they
/// are open, have failed, or were left out by a person.
pub fn invalidated(
    run: &Run,
    pipeline: &dyn Pipeline,
    stages: &[SmolStr],
    steps: &[StepId],
) -> (Vec<SmolStr>, Vec<StepId>) {
    let mut fallen: BTreeSet<StepId> = steps.iter().map(|s| s.of(run.id)).collect();
    if steps.is_empty() {
        fallen.extend(
            known_steps(run)
                .into_iter()
                .filter(|step| stages.contains(&step.stage)),
        );
    }
    loop {
        let gone: Vec<_> = run
            .artifacts()
            .filter(|a| fallen.contains(&made_by(run, a)))
            .collect();
        let made_from_gone = run
            .artifacts()
            .filter(|a| {
                a.from
                    .iter()
                    .any(|from| gone.iter().any(|g| g.artifact == *from))
            })
            .map(|a| made_by(run, a));
        let working_from_gone = without_work(run)
            .filter(|(stage, item)| {
                gone.iter()
                    .any(|g| pipeline.sees(stage, item).contains(&g.kind.as_str()))
            })
            .map(|(stage, item)| StepId::new(run.id, stage, item));
        let more: Vec<_> = made_from_gone
            .chain(working_from_gone)
            .filter(|step| !fallen.contains(step))
            .collect();
        if more.is_empty() {
            break;
        }
        fallen.extend(more);
    }
    let mut touched: BTreeSet<SmolStr> = stages.iter().cloned().collect();
    touched.extend(fallen.iter().map(|step| step.stage.clone()));
    (touched.into_iter().collect(), fallen.into_iter().collect())
}

/// The steps that have made nothing: they are open, have failed in all attempts, or were left out by a person.
fn without_work(run: &Run) -> impl Iterator<Item = (&str, &str)> {
    let steps = run.steps.iter();
    let steps = steps.flat_map(|(stage, items)| items.iter().map(move |item| (stage, item)));
    let without = steps.filter(|(_, (_, step))| match step.state {
        StepState::Open | StepState::Failed { .. } => true,
        StepState::Succeeded | StepState::Cancelled | StepState::Reopened => false,
    });
    let without = without.map(|(stage, (item, _))| (stage.as_str(), item.as_str()));
    without.chain(run.left_out())
}

/// The steps that were asked for in this run, and those whose work was taken over.
fn known_steps(run: &Run) -> Vec<StepId> {
    let mut steps: Vec<_> = run
        .artifacts()
        .map(|artifact| made_by(run, artifact))
        .collect();
    for (stage, items) in &run.steps {
        let items = items.keys();
        steps.extend(items.map(|item| StepId::new(run.id, stage.clone(), item.clone())));
    }
    steps
}

fn made_by(run: &Run, artifact: &ArtifactProduced) -> StepId {
    artifact.step.of(run.id)
}
