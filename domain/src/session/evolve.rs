//! One arm an event. Nothing is decided here and nothing can fail: what the events say is so.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::run::{End, Gate, GateAnswer, Run, Spent, Stage, StageState};
use super::step::{Step, StepState, TurnAnswer};
use super::{Message, Session, Speaker};
use crate::event::{
    ArtifactProduced, Event, IntentClassified, MessageQueued, MessageReceived, ModelCalled,
    OutputRejected, RunStarted, StageClosed, StageOutcome, StageStarted, StagesReopened,
    StepRequested, ToolReturned,
};
use crate::ids::{GateId, RunId, StepId};

impl Session {
    /// Takes one more event into account.
    pub fn evolve(&mut self, event: &Event) {
        self.version += 1;
        match event {
            Event::SessionOpened(e) => {
                self.pipeline.clone_from(&e.pipeline);
                self.title.clone_from(&e.title);
            }
            Event::SessionTitled(e) => self.title.clone_from(&e.title),
            Event::SessionForked(e) => {
                self.forked_from = Some((e.parent.clone(), e.at));
                self.inherited = e.at;
                // Open gates are asked again under new ids.
                if let Some(run) = self.active {
                    self.with_run(run, |run| run.gates.retain(|_, gate| gate.answer.is_some()));
                }
            }
            Event::SessionErased(_) => self.erased = true,
            Event::MessageReceived(e) => self.message_received(e),
            Event::MessageQueued(e) => self.message_queued(e),
            Event::MessageWithdrawn(e) => {
                self.withdrawn.insert(e.run, e.reason.clone());
            }
            Event::MessageSent(e) => self.messages.push(Message {
                message: e.message.clone(),
                speaker: Speaker::System,
                text: e.text.clone(),
                attachments: vec![],
                files: vec![],
                run: e.run,
                at: None,
            }),
            Event::FilePut(e) => {
                self.files.insert(e.path.clone(), e.clone());
            }
            Event::FileRemoved(e) => {
                self.files.remove(&e.path);
            }
            Event::RunStarted(e) => self.run_started(e),
            Event::IntentClassified(e) => self.intent_classified(e),
            Event::RefinementRequested(e) => self.with_run(e.run, |run| {
                run.base_run = Some(e.base_run);
                run.refinement = Some(e.clone());
            }),
            Event::StageStarted(e) => self.with_run(e.run, |run| stage_started(run, e)),
            Event::StageClosed(e) => self.with_run(e.run, |run| stage_closed(run, e)),
            Event::StagesReopened(e) => self.with_run(e.run, |run| stages_reopened(run, e)),
            Event::StepRequested(e) => self.with_run(e.step.run, |run| step_requested(run, e)),
            Event::ModelCalled(e) => self.with_run(e.step.run, |run| model_called(run, e)),
            Event::ToolCalled(_) => {}
            Event::ToolReturned(e) => self.with_run(e.step.run, |run| tool_returned(run, e)),
            Event::OutputRejected(e) => self.with_run(e.step.run, |run| output_rejected(run, e)),
            Event::ArtifactProduced(e) => self.artifact_produced(e),
            Event::StepSucceeded(e) => self.step_ended(&e.step, e.attempt, StepState::Succeeded),
            Event::StepFailed(e) => {
                let failed = StepState::Failed {
                    code: e.code.clone(),
                    message: e.message.clone(),
                    retryable: e.retryable,
                };
                self.step_ended(&e.step, e.attempt, failed);
            }
            Event::StepCancelled(e) => self.step_ended(&e.step, e.attempt, StepState::Cancelled),
            Event::DecisionMade(e) => self.with_run(e.run, |run| run.decisions.push(e.clone())),
            Event::GateOpened(e) => self.with_run(e.run, |run| {
                run.gates.insert(
                    e.gate.clone(),
                    Gate {
                        opened: e.clone(),
                        answer: None,
                    },
                );
            }),
            Event::PlanConfirmed(e) => {
                let answer = GateAnswer::Confirmed {
                    edits: e.edits.clone(),
                    by: e.by.clone(),
                };
                self.gate_answered(e.run, &e.gate, answer);
            }
            Event::PlanDeclined(e) => {
                let answer = GateAnswer::Declined {
                    feedback: e.feedback.clone(),
                    by: e.by.clone(),
                };
                self.gate_answered(e.run, &e.gate, answer);
            }
            Event::AnswerGiven(e) => {
                let answer = GateAnswer::Given {
                    answer: e.answer.clone(),
                    by: e.by.clone(),
                };
                self.gate_answered(e.run, &e.gate, answer);
            }
            Event::BudgetRaised(e) => self.with_run(e.run, |run| run.budget = e.budget),
            Event::RunCompleted(e) => {
                let end = End::Completed {
                    final_artifact: e.final_artifact.clone(),
                    partial: e.partial,
                };
                self.run_ended(e.run, end);
                // A message that asked for nothing leaves the current branch where it is. A run that a person wanted finished
                // with what there is need not have the deliverable.
                let made = |run: &Run| !run.current.is_empty();
                let has_part = e.partial && self.runs.get(&e.run).is_some_and(made);
                if e.final_artifact.is_some() || has_part {
                    self.head = Some(e.run);
                }
            }
            Event::RunFailed(e) => {
                let end = End::Failed {
                    code: e.code.clone(),
                    message: e.message.clone(),
                };
                self.run_ended(e.run, end);
            }
            Event::RunCancelled(e) => {
                self.run_ended(
                    e.run,
                    End::Cancelled {
                        reason: e.reason.clone(),
                    },
                );
            }
            Event::HeadMoved(e) => self.head = Some(e.run),
            // Of the other aggregate: no session has them.
            Event::CollectionOpened(_)
            | Event::DocumentsImported(_)
            | Event::DocumentsRemoved(_) => {}
        }
    }

    fn with_run(&mut self, run: RunId, change: impl FnOnce(&mut Run)) {
        if let Some(run) = self.runs.get_mut(&run) {
            change(run);
        }
    }

    fn message_received(&mut self, e: &MessageReceived) {
        self.last_run = self.last_run.max(e.run);
        let files = e.attachments.iter();
        let files = files.filter_map(|path| self.files.get(path).cloned());
        let files = files.collect();
        self.messages.push(Message {
            at: e.at,
            message: e.message.clone(),
            speaker: Speaker::Person,
            text: e.text.clone(),
            attachments: e.attachments.clone(),
            files,
            run: e.run,
        });
    }

    fn message_queued(&mut self, e: &MessageQueued) {
        self.last_run = self.last_run.max(e.run);
        self.queue.push_back(e.clone());
    }

    fn run_started(&mut self, e: &RunStarted) {
        self.last_run = self.last_run.max(e.run);
        self.queue.retain(|queued| queued.run != e.run);
        self.active = Some(e.run);
        let answered_before = self.answered();
        let last = self.runs.values().next_back();
        let asked_before = last.map(Run::asked_so_far).unwrap_or_default();
        self.runs.insert(
            e.run,
            Run {
                id: e.run,
                pipeline: e.pipeline.clone(),
                base_run: e.base_run,
                message: e.message.clone(),
                brief: e.brief.clone(),
                input: e.input.clone(),
                settings: Arc::new(e.settings.clone()),
                started_at: e.at,
                end: None,
                intent: None,
                refinement: None,
                stages: indexmap::IndexMap::new(),
                steps: BTreeMap::new(),
                gates: indexmap::IndexMap::new(),
                decisions: vec![],
                current: BTreeMap::new(),
                answered_before,
                asked_before,
                feedback: BTreeMap::new(),
                budget: e.settings.budget,
                spent: Spent::default(),
            },
        );
    }

    /// What was answered so far to questions that are about nothing that was made.
    fn answered(&self) -> BTreeMap<String, GateAnswer> {
        let Some(last) = self.runs.values().max_by_key(|run| run.id) else {
            return BTreeMap::new();
        };
        let questions = last.questions();
        questions
            .map(|(name, answer)| (name.to_owned(), answer.clone()))
            .collect()
    }

    fn intent_classified(&mut self, e: &IntentClassified) {
        let kept: Vec<_> = e
            .kept
            .iter()
            .filter_map(|id| self.artifacts.get(id).cloned())
            .collect();
        self.with_run(e.run, |run| {
            run.base_run = e.base_run;
            if let Some(language) = &e.language {
                Arc::make_mut(&mut run.settings)
                    .language
                    .clone_from(language);
            }
            run.intent = Some(e.clone());
            for artifact in kept {
                make_current(run, artifact);
            }
        });
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
                // What was cancelled did not fail: it leaves the step all its attempts.
                if state == StepState::Cancelled {
                    step.used = step.used.saturating_sub(1);
                }
                step.state = state;
            }
        });
    }

    fn gate_answered(&mut self, run: RunId, gate: &GateId, answer: GateAnswer) {
        self.with_run(run, |run| {
            if let Some(gate) = run.gates.get_mut(gate) {
                gate.answer = Some(answer);
            }
        });
    }

    fn run_ended(&mut self, run: RunId, end: End) {
        if self.active == Some(run) {
            self.active = None;
        }
        self.with_run(run, |run| {
            run.end = Some(end);
        });
    }
}

fn step_mut<'a>(run: &'a mut Run, id: &StepId) -> Option<&'a mut Step> {
    run.steps.get_mut(&id.stage)?.get_mut(&id.item)
}

fn make_current(run: &mut Run, artifact: Arc<ArtifactProduced>) {
    run.current
        .entry(artifact.kind.clone())
        .or_default()
        .insert(artifact.item().clone(), artifact);
}

fn stage_started(run: &mut Run, e: &StageStarted) {
    let reopened = run.stages.get(&e.stage).map_or(0, |stage| stage.reopened);
    run.stages.insert(
        e.stage.clone(),
        Stage {
            state: StageState::Open,
            items: e.items,
            reopened,
        },
    );
}

fn stage_closed(run: &mut Run, e: &StageClosed) {
    if let Some(stage) = run.stages.get_mut(&e.stage) {
        stage.state = match e.outcome {
            StageOutcome::Completed => StageState::Completed,
            StageOutcome::Failed => StageState::Failed,
            StageOutcome::Cancelled => StageState::Cancelled,
            StageOutcome::Reopened => StageState::Reopened,
        };
    }
}

fn stages_reopened(run: &mut Run, e: &StagesReopened) {
    for name in &e.stages {
        if let Some(stage) = run.stages.get_mut(name) {
            stage.state = StageState::Reopened;
            stage.reopened += 1;
        }
        let meant = e.feedback_for.as_ref().is_none_or(|stage| stage == name);
        if let Some(feedback) = e.feedback.as_ref().filter(|_| meant) {
            run.feedback.insert(name.clone(), feedback.clone());
        }
    }
    for id in &e.steps {
        if let Some(step) = step_mut(run, id) {
            step.state = StepState::Reopened;
            step.used = 0;
            step.artifacts.clear();
        }
        for items in run.current.values_mut() {
            items.retain(|_, artifact| {
                (&artifact.step.stage, &artifact.step.item) != (&id.stage, &id.item)
            });
        }
    }
    run.current.retain(|_, items| !items.is_empty());
}

fn step_requested(run: &mut Run, e: &StepRequested) {
    let steps = run.steps.entry(e.step.stage.clone()).or_default();
    let used = steps.get(&e.step.item).map_or(0, |step| step.used);
    steps.insert(
        e.step.item.clone(),
        Step {
            state: StepState::Open,
            attempt: e.attempt,
            used: used + 1,
            due: e.due,
            guidance: e.guidance.clone(),
            reserve: e.reserve,
            violations: vec![],
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
            turn.answer = Some(TurnAnswer::Model {
                response: response.clone(),
                model: e.model.clone(),
            });
        }
        (_, error) => {
            turn.failed_tries += 1;
            turn.retry_after_ms = error.as_ref().and_then(|error| error.retry_after_ms);
        }
    }
}

fn tool_returned(run: &mut Run, e: &ToolReturned) {
    run.spent.cost_micros += e.cost_micros;
    run.spent.working_ms += e.latency_ms;
    let Some(step) = step_mut(run, &e.step).filter(|step| step.attempt == e.attempt) else {
        return;
    };
    step.turn_mut(e.turn).answer = Some(TurnAnswer::Tool {
        output: e.output.clone(),
        tool: e.tool.clone(),
    });
}

fn output_rejected(run: &mut Run, e: &OutputRejected) {
    if let Some(step) = step_mut(run, &e.step).filter(|step| step.attempt == e.attempt) {
        step.violations.clone_from(&e.violations);
    }
}
