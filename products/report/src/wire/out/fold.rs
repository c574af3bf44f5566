//! The wire, and what it makes of what happens in a run.

use std::collections::BTreeMap;

use palimpsest::prelude::wire::event::{
    DecisionMade, GateOpened, Intent, IntentClassified, RunStarted, SessionEvent, StageOutcome,
    StagesReopened,
};
use palimpsest::prelude::wire::{
    ArtifactId, FrameOutput, Now, Recorded, RunBook, RunDelta, RunEnd, RunFold, RunId, RunTeller,
    SessionRef, Stamp, Wire,
};
use serde_json::value::RawValue;

use super::contents::{Plan, task_id};
use super::frames::{Content, Envelope, Metadata, ReportFrame, Stamped, event_id};
use super::run::{ArtifactRole, RunState};
use super::solvers::skipped;
use super::words::{self, ReportWords, SESSION_CREATED, SESSION_END};
use crate::stages::Stage;

/// The `report` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report;

impl Wire for Report {
    const NAME: &'static str = "report";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = RunFold<RunState>;
    type Data = ReportFrame;

    fn step(
        state: &mut Self::State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<ReportFrame>,
    ) {
        state.step(session, recorded, out);
    }

    fn part(state: &Self::State, out: &mut Vec<ReportFrame>) {
        state.part(out);
    }

    fn write(data: &ReportFrame, stamp: Stamp<'_>) -> serde_json::Result<Box<RawValue>> {
        write(data, stamp.session, Some(stamp.ordinal + 1))
    }

    fn write_parting(
        data: &ReportFrame,
        session: &SessionRef,
    ) -> serde_json::Result<Box<RawValue>> {
        write(data, session, None)
    }
}

fn write(
    data: &ReportFrame,
    session: &SessionRef,
    seq: Option<u64>,
) -> serde_json::Result<Box<RawValue>> {
    serde_json::value::to_raw_value(&Envelope {
        event: data.event,
        timestamp: palimpsest::prelude::wire::rfc3339(data.at),
        session_id: Some(session.session.as_str()),
        step_id: data.step_id.as_deref(),
        content: Some(&data.content),
        show_content: Some(&data.show_content),
        seq,
        event_id: seq.map(|seq| event_id(&session.session, Report::VERSION, seq)),
        metadata: &data.metadata,
    })
}

/// What the wire remembers of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportMemory {
    /// What each run is about. A run that goes on with another one is about the same.
    questions: BTreeMap<RunId, String>,
    /// Plans, sections, reports and files: a later run may take them over.
    artifacts: BTreeMap<ArtifactId, ArtifactRole>,
    /// The language of the latest run.
    language: ReportWords,
}

/// The frames of the event that is folded.
pub(super) type Out<'a> = FrameOutput<'a, ReportFrame>;

impl RunTeller for RunState {
    type Frame = ReportFrame;
    type Memory = ReportMemory;

    fn begin_run(e: &RunStarted, memory: &mut ReportMemory, out: &mut Out<'_>) -> Self {
        let run = Self::new(e);
        memory.language = run.language;
        // A run that takes up an earlier one has its input, but nobody asked for a new plan.
        let mode = e.input.get("mode").and_then(serde_json::Value::as_str);
        if run.book.own && e.base_run.is_none() && mode == Some("replan") {
            out.push(run.control(out.now, "replan", None, Some("restart")));
        }
        memory.questions.insert(e.run, run.question.clone());
        run
    }

    fn book(&mut self) -> &mut RunBook {
        &mut self.book
    }

    fn tell_delta(&mut self, delta: RunDelta<'_>, memory: &mut ReportMemory, out: &mut Out<'_>) {
        match delta {
            RunDelta::IntentClassified(e) => self.intent_classified(e, memory, out),
            RunDelta::RefinementRequested(e) if e.stage == words::PLAN => {
                self.ask(&e.feedback, memory);
            }
            RunDelta::StageStarted(e) => match Stage::named(&e.stage) {
                Some(Stage::Planning) => self.plan_starts(out),
                Some(Stage::Aggregation) => self.aggregate_starts(out),
                Some(Stage::Preparation | Stage::Writing | Stage::Export) | None => {}
            },
            // A task that is not solved when its stage closes will not be solved.
            RunDelta::StageClosed(e)
                if e.outcome == StageOutcome::Completed && e.stage == words::SECTIONS =>
            {
                self.settle(out);
            }
            RunDelta::StagesReopened(e) => self.stages_reopened(e, memory, out),
            RunDelta::DecisionMade(e) => self.decision_made(e, out),
            RunDelta::StepRequested(e, retry) => self.step_requested(e, retry, out),
            RunDelta::ModelCalled(e) => self.model_called(e, out),
            RunDelta::ToolCalled(e) => self.tool_called(e, out),
            RunDelta::ToolReturned(e) => self.tool_returned(e, out),
            RunDelta::ToolCutOff(tool) => self.tool_cut_off(tool, out),
            RunDelta::ArtifactProduced(e) => {
                let kept = self.made(e, out).map(|kept| (e.artifact.clone(), kept));
                memory.artifacts.extend(kept);
            }
            RunDelta::StepFailed { event, is_final } => self.step_failed(event, is_final, out),
            RunDelta::StepCancelled(e) => self.step_cancelled(e, out),
            RunDelta::GateOpened(e) => self.gate_opened(e, memory.subject_plan(e), out),
            RunDelta::GateAnswered(e) => self.gate_answered(&e, out),
            RunDelta::BudgetRaised(e) => {
                let metadata = Metadata::Budget { budget: e.budget };
                out.push(self.notice(out.now, metadata, self.language.budget_raised()));
            }
            RunDelta::MessageSent(e) => self.said.push(e.text.clone()),
            RunDelta::SessionForked(_) => self.forked(out),
            RunDelta::RefinementRequested(_)
            | RunDelta::ArtifactEdited(_)
            | RunDelta::StageClosed(_)
            | RunDelta::OutputRejected(_)
            | RunDelta::StepSucceeded(_) => {}
        }
    }

    fn tell_end(self, end: RunEnd<'_>, out: &mut Out<'_>) {
        self.end_report(end, out);
    }

    fn tell_session(event: &SessionEvent, memory: &mut ReportMemory, out: &mut Out<'_>) {
        if let SessionEvent::SessionOpened(e) = event {
            let metadata = Metadata::Session {
                agent_name: e.pipeline.clone(),
            };
            let show = memory.language.pick("会话已创建", SESSION_CREATED);
            let frame = of_session(
                "agent.session_created",
                SESSION_CREATED,
                metadata,
                show,
                out.now,
            );
            out.push(frame);
        }
    }

    fn tell_parting(memory: &ReportMemory, out: &mut Out<'_>) {
        let show = memory.language.pick("会话已结束", SESSION_END);
        let metadata = Metadata::None {};
        let frame = of_session("agent.session_end", SESSION_END, metadata, show, out.now);
        out.push(frame);
    }
}

impl ReportMemory {
    /// The plan that a question is about.
    fn subject_plan(&self, e: &GateOpened) -> Option<&Plan> {
        match self.artifacts.get(e.subject.as_ref()?)? {
            ArtifactRole::Plan(plan) => Some(plan),
            ArtifactRole::Section(_) | ArtifactRole::Report(_) | ArtifactRole::File(_) => None,
        }
    }
}

impl RunState {
    /// What the run is about from now on.
    fn ask(&mut self, question: &str, memory: &mut ReportMemory) {
        question.clone_into(&mut self.question);
        memory.questions.insert(self.book.id, question.to_owned());
    }

    fn intent_classified(
        &mut self,
        e: &IntentClassified,
        memory: &mut ReportMemory,
        out: &mut Out<'_>,
    ) {
        if let Some(language) = &e.language {
            self.language = ReportWords::of(language);
            memory.language = self.language;
        }
        let base = e.base_run.and_then(|base| memory.questions.get(&base));
        let goes_on = matches!(
            e.intent,
            Intent::Resumption | Intent::Restart | Intent::Edit
        );
        if let Some(question) = base.filter(|_| goes_on).cloned() {
            self.ask(&question, memory);
        }
        if !self.book.own {
            return;
        }
        self.intent = Some(e.intent);
        for kept in e.kept.iter().filter_map(|kept| memory.artifacts.get(kept)) {
            self.take_over(kept);
        }
        match e.intent {
            Intent::Resumption => {
                out.push(self.control(out.now, "resume", None, Some("restart")));
            }
            Intent::Restart => {
                if e.steps.iter().any(|step| step.stage == words::PLAN) {
                    out.push(self.control(out.now, "replan", None, Some("restart")));
                }
                for id in e.steps.iter().filter_map(task_id) {
                    out.push(self.control(out.now, "restart_task", Some(id), Some("restart")));
                    self.solver_restarts(id, out);
                }
            }
            Intent::Initial | Intent::Refinement | Intent::Irrelevant | Intent::Edit => {}
        }
    }

    fn stages_reopened(
        &mut self,
        e: &StagesReopened,
        memory: &mut ReportMemory,
        out: &mut Out<'_>,
    ) {
        let replans = e.steps.iter().any(|step| step.stage == words::PLAN);
        if replans && let Some(feedback) = &e.feedback {
            self.ask(feedback, memory);
        }
        if replans {
            // The tasks of another plan are different tasks, even if they have the same numbers.
            self.cancel_solvers(out);
            self.reopen_steps(&e.steps, out);
            return out.push(self.control(out.now, "replan", None, Some("in_run")));
        }
        self.reopen_steps(&e.steps, out);
        let mut ids: Vec<u32> = e.steps.iter().filter_map(task_id).collect();
        ids.sort_unstable();
        for id in ids {
            out.push(self.control(out.now, "restart_task", Some(id), Some("in_run")));
            self.solver_restarts(id, out);
        }
    }

    /// A task is left out. Decisions that the run took over before it was understood were sent in the run where they were made.
    fn decision_made(&mut self, e: &DecisionMade, out: &mut Out<'_>) {
        let Some(id) = skipped(&e.what) else { return };
        if e.choice != "skip" || self.intent.is_none() {
            return;
        }
        out.push(self.control(out.now, "cancel_task", Some(id), Some("in_run")));
        if !self.has_ended(id) {
            self.leave_out(id, out);
        }
    }
}

fn of_session(
    event: &'static str,
    text: &str,
    metadata: Metadata,
    show: &str,
    now: Now<'_>,
) -> ReportFrame {
    ReportFrame {
        event,
        at: now.at,
        step_id: None,
        content: Content::Text(text.to_owned()),
        show_content: show.to_owned(),
        metadata: Stamped {
            run_id: None,
            metadata,
        },
        terminal: false,
    }
}
