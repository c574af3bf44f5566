//! Asks the flow of a run what is needed next, until it has nothing more to ask for.

use std::ops::ControlFlow;

use chrono::TimeDelta;
use smol_str::SmolStr;

use super::Decision;
use crate::event::{
    AnswerGiven, BUDGET_GATE, DecisionMade, GateOpened, Guidance, MessageSent, OUTPUT_REJECTED,
    RunCompleted, SUPERSEDED, StageClosed, StageStarted, StagesReopened, StepCancelled,
    StepRequested,
};
use crate::flow::{Ask, GateSpec, Stop, TOLD, Verdict};
use crate::ids::{RunId, StepId};
use crate::pipeline::Pipeline;
use crate::session::{DO, Gate, GateAnswer, Run, StepState, skipping};
use crate::{by_hand, material, unchanged};

/// The most questions to one flow in one decision. A flow asks once for each stage and gate that opens or closes in an append, and the
/// longest pipelines have some forty of those; a flow that asks this often is in an endless loop.
pub const MAX_ROUNDS: u32 = 1_000;

/// The longest wait before another attempt of a step, in milliseconds; a wait that a run's settings ask for is respected even if it is
/// longer.
const RETRY_WAIT_MAX_MS: u64 = 30_000;

impl Decision<'_> {
    /// Takes the run as far as it goes: opens and closes stages, requests steps, opens gates, or ends it.
    pub fn advance(&mut self, run: RunId) {
        if self.session.active == Some(run)
            && let Some(reason) = self.session.withdrawn.get(&run).cloned()
        {
            return self.cancel(run, &reason);
        }
        for _ in 0..MAX_ROUNDS {
            let Some(state) = self.run(run).filter(|state| state.is_active()) else {
                return;
            };
            let Some(pipeline) = self.pipelines().find(&state.pipeline) else {
                let message = format!("pipeline `{}` is not in this program", state.pipeline);
                return self.fail(run, "unknown_pipeline", &message);
            };
            if awaits_budget(state) {
                return;
            }
            match pipeline.flow(state) {
                ControlFlow::Continue(()) => return self.complete(run, pipeline, false),
                ControlFlow::Break(Stop::Wait) => return,
                ControlFlow::Break(Stop::End(verdict)) => return self.end(run, pipeline, verdict),
                ControlFlow::Break(Stop::Ask(asks)) => {
                    for ask in asks {
                        self.carry_out(run, pipeline, ask);
                    }
                }
            }
        }
        self.fail(
            run,
            "too_many_decisions",
            "the flow of the pipeline goes round in circles; this is a fault of the program",
        );
    }

    fn end(&mut self, run: RunId, pipeline: &dyn Pipeline, verdict: Verdict) {
        match verdict {
            Verdict::Complete { partial } => self.complete(run, pipeline, partial),
            Verdict::Fail { code, message } => self.fail(run, &code, &message),
            Verdict::Reply { text } => {
                let message = self.fresh_message();
                self.record(MessageSent { message, run, text });
                let at = self.now();
                self.record(RunCompleted {
                    run,
                    final_artifact: None,
                    partial: false,
                    at,
                });
                self.start_next();
            }
        }
    }

    pub(super) fn complete(&mut self, run: RunId, pipeline: &dyn Pipeline, partial: bool) {
        let Some(state) = self.run(run) else { return };
        let final_artifact = pipeline.deliver(state);
        let mut tidings: Vec<String> = by_hand::tidings(state).map(str::to_owned).collect();
        if tidings.is_empty() {
            tidings.extend(unchanged::told(self.session, state, pipeline));
        }
        let is_told = |decision: &&DecisionMade| decision.what.starts_with(TOLD);
        for told in state.decisions.iter().filter(is_told) {
            if !tidings.contains(&told.reason) {
                tidings.push(told.reason.clone());
            }
        }
        let unread = material::nothing_read(state);
        let partial = partial || unread.is_some();
        tidings.extend(unread);
        let tidings = tidings.join("\n");
        if !tidings.is_empty() {
            let message = self.fresh_message();
            self.record(MessageSent {
                message,
                run,
                text: tidings,
            });
        }
        let at = self.now();
        self.record(RunCompleted {
            run,
            final_artifact,
            partial,
            at,
        });
        self.start_next();
    }

    fn carry_out(&mut self, run: RunId, pipeline: &dyn Pipeline, ask: Ask) {
        // An earlier entry of the same list may have ended the run.
        if !self.run(run).is_some_and(Run::is_active) {
            return;
        }
        match ask {
            Ask::OpenStage { stage, items } => self.record(StageStarted { run, stage, items }),
            Ask::CloseStage { stage, outcome } => self.record(StageClosed {
                run,
                stage,
                outcome,
            }),
            Ask::Request { stage, item } => self.request(run, pipeline, &stage, &item),
            Ask::OpenGate(spec) => self.open_gate(run, spec, None),
            Ask::Decide {
                what,
                choice,
                reason,
                by,
            } => {
                self.record(DecisionMade {
                    run,
                    what,
                    choice,
                    reason,
                    by,
                });
            }
            Ask::Reopen {
                stages,
                feedback,
                feedback_for,
                reason,
            } => {
                let told = feedback.map(|feedback| StageFeedback {
                    feedback,
                    stage: feedback_for,
                });
                self.reopen(run, &stages, &[], told, &reason);
            }
        }
    }

    /// Requests the next attempt of a step, if the run can pay for its worst case.
    fn request(&mut self, run: RunId, pipeline: &dyn Pipeline, stage: &str, item: &str) {
        let now = self.now();
        let Some(state) = self.run(run) else { return };
        let reserve = by_hand::reserve(pipeline, state, stage, item);
        // A step that costs nothing is done even when the budget is used up.
        if !reserve.is_nothing() && !state.can_afford(reserve) {
            return self.starve(run);
        }
        let before = state.step(stage, item);
        let used = before.map_or(0, |step| step.used);
        let unmet = before
            .filter(|step| matches!(step.state, StepState::Failed { .. } | StepState::Cancelled));
        // If the last attempt gave no output, the violations that it was told are told to the next one too.
        let wrong = unmet.map(|step| match step.violations.as_slice() {
            [] => step.guidance.violations.clone(),
            found => found.to_vec(),
        });
        let guidance = Guidance {
            feedback: state.feedback_for(stage).map(str::to_owned),
            violations: wrong.unwrap_or_default(),
        };
        // A rejected answer needs no wait: the provider did answer, and the next question is a different one.
        let waits = before.is_some_and(
            |step| matches!(&step.state, StepState::Failed { code, .. } if code != OUTPUT_REJECTED),
        );
        let wait = retry_wait(state.settings.retry_wait_ms, used);
        let due = if waits { now + wait } else { now };
        let attempt = before.map_or(0, |step| step.attempt) + 1;
        self.record(StepRequested {
            step: StepId::new(run, stage, item),
            attempt,
            due,
            guidance,
            reserve,
            at: now,
        });
    }

    /// The budget does not allow what is needed next: a person is asked, or the run ends where nobody is there.
    pub fn starve(&mut self, run: RunId) {
        let Some(state) = self.run(run) else { return };
        if awaits_budget(state) {
            return;
        }
        let spent = state.spent;
        let question = format!(
            "the budget of this run is used up: {} calls, {} tokens, {} ms of work; raise it, finish with what there is, or end the run",
            spent.calls,
            spent.input_tokens + spent.output_tokens,
            spent.working_ms,
        );
        if !state.settings.attended {
            return self.fail(run, "budget", &question);
        }
        let options = ["raise", "finish_partial", "end"]
            .map(str::to_owned)
            .to_vec();
        let default = serde_json::json!({ "choice": "end" });
        self.open_gate(
            run,
            GateSpec {
                name: BUDGET_GATE.to_owned(),
                subject: None,
                question,
                schema: budget_answer_schema(),
                options,
                open_for: None,
                default,
            },
            None,
        );
    }

    /// Opens a gate; `step` is the one whose model asks.
    pub fn open_gate(&mut self, run: RunId, spec: GateSpec, step: Option<StepId>) {
        let gate = self.fresh_gate();
        let at = self.now();
        let attended = self.run(run).is_some_and(|state| state.settings.attended);
        let deadline = spec.open_for.map(|open_for| at + open_for);
        let default = spec.default.clone();
        self.record(GateOpened {
            run,
            gate: gate.clone(),
            name: spec.name,
            subject: spec.subject,
            step,
            question: spec.question,
            schema: spec.schema,
            options: spec.options,
            deadline,
            default: spec.default,
            at,
        });
        if !attended {
            self.record(AnswerGiven {
                run,
                gate,
                answer: default,
                by: "default".to_owned(),
                at,
            });
        }
    }

    /// Goes back: closes what is open in these stages and invalidates their steps with everything made from them. With
    /// `steps`, only those steps of the stages.
    pub fn reopen(
        &mut self,
        run: RunId,
        stages: &[SmolStr],
        steps: &[StepId],
        told: Option<StageFeedback>,
        reason: &str,
    ) {
        let Some(state) = self.run(run) else { return };
        let Some(pipeline) = self.pipelines().find(&state.pipeline) else {
            return;
        };
        let (stages, steps) = super::close::invalidated(state, pipeline, stages, steps);
        let open: Vec<_> = state
            .open_steps()
            .map(|(stage, item, step)| (StepId::new(run, stage, item), step.attempt))
            .filter(|(id, _)| steps.contains(id))
            .collect();
        let at = self.now();
        for (step, attempt) in open {
            self.record(StepCancelled {
                step,
                attempt,
                reason: "reopened".to_owned(),
                at,
            });
        }
        let open_stages: Vec<_> = stages
            .iter()
            .filter(|stage| super::close::is_open(self.run(run), stage))
            .cloned()
            .collect();
        for stage in open_stages {
            self.record(StageClosed {
                run,
                stage,
                outcome: crate::event::StageOutcome::Reopened,
            });
        }
        self.supersede_gates(run, &steps);
        self.take_in(run, &steps);
        let (feedback, feedback_for) = match told {
            Some(StageFeedback { feedback, stage }) => (Some(feedback), stage),
            None => (None, None),
        };
        self.record(StagesReopened {
            run,
            stages,
            steps,
            feedback,
            feedback_for,
            reason: reason.to_owned(),
        });
    }

    /// Items that a person left out are taken in again when the work is done anew: the wish to leave out a part of the old work does not
    /// apply to the new work.
    fn take_in(&mut self, run: RunId, steps: &[StepId]) {
        let Some(state) = self.run(run) else { return };
        let left_out = steps.iter().filter(|s| state.is_skipped(&s.stage, &s.item));
        let left_out: Vec<_> = left_out.map(|s| skipping(&s.stage, &s.item)).collect();
        for what in left_out {
            self.record(DecisionMade {
                run,
                what,
                choice: DO.to_owned(),
                reason: "what it belonged to is done anew".to_owned(),
                by: "rules".to_owned(),
            });
        }
    }

    /// Closes the open gates that ask about what these steps made, and those at which these steps asked.
    pub fn supersede_gates(&mut self, run: RunId, steps: &[StepId]) {
        let Some(state) = self.run(run) else { return };
        let artifacts = &self.session.artifacts;
        let falls = |gate: &&Gate| {
            let subject = gate.opened.subject.as_ref();
            let made = subject.and_then(|subject| artifacts.get(subject));
            let asks = gate.opened.step.as_ref();
            made.is_some_and(|made| steps.contains(&made.step.of(run)))
                || asks.is_some_and(|asks| steps.contains(asks))
        };
        let open = state.open_gates().filter(falls);
        let open: Vec<_> = open.map(|gate| gate.opened.gate.clone()).collect();
        let at = self.now();
        for gate in open {
            self.record(AnswerGiven {
                run,
                gate,
                answer: serde_json::Value::Null,
                by: SUPERSEDED.to_owned(),
                at,
            });
        }
    }
}

/// What redone steps are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageFeedback {
    pub feedback: String,
    /// The stage that the feedback is for; where absent, it is for every stage that is redone.
    pub stage: Option<String>,
}

impl From<String> for StageFeedback {
    fn from(feedback: String) -> Self {
        Self {
            feedback,
            stage: None,
        }
    }
}

/// Whether the run is waiting for an answer about its budget.
pub fn awaits_budget(run: &Run) -> bool {
    run.open_gates().any(|gate| gate.opened.name == BUDGET_GATE)
}

/// What the last answer about the budget was, if there was one.
pub fn budget_choice(answer: &GateAnswer) -> Option<&str> {
    match answer {
        GateAnswer::Given { answer, .. } => {
            answer.get("choice").and_then(serde_json::Value::as_str)
        }
        GateAnswer::Confirmed { .. } | GateAnswer::Declined { .. } => None,
    }
}

fn budget_answer_schema() -> serde_json::Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "choice": { "enum": ["raise", "finish_partial", "end"] },
            "budget": {
                "type": "object",
                "properties": {
                    "calls": { "type": "integer", "minimum": 0 },
                    "tokens": { "type": "integer", "minimum": 0 },
                    "cost_micros": { "type": "integer", "minimum": 0 },
                    "working_ms": { "type": "integer", "minimum": 0 }
                },
                "additionalProperties": false
            }
        },
        "required": ["choice"],
        "additionalProperties": false
    })
}

fn retry_wait(first_ms: u64, used: u32) -> TimeDelta {
    let doubled = first_ms.saturating_mul(1 << used.saturating_sub(1).min(16));
    let wait = doubled.min(RETRY_WAIT_MAX_MS.max(first_ms));
    TimeDelta::milliseconds(i64::try_from(wait).unwrap_or(i64::MAX))
}
