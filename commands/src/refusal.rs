//! Why a command is refused. Nothing has happened then.

use domain::decision::Decision;
use domain::ids::{ArtifactId, GateId, RunId, StepId};

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("the session was erased and takes no further commands")]
    Erased,
    #[error("the session does not exist; open it with a first message")]
    NoSession,
    #[error("pipeline `{name}` does not exist; there are: {known}")]
    UnknownPipeline { name: String, known: String },
    #[error("the message is empty; say what is wanted")]
    EmptyMessage,
    #[error(
        "the message has {chars} characters, at most {most} are taken; send long texts as files"
    )]
    MessageTooLong { chars: usize, most: usize },
    #[error("the input does not fit the pipeline: {problems}")]
    BadInput { problems: String },
    #[error("the file name `{path}` is not allowed: {reason}")]
    BadFileName { path: String, reason: &'static str },
    #[error(
        "run {run} is busy; wait for its end, cancel it, or send the message with `on_busy: enqueue`"
    )]
    Busy { run: RunId },
    #[error(
        "{queued} messages are in the queue already, at most {most} may be; wait for one to be taken up"
    )]
    QueueFull { queued: usize, most: usize },
    #[error("message `{message}` was received already, with another text")]
    MessageReused { message: String },
    #[error("run {run} does not exist in this session")]
    NoRun { run: RunId },
    #[error("there is no run to {verb} in this session")]
    NothingTo { verb: &'static str },
    #[error("run {run} has not ended; cancel it first")]
    NotEnded { run: RunId },
    #[error("run {run} is complete; refine it, or restart a step of it")]
    NothingMissing { run: RunId },
    #[error("run {run} has ended")]
    Ended { run: RunId },
    #[error("stage `{stage}` does not exist in pipeline `{pipeline}`; it has: {known}")]
    UnknownStage {
        stage: String,
        pipeline: String,
        known: String,
    },
    #[error("step `{step}` has made nothing that could be made again")]
    NoStep { step: StepId },
    #[error("the feedback is empty; say what should be different")]
    EmptyFeedback,
    #[error("gate `{gate}` does not exist in this session")]
    NoGate { gate: GateId },
    #[error("gate `{gate}` was answered already")]
    GateAnswered { gate: GateId },
    #[error("the answer does not fit the gate: {problems}")]
    BadAnswer { problems: String },
    #[error("the edits do not fit what is to be confirmed: {problems}")]
    BadEdits { problems: String },
    #[error("artifact `{artifact}` does not exist in this session")]
    NoArtifact { artifact: ArtifactId },
    #[error("artifact `{artifact}` is not the current version; {}", instead(current.as_ref()))]
    NotCurrent {
        artifact: ArtifactId,
        current: Option<ArtifactId>,
    },
    #[error(
        "a `{kind}` follows from other artifacts, or was found; edit what it was made from: {editable}"
    )]
    NotEditable { kind: String, editable: String },
    #[error("what was written cannot be taken: {problems}")]
    BadContent { problems: String },
    #[error("what was written is what is there already; nothing was done")]
    Unchanged,
    #[error("step `{step}` cannot be left out; {known}")]
    NotLeftOut { step: StepId, known: String },
    #[error("step `{step}` is done already; restart it, or refine the run")]
    StepDone { step: StepId },
    #[error("stage `{stage}` has no `{item}`: {known}")]
    UnknownPart {
        item: String,
        stage: String,
        known: String,
    },
    #[error("the session is there already")]
    SessionOpen,
    #[error("run {run} made nothing that could be current")]
    NothingMade { run: RunId },
    #[error("attempt {attempt} of step `{step}` is over; its outcome is not needed any longer")]
    AttemptOver { step: StepId, attempt: u32 },
    #[error(
        "turn {turn} of step `{step}` has an answer already, which counts; the outcome is decided on that"
    )]
    TurnAnswered { step: StepId, turn: u32 },
    #[error("the budget of run {run} is used up; the run waits for an answer, or has ended")]
    BudgetUsedUp { run: RunId },
    #[error(
        "{asked} questions were asked in run {run}, and no more are; decide with what is known"
    )]
    AskedEnough { run: RunId, asked: usize },
    #[error("nobody attends run {run}; decide with what is known")]
    NobodyAsked { run: RunId },
}

fn instead(current: Option<&ArtifactId>) -> String {
    match current {
        Some(current) => format!("that is `{current}`: read it, and edit that"),
        None => "the run that is the head has none in its place".to_owned(),
    }
}

impl Refusal {
    pub(crate) fn unknown_pipeline(d: &Decision<'_>, name: String) -> Self {
        let known: Vec<_> = d.pipelines().iter().map(|p| p.name()).collect();
        let known = known.join(", ");
        Self::UnknownPipeline { name, known }
    }

    /// For programs; stable.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Erased => "erased",
            Self::NoSession => "no_session",
            Self::UnknownPipeline { .. } => "unknown_pipeline",
            Self::EmptyMessage => "empty_message",
            Self::MessageTooLong { .. } => "message_too_long",
            Self::BadInput { .. } => "bad_input",
            Self::BadFileName { .. } => "bad_file_name",
            Self::Busy { .. } => "busy",
            Self::QueueFull { .. } => "queue_full",
            Self::MessageReused { .. } => "message_reused",
            Self::NoRun { .. } => "no_run",
            Self::NothingTo { .. } => "nothing_to_do",
            Self::NotEnded { .. } => "not_ended",
            Self::NothingMissing { .. } => "nothing_missing",
            Self::Ended { .. } => "ended",
            Self::UnknownStage { .. } => "unknown_stage",
            Self::UnknownPart { .. } => "unknown_item",
            Self::NoStep { .. } => "no_step",
            Self::EmptyFeedback => "empty_feedback",
            Self::NoGate { .. } => "no_gate",
            Self::GateAnswered { .. } => "gate_answered",
            Self::BadAnswer { .. } => "bad_answer",
            Self::BadEdits { .. } => "bad_edits",
            Self::NoArtifact { .. } => "no_artifact",
            Self::NotCurrent { .. } => "not_current",
            Self::NotEditable { .. } => "not_editable",
            Self::BadContent { .. } => "bad_content",
            Self::Unchanged => "unchanged",
            Self::NotLeftOut { .. } => "not_left_out",
            Self::StepDone { .. } => "step_done",
            Self::SessionOpen => "session_open",
            Self::NothingMade { .. } => "nothing_made",
            Self::AttemptOver { .. } => "attempt_over",
            Self::TurnAnswered { .. } => "turn_answered",
            Self::BudgetUsedUp { .. } => "budget_used_up",
            Self::AskedEnough { .. } => "asked_enough",
            Self::NobodyAsked { .. } => "nobody_asked",
        }
    }
}
