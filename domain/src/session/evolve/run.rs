//! What runs are, and which of them is the head.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{make_current, step_mut};
use crate::event::{
    IntentClassified, RunEvent, RunStarted, StageClosed, StageOutcome, StageStarted, StagesReopened,
};
use crate::ids::RunId;
use crate::session::Session;
use crate::session::gate::GateAnswer;
use crate::session::run::{End, Run, Spent, Stage, StageState};
use crate::session::step::StepState;

impl Session {
    pub(super) fn evolve_run(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted(e) => self.run_started(e),
            RunEvent::IntentClassified(e) => self.intent_classified(e),
            RunEvent::RefinementRequested(e) => self.with_run(e.run, |run| {
                run.base_run = Some(e.base_run);
                run.refinement = Some(e.clone());
            }),
            RunEvent::ArtifactEdited(e) => self.with_run(e.run, |run| {
                run.edit = Some(Arc::new(e.clone()));
            }),
            RunEvent::StageStarted(e) => self.with_run(e.run, |run| stage_started(run, e)),
            RunEvent::StageClosed(e) => self.with_run(e.run, |run| stage_closed(run, e)),
            RunEvent::StagesReopened(e) => self.with_run(e.run, |run| stages_reopened(run, e)),
            RunEvent::DecisionMade(e) => self.with_run(e.run, |run| run.decisions.push(e.clone())),
            RunEvent::RunCompleted(e) => {
                let end = End::Completed {
                    final_artifact: e.final_artifact.clone(),
                    partial: e.partial,
                };
                self.run_ended(e.run, end);
                // A run whose message asked for nothing does not become the head. A run that a person wanted finished with what there is
                // becomes the head even without the deliverable.
                let made = |run: &Run| !run.current.is_empty();
                let has_part = e.partial && self.runs.get(&e.run).is_some_and(made);
                if e.final_artifact.is_some() || has_part {
                    self.head = Some(e.run);
                }
            }
            RunEvent::RunFailed(e) => {
                let end = End::Failed {
                    code: e.code.clone(),
                    message: e.message.clone(),
                };
                self.run_ended(e.run, end);
            }
            RunEvent::RunCancelled(e) => {
                self.run_ended(
                    e.run,
                    End::Cancelled {
                        reason: e.reason.clone(),
                    },
                );
            }
            RunEvent::HeadMoved(e) => self.head = Some(e.run),
        }
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
                edit: None,
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
                rejected: 0,
                asks_once: false,
                closed_models: BTreeMap::new(),
            },
        );
    }

    /// The answers so far to questions that are not about an artifact.
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

    fn run_ended(&mut self, run: RunId, end: End) {
        if self.active == Some(run) {
            self.active = None;
        }
        self.with_run(run, |run| {
            run.end = Some(end);
        });
    }
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
