//! A pipeline's flow: a function over the run that reads from the top at every decision and stops at the first thing that
//! is missing. `?` carries "ask for this and stop" or "nothing to do but wait". Not a graph engine: composable functions.

use std::ops::ControlFlow;

use chrono::TimeDelta;
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::event::{Intent, StageOutcome};

pub use crate::event::RULES;
use crate::ids::ArtifactId;
use crate::pipeline::StageSpec;
use crate::session::{GateAnswer, Run, StageState, StepState};

/// The first stage of every run: how its message is meant. The required wires have no frames for this stage.
pub const UNDERSTAND: &str = "understand";

/// The code of a run that ended because a stage of it failed.
pub const STAGE_FAILED: &str = "stage_failed";

/// The code of a step that ended because its model gave no answer.
pub const MODEL_FAILED: &str = "model_failed";

/// Goes on with a value, or stops.
pub type Flow<T = ()> = ControlFlow<Stop, T>;

/// Why a flow stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// These things are to be asked for.
    Ask(Vec<Ask>),
    /// Everything that can be asked for has been asked for.
    Wait,
    /// The run is over.
    End(Verdict),
}

/// Something a flow wants to happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    OpenStage {
        stage: SmolStr,
        items: u32,
    },
    Request {
        stage: SmolStr,
        item: SmolStr,
    },
    CloseStage {
        stage: SmolStr,
        outcome: StageOutcome,
    },
    OpenGate(GateSpec),
    Decide {
        what: String,
        choice: String,
        reason: String,
        /// `rules`, or the name of the model that decided.
        by: String,
    },
    Reopen {
        stages: Vec<SmolStr>,
        feedback: Option<String>,
        /// The stage that the feedback is for; where absent, the feedback is for every stage.
        feedback_for: Option<String>,
        reason: String,
    },
}

/// How a run ends when its flow says so before its last line.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// With its deliverable; partial where something is missing.
    Complete {
        partial: bool,
    },
    /// With nothing but words.
    Reply {
        text: String,
    },
    Fail {
        code: String,
        message: String,
    },
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct GateSpec {
    pub name: String,
    pub subject: Option<ArtifactId>,
    pub question: String,
    pub schema: Value,
    pub options: Vec<String>,
    /// How long the gate stays open; for ever where absent.
    pub open_for: Option<TimeDelta>,
    /// The answer that is taken at the deadline, or at once where there is nobody to ask.
    pub default: Value,
}

impl GateSpec {
    /// Whether a person agrees with what was made: `{"confirm": true}`, or `{"confirm": false}` with a `feedback` that says why. The gate
    /// stays open for ever; where there is nobody to ask, it is confirmed at once. A pipeline that takes edits says so in a schema of its
    /// own.
    pub fn confirm(name: &str, subject: Option<ArtifactId>, question: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            subject,
            question: question.into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "confirm": { "type": "boolean" },
                    "feedback": { "type": "string" }
                },
                "required": ["confirm"],
                "additionalProperties": false
            }),
            options: ["confirm", "decline"].map(str::to_owned).to_vec(),
            open_for: None,
            default: json!({ "confirm": true }),
        }
    }
}

/// Several pieces of work in one stage.
#[derive(Clone, Debug)]
pub struct Each {
    items: Vec<SmolStr>,
    width: Option<u32>,
    attempts: Option<u32>,
    closing: Option<SmolStr>,
    tolerant: bool,
}

/// Work on these items, in this order. As many at a time and with as many attempts as the row of the stage and the settings of the run
/// allow.
pub fn work_on(items: impl IntoIterator<Item = impl Into<SmolStr>>) -> Each {
    Each {
        items: items.into_iter().map(Into::into).collect(),
        width: None,
        attempts: None,
        closing: None,
        tolerant: false,
    }
}

impl Each {
    /// At most this many at the same time, whatever row and settings say.
    pub fn width(mut self, width: u32) -> Self {
        self.width = Some(width);
        self
    }

    /// Each item has this many attempts, whatever row and settings say.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = Some(attempts);
        self
    }

    /// One more step of the stage, after all items, that puts their results together. Clients do not count it.
    pub fn closing(mut self, item: &str) -> Self {
        self.closing = Some(item.into());
        self
    }

    /// Items that fail for good are left out instead of failing the run.
    pub fn tolerant(mut self) -> Self {
        self.tolerant = true;
        self
    }
}

fn ask<T>(asks: Vec<Ask>) -> Flow<T> {
    ControlFlow::Break(Stop::Ask(asks))
}

fn wait<T>() -> Flow<T> {
    ControlFlow::Break(Stop::Wait)
}

/// How far one step is.
enum Progress {
    Done,
    Open,
    /// The step has to be asked for, for the first time or again.
    Due,
    Failed {
        message: String,
    },
}

fn progress(run: &Run, stage: &str, item: &str, attempts: u32) -> Progress {
    let Some(step) = run.step(stage, item) else {
        return if run.has_what_it_makes(stage, item) {
            Progress::Done
        } else {
            Progress::Due
        };
    };
    match &step.state {
        StepState::Open => Progress::Open,
        StepState::Failed {
            retryable: true, ..
        } if step.used < attempts && !step.is_last => Progress::Due,
        StepState::Failed { message, .. } => Progress::Failed {
            message: message.clone(),
        },
        StepState::Succeeded => Progress::Done,
        StepState::Cancelled | StepState::Reopened => Progress::Due,
    }
}

/// A stage with a single step. If that step of an optional stage fails for good, the run goes on without it.
pub fn need(run: &Run, stage: &StageSpec) -> Flow {
    need_each(run, stage, &work_on([SmolStr::default()]))
}

/// A stage with a single step, under a name that the table of stages does not list.
pub fn need_named(run: &Run, name: &str, stage: &StageSpec) -> Flow {
    need_all(run, name, stage, &work_on([SmolStr::default()]))
}

/// A stage with a step for each item, without the items that a person leaves out.
pub fn need_each(run: &Run, stage: &StageSpec, work: &Each) -> Flow {
    need_all(run, stage.name, stage, work)
}

fn need_all(run: &Run, stage: &str, row: &StageSpec, work: &Each) -> Flow {
    let is_open = run
        .stage(stage)
        .is_some_and(|s| s.state == StageState::Open);
    let is_done = run
        .stage(stage)
        .is_some_and(|s| s.state == StageState::Completed);
    if is_done {
        return Flow::Continue(());
    }
    let standing = Standing::of(run, stage, row, work);
    if !is_open {
        // Everything was taken over from the base run, so the stage is never opened in this run.
        if standing.nothing_left() && run.stage(stage).is_none() {
            return Flow::Continue(());
        }
        let items = u32::try_from(work.items.len()).unwrap_or(u32::MAX);
        return ask(vec![Ask::OpenStage {
            stage: stage.into(),
            items,
        }]);
    }
    standing.next(stage, work)
}

/// How the steps of a stage stand together.
struct Standing<'a> {
    width: usize,
    open: usize,
    due: Vec<&'a SmolStr>,
    failed: Option<String>,
    closing: Option<Progress>,
}

impl<'a> Standing<'a> {
    fn of(run: &Run, stage: &str, row: &StageSpec, work: &'a Each) -> Self {
        let allowed = || row.attempts.min(run.settings.attempts);
        let attempts = work.attempts.unwrap_or_else(allowed).max(1);
        let allowed = || row.width.min(run.settings.width);
        let width = work.width.unwrap_or_else(allowed).max(1) as usize;
        let tolerant = row.is_optional || work.tolerant;
        let mut standing = Self {
            width,
            open: 0,
            due: Vec::with_capacity(work.items.len()),
            failed: None,
            closing: None,
        };
        let left_out = |item: &&SmolStr| run.is_skipped(stage, item);
        for item in work.items.iter().filter(|item| !left_out(item)) {
            match progress(run, stage, item, attempts) {
                Progress::Done => {}
                Progress::Open => standing.open += 1,
                Progress::Due => standing.due.push(item),
                Progress::Failed { .. } if tolerant => {}
                Progress::Failed { message } => standing.failed = Some(message),
            }
        }
        standing.closing = work
            .closing
            .as_ref()
            .map(|item| progress(run, stage, item, attempts));
        standing
    }

    fn nothing_left(&self) -> bool {
        self.open == 0
            && self.due.is_empty()
            && self.failed.is_none()
            && matches!(self.closing, None | Some(Progress::Done))
    }

    /// The other items are finished before a failed item fails the stage, because their work is paid for and kept.
    fn next(self, stage: &str, work: &Each) -> Flow {
        let stage = SmolStr::from(stage);
        if !self.due.is_empty() && self.open < self.width {
            let free = self.width - self.open;
            let requests = self.due.into_iter().take(free);
            return ask(requests
                .map(|item| Ask::Request {
                    stage: stage.clone(),
                    item: item.clone(),
                })
                .collect());
        }
        if self.open > 0 || !self.due.is_empty() {
            return wait();
        }
        if let Some(message) = self.failed {
            return fail_stage(stage, message);
        }
        match (self.closing, &work.closing) {
            (Some(Progress::Due), Some(item)) => ask(vec![Ask::Request {
                stage,
                item: item.clone(),
            }]),
            (Some(Progress::Open), _) => wait(),
            (Some(Progress::Failed { message }), _) => fail_stage(stage, message),
            (Some(Progress::Done), _) | (None, _) | (Some(Progress::Due), None) => {
                ask(vec![Ask::CloseStage {
                    stage,
                    outcome: StageOutcome::Completed,
                }])
            }
        }
    }
}

fn fail_stage(stage: SmolStr, message: String) -> Flow {
    let message = format!("stage `{stage}` failed: {message}");
    ControlFlow::Break(Stop::End(Verdict::Fail {
        code: STAGE_FAILED.to_owned(),
        message,
    }))
}

/// `1` to the number that stands under this name in the facts of this kind of artifact: the items of a stage whose size an artifact
/// decides. Without the number the run fails, since a stage without items would look finished.
pub fn numbered_items(run: &Run, kind: &str, fact: &str) -> Flow<Vec<String>> {
    let number = run
        .facts(kind)
        .and_then(|facts| facts.get(fact))
        .and_then(Value::as_u64);
    match number {
        Some(number) => Flow::Continue((1..=number).map(|item| item.to_string()).collect()),
        None => ControlFlow::Break(Stop::End(Verdict::Fail {
            code: "facts_missing".to_owned(),
            message: format!("the `{kind}` of the run does not say its `{fact}`"),
        })),
    }
}

/// Several parts of a flow that do not wait for each other. Where one of them ends the run, the others are finished first, because their
/// work is paid for and kept.
pub fn need_together(parts: impl IntoIterator<Item = Flow>) -> Flow {
    let mut asks = vec![];
    let mut waits = false;
    let mut end = None;
    for part in parts {
        match part {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(Stop::Ask(more)) => asks.extend(more),
            ControlFlow::Break(Stop::Wait) => waits = true,
            ControlFlow::Break(Stop::End(verdict)) => end = end.or(Some(verdict)),
        }
    }
    if !asks.is_empty() {
        ask(asks)
    } else if waits {
        wait()
    } else {
        end.map_or(Flow::Continue(()), |verdict| {
            ControlFlow::Break(Stop::End(verdict))
        })
    }
}

/// How the message is meant; an irrelevant one ends the run with a reply.
pub fn need_understanding(run: &Run) -> Flow {
    const STAGE: StageSpec = StageSpec::named(UNDERSTAND);
    let Some(intent) = &run.intent else {
        return need(run, &STAGE);
    };
    // The stage is still open when its step has classified the message; it is closed before any other stage opens.
    if run
        .stage(UNDERSTAND)
        .is_some_and(|stage| stage.state == StageState::Open)
    {
        return need(run, &STAGE);
    }
    match intent.intent {
        Intent::Irrelevant => {
            let text = intent
                .reply
                .clone()
                .unwrap_or_else(|| intent.reason.clone());
            ControlFlow::Break(Stop::End(Verdict::Reply { text }))
        }
        Intent::Initial
        | Intent::Refinement
        | Intent::Resumption
        | Intent::Restart
        | Intent::Edit => Flow::Continue(()),
    }
}

/// Waits for a person at a gate and goes on with the answer. The same gate is asked again when its subject is another one.
pub fn pass_gate<'a>(
    run: &'a Run,
    spec: &dyn Fn() -> GateSpec,
    name: &str,
    subject: Option<&ArtifactId>,
) -> Flow<&'a GateAnswer> {
    match run.gate(name, subject) {
        None => ask(vec![Ask::OpenGate(spec())]),
        Some(gate) => match &gate.answer {
            None => wait(),
            Some(answer) => Flow::Continue(answer),
        },
    }
}

/// The beginning of the names of decisions whose reasons the person is told when the run completes.
pub const TOLD: &str = "told:";

/// Records a decision that the flow itself made, once for each choice.
pub fn need_decision(run: &Run, what: &str, choice: &str, reason: &str) -> Flow {
    match run.decision(what) {
        Some(decision) if decision.choice == choice => Flow::Continue(()),
        _ => {
            let (what, choice, reason) = (what.to_owned(), choice.to_owned(), reason.to_owned());
            let by = RULES.to_owned();
            ask(vec![Ask::Decide {
                what,
                choice,
                reason,
                by,
            }])
        }
    }
}

/// Goes back: these stages are done again, with this feedback.
pub fn reopen_stages<T>(stages: &[&str], feedback: Option<String>, reason: &str) -> Flow<T> {
    let stages = stages.iter().map(|&s| s.into()).collect();
    ask(vec![Ask::Reopen {
        stages,
        feedback,
        feedback_for: None,
        reason: reason.to_owned(),
    }])
}

/// Ends the run here, with what there is.
pub fn complete_run<T>(partial: bool) -> Flow<T> {
    ControlFlow::Break(Stop::End(Verdict::Complete { partial }))
}
