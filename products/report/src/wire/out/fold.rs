//! One function for each family of events, one arm for each event.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use palimpsest::prelude::wire::event::{
    DecisionMade, Event, GateEvent, GateOpened, Intent, IntentClassified, RunEvent, SessionEvent,
    StageOutcome, StageStarted, StagesReopened, StepEvent,
};
use palimpsest::prelude::wire::{ArtifactId, OpenRuns, Recorded, RunId, SessionRef, Stamp, Wire};
use serde_json::value::RawValue;

use super::contents::task_id;
use super::frames::{Content, Envelope, Metadata, ReportFrame, Stamped, event_id};
use super::run::{ArtifactRole, Moment, RunState};
use super::solvers::skipped;
use super::words::{self, ReportWords, SESSION_CREATED, SESSION_END};

/// The `report` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report;

impl Wire for Report {
    const NAME: &'static str = "report";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = State;
    type Data = ReportFrame;

    fn step(state: &mut State, _: &SessionRef, recorded: &Recorded, out: &mut Vec<ReportFrame>) {
        state.step(recorded, out);
    }

    fn part(state: &State, out: &mut Vec<ReportFrame>) {
        state.clone().part(out);
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
pub(crate) struct State {
    /// Runs that have not ended.
    runs: OpenRuns<RunState>,
    /// What each run is about. A run that goes on with another one is about the same.
    questions: BTreeMap<RunId, String>,
    /// Plans, sections, reports and files: a later run may take them over.
    artifacts: BTreeMap<ArtifactId, ArtifactRole>,
    /// The language of the latest run.
    language: ReportWords,
    /// When the last event was recorded; `None` before the first event.
    last_at: Option<DateTime<Utc>>,
}

impl State {
    fn step(&mut self, recorded: &Recorded, out: &mut Vec<ReportFrame>) {
        let now = recorded.recorded_at;
        self.last_at = Some(now);
        match &recorded.event {
            Event::Session(event) => self.on_session(event, now, out),
            Event::Run(event) => self.on_run(event, now, out),
            Event::Step(event) => self.on_step(event, now, out),
            Event::Gate(event) => self.on_gate(event, now, out),
            Event::Collection(_) | Event::Project(_) => {}
        }
    }

    fn on_session(&mut self, event: &SessionEvent, now: Moment, out: &mut Vec<ReportFrame>) {
        match event {
            SessionEvent::SessionOpened(e) => {
                let metadata = Metadata::Session {
                    agent_name: e.pipeline.clone(),
                };
                let show = self.language.pick("会话已创建", SESSION_CREATED);
                out.push(of_session(
                    "agent.session_created",
                    SESSION_CREATED,
                    metadata,
                    show,
                    now,
                ));
            }
            SessionEvent::SessionForked(_) => {
                for run in self.runs.values_mut() {
                    run.forked(now, out);
                }
            }
            SessionEvent::MessageSent(e) => {
                if let Some(run) = self.runs.get_mut(e.run) {
                    run.said.push(e.text.clone());
                }
            }
            SessionEvent::SessionTitled(_)
            | SessionEvent::SessionErased(_)
            | SessionEvent::MessageReceived(_)
            | SessionEvent::MessageQueued(_)
            | SessionEvent::MessageWithdrawn(_)
            | SessionEvent::FilePut(_)
            | SessionEvent::FileRemoved(_) => {}
        }
    }

    fn on_run(&mut self, event: &RunEvent, now: Moment, out: &mut Vec<ReportFrame>) {
        match event {
            RunEvent::RunStarted(e) => {
                let run = RunState::new(e);
                self.language = run.language;
                // A run that takes up an earlier one has its input, but nobody asked for a new plan.
                let mode = e.input.get("mode").and_then(serde_json::Value::as_str);
                if run.own && !run.is_on_base && mode == Some("replan") {
                    out.push(run.control(now, "replan", None, Some("restart")));
                }
                self.questions.insert(e.run, run.question.clone());
                self.runs.begin(e.run, run);
            }
            RunEvent::IntentClassified(e) => self.intent_classified(e, now, out),
            RunEvent::RefinementRequested(e) => {
                if e.stage == words::PLAN {
                    self.ask(e.run, &e.feedback);
                }
            }
            RunEvent::ArtifactEdited(_) => {}
            RunEvent::StageStarted(e) => {
                self.runs.with(e.run, |run| stage_started(run, e, now, out))
            }
            RunEvent::StageClosed(e) => self.runs.with(e.run, |run| {
                if e.outcome == StageOutcome::Completed {
                    run.stage_closed(&e.stage, now, out);
                }
            }),
            RunEvent::StagesReopened(e) => self.stages_reopened(e, now, out),
            RunEvent::DecisionMade(e) => {
                self.runs.with(e.run, |run| decision_made(run, e, now, out))
            }
            RunEvent::RunCompleted(e) => {
                self.runs.end(e.run, |run| run.completed(e, now, out));
            }
            RunEvent::RunFailed(e) => {
                self.runs.end(e.run, |run| run.failed(e, now, out));
            }
            RunEvent::RunCancelled(e) => {
                self.runs.end(e.run, |run| run.cancelled(e, now, out));
            }
            RunEvent::HeadMoved(_) => {}
        }
    }

    fn on_step(&mut self, event: &StepEvent, now: Moment, out: &mut Vec<ReportFrame>) {
        let runs = &mut self.runs;
        match event {
            StepEvent::StepRequested(e) => {
                runs.with(e.step.run, |run| run.step_requested(e, now, out));
            }
            StepEvent::ModelCalled(e) => runs.with(e.step.run, |run| run.model_called(e, now, out)),
            StepEvent::ToolCalled(e) => runs.with(e.step.run, |run| run.tool_called(e, now, out)),
            StepEvent::ToolReturned(e) => {
                runs.with(e.step.run, |run| run.tool_returned(e, now, out))
            }
            StepEvent::ArtifactProduced(e) => {
                let mut kept = None;
                runs.with(e.step.run, |run| kept = run.made(e, now, out));
                if let Some(kept) = kept {
                    self.artifacts.insert(e.artifact.clone(), kept);
                }
            }
            StepEvent::StepSucceeded(e) => {
                runs.with(e.step.run, |run| run.step_succeeded(e, now, out));
            }
            StepEvent::StepFailed(e) => runs.with(e.step.run, |run| run.step_failed(e, now, out)),
            StepEvent::StepCancelled(e) => {
                runs.with(e.step.run, |run| run.step_cancelled(e, now, out))
            }
            StepEvent::OutputRejected(_) => {}
        }
    }

    fn on_gate(&mut self, event: &GateEvent, now: Moment, out: &mut Vec<ReportFrame>) {
        let runs = &mut self.runs;
        match event {
            GateEvent::GateOpened(e) => self.gate_opened(e, now, out),
            GateEvent::PlanConfirmed(e) => {
                runs.with(e.run, |run| run.gate_answered(&e.gate, &e.by, now, out));
            }
            GateEvent::PlanDeclined(e) => runs.with(e.run, |run| {
                run.is_declined = true;
                run.gate_answered(&e.gate, &e.by, now, out);
            }),
            GateEvent::AnswerGiven(e) => {
                runs.with(e.run, |run| run.gate_answered(&e.gate, &e.by, now, out));
            }
            GateEvent::BudgetRaised(e) => runs.with(e.run, |run| {
                let metadata = Metadata::Budget { budget: e.budget };
                out.push(run.notice(now, metadata, run.language.budget_raised()));
            }),
        }
    }

    /// What the run is about from now on.
    fn ask(&mut self, run: RunId, question: &str) {
        self.runs
            .with(run, |run| question.clone_into(&mut run.question));
        self.questions.insert(run, question.to_owned());
    }

    fn intent_classified(&mut self, e: &IntentClassified, now: Moment, out: &mut Vec<ReportFrame>) {
        if let Some(run) = self.runs.get_mut(e.run)
            && let Some(language) = &e.language
        {
            run.language = ReportWords::of(language);
            self.language = run.language;
        }
        let base = e.base_run.and_then(|base| self.questions.get(&base));
        let goes_on = matches!(
            e.intent,
            Intent::Resumption | Intent::Restart | Intent::Edit
        );
        if let Some(question) = base.filter(|_| goes_on).cloned() {
            self.ask(e.run, &question);
        }
        let artifacts = &self.artifacts;
        let Some(run) = self.runs.own_mut(e.run) else {
            return;
        };
        run.intent = Some(e.intent);
        for artifact in &e.kept {
            if let Some(kept) = artifacts.get(artifact) {
                run.take_over(kept);
            }
        }
        match e.intent {
            Intent::Resumption => out.push(run.control(now, "resume", None, Some("restart"))),
            Intent::Restart => {
                if e.steps.iter().any(|step| step.stage == words::PLAN) {
                    out.push(run.control(now, "replan", None, Some("restart")));
                }
                for id in e.steps.iter().filter_map(task_id) {
                    out.push(run.control(now, "restart_task", Some(id), Some("restart")));
                    run.solver_restarts(id, now, out);
                }
            }
            Intent::Initial | Intent::Refinement | Intent::Irrelevant | Intent::Edit => {}
        }
    }

    fn stages_reopened(&mut self, e: &StagesReopened, now: Moment, out: &mut Vec<ReportFrame>) {
        let replans = e.steps.iter().any(|step| step.stage == words::PLAN);
        if replans && let Some(feedback) = &e.feedback {
            self.ask(e.run, feedback);
        }
        self.runs.with(e.run, |run| {
            let mut ids: Vec<u32> = e.steps.iter().filter_map(task_id).collect();
            ids.sort_unstable();
            if replans {
                // The tasks of another plan are different tasks, even if they have the same numbers.
                run.cancel_solvers(now, out);
                run.reopen_steps(&e.steps, now, out);
                out.push(run.control(now, "replan", None, Some("in_run")));
            } else {
                run.reopen_steps(&e.steps, now, out);
                for id in ids {
                    out.push(run.control(now, "restart_task", Some(id), Some("in_run")));
                    run.solver_restarts(id, now, out);
                }
            }
        });
    }

    fn gate_opened(&mut self, e: &GateOpened, now: Moment, out: &mut Vec<ReportFrame>) {
        let artifacts = &self.artifacts;
        let plan_of = |artifact: &ArtifactId| match artifacts.get(artifact)? {
            ArtifactRole::Plan(plan) => Some(plan),
            ArtifactRole::Section(_) | ArtifactRole::Report(_) | ArtifactRole::File(_) => None,
        };
        let subject = e.subject.as_ref().and_then(plan_of).map(Arc::clone);
        self.runs.with(e.run, |run| {
            run.gate_opened(e, subject.as_deref(), now, out)
        });
    }

    /// Ends every run that has not ended, and the session, at the time of the last event.
    fn part(mut self, out: &mut Vec<ReportFrame>) {
        let Some(now) = self.last_at else { return };
        for run in std::mem::take(&mut self.runs).into_values() {
            run.interrupted("erased", now, out);
        }
        let show = self.language.pick("会话已结束", SESSION_END);
        let metadata = Metadata::None {};
        out.push(of_session(
            "agent.session_end",
            SESSION_END,
            metadata,
            show,
            now,
        ));
    }
}

fn of_session(
    event: &'static str,
    text: &str,
    metadata: Metadata,
    show: &str,
    now: Moment,
) -> ReportFrame {
    ReportFrame {
        event,
        at: now,
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

fn stage_started(run: &mut RunState, e: &StageStarted, now: Moment, out: &mut Vec<ReportFrame>) {
    match e.stage.as_str() {
        words::PLAN => run.plan_starts(now, out),
        words::REPORT => run.aggregate_starts(now, out),
        _ => {}
    }
}

/// A task is left out. Decisions that the run took over before it was understood were sent in the run where they were made.
fn decision_made(run: &mut RunState, e: &DecisionMade, now: Moment, out: &mut Vec<ReportFrame>) {
    let Some(id) = skipped(&e.what) else { return };
    if e.choice != "skip" || run.intent.is_none() {
        return;
    }
    out.push(run.control(now, "cancel_task", Some(id), Some("in_run")));
    if !run.has_ended(id) {
        run.leave_out(id, now, out);
    }
}
