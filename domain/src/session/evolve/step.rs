//! What steps are, what they used, and what they made.

use std::sync::Arc;

use super::{make_current, step_mut};
use crate::event::{
    ArtifactProduced, CallError, ModelCalled, OutputRejected, StepEvent, StepRequested, ToolCalled,
    ToolReturned,
};
use crate::ids::StepId;
use crate::session::Session;
use crate::session::run::{Run, mostly_rejected};
use crate::session::step::{FailedTry, Step, StepState, TurnAnswer, input_hash};

impl Session {
    pub(super) fn evolve_step(&mut self, event: &StepEvent) {
        match event {
            StepEvent::StepRequested(e) => self.with_run(e.step.run, |run| step_requested(run, e)),
            StepEvent::ModelCalled(e) => self.with_run(e.step.run, |run| model_called(run, e)),
            StepEvent::ToolCalled(e) => self.with_run(e.step.run, |run| tool_called(run, e)),
            StepEvent::ToolReturned(e) => self.with_run(e.step.run, |run| tool_returned(run, e)),
            StepEvent::OutputRejected(e) => {
                self.with_run(e.step.run, |run| output_rejected(run, e));
            }
            StepEvent::ArtifactProduced(e) => self.artifact_produced(e),
            StepEvent::StepSucceeded(e) => {
                self.step_ended(&e.step, e.attempt, StepState::Succeeded);
            }
            StepEvent::StepFailed(e) => {
                let failed = StepState::Failed {
                    code: e.code.clone(),
                    message: e.message.clone(),
                    retryable: e.retryable,
                };
                self.step_ended(&e.step, e.attempt, failed);
            }
            StepEvent::StepCancelled(e) => {
                self.step_ended(&e.step, e.attempt, StepState::Cancelled);
            }
        }
    }

    fn artifact_produced(&mut self, e: &ArtifactProduced) {
        let artifact = Arc::new(e.clone());
        self.artifacts
            .insert(e.artifact.clone(), Arc::clone(&artifact));
        self.with_run(e.step.run, |run| {
            if let Some(step) = step_mut(run, &e.step) {
                step.artifacts.push(e.artifact.clone());
            }
            make_current(run, artifact);
        });
    }

    fn step_ended(&mut self, step: &StepId, attempt: u32, state: StepState) {
        self.with_run(step.run, |run| {
            if let Some(step) = step_mut(run, step)
                && step.attempt == attempt
            {
                // A cancelled attempt did not fail, so it does not count against the step's attempts.
                if state == StepState::Cancelled {
                    step.used = step.used.saturating_sub(1);
                }
                step.state = state;
            }
        });
    }
}

fn step_requested(run: &mut Run, e: &StepRequested) {
    let is_last = run.asks_once;
    let steps = run.steps.entry(e.step.stage.clone()).or_default();
    let before = steps.get(&e.step.item);
    let used = before.map_or(0, |step| step.used);
    let rejected = before.and_then(Step::rejected_answer);
    steps.insert(
        e.step.item.clone(),
        Step {
            state: StepState::Open,
            attempt: e.attempt,
            used: used + 1,
            is_last,
            due: e.due,
            guidance: e.guidance.clone(),
            reserve: e.reserve,
            violations: vec![],
            rejected,
            turns: vec![],
            artifacts: vec![],
        },
    );
}

fn model_called(run: &mut Run, e: &ModelCalled) {
    run.spent.calls += 1;
    run.spent.input_tokens += e.usage.input;
    run.spent.output_tokens += e.usage.output;
    run.spent.cost_micros += e.cost_micros;
    run.spent.working_ms += e.latency_ms;
    let Some(step) = step_mut(run, &e.step).filter(|step| step.attempt == e.attempt) else {
        return;
    };
    let turn = step.turn_mut(e.turn);
    match (&e.response, &e.error) {
        (Some(response), None) => {
            // A second answer was paid for too, but it came too late.
            turn.answer.get_or_insert_with(|| TurnAnswer::Model {
                response: response.clone(),
                model: e.model.clone(),
                request: e.request.clone(),
                prompt: e.prompt.clone(),
            });
        }
        (_, error) => {
            let lost = || CallError::new("malformed", "the answer is not in the log", true);
            let error = error.clone().unwrap_or_else(lost);
            turn.failed.push(FailedTry {
                model: e.model.clone(),
                error: error.clone(),
            });
            if let Some(until) = error.closed_until {
                run.closed_models.insert(e.model.clone(), until);
            }
        }
    }
}

fn tool_called(run: &mut Run, e: &ToolCalled) {
    if let Some(step) = step_mut(run, &e.step).filter(|step| step.attempt == e.attempt) {
        step.turn_mut(e.turn).input = Some(input_hash(&e.input));
    }
}

fn tool_returned(run: &mut Run, e: &ToolReturned) {
    run.spent.cost_micros += e.cost_micros;
    run.spent.working_ms += e.latency_ms;
    let Some(step) = step_mut(run, &e.step).filter(|step| step.attempt == e.attempt) else {
        return;
    };
    let answer = &mut step.turn_mut(e.turn).answer;
    answer.get_or_insert_with(|| TurnAnswer::Tool {
        output: e.output.clone(),
        tool: e.tool.clone(),
    });
}

fn output_rejected(run: &mut Run, e: &OutputRejected) {
    run.rejected += 1;
    run.asks_once |= mostly_rejected(run.rejected, run.spent.calls);
    if let Some(step) = step_mut(run, &e.step).filter(|step| step.attempt == e.attempt) {
        step.violations.clone_from(&e.violations);
    }
}
