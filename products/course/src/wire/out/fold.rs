//! One function for each family of events, one arm for each event. What a run has open is in `run.rs`.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::UNDERSTAND;
use palimpsest::prelude::pipeline::event::{
    ArtifactProduced, Event, GateEvent, GateOpened, Intent, IntentClassified, MessageSent,
    RunEvent, SessionEvent, StageClosed, StageOutcome, StageStarted, StagesReopened, StepEvent,
};
use palimpsest::prelude::wire::{
    AnyOverview, ArtifactId, Cursor, EventId, Recorded, RunId, SessionRef, Stamp, Wire,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::frames::{
    Completion, CourseFrame, KINDS, LogLevel, MessageChunk, MessageStart, ToolStatus,
};
use super::init::InitView;
use super::run::{Moment, RunState, STOPPED};
use super::words::Language;
use super::{causes, lines, words};

/// The kind of artifact that a search produces.
const SEARCH_RESULT: &str = "search_result";
const SLIDE_SCRIPTS: &str = "slide_scripts";

/// The exact word of the contract for a run that was cancelled, whatever the reason.
const CANCELLED: &str = "cancelled";

/// The code of a run that ended because its session was erased.
const ERASED: &str = "erased";

/// The `course` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course;

impl Wire for Course {
    const NAME: &'static str = "course";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = State;
    type Data = CourseFrame;

    fn step(state: &mut State, _: &SessionRef, recorded: &Recorded, out: &mut Vec<CourseFrame>) {
        state.step(recorded, out);
    }

    fn part(state: &State, out: &mut Vec<CourseFrame>) {
        state.clone().part(out);
    }

    fn write(data: &CourseFrame, stamp: Stamp<'_>) -> serde_json::Result<Box<RawValue>> {
        write(data, stamp.session, Some(stamp.cursor))
    }

    fn overview(session: SessionRef) -> Option<AnyOverview> {
        Some(AnyOverview::new(InitView::new(session)))
    }

    fn write_parting(
        data: &CourseFrame,
        session: &SessionRef,
    ) -> serde_json::Result<Box<RawValue>> {
        write(data, session, None)
    }
}

/// Writes a frame. Every frame says which session it belongs to, and its position where it has one.
fn write(
    data: &CourseFrame,
    session: &SessionRef,
    pos: Option<Cursor>,
) -> serde_json::Result<Box<RawValue>> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Stamped<'a> {
        #[serde(flatten)]
        data: &'a CourseFrame,
        session_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pos: Option<Cursor>,
    }
    serde_json::value::to_raw_value(&Stamped {
        data,
        session_id: session.session.as_str(),
        pos,
    })
}

/// What the wire remembers of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Runs that have not ended.
    runs: BTreeMap<RunId, RunState>,
    /// Runs of messages that wait for their turn.
    waiting: BTreeSet<RunId>,
    /// What each run is about. A run that goes on with another one is about the same.
    topics: BTreeMap<RunId, String>,
    /// When the last event was recorded, in milliseconds since 1970.
    last_ms: i64,
    /// Every script artifact there is: a run that takes one over does not make its own.
    scripts: BTreeSet<ArtifactId>,
}

impl State {
    pub(super) fn step(&mut self, recorded: &Recorded, out: &mut Vec<CourseFrame>) {
        let now = Moment {
            event_id: recorded.event_id,
            ms: recorded.recorded_at.timestamp_millis(),
        };
        self.last_ms = now.ms;
        match &recorded.event {
            Event::Session(event) => self.on_session(event, out),
            Event::Run(event) => self.on_run(event, now, out),
            Event::Step(event) => self.on_step(event, now, out),
            Event::Gate(event) => self.on_gate(event, now, out),
            Event::Collection(_) | Event::Project(_) => {}
        }
    }

    fn on_session(&mut self, event: &SessionEvent, out: &mut Vec<CourseFrame>) {
        match event {
            SessionEvent::MessageQueued(e) => {
                self.waiting.insert(e.run);
            }
            SessionEvent::MessageSent(e) => say(e, out),
            SessionEvent::SessionOpened(_)
            | SessionEvent::SessionTitled(_)
            | SessionEvent::SessionForked(_)
            | SessionEvent::SessionErased(_)
            | SessionEvent::MessageReceived(_)
            | SessionEvent::MessageWithdrawn(_)
            | SessionEvent::FilePut(_)
            | SessionEvent::FileRemoved(_) => {}
        }
    }

    fn on_run(&mut self, event: &RunEvent, now: Moment, out: &mut Vec<CourseFrame>) {
        match event {
            RunEvent::RunStarted(e) => {
                self.waiting.remove(&e.run);
                let run = RunState::new(e);
                self.topics.insert(e.run, run.topic.clone());
                self.runs.insert(e.run, run);
            }
            RunEvent::IntentClassified(e) => self.intent_classified(e, now, out),
            RunEvent::RefinementRequested(e) => self.with(e.run, |run| {
                run.feedback = Some(e.feedback.clone());
                run.target = Some(e.stage.clone());
                run.greet(now, out);
            }),
            RunEvent::ArtifactEdited(e) => self.with(e.run, |run| {
                run.target = Some(e.step.stage.clone());
                run.greet(now, out);
            }),
            RunEvent::StageStarted(e) => self.with(e.run, |run| stage_started(run, e, now, out)),
            RunEvent::StageClosed(e) => self.with(e.run, |run| stage_closed(run, e, now, out)),
            RunEvent::StagesReopened(e) => {
                self.with(e.run, |run| stages_reopened(run, e, now, out))
            }
            RunEvent::DecisionMade(e) => {
                self.with(e.run, |run| lines::decision_made(run, e, now, out))
            }
            RunEvent::RunCompleted(e) => self.end(
                now,
                out,
                Completion {
                    success: true,
                    run_id: e.run,
                    error: None,
                    error_code: None,
                    final_artifact_id: e.final_artifact.clone(),
                    partial: e.partial,
                },
            ),
            RunEvent::RunFailed(e) => {
                let said = self.runs.get(&e.run).map(|run| run.failure(e));
                let error = said.unwrap_or_else(|| e.message.clone());
                self.end(now, out, failure(e.run, error, e.code.clone()));
            }
            RunEvent::RunCancelled(e) => self.end(
                now,
                out,
                failure(e.run, CANCELLED.to_owned(), CANCELLED.to_owned()),
            ),
            RunEvent::HeadMoved(_) => {}
        }
    }

    fn on_step(&mut self, event: &StepEvent, now: Moment, out: &mut Vec<CourseFrame>) {
        match event {
            StepEvent::StepRequested(e) => self.with(e.step.run, |run| {
                run.goes_on(&e.step);
                run.page_begins(&e.step, out);
            }),
            StepEvent::StepSucceeded(e) => self.with(e.step.run, |run| run.goes_on(&e.step)),
            StepEvent::ModelCalled(e) => {
                self.with(e.step.run, |run| lines::model_called(run, e, now, out))
            }
            StepEvent::ToolReturned(e) => {
                self.with(e.step.run, |run| lines::tool_returned(run, e, now, out))
            }
            StepEvent::OutputRejected(e) => {
                self.with(e.step.run, |run| lines::output_rejected(run, e, now, out));
            }
            StepEvent::StepFailed(e) => {
                self.with(e.step.run, |run| lines::step_failed(run, e, now, out))
            }
            StepEvent::ArtifactProduced(e) => {
                if e.kind == SLIDE_SCRIPTS {
                    self.scripts.insert(e.artifact.clone());
                }
                self.with(e.step.run, |run| artifact_produced(run, e, now, out));
            }
            StepEvent::ToolCalled(_) | StepEvent::StepCancelled(_) => {}
        }
    }

    fn on_gate(&mut self, event: &GateEvent, now: Moment, out: &mut Vec<CourseFrame>) {
        match event {
            GateEvent::GateOpened(e) => self.with(e.run, |run| gate_opened(run, e, now, out)),
            GateEvent::BudgetRaised(e) => self.with(e.run, |run| {
                let text = run
                    .language
                    .pick(
                        "预算已提高，继续制作",
                        "the budget was raised, the work goes on",
                    )
                    .to_owned();
                run.log_latest(LogLevel::Info, text, now, out);
            }),
            GateEvent::PlanConfirmed(_)
            | GateEvent::PlanDeclined(_)
            | GateEvent::AnswerGiven(_) => {}
        }
    }

    /// A run that has ended, or that never began, produces no frames.
    fn with(&mut self, run: RunId, change: impl FnOnce(&mut RunState)) {
        if let Some(run) = self.runs.get_mut(&run) {
            change(run);
        }
    }

    fn intent_classified(&mut self, e: &IntentClassified, now: Moment, out: &mut Vec<CourseFrame>) {
        let has_scripts = e
            .kept
            .iter()
            .any(|artifact| self.scripts.contains(artifact));
        let topic = e
            .base_run
            .filter(|_| e.intent == Intent::Resumption)
            .and_then(|base| self.topics.get(&base).cloned());
        if let Some(topic) = &topic {
            self.topics.insert(e.run, topic.clone());
        }
        self.with(e.run, |run| {
            run.intent = Some(e.intent);
            if let Some(topic) = topic {
                run.topic = topic;
            }
            if let Some(language) = &e.language {
                run.language = Language::of(language);
            }
            run.target.clone_from(&e.target);
            let starts_later = e
                .target
                .as_ref()
                .is_some_and(|target| words::comes_after(target, words::SCRIPTS));
            run.scripts_done = has_scripts || starts_later;
            match e.intent {
                Intent::Initial | Intent::Resumption => run.greet(now, out),
                // The feedback follows in an event of its own.
                Intent::Refinement | Intent::Restart => {}
                // What is edited is told in an event of its own.
                Intent::Edit => run.feedback = Some(e.reason.clone()),
                // The reply is the message.
                Intent::Irrelevant => {}
            }
        });
    }

    /// Ends every run that has not ended, at the time of the last event, and every run that will not begin any more: the session was
    /// erased.
    fn part(mut self, out: &mut Vec<CourseFrame>) {
        let now = Moment {
            event_id: EventId::default(),
            ms: self.last_ms,
        };
        for run in self.runs.values_mut() {
            run.drop_held();
        }
        let erased = |run| failure(run, CANCELLED.to_owned(), ERASED.to_owned());
        let runs: Vec<RunId> = self.runs.keys().copied().collect();
        for run in runs {
            self.end(now, out, erased(run));
        }
        let waiting = self.waiting.into_iter().map(erased);
        out.extend(waiting.map(CourseFrame::Completion));
    }

    /// Closes everything that the run has open, and says once how it ended.
    fn end(&mut self, now: Moment, out: &mut Vec<CourseFrame>, completion: Completion) {
        let Some(mut run) = self.runs.remove(&completion.run_id) else {
            return;
        };
        run.release(out);
        let text = run
            .language
            .pick("运行已结束", "the run has ended")
            .to_owned();
        for stage in run.open_stages() {
            run.close(&stage, ToolStatus::Failed, text.clone(), now, out);
        }
        out.push(CourseFrame::Completion(completion));
    }
}

fn failure(run_id: RunId, error: String, code: String) -> Completion {
    Completion {
        success: false,
        run_id,
        error: Some(error),
        error_code: Some(code),
        final_artifact_id: None,
        partial: false,
    }
}

/// A whole message at once.
pub(super) fn speak(id: &str, text: String, out: &mut Vec<CourseFrame>) {
    out.push(CourseFrame::MessageStart(MessageStart {
        id: id.to_owned(),
        role: "assistant",
        content: "",
    }));
    out.push(CourseFrame::MessageChunk(MessageChunk {
        id: id.to_owned(),
        chunk: text,
    }));
}

fn say(e: &MessageSent, out: &mut Vec<CourseFrame>) {
    speak(e.message.as_str(), e.text.clone(), out);
}

fn stage_started(run: &mut RunState, e: &StageStarted, now: Moment, out: &mut Vec<CourseFrame>) {
    if e.stage == UNDERSTAND {
        return;
    }
    run.greet(now, out);
    run.open(&e.stage, e.items, now, out);
    if e.stage == words::ANALYSIS {
        let unread: Vec<_> = what_is_not_read(run).collect();
        if !unread.is_empty() {
            let text = unread.join(run.language.pick("；", "; "));
            run.log(&e.stage, LogLevel::Info, text, None, now, out);
        }
    }
}

/// Says what will not be read or searched although a person may expect it.
fn what_is_not_read(run: &RunState) -> impl Iterator<Item = &'static str> {
    let search_is_off = run.language.pick(
        "联网搜索未开启：不进行搜索，也不编造资料",
        "web search is off: nothing is searched, and nothing is invented",
    );
    let unread_address = run.language.pick(
        "消息中的网址不会被打开，需要其中的内容时请上传文件或粘贴文字",
        "addresses in the message are not read: upload or paste what they say",
    );
    let off = (!run.search).then_some(search_is_off);
    off.into_iter()
        .chain(run.names_address.then_some(unread_address))
}

fn stage_closed(run: &mut RunState, e: &StageClosed, now: Moment, out: &mut Vec<CourseFrame>) {
    let language = run.language;
    match e.outcome {
        StageOutcome::Completed => {
            let title = words::title(&e.stage, language, run.refines());
            let text = match language {
                Language::Chinese => format!("{title}已完成"),
                Language::English => format!("{title}: done"),
            };
            run.close(&e.stage, ToolStatus::Completed, text, now, out);
        }
        StageOutcome::Failed => {
            let tool = run.tool_mut(&e.stage);
            let cause = tool.and_then(|tool| Some(tool.errors.first()?.1.clone()));
            // All open stages end with the run. The stage at fault is the one in which something went wrong.
            if !matches!(run.failed_stage, Some((_, Some(_)))) {
                run.failed_stage = Some((e.stage.clone(), cause.clone()));
            }
            let text = cause.unwrap_or_else(|| language.pick(STOPPED.0, STOPPED.1).to_owned());
            run.close(&e.stage, ToolStatus::Failed, text, now, out);
        }
        StageOutcome::Cancelled => {
            run.close(
                &e.stage,
                ToolStatus::Failed,
                language.pick("已取消", "cancelled").to_owned(),
                now,
                out,
            );
        }
        StageOutcome::Reopened => {
            run.close(
                &e.stage,
                ToolStatus::Failed,
                redone(language).to_owned(),
                now,
                out,
            );
        }
    }
    if e.stage == words::SCRIPTS && e.outcome != StageOutcome::Reopened {
        run.release(out);
    }
}

fn redone(language: Language) -> &'static str {
    language.pick("将重新制作", "to be done again")
}

fn stages_reopened(
    run: &mut RunState,
    e: &StagesReopened,
    now: Moment,
    out: &mut Vec<CourseFrame>,
) {
    for stage in &e.stages {
        run.close(
            stage,
            ToolStatus::Failed,
            redone(run.language).to_owned(),
            now,
            out,
        );
    }
    // This is done only after the stages are closed, so that a theme that a client has seen begin is closed at once.
    if e.stages.iter().any(|stage| stage == words::SCRIPTS) {
        run.scripts_done = false;
    }
}

fn artifact_produced(
    run: &mut RunState,
    e: &ArtifactProduced,
    now: Moment,
    out: &mut Vec<CourseFrame>,
) {
    if e.kind == SEARCH_RESULT {
        told(run, e, lines::found(e, run.language), now, out);
    }
    if KINDS.contains(&e.kind.as_str()) {
        run.artifact(e, now, out);
    } else if let Some(text) = lines::made(e, run.language) {
        told(run, e, text, now, out);
    }
}

/// Sends a line about an artifact, with the id of the artifact.
fn told(
    run: &mut RunState,
    e: &ArtifactProduced,
    text: String,
    now: Moment,
    out: &mut Vec<CourseFrame>,
) {
    let artifact = Some(e.artifact.clone());
    run.log(&e.step.stage, LogLevel::Info, text, artifact, now, out);
}

/// A question is asked in the chat where somebody may be there to read it; otherwise its default answer is used at once.
fn gate_opened(run: &mut RunState, e: &GateOpened, now: Moment, out: &mut Vec<CourseFrame>) {
    if run.attended {
        run.greet(now, out);
        let question = causes::question(&e.name, &e.question, run.language);
        speak(&format!("msg_{}", e.gate), question, out);
    }
}
