//! What is folded of one run for every wire: which attempts of its steps are open, and which calls of tools have no answer.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::event::{
    RunStarted, StepCancelled, StepFailed, StepRequested, ToolCalled, ToolReturned,
};
use domain::{RunId, StepId};
use serde_json::Value;
use smol_str::SmolStr;

/// Which attempt a step begins.
#[derive(Clone, Debug)]
pub struct NextAttempt {
    /// Attempts since the step was first asked for or last reopened, with this one.
    pub tries: u32,
    /// Why the attempt before failed.
    pub failure: Option<StepFailure>,
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFailure {
    pub code: String,
    pub message: String,
}

/// A call of a tool that has no answer yet.
#[derive(Clone, Debug)]
pub struct OpenTool {
    pub step: StepId,
    pub attempt: u32,
    pub turn: u32,
    pub tool: SmolStr,
    pub input: Value,
    /// The name of the call on the wire.
    pub id: String,
}

impl OpenTool {
    pub fn new(e: &ToolCalled, id: String) -> Self {
        Self {
            step: e.step.clone(),
            attempt: e.attempt,
            turn: e.turn,
            tool: e.tool.clone(),
            input: e.input.clone(),
            id,
        }
    }

    /// Whether this is the call that has returned.
    pub fn is_of(&self, e: &ToolReturned) -> bool {
        (&self.step, self.attempt, self.turn) == (&e.step, e.attempt, e.turn)
    }
}

/// One unit of work, since it was first asked for or last reopened.
#[derive(Clone, Debug, Default)]
struct StepBook {
    /// The attempt that has no outcome.
    open: Option<u32>,
    /// When the last attempt was asked for.
    requested_at: Option<DateTime<Utc>>,
    tries: u32,
    first_attempt: u32,
    /// Why the last attempt failed, until the next one is asked for.
    failure: Option<StepFailure>,
}

/// What is folded of a run for every wire.
#[derive(Clone, Debug, Default)]
pub struct RunBook {
    pub id: RunId,
    /// Whether the wire tells what happens in the run, and not only how it ends.
    pub own: bool,
    /// Whether somebody is there to answer questions.
    pub attended: bool,
    /// How many attempts a step has.
    pub attempts: u32,
    /// Calls of tools that have no answer.
    pub open_tools: Vec<OpenTool>,
    /// Calls of tools that were counted so far.
    tools: u32,
    /// By stage and item.
    steps: BTreeMap<(SmolStr, SmolStr), StepBook>,
}

impl RunBook {
    pub fn new(e: &RunStarted, own: bool) -> Self {
        Self {
            id: e.run,
            own,
            attended: e.settings.attended,
            attempts: e.settings.attempts.max(1),
            ..Self::default()
        }
    }

    /// The number of one more call of a tool.
    pub fn count_tool(&mut self) -> u32 {
        self.tools += 1;
        self.tools
    }

    /// Takes out the first open call like this.
    pub fn take_tool(&mut self, is_it: impl Fn(&OpenTool) -> bool) -> Option<OpenTool> {
        let place = self.open_tools.iter().position(is_it)?;
        Some(self.open_tools.remove(place))
    }

    /// Takes out the open calls of these steps.
    pub fn cut_off_tools(&mut self, falls: impl Fn(&StepId) -> bool) -> Vec<OpenTool> {
        self.open_tools
            .extract_if(.., |tool| falls(&tool.step))
            .collect()
    }

    /// The attempt of a step that has no outcome.
    pub fn open_attempt(&self, step: &StepId) -> Option<u32> {
        self.step(step)?.open
    }

    /// When the last attempt of a step was asked for.
    pub fn requested_at(&self, step: &StepId) -> Option<DateTime<Utc>> {
        self.step(step)?.requested_at
    }

    /// Whether an attempt of any step has no outcome.
    pub fn has_open_step(&self) -> bool {
        self.steps.values().any(|step| step.open.is_some())
    }

    /// The first attempt of a step since it was first asked for or last reopened; 0 before it.
    pub fn first_attempt(&self, step: &StepId) -> u32 {
        self.step(step).map_or(0, |step| step.first_attempt)
    }

    /// Why the last attempt of a step failed, until the next one is asked for.
    pub fn failure(&self, stage: &str, item: &str) -> Option<&StepFailure> {
        let step = self.steps.get(&(stage.into(), item.into()))?;
        step.failure.as_ref()
    }

    fn step(&self, step: &StepId) -> Option<&StepBook> {
        self.steps.get(&(step.stage.clone(), step.item.clone()))
    }

    fn step_mut(&mut self, step: &StepId) -> &mut StepBook {
        let key = (step.stage.clone(), step.item.clone());
        self.steps.entry(key).or_default()
    }

    pub(super) fn request_step(&mut self, e: &StepRequested, at: DateTime<Utc>) -> NextAttempt {
        let step = self.step_mut(&e.step);
        if step.first_attempt == 0 {
            step.first_attempt = e.attempt;
        }
        (step.open, step.requested_at) = (Some(e.attempt), Some(at));
        step.tries += 1;
        NextAttempt {
            tries: step.tries,
            failure: step.failure.take(),
        }
    }

    /// Ends an attempt; returns whether it was open.
    pub(super) fn end_attempt(&mut self, step: &StepId, attempt: u32) -> bool {
        let is_open = self.open_attempt(step) == Some(attempt);
        if is_open {
            self.step_mut(step).open = None;
        }
        is_open
    }

    /// Notes why an open attempt failed; returns whether no other one follows.
    pub(super) fn fail_step(&mut self, e: &StepFailed) -> bool {
        let attempts = self.attempts;
        let step = self.step_mut(&e.step);
        step.failure = Some(StepFailure {
            code: e.code.clone(),
            message: e.message.clone(),
        });
        !e.retryable || step.tries >= attempts
    }

    /// A cancelled attempt was no try.
    pub(super) fn cancel_step(&mut self, e: &StepCancelled) {
        let step = self.step_mut(&e.step);
        step.tries = step.tries.saturating_sub(1);
    }

    pub(super) fn reopen_steps(&mut self, steps: &[StepId]) {
        for step in steps {
            *self.step_mut(step) = StepBook::default();
        }
    }
}
