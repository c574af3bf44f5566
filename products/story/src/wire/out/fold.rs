//! One function for each family of events, one arm for each event.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::event::{
    Event, GateEvent, IntentClassified, RunEvent, StepEvent,
};
use palimpsest::prelude::wire::{ArtifactId, OpenRuns, Recorded, SessionRef, Wire};

use super::frames::StoryFrame;
use super::made::ProducedArtifact;
use super::run::{Now, RunState};
use super::words::StoryWords;

/// The `story` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Story;

impl Wire for Story {
    const NAME: &'static str = "story";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = State;
    type Data = StoryFrame;

    fn step(
        state: &mut State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<StoryFrame>,
    ) {
        state.step(session, recorded, out);
    }

    fn part(state: &State, out: &mut Vec<StoryFrame>) {
        state.part(out);
    }
}

/// What the wire remembers of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Runs that have not ended.
    runs: OpenRuns<RunState>,
    /// Artifacts that a later run may take over.
    made: BTreeMap<ArtifactId, ProducedArtifact>,
    /// When the last event was recorded, and in which session; nothing before the first.
    last: Option<(DateTime<Utc>, SessionRef)>,
}

impl State {
    fn step(&mut self, session: &SessionRef, recorded: &Recorded, out: &mut Vec<StoryFrame>) {
        let now = Now {
            at: recorded.recorded_at,
            session,
        };
        self.last = Some((now.at, session.clone()));
        match &recorded.event {
            Event::Run(event) => self.on_run(event, now, out),
            Event::Step(event) => self.on_step(event, now, out),
            Event::Gate(event) => self.on_gate(event, now, out),
            Event::Session(_) | Event::Collection(_) | Event::Project(_) => {}
        }
    }

    fn on_run(&mut self, event: &RunEvent, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        match event {
            RunEvent::RunStarted(e) => {
                self.runs.begin(e.run, RunState::new(e, now));
            }
            RunEvent::IntentClassified(e) => self.intent_classified(e, now, out),
            RunEvent::StageStarted(e) => {
                self.runs.with(e.run, |run| run.stage_started(e, now, out))
            }
            RunEvent::StageClosed(e) => self.runs.with(e.run, |run| run.stage_closed(e, now, out)),
            RunEvent::StagesReopened(e) => self.runs.with(e.run, |run| run.stages_reopened(e)),
            RunEvent::RunCompleted(e) => {
                self.runs.end(e.run, |run| run.completed(e, now, out));
            }
            RunEvent::RunFailed(e) => {
                self.runs.end(e.run, |run| run.failed(e, now, out));
            }
            RunEvent::RunCancelled(e) => {
                self.runs.end(e.run, |run| run.cancelled(e, now, out));
            }
            RunEvent::RefinementRequested(_)
            | RunEvent::ArtifactEdited(_)
            | RunEvent::DecisionMade(_)
            | RunEvent::HeadMoved(_) => {}
        }
    }

    fn on_step(&mut self, event: &StepEvent, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        let runs = &mut self.runs;
        match event {
            StepEvent::StepRequested(e) => {
                runs.with(e.step.run, |run| run.step_requested(e, now, out));
            }
            StepEvent::ModelCalled(e) => runs.with(e.step.run, |run| run.model_called(e)),
            StepEvent::ToolCalled(e) => runs.with(e.step.run, |run| run.tool_called(e, now, out)),
            StepEvent::ToolReturned(e) => {
                runs.with(e.step.run, |run| run.tool_returned(e, now, out));
            }
            StepEvent::ArtifactProduced(e) => {
                let mut made = None;
                runs.with(e.step.run, |run| made = run.made(e, now, out));
                if let Some(made) = made {
                    self.made.insert(e.artifact.clone(), made);
                }
            }
            StepEvent::StepSucceeded(e) => {
                runs.with(e.step.run, |run| run.step_succeeded(e, now, out));
            }
            StepEvent::StepFailed(e) => runs.with(e.step.run, |run| run.step_failed(e, now, out)),
            StepEvent::StepCancelled(e) => {
                runs.with(e.step.run, |run| run.step_cancelled(e, now, out));
            }
            StepEvent::OutputRejected(_) => {}
        }
    }

    fn on_gate(&mut self, event: &GateEvent, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        let runs = &mut self.runs;
        match event {
            GateEvent::GateOpened(e) => runs.with(e.run, |run| run.gate_opened(e, now, out)),
            GateEvent::AnswerGiven(e) => {
                runs.with(e.run, |run| {
                    run.answered(&e.gate, Some(&e.answer), now, out)
                });
            }
            GateEvent::PlanConfirmed(e) => {
                runs.with(e.run, |run| run.answered(&e.gate, None, now, out));
            }
            GateEvent::PlanDeclined(e) => {
                runs.with(e.run, |run| run.answered(&e.gate, None, now, out));
            }
            GateEvent::BudgetRaised(_) => {}
        }
    }

    fn intent_classified(&mut self, e: &IntentClassified, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        let made = &self.made;
        let Some(run) = self.runs.own_mut(e.run) else {
            return;
        };
        if let Some(language) = &e.language {
            run.language = StoryWords::of(language);
        }
        for made in e.kept.iter().filter_map(|kept| made.get(kept)) {
            run.take_over(made, now, out);
        }
    }

    /// Ends every run that has not ended, at the time of the last event.
    fn part(&self, out: &mut Vec<StoryFrame>) {
        let Some((at, session)) = &self.last else {
            return;
        };
        let now = Now { at: *at, session };
        for run in self.runs.values() {
            run.clone().erased(now, out);
        }
    }
}
