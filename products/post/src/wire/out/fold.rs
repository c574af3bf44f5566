//! One function for each family of events, one arm for each event.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::event::{
    Event, GateEvent, IntentClassified, RunEvent, SessionEvent, StepEvent,
};
use palimpsest::prelude::wire::{ArtifactId, Language, OpenRuns, Recorded, SessionRef, Wire};

use super::frames::PostFrame;
use super::run::{Now, ProducedArtifact, RunState};

/// The `post` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post;

impl Wire for Post {
    const NAME: &'static str = "post";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    const HOLDS_OUTPUTS: bool = true;
    type State = State;
    type Data = PostFrame;

    fn step(
        state: &mut State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<PostFrame>,
    ) {
        state.step(session, recorded, out);
    }

    fn part(state: &State, out: &mut Vec<PostFrame>) {
        state.part(out);
    }
}

/// What the wire remembers of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Runs that have not ended.
    runs: OpenRuns<RunState>,
    /// Everything that was made: a later run may take it over.
    made: BTreeMap<ArtifactId, ProducedArtifact>,
    /// When the last event was recorded, and in which session; nothing before the first.
    last: Option<(DateTime<Utc>, SessionRef)>,
}

impl State {
    fn step(&mut self, session: &SessionRef, recorded: &Recorded, out: &mut Vec<PostFrame>) {
        let now = Now {
            at: recorded.recorded_at,
            session,
        };
        self.last = Some((now.at, session.clone()));
        match &recorded.event {
            Event::Session(event) => self.on_session(event, now, out),
            Event::Run(event) => self.on_run(event, now, out),
            Event::Step(event) => self.on_step(event, now, out),
            Event::Gate(event) => self.on_gate(event, now, out),
            Event::Collection(_) | Event::Project(_) => {}
        }
    }

    fn on_session(&mut self, event: &SessionEvent, now: Now<'_>, out: &mut Vec<PostFrame>) {
        match event {
            SessionEvent::MessageSent(e) => {
                self.runs.with(e.run, |run| run.message_sent(e, now, out));
            }
            SessionEvent::SessionOpened(_)
            | SessionEvent::SessionTitled(_)
            | SessionEvent::SessionForked(_)
            | SessionEvent::SessionErased(_)
            | SessionEvent::MessageReceived(_)
            | SessionEvent::MessageQueued(_)
            | SessionEvent::MessageWithdrawn(_)
            | SessionEvent::FilePut(_)
            | SessionEvent::FileRemoved(_) => {}
        }
    }

    fn on_run(&mut self, event: &RunEvent, now: Now<'_>, out: &mut Vec<PostFrame>) {
        match event {
            RunEvent::RunStarted(e) => {
                self.runs.begin(e.run, RunState::new(e));
            }
            RunEvent::IntentClassified(e) => self.intent_classified(e),
            RunEvent::StageStarted(e) => {
                self.runs.with(e.run, |run| run.stage_started(e, now, out))
            }
            RunEvent::StageClosed(e) => self.runs.with(e.run, |run| run.stage_closed(e, now, out)),
            RunEvent::StagesReopened(e) => self
                .runs
                .with(e.run, |run| run.stages_reopened(e, now, out)),
            RunEvent::DecisionMade(e) => self.runs.with(e.run, |run| run.decided(e, now, out)),
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
            | RunEvent::HeadMoved(_) => {}
        }
    }

    fn on_step(&mut self, event: &StepEvent, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let runs = &mut self.runs;
        match event {
            StepEvent::StepRequested(e) => {
                runs.with(e.step.run, |run| run.step_requested(e, now, out));
            }
            StepEvent::ToolCalled(e) => runs.with(e.step.run, |run| run.tool_called(e, now, out)),
            StepEvent::ToolReturned(e) => {
                runs.with(e.step.run, |run| run.tool_returned(e, now, out))
            }
            StepEvent::ArtifactProduced(e) => {
                let mut made = None;
                runs.with(e.step.run, |run| made = Some(run.made(e, now, out)));
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
            StepEvent::ModelCalled(_) | StepEvent::OutputRejected(_) => {}
        }
    }

    fn on_gate(&mut self, event: &GateEvent, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let runs = &mut self.runs;
        match event {
            GateEvent::GateOpened(e) => runs.with(e.run, |run| run.gate_opened(e, now, out)),
            GateEvent::PlanDeclined(e) => runs.with(e.run, |run| run.declined_at(&e.gate)),
            GateEvent::PlanConfirmed(_)
            | GateEvent::AnswerGiven(_)
            | GateEvent::BudgetRaised(_) => {}
        }
    }

    fn intent_classified(&mut self, e: &IntentClassified) {
        let made = &self.made;
        let Some(run) = self.runs.get_mut(e.run) else {
            return;
        };
        if let Some(language) = &e.language {
            run.language = super::words::PostWords(Language::of(language));
        }
        for made in e.kept.iter().filter_map(|kept| made.get(kept)) {
            run.take_over(made);
        }
    }

    /// Ends every run that has not ended, at the time of the last event.
    fn part(&self, out: &mut Vec<PostFrame>) {
        let Some((at, session)) = &self.last else {
            return;
        };
        let now = Now { at: *at, session };
        for run in self.runs.values() {
            run.clone().erased(now, out);
        }
    }
}
