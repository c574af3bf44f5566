//! The wire, and what it makes of what happens in a run. What a run has open is in `run.rs`.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use palimpsest::prelude::pipeline::event::{
    ArtifactProduced, Event, GateOpened, Intent, IntentClassified, RunEvent, RunStarted,
    SessionEvent, StageClosed, StageOutcome, StageStarted, StagesReopened,
};
use palimpsest::prelude::pipeline::{End, Run, UNDERSTAND};
use palimpsest::prelude::wire::{
    AnyOverview, ArtifactId, Cursor, FrameOutput, Recorded, RunBook, RunDelta, RunEnd, RunFold,
    RunId, RunTeller, Session, SessionRef, Stamp, Wire,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::frames::{
    Completion, CourseFrame, KINDS, LogLevel, MessageChunk, MessageStart, ToolArtifact, ToolStatus,
};
use super::init::InitView;
use super::run::{RunState, STOPPED};
use super::words::Language;
use super::{causes, lines, words};

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
    const VERSION: u32 = 2;
    const HOLDS_CONTENTS: bool = true;
    type State = State;
    type Data = CourseFrame;

    fn step(
        state: &mut State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<CourseFrame>,
    ) {
        state.step(session, recorded, out);
    }

    fn part(state: &State, out: &mut Vec<CourseFrame>) {
        state.runs.part(out);
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
pub(crate) struct CourseMemory {
    /// Runs of messages that wait for their turn.
    waiting: BTreeSet<RunId>,
    /// What each run is about. A run that goes on with another one is about the same.
    topics: BTreeMap<RunId, String>,
    /// Every script artifact there is: a run that takes one over does not make its own.
    scripts: BTreeSet<ArtifactId>,
}

/// The frames of the event that is folded.
pub(super) type Out<'a> = FrameOutput<'a, CourseFrame>;

/// What the wire knows of a session: its runs as they are told, which artifacts count in them, and what clients were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    runs: RunFold<RunState>,
    session: Session,
    /// Every artifact that was sent, in that order.
    announced: IndexMap<ArtifactId, ToolArtifact>,
    /// The run in which the session went back to an earlier one.
    gone_back: Option<RunId>,
}

impl State {
    fn step(&mut self, session: &SessionRef, recorded: &Recorded, out: &mut Vec<CourseFrame>) {
        let first = out.len();
        self.session.evolve(&recorded.event);
        self.runs.step(session, recorded, out);
        for frame in &mut out[first..] {
            if let CourseFrame::ToolArtifact(sent) = frame {
                self.announced
                    .insert(sent.artifact.id.clone(), sent.clone());
            }
            if let CourseFrame::Completion(end) = frame
                && self.gone_back.take_if(|run| *run == end.run_id).is_some()
                && end.success
                && end.final_artifact_id.is_none()
            {
                end.final_artifact_id = self.delivered();
            }
        }
        if let Event::Run(RunEvent::HeadMoved(_)) = recorded.event {
            self.gone_back = self.session.active;
            out.extend(self.counting().cloned().map(CourseFrame::ToolArtifact));
        }
    }

    /// The artifacts that count now, in the order in which they were sent first: the head's, and over them those of the run at work; where
    /// no run was ever finished, those of the last run.
    pub(super) fn counting(&self) -> impl Iterator<Item = &ToolArtifact> {
        let Session {
            head, active, runs, ..
        } = &self.session;
        let last = || runs.keys().next_back().filter(|_| head.is_none());
        let over = active.as_ref().or_else(last);
        let counting = head.iter().chain(over).filter_map(|run| runs.get(run));
        let mut shown = BTreeMap::new();
        for artifact in counting.flat_map(Run::artifacts) {
            if let Some(index) = self.announced.get_index_of(&artifact.artifact) {
                shown.insert((&artifact.kind, artifact.item()), index);
            }
        }
        let indices: BTreeSet<usize> = shown.into_values().collect();
        indices.into_iter().map(|index| &self.announced[index])
    }

    /// The deliverable of the head.
    fn delivered(&self) -> Option<ArtifactId> {
        match self.session.run(self.session.head?)?.end.as_ref()? {
            End::Completed { final_artifact, .. } => final_artifact.clone(),
            End::Failed { .. } | End::Cancelled { .. } => None,
        }
    }
}

impl RunTeller for RunState {
    type Frame = CourseFrame;
    type Memory = CourseMemory;

    fn begin_run(e: &RunStarted, memory: &mut CourseMemory, _: &mut Out<'_>) -> Self {
        memory.waiting.remove(&e.run);
        let run = Self::new(e);
        memory.topics.insert(e.run, run.topic.clone());
        run
    }

    fn book(&mut self) -> &mut RunBook {
        &mut self.book
    }

    fn tell_delta(&mut self, delta: RunDelta<'_>, memory: &mut CourseMemory, out: &mut Out<'_>) {
        match delta {
            RunDelta::IntentClassified(e) => self.intent_classified(e, memory, out),
            RunDelta::RefinementRequested(e) => {
                self.feedback = Some(e.feedback.clone());
                self.target = Some(e.stage.clone());
                self.greet(out);
            }
            RunDelta::ArtifactEdited(e) => {
                self.target = Some(e.step.stage.clone());
                self.greet(out);
            }
            RunDelta::StageStarted(e) => stage_started(self, e, out),
            RunDelta::StageClosed(e) => stage_closed(self, e, out),
            RunDelta::StagesReopened(e) => stages_reopened(self, e, out),
            RunDelta::DecisionMade(e) => lines::decision_made(self, e, out),
            RunDelta::StepRequested(e, _) => {
                self.goes_on(&e.step);
                self.page_begins(&e.step, out);
            }
            RunDelta::StepSucceeded(e) => self.goes_on(&e.step),
            RunDelta::ModelCalled(e) => lines::model_called(self, e, out),
            RunDelta::ToolReturned(e) => lines::tool_returned(self, e, out),
            RunDelta::OutputRejected(e) => lines::output_rejected(self, e, out),
            RunDelta::StepFailed { event, .. } => lines::step_failed(self, event, out),
            RunDelta::ArtifactProduced(e) => {
                if e.kind == SLIDE_SCRIPTS {
                    memory.scripts.insert(e.artifact.clone());
                }
                artifact_produced(self, e, out);
            }
            RunDelta::GateOpened(e) => gate_opened(self, e, out),
            RunDelta::BudgetRaised(_) => {
                let (chinese, english) = (
                    "预算已提高，继续制作",
                    "the budget was raised, the work goes on",
                );
                let text = self.language.pick(chinese, english).to_owned();
                self.log_latest(LogLevel::Info, text, out);
            }
            RunDelta::ToolCalled(_)
            | RunDelta::ToolCutOff(_)
            | RunDelta::StepCancelled(_)
            | RunDelta::GateAnswered(_)
            | RunDelta::MessageSent(_)
            | RunDelta::SessionForked(_) => {}
        }
    }

    /// Closes everything that the run has open, and says once how it ended.
    fn tell_end(mut self, end: RunEnd<'_>, out: &mut Out<'_>) {
        let run_id = self.book.id;
        let completion = match end {
            RunEnd::Completed(e) => Completion {
                success: true,
                run_id,
                error: None,
                error_code: None,
                final_artifact_id: e.final_artifact.clone(),
                partial: e.partial,
            },
            RunEnd::Failed(e) => failure(run_id, self.failure(e), e.code.clone()),
            RunEnd::Cancelled(_) => failure(run_id, CANCELLED.to_owned(), CANCELLED.to_owned()),
            RunEnd::Erased => {
                self.drop_held();
                erased(run_id)
            }
        };
        self.release(out);
        let text = self.language.pick("运行已结束", "the run has ended");
        for stage in self.open_stages() {
            self.close(&stage, ToolStatus::Failed, text.to_owned(), out);
        }
        out.push(CourseFrame::Completion(completion));
    }

    fn tell_session(event: &SessionEvent, memory: &mut CourseMemory, out: &mut Out<'_>) {
        if let SessionEvent::MessageQueued(e) = event {
            memory.waiting.insert(e.run);
        }
        if let SessionEvent::MessageSent(e) = event {
            speak(e.message.as_str(), e.text.clone(), out);
        }
    }

    /// Ends every run that will not begin any more.
    fn tell_parting(memory: &CourseMemory, out: &mut Out<'_>) {
        for run in &memory.waiting {
            out.push(CourseFrame::Completion(erased(*run)));
        }
    }
}

impl RunState {
    fn intent_classified(
        &mut self,
        e: &IntentClassified,
        memory: &mut CourseMemory,
        out: &mut Out<'_>,
    ) {
        let base = e.base_run.filter(|_| e.intent == Intent::Resumption);
        if let Some(topic) = base.and_then(|base| memory.topics.get(&base).cloned()) {
            memory.topics.insert(e.run, topic.clone());
            self.topic = topic;
        }
        self.intent = Some(e.intent);
        if let Some(language) = &e.language {
            self.language = Language::of(language);
        }
        self.target.clone_from(&e.target);
        let has_scripts = e.kept.iter().any(|kept| memory.scripts.contains(kept));
        let starts_later = e
            .target
            .as_ref()
            .is_some_and(|target| words::comes_after(target, words::SCRIPTS));
        self.scripts_done = has_scripts || starts_later;
        match e.intent {
            Intent::Initial | Intent::Resumption => self.greet(out),
            // The feedback follows in an event of its own.
            Intent::Refinement | Intent::Restart => {}
            // What is edited is told in an event of its own.
            Intent::Edit => self.feedback = Some(e.reason.clone()),
            // The reply is the message.
            Intent::Irrelevant => {}
        }
    }
}

/// The end of a run whose session was erased.
fn erased(run: RunId) -> Completion {
    failure(run, CANCELLED.to_owned(), ERASED.to_owned())
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
pub(super) fn speak(id: &str, text: String, out: &mut Out<'_>) {
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

fn stage_started(run: &mut RunState, e: &StageStarted, out: &mut Out<'_>) {
    if e.stage == UNDERSTAND {
        return;
    }
    run.greet(out);
    run.open(&e.stage, e.items, out);
    if e.stage == words::ANALYSIS {
        let unread: Vec<_> = what_is_not_read(run).collect();
        if !unread.is_empty() {
            let text = unread.join(run.language.pick("；", "; "));
            run.log(&e.stage, LogLevel::Info, text, None, out);
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

fn stage_closed(run: &mut RunState, e: &StageClosed, out: &mut Out<'_>) {
    let language = run.language;
    match e.outcome {
        StageOutcome::Completed => {
            let title = words::title(&e.stage, language, run.refines());
            let text = match language {
                Language::Chinese => format!("{title}已完成"),
                Language::English => format!("{title}: done"),
            };
            run.close(&e.stage, ToolStatus::Completed, text, out);
        }
        StageOutcome::Failed => {
            let tool = run.tool_mut(&e.stage);
            let cause = tool.and_then(|tool| Some(tool.errors.first()?.1.clone()));
            // All open stages end with the run. The stage at fault is the one in which something went wrong.
            if !matches!(run.failed_stage, Some((_, Some(_)))) {
                run.failed_stage = Some((e.stage.clone(), cause.clone()));
            }
            let text = cause.unwrap_or_else(|| language.pick(STOPPED.0, STOPPED.1).to_owned());
            run.close(&e.stage, ToolStatus::Failed, text, out);
        }
        StageOutcome::Cancelled => {
            run.close(
                &e.stage,
                ToolStatus::Failed,
                language.pick("已取消", "cancelled").to_owned(),
                out,
            );
        }
        StageOutcome::Reopened => {
            run.close(
                &e.stage,
                ToolStatus::Failed,
                redone(language).to_owned(),
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

fn stages_reopened(run: &mut RunState, e: &StagesReopened, out: &mut Out<'_>) {
    for stage in &e.stages {
        run.close(
            stage,
            ToolStatus::Failed,
            redone(run.language).to_owned(),
            out,
        );
    }
    // This is done only after the stages are closed, so that a theme that a client has seen begin is closed at once.
    if e.stages.iter().any(|stage| stage == words::SCRIPTS) {
        run.scripts_done = false;
    }
}

fn artifact_produced(run: &mut RunState, e: &ArtifactProduced, out: &mut Out<'_>) {
    if let Some(text) = lines::made(e, run.language) {
        let artifact = Some(e.artifact.clone());
        run.log(&e.step.stage, LogLevel::Info, text, artifact, out);
    }
    if KINDS.contains(&e.kind.as_str()) {
        run.artifact(e, out);
    }
}

/// A question is asked in the chat where somebody may be there to read it; otherwise its default answer is used at once.
fn gate_opened(run: &mut RunState, e: &GateOpened, out: &mut Out<'_>) {
    if run.book.attended {
        run.greet(out);
        let question = causes::question(&e.name, &e.question, run.language);
        speak(&format!("msg_{}", e.gate), question, out);
    }
}
