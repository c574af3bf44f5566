//! The runs of a session, folded once for every wire: which runs have not ended, which attempts of their steps are open, and which calls
//! of tools have no answer. A wire is told what happened in a run as a [`RunDelta`], and says it in its own frames.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::event::{
    ArtifactEdited, ArtifactProduced, BudgetRaised, DecisionMade, Event, GateEvent, GateOpened,
    IntentClassified, MessageSent, ModelCalled, OutputRejected, RefinementRequested, RunCancelled,
    RunCompleted, RunEvent, RunFailed, RunStarted, SessionEvent, SessionForked, StageClosed,
    StageStarted, StagesReopened, StepCancelled, StepEvent, StepFailed, StepRequested,
    StepSucceeded, ToolCalled, ToolReturned,
};
use domain::{EventId, GateId, Recorded, RunId, StepId};
use serde_json::Value;

use super::fold::{FrameData, Now, SessionRef};
use super::run_book::{NextAttempt, OpenTool, RunBook};

/// The frames of one event, and when and for which session it was recorded.
#[derive(Debug)]
pub struct FrameOutput<'a, F> {
    pub now: Now<'a>,
    frames: &'a mut Vec<F>,
}

impl<F> FrameOutput<'_, F> {
    pub fn push(&mut self, frame: F) {
        self.frames.push(frame);
    }
}

/// What a wire says of one run.
pub trait RunTeller: Clone + std::fmt::Debug + Send + Sync + 'static {
    type Frame: FrameData;
    /// What the wire remembers of a session beyond the end of a run.
    type Memory: Clone + Default + std::fmt::Debug + Send + Sync + 'static;

    /// A run that begins.
    fn begin_run(
        e: &RunStarted,
        memory: &mut Self::Memory,
        out: &mut FrameOutput<'_, Self::Frame>,
    ) -> Self;

    /// What is folded for every wire.
    fn book(&mut self) -> &mut RunBook;

    /// Says what happened in a run that has not ended. A run that the wire does not tell gets only its intent and the messages of the
    /// system.
    fn tell_delta(
        &mut self,
        delta: RunDelta<'_>,
        memory: &mut Self::Memory,
        out: &mut FrameOutput<'_, Self::Frame>,
    );

    /// Exchanges what later runs need of a run that ends, and what its end needs of the session, before the end is told.
    fn settle(&mut self, end: &RunEnd<'_>, memory: &mut Self::Memory) {
        let _ = (end, memory);
    }

    /// Notes that the session has what this run left, since somebody went back to it.
    fn move_head(run: RunId, memory: &mut Self::Memory) {
        let _ = (run, memory);
    }

    /// Says how the run ended, whichever pipeline it is of. Its calls of tools were cut off before.
    fn tell_end(self, end: RunEnd<'_>, out: &mut FrameOutput<'_, Self::Frame>);

    /// Says what happened to the session, before its runs are told of it.
    fn tell_session(
        event: &SessionEvent,
        memory: &mut Self::Memory,
        out: &mut FrameOutput<'_, Self::Frame>,
    ) {
        let _ = (event, memory, out);
    }

    /// Says that the session was erased, after the end of every run.
    fn tell_parting(memory: &Self::Memory, out: &mut FrameOutput<'_, Self::Frame>) {
        let _ = (memory, out);
    }
}

/// What happened in a run.
#[derive(Debug)]
pub enum RunDelta<'a> {
    IntentClassified(&'a IntentClassified),
    RefinementRequested(&'a RefinementRequested),
    ArtifactEdited(&'a ArtifactEdited),
    StageStarted(&'a StageStarted),
    StageClosed(&'a StageClosed),
    /// The attempts of these steps count from the beginning again.
    StagesReopened(&'a StagesReopened),
    DecisionMade(&'a DecisionMade),
    StepRequested(&'a StepRequested, NextAttempt),
    ModelCalled(&'a ModelCalled),
    ToolCalled(&'a ToolCalled),
    ToolReturned(&'a ToolReturned),
    /// A call that the wire has opened gets no answer any more: its attempt or its run ends.
    ToolCutOff(OpenTool),
    ArtifactProduced(&'a ArtifactProduced),
    OutputRejected(&'a OutputRejected),
    StepSucceeded(&'a StepSucceeded),
    /// An attempt failed; `is_final` says that no other one follows.
    StepFailed {
        event: &'a StepFailed,
        is_final: bool,
    },
    StepCancelled(&'a StepCancelled),
    GateOpened(&'a GateOpened),
    GateAnswered(GateAnswered<'a>),
    BudgetRaised(&'a BudgetRaised),
    MessageSent(&'a MessageSent),
    /// The events that follow are those of a fork.
    SessionForked(&'a SessionForked),
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub enum RunEnd<'a> {
    Completed(&'a RunCompleted),
    Failed(&'a RunFailed),
    Cancelled(&'a RunCancelled),
    /// The session was erased before the run had ended.
    Erased,
}

/// An answer at a gate, whatever kind of question it had.
#[derive(Clone, Copy, Debug)]
pub struct GateAnswered<'a> {
    pub gate: &'a GateId,
    pub by: &'a str,
    /// What was answered to a question; `None` for a plan.
    pub answer: Option<&'a Value>,
    pub is_declined: bool,
}

/// What a wire remembers of a session.
#[derive(Clone, Debug)]
pub struct RunFold<R: RunTeller> {
    /// Runs that have not ended.
    runs: BTreeMap<RunId, R>,
    memory: R::Memory,
    /// When the last event was recorded, and in which session; `None` before the first.
    last: Option<(DateTime<Utc>, SessionRef)>,
}

impl<R: RunTeller> Default for RunFold<R> {
    fn default() -> Self {
        Self {
            runs: BTreeMap::new(),
            memory: R::Memory::default(),
            last: None,
        }
    }
}

impl<R: RunTeller> RunFold<R> {
    /// Takes one event into account and gives its frames.
    pub fn step(&mut self, session: &SessionRef, recorded: &Recorded, frames: &mut Vec<R::Frame>) {
        let now = Now {
            at: recorded.recorded_at,
            event_id: recorded.event_id,
            session,
        };
        self.last = Some((now.at, session.clone()));
        let out = &mut FrameOutput { now, frames };
        match &recorded.event {
            Event::Session(event) => self.on_session(event, out),
            Event::Run(event) => self.on_run(event, out),
            Event::Step(event) => self.on_step(event, out),
            Event::Gate(event) => self.on_gate(event, out),
            Event::Collection(_) | Event::Project(_) => {}
        }
    }

    /// Ends every run that has not ended, at the time of the last event: the session was erased.
    pub fn part(&self, frames: &mut Vec<R::Frame>) {
        let Some((at, session)) = &self.last else {
            return;
        };
        let now = Now {
            at: *at,
            event_id: EventId::default(),
            session,
        };
        let out = &mut FrameOutput { now, frames };
        let mut parted = self.clone();
        for run in self.runs.keys() {
            parted.end_run(*run, RunEnd::Erased, out);
        }
        R::tell_parting(&parted.memory, out);
    }

    fn on_session(&mut self, event: &SessionEvent, out: &mut FrameOutput<'_, R::Frame>) {
        R::tell_session(event, &mut self.memory, out);
        match event {
            SessionEvent::MessageSent(e) => {
                self.tell_any(e.run, RunDelta::MessageSent(e), out);
            }
            SessionEvent::SessionForked(e) => {
                let runs: Vec<RunId> = self.runs.keys().copied().collect();
                for run in runs {
                    self.tell_own(run, RunDelta::SessionForked(e), out);
                }
            }
            SessionEvent::SessionOpened(_)
            | SessionEvent::SessionTitled(_)
            | SessionEvent::SessionErased(_)
            | SessionEvent::MessageReceived(_)
            | SessionEvent::MessageQueued(_)
            | SessionEvent::MessageWithdrawn(_)
            | SessionEvent::FilePut(_)
            | SessionEvent::FileRemoved(_) => {}
        }
    }

    fn on_run(&mut self, event: &RunEvent, out: &mut FrameOutput<'_, R::Frame>) {
        let (run, delta) = match event {
            RunEvent::RunStarted(e) => {
                let run = R::begin_run(e, &mut self.memory, out);
                self.runs.insert(e.run, run);
                return;
            }
            RunEvent::IntentClassified(e) => {
                return self.tell_any(e.run, RunDelta::IntentClassified(e), out);
            }
            RunEvent::RefinementRequested(e) => (e.run, RunDelta::RefinementRequested(e)),
            RunEvent::ArtifactEdited(e) => (e.run, RunDelta::ArtifactEdited(e)),
            RunEvent::StageStarted(e) => (e.run, RunDelta::StageStarted(e)),
            RunEvent::StageClosed(e) => (e.run, RunDelta::StageClosed(e)),
            RunEvent::StagesReopened(e) => {
                if let Some(run) = self.own_mut(e.run) {
                    run.book().reopen_steps(&e.steps);
                }
                (e.run, RunDelta::StagesReopened(e))
            }
            RunEvent::DecisionMade(e) => (e.run, RunDelta::DecisionMade(e)),
            RunEvent::RunCompleted(e) => return self.end_run(e.run, RunEnd::Completed(e), out),
            RunEvent::RunFailed(e) => return self.end_run(e.run, RunEnd::Failed(e), out),
            RunEvent::RunCancelled(e) => return self.end_run(e.run, RunEnd::Cancelled(e), out),
            RunEvent::HeadMoved(e) => return R::move_head(e.run, &mut self.memory),
        };
        self.tell_own(run, delta, out);
    }

    fn on_step(&mut self, event: &StepEvent, out: &mut FrameOutput<'_, R::Frame>) {
        let (step, delta) = match event {
            StepEvent::StepRequested(e) => {
                let Some(run) = self.own_mut(e.step.run) else {
                    return;
                };
                let next = run.book().request_step(e, out.now.at);
                (&e.step, RunDelta::StepRequested(e, next))
            }
            StepEvent::ModelCalled(e) => (&e.step, RunDelta::ModelCalled(e)),
            StepEvent::ToolCalled(e) => (&e.step, RunDelta::ToolCalled(e)),
            StepEvent::ToolReturned(e) => (&e.step, RunDelta::ToolReturned(e)),
            StepEvent::ArtifactProduced(e) => (&e.step, RunDelta::ArtifactProduced(e)),
            StepEvent::OutputRejected(e) => (&e.step, RunDelta::OutputRejected(e)),
            StepEvent::StepSucceeded(e) => {
                return self.end_attempt(&e.step, e.attempt, out, |_| RunDelta::StepSucceeded(e));
            }
            StepEvent::StepFailed(event) => {
                return self.end_attempt(&event.step, event.attempt, out, |book| {
                    let is_final = book.fail_step(event);
                    RunDelta::StepFailed { event, is_final }
                });
            }
            StepEvent::StepCancelled(e) => {
                return self.end_attempt(&e.step, e.attempt, out, |book| {
                    book.cancel_step(e);
                    RunDelta::StepCancelled(e)
                });
            }
        };
        self.tell_own(step.run, delta, out);
    }

    fn on_gate(&mut self, event: &GateEvent, out: &mut FrameOutput<'_, R::Frame>) {
        let (run, gate, by, answer) = match event {
            GateEvent::GateOpened(e) => return self.tell_own(e.run, RunDelta::GateOpened(e), out),
            GateEvent::BudgetRaised(e) => {
                return self.tell_own(e.run, RunDelta::BudgetRaised(e), out);
            }
            GateEvent::PlanConfirmed(e) => (e.run, &e.gate, &e.by, None),
            GateEvent::PlanDeclined(e) => (e.run, &e.gate, &e.by, None),
            GateEvent::AnswerGiven(e) => (e.run, &e.gate, &e.by, Some(&e.answer)),
        };
        let answered = GateAnswered {
            gate,
            by,
            answer,
            is_declined: matches!(event, GateEvent::PlanDeclined(_)),
        };
        self.tell_own(run, RunDelta::GateAnswered(answered), out);
    }

    fn own_mut(&mut self, run: RunId) -> Option<&mut R> {
        let run = self.runs.get_mut(&run)?;
        run.book().own.then_some(run)
    }

    /// A run that has ended, that never began, or that is another pipeline's gives no frames.
    fn tell_own(&mut self, run: RunId, delta: RunDelta<'_>, out: &mut FrameOutput<'_, R::Frame>) {
        if self.own_mut(run).is_some() {
            self.tell_any(run, delta, out);
        }
    }

    /// The same for a run of any pipeline.
    fn tell_any(&mut self, run: RunId, delta: RunDelta<'_>, out: &mut FrameOutput<'_, R::Frame>) {
        if let Some(run) = self.runs.get_mut(&run) {
            run.tell_delta(delta, &mut self.memory, out);
        }
    }

    /// Ends an attempt that is open, and the calls of tools that it has made.
    fn end_attempt<'e>(
        &mut self,
        step: &StepId,
        attempt: u32,
        out: &mut FrameOutput<'_, R::Frame>,
        note: impl FnOnce(&mut RunBook) -> RunDelta<'e>,
    ) {
        let Some(run) = self.own_mut(step.run) else {
            return;
        };
        let book = run.book();
        if !book.end_attempt(step, attempt) {
            return;
        }
        let delta = note(book);
        for tool in book.cut_off_tools(|of| of == step) {
            self.tell_own(step.run, RunDelta::ToolCutOff(tool), out);
        }
        self.tell_own(step.run, delta, out);
    }

    /// Ends a run that was begun. A second end of it says nothing.
    fn end_run(&mut self, run: RunId, end: RunEnd<'_>, out: &mut FrameOutput<'_, R::Frame>) {
        let Some(mut run) = self.runs.remove(&run) else {
            return;
        };
        for tool in run.book().cut_off_tools(|_| true) {
            run.tell_delta(RunDelta::ToolCutOff(tool), &mut self.memory, out);
        }
        run.settle(&end, &mut self.memory);
        run.tell_end(end, out);
    }
}

#[cfg(test)]
#[path = "run_fold_tests.rs"]
mod tests;
