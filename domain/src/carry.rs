//! How a step is carried out: a pure function from what the step may see and what its turns gave so far to what it does next. The runner
//! makes the turns; turns that are already in the log are replayed instead.

mod earlier;
mod written;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use smol_str::SmolStr;

use crate::event::{
    ArtifactProduced, Body, CallError, FilePut, Guidance, Intent, IntentClassified, Violation,
};
use crate::flow::RULES;
use crate::hash::{Picture, Sha256};
use crate::ids::{ArtifactId, RunId, StepId};
use crate::pictures::CarriedPicture;
use crate::session::{Branch, Change, GateAnswer, Message, Run, Session, Spent};
use crate::settings::Settings;
use crate::typeset::{RenderJob, Typeset};
use spec::source::{SourceDocument, SourceFormat};

pub use earlier::{EARLIER_RUNS_MAX, EarlierRun};
pub use written::{Kept, Written, WrittenBody};

/// A file of the session, read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    pub path: String,
    /// The file as models read it: its own text, or the document as Markdown.
    pub text: Arc<str>,
    /// The whole document, in blocks.
    #[serde(skip)]
    pub document: Arc<SourceDocument>,
    /// The pictures in the file that pages can show.
    #[serde(skip)]
    pub pictures: Arc<[CarriedPicture]>,
    /// The hash of the file's bytes.
    #[serde(skip)]
    pub sha256: Sha256,
}

impl Source {
    /// Whether the file is a picture, and no document with pictures.
    pub fn is_picture(&self) -> bool {
        self.document.format == SourceFormat::Picture
    }
}

/// A part of what was made, with its text.
#[derive(Clone, Debug, PartialEq)]
pub struct MadePart {
    pub name: String,
    pub text: String,
    /// The pictures of sources that the part shows, or from which it was made.
    pub pictures: Vec<Sha256>,
}

impl MadePart {
    /// A part without pictures.
    pub fn of_text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            pictures: vec![],
        }
    }
}

/// A file of the session that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreadFile {
    pub path: String,
    /// Why the file could not be read, and what to do about it, in words for the person who gave it.
    pub why: String,
}

/// An artifact that a step works from, with its content.
#[derive(Clone, Debug)]
pub struct Input {
    pub artifact: Arc<ArtifactProduced>,
    pub body: Arc<Value>,
}

/// Everything a step may see.
#[derive(Clone, Debug)]
pub struct Work {
    pub step: StepId,
    pub attempt: u32,
    /// What was wanted first. A later wish to change what was made from this is not a brief.
    pub brief: String,
    /// The structured input that was given with the brief.
    pub input: Value,
    /// What was wanted after the brief, in order; the feedback of `guidance`, if there is one, comes last.
    pub changes: Vec<Change>,
    pub settings: Arc<Settings>,
    pub guidance: Guidance,
    /// Whether the run changes an earlier one.
    pub refines: bool,
    /// The parts of the refined stage that the change is about; empty where the change is about the whole stage.
    pub only: Vec<String>,
    /// The parts after a change of their order, in the new order, each by the name that it had before the change, with `0` for a new part;
    /// empty where the change is about something else.
    pub order: Vec<String>,
    /// The artifacts that the step works from, by kind; within a kind in the order of their items' numbers, then names.
    pub inputs: BTreeMap<SmolStr, Vec<Input>>,
    /// The artifacts that the last change refers to, as they were before it, by kind.
    pub previous: BTreeMap<SmolStr, Input>,
    /// The other parts of the step's stage as they were before a change of their order.
    pub beside: Vec<Input>,
    /// What this step has left in any run of the session, the latest first, without the contents. Empty where a person wants this very step
    /// done again.
    pub made_before: Vec<Arc<ArtifactProduced>>,
    pub sources: Vec<Source>,
    /// Files that came with the messages and could not be read.
    pub unread: Vec<UnreadFile>,
    /// The files of the session as they are now, by path, without their contents.
    pub files: Vec<FilePut>,
    /// The conversation before the message of this run.
    pub history: Vec<Message>,
    /// The runs before this one, the latest first, where the pipeline recalls artifacts of earlier runs.
    pub earlier: Vec<EarlierRun>,
    /// What an earlier run has made and this run could change.
    pub refinable: Option<Refinable>,
    /// Whether the run before this one stopped before its end, so that it could be resumed.
    pub resumable: bool,
    /// What was answered in this session to questions that are about nothing that was made, by the gate's name.
    pub answers: BTreeMap<String, Value>,
    /// The questions that other steps of this run asked while they worked, with the answers. A step finds the answers to its own questions
    /// in its turns.
    pub asked: Vec<Asked>,
    /// The latest choice of each decision of this run, by what was decided.
    pub decisions: BTreeMap<String, String>,
    /// What this step has left in this run, the latest first, without the contents; this includes what became invalid when the run went
    /// back.
    pub left_before: Vec<Arc<ArtifactProduced>>,
    /// What a person wrote for this step to leave; the caller asks [`written_for`](crate::by_hand::written_for) and loads it.
    pub written: Option<Written>,
    /// The stage of what a person edited by hand in this run, where the run is such an edit.
    pub edited: Option<SmolStr>,
}

/// A question that a model asked a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub question: String,
    /// See [`Gate::in_words`](crate::session::Gate::in_words).
    pub answer: Value,
}

/// A run that could be refined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refinable {
    /// The items of its stages that have some, with their titles: by stage, then in their order.
    pub parts: Vec<MadeItem>,
    /// The run that this run changed, if it changed one: "back" leads there.
    pub before: Option<RunId>,
    /// What all runs of the session have used.
    pub spent: Spent,
}

/// An item of a stage that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeItem {
    pub kind: SmolStr,
    pub item: SmolStr,
    pub title: String,
}

/// What a step sees of the log beyond the state: the caller loads it.
#[derive(Clone, Debug, Default)]
pub struct Material {
    pub inputs: Vec<Arc<ArtifactProduced>>,
    pub previous: Vec<Arc<ArtifactProduced>>,
    pub beside: Vec<Arc<ArtifactProduced>>,
    /// For each of [`Work::earlier`], what it left.
    pub recalled: Vec<Vec<Arc<ArtifactProduced>>>,
    /// The files that the run may use as sources.
    pub files: Vec<FilePut>,
}

impl Work {
    /// The first attempt of a step of which nothing else is known: tests start from it and fill in what they need. [`Work::of`], which is
    /// used where a step is really carried out, names every field, so that a forgotten field does not compile.
    pub fn blank(step: StepId) -> Self {
        Self {
            step,
            attempt: 1,
            brief: String::new(),
            input: Value::Null,
            changes: vec![],
            settings: Arc::default(),
            guidance: Guidance::default(),
            refines: false,
            only: vec![],
            order: vec![],
            inputs: BTreeMap::new(),
            previous: BTreeMap::new(),
            beside: vec![],
            made_before: vec![],
            sources: vec![],
            unread: vec![],
            files: vec![],
            history: vec![],
            earlier: vec![],
            refinable: None,
            resumable: false,
            answers: BTreeMap::new(),
            asked: vec![],
            decisions: BTreeMap::new(),
            left_before: vec![],
            written: None,
            edited: None,
        }
    }

    /// What the step may see of the session, without the contents, which the caller loads: the artifacts of the kinds that it `sees`; of
    /// the kinds that it `revises`, the artifacts from before the change that the step is told; and of the kinds that it `recalls`, what
    /// earlier runs left.
    pub fn of(
        session: &Session,
        run: &Run,
        step: &StepId,
        sees: &[&str],
        revises: &[&str],
        recalls: &[&str],
    ) -> Option<(Self, Material)> {
        let state = run.step(&step.stage, &step.item)?;
        let branch = Branch::of(session, run);
        let mut inputs: Vec<_> = sees
            .iter()
            .flat_map(|kind| {
                run.artifacts_of(kind)
                    .map(|(_, artifact)| Arc::clone(artifact))
            })
            .collect();
        inputs.sort_by_cached_key(|a| {
            (
                a.kind.clone(),
                a.item().parse::<u32>().unwrap_or(u32::MAX),
                a.item().to_owned(),
            )
        });
        let (earlier, recalled) = earlier::of(session, run, &branch, recalls);
        let order = run.refinement.as_ref().map(|refinement| &refinement.order);
        let order = order.cloned().unwrap_or_default();
        let beside = if order.is_empty() {
            vec![]
        } else {
            branch.beside_before_change(&step.stage, revises)
        };
        let wanted = Material {
            inputs,
            recalled,
            previous: branch.before_change(&step.stage, &step.item, revises),
            beside,
            files: branch.files(),
        };
        let before = session.messages.iter().filter(|m| m.run < run.id);
        let root = branch.root();
        let left = left_by(session, step);
        let work = Self {
            step: step.clone(),
            attempt: state.attempt,
            brief: root.brief.clone(),
            input: root.input.clone(),
            changes: branch.changes(state.guidance.feedback.as_deref()),
            settings: Arc::clone(&run.settings),
            guidance: state.guidance.clone(),
            refines: run.refinement.is_some(),
            only: only(run),
            order,
            inputs: BTreeMap::new(),
            previous: BTreeMap::new(),
            beside: vec![],
            left_before: left
                .iter()
                .filter(|a| a.step.run == run.id)
                .cloned()
                .collect(),
            made_before: if is_done_again(run, &step.stage) {
                vec![]
            } else {
                left
            },
            sources: vec![],
            unread: vec![],
            files: session.files.values().cloned().collect(),
            history: before.cloned().collect(),
            earlier,
            refinable: session
                .refinable()
                .filter(|&base| base != run.id)
                .and_then(|base| refinable(session, base)),
            resumable: session.resumable(run.id).is_some(),
            answers: answers(run, step),
            asked: asked(run, step),
            decisions: decisions(run),
            written: None,
            edited: run.edit.as_ref().map(|edit| edit.step.stage.clone()),
        };
        Some((work, wanted))
    }

    /// The artifact of this kind that the last change refers to, as it was before the change.
    pub fn previous(&self, kind: &str) -> Option<&Input> {
        self.previous.get(kind)
    }

    /// The content of that artifact as its type; `None` where it is missing or of another shape.
    pub fn previous_as<T: DeserializeOwned>(&self, kind: &str) -> Option<T> {
        T::deserialize(self.previous(kind)?.body.as_ref()).ok()
    }

    /// Whether the change is about some parts only, and the part at this place, counted from 0, is not one of them.
    pub fn leaves_alone(&self, place: usize) -> bool {
        !self.only.is_empty() && !self.only.contains(&(place + 1).to_string())
    }

    /// Restores the entries of the parts that a change of some parts is not about. The list has an entry for each part; it is left as it is
    /// if its length changed.
    pub fn keep_others<T>(&self, now: &mut [T], before: Vec<T>) {
        if now.len() != before.len() {
            return;
        }
        for (place, (entry, was)) in now.iter_mut().zip(before).enumerate() {
            if self.leaves_alone(place) {
                *entry = was;
            }
        }
    }

    /// The changes before the one that the step is told.
    pub fn earlier_changes(&self) -> &[Change] {
        match (&self.guidance.feedback, &self.changes[..]) {
            (Some(_), [earlier @ .., _]) => earlier,
            (Some(_), []) => &[],
            (None, all) => all,
        }
    }

    /// The body of the only artifact of a kind.
    pub fn body(&self, kind: &str) -> Option<&Value> {
        self.inputs
            .get(kind)?
            .first()
            .map(|input| input.body.as_ref())
    }

    /// The only artifact of a kind as its type; the step fails where it is missing or of another shape.
    pub fn read<T: DeserializeOwned>(&self, kind: &str) -> Result<T, Box<Carry>> {
        let fail = |message| {
            Box::new(Carry::Fail {
                code: "input_missing".to_owned(),
                message,
                retryable: false,
            })
        };
        let Some(body) = self.body(kind) else {
            let stage = &self.step.stage;
            return Err(fail(format!(
                "`{stage}` needs a `{kind}`, and the run has none"
            )));
        };
        T::deserialize(body)
            .map_err(|error| fail(format!("the `{kind}` of the run cannot be used: {error}")))
    }

    /// The ids of everything the step works from: the lineage of what it makes.
    pub fn lineage(&self) -> Vec<ArtifactId> {
        self.inputs
            .values()
            .flatten()
            .map(|input| input.artifact.artifact.clone())
            .collect()
    }

    pub fn is_chinese(&self) -> bool {
        self.settings.language.starts_with("zh")
    }
}

/// The parts that a change, or an edit by hand, is about.
fn only(run: &Run) -> Vec<String> {
    let refined = run.refinement.as_ref().map(|refinement| &refinement.items);
    let edited = run.edit.as_ref().map(|edit| &edit.items);
    refined.or(edited).cloned().unwrap_or_default()
}

/// The answers to the questions of the run, without those that this step asked while it worked, so that the value is the same before and
/// after such an answer.
fn answers(run: &Run, step: &StepId) -> BTreeMap<String, Value> {
    let own = |name: &str| {
        let mut gates = run.gates.values();
        gates.any(|gate| gate.opened.name == name && gate.opened.step.as_ref() == Some(step))
    };
    let given = run.questions().filter(|(name, _)| !own(name));
    let given = given.filter_map(|(name, answer)| match answer {
        GateAnswer::Given { answer, .. } => Some((name.to_owned(), answer.clone())),
        GateAnswer::Confirmed { .. } | GateAnswer::Declined { .. } => None,
    });
    given.collect()
}

fn asked(run: &Run, step: &StepId) -> Vec<Asked> {
    let gates = run.gates.values();
    let others = gates.filter(|gate| gate.opened.step.as_ref().is_some_and(|by| by != step));
    let answered = others.filter_map(|gate| {
        let answer = gate.answer.as_ref()?.given()?;
        Some(Asked {
            question: gate.opened.question.clone(),
            answer: gate.in_words(answer),
        })
    });
    answered.collect()
}

fn decisions(run: &Run) -> BTreeMap<String, String> {
    let decisions = run.decisions.iter();
    decisions
        .map(|decision| (decision.what.clone(), decision.choice.clone()))
        .collect()
}

/// What this step has left in any run of the session, the latest first.
fn left_by(session: &Session, step: &StepId) -> Vec<Arc<ArtifactProduced>> {
    let ours =
        |a: &&Arc<ArtifactProduced>| (&a.step.stage, &a.step.item) == (&step.stage, &step.item);
    let mut left: Vec<_> = session.artifacts.values().filter(ours).cloned().collect();
    left.sort_by(|a, b| {
        (b.step.run, b.attempt, &a.artifact).cmp(&(a.step.run, a.attempt, &b.artifact))
    });
    left
}

/// Whether a person or a review wants this very step done again.
fn is_done_again(run: &Run, stage: &str) -> bool {
    let restarted = run
        .intent
        .as_ref()
        .is_some_and(|intent| intent.intent == Intent::Restart);
    let named = run
        .refinement
        .as_ref()
        .is_some_and(|refinement| refinement.stage == stage);
    let gone_back = run.stage(stage).is_some_and(|stage| stage.reopened > 0);
    restarted || named || gone_back
}

/// In the facts of an artifact that holds several items: what each is called, in their order.
pub const ITEMS: &str = "items";

/// The items that an artifact is, or holds.
fn items_of(made: &ArtifactProduced) -> Vec<MadeItem> {
    let item = |item: SmolStr, title: &str| MadeItem {
        kind: made.kind.clone(),
        item,
        title: title.to_owned(),
    };
    if !made.step.item.is_empty() {
        return vec![item(made.step.item.clone(), &made.title)];
    }
    let held = made.facts[ITEMS].as_array().into_iter().flatten();
    let titles = held.filter_map(Value::as_str).enumerate();
    titles
        .map(|(at, title)| item(format!("{}", at + 1).into(), title))
        .collect()
}

fn refinable(session: &Session, base: RunId) -> Option<Refinable> {
    let run = session.run(base)?;
    let mut parts: Vec<MadeItem> = run.artifacts().flat_map(|made| items_of(made)).collect();
    parts.sort_by_cached_key(|part| {
        let number = part.item.parse::<u32>().unwrap_or(u32::MAX);
        (part.kind.clone(), number, part.item.clone())
    });
    let changes = |intent: &IntentClassified| match intent.intent {
        Intent::Refinement | Intent::Restart | Intent::Edit => true,
        Intent::Initial | Intent::Irrelevant | Intent::Resumption => false,
    };
    let is_change = run.intent.as_ref().is_some_and(changes);
    let mut spent = Spent::default();
    for run in session.runs.values() {
        spent += run.spent;
    }
    Some(Refinable {
        parts,
        before: run.base_run.filter(|_| is_change),
        spent,
    })
}

/// What a turn gave.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnResult {
    Model { model: SmolStr, answer: Answer },
    Tool { output: Value },
    Typeset(Typeset),
}

impl TurnResult {
    /// The model and its answer, where one was asked.
    pub fn answer(&self) -> Option<(&str, &Answer)> {
        match self {
            Self::Model { model, answer } => Some((model, answer)),
            Self::Tool { .. } | Self::Typeset(_) => None,
        }
    }

    /// What a tool gave, where one was called.
    pub fn output(&self) -> Option<&Value> {
        match self {
            Self::Tool { output } => Some(output),
            Self::Model { .. } | Self::Typeset(_) => None,
        }
    }

    /// What typesetting gave, where something was typeset.
    pub fn typeset(&self) -> Option<&Typeset> {
        match self {
            Self::Typeset(typeset) => Some(typeset),
            Self::Model { .. } | Self::Tool { .. } => None,
        }
    }
}

/// A model's answer, read as far as it can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Json(Value),
    Text(String),
    /// The model wants these tools called; the text is what the model said with the calls.
    Calls {
        text: String,
        calls: Vec<Call>,
        /// What else came with the calls, such as the reasoning. Some models want it sent back before they go on.
        beside: Map<String, Value>,
    },
    /// Structured output was asked for and this is not it; the message is for the model.
    Unreadable(String),
}

impl Answer {
    /// Calls without any text and with nothing beside them.
    pub fn calls(calls: Vec<Call>) -> Self {
        Self::Calls {
            text: String::new(),
            calls,
            beside: Map::new(),
        }
    }
}

/// What a step does next.
#[derive(Clone, Debug)]
pub enum Carry {
    Model(Box<ModelTurn>),
    Tool(Box<ToolTurn>),
    Render(Box<RenderJob>),
    Done(Vec<Output>),
    Reject(Vec<Violation>),
    Fail {
        code: String,
        message: String,
        retryable: bool,
    },
}

impl From<ModelTurn> for Carry {
    fn from(turn: ModelTurn) -> Self {
        Self::Model(Box::new(turn))
    }
}

/// The step is done, and leaves this.
impl From<NewArtifact> for Carry {
    fn from(artifact: NewArtifact) -> Self {
        Self::Done(vec![Output::Artifact(artifact)])
    }
}

impl From<RenderJob> for Carry {
    fn from(job: RenderJob) -> Self {
        Self::Render(Box::new(job))
    }
}

impl Carry {
    /// A call of a tool that needs the outside world.
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::Tool(Box::new(ToolTurn {
            tool: name.into(),
            input,
            gives: None,
        }))
    }
}

/// One question to a model.
#[derive(Clone, Debug)]
pub struct ModelTurn {
    /// The role that decides which model is called.
    pub role: &'static str,
    /// Path of the prompt under `prompts/`, without extension.
    pub prompt: &'static str,
    /// What the prompt's template is filled with.
    pub vars: Value,
    /// Name and JSON Schema of the wanted structure.
    pub schema: Option<(&'static str, Value)>,
    pub max_output_tokens: u32,
    /// The tools that the model may call.
    pub tools: Vec<Tool>,
    /// What was said after the prompt.
    pub talk: Vec<Exchange>,
    /// What the model is shown with the prompt; only models that accept pictures are asked this way.
    pub pictures: Vec<Picture>,
}

impl ModelTurn {
    /// A question that is answered in prose.
    pub fn new(
        role: &'static str,
        prompt: &'static str,
        vars: Value,
        max_output_tokens: u32,
    ) -> Self {
        Self {
            role,
            prompt,
            vars,
            schema: None,
            max_output_tokens,
            tools: vec![],
            talk: vec![],
            pictures: vec![],
        }
    }

    /// Answered with a structure of this name and JSON Schema.
    #[must_use]
    pub fn structured(mut self, name: &'static str, schema: Value) -> Self {
        self.schema = Some((name, schema));
        self
    }
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// A call of a tool that a model wants made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// JSON text as the model wrote it; it may be malformed.
    pub arguments: String,
    /// What else came with the call, such as a signature of the model's reasoning. It is sent back with the call unchanged.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub beside: Map<String, Value>,
}

impl Call {
    /// A call with nothing beside it.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            beside: Map::new(),
        }
    }
}

/// One thing that was said in a loop of tools.
#[derive(Clone, Debug, PartialEq)]
pub enum Exchange {
    /// By the model.
    Said {
        text: String,
        calls: Vec<Call>,
        /// See [`Answer::Calls`].
        beside: Map<String, Value>,
    },
    /// What a call gave.
    Returned { call: String, output: String },
    /// To the model.
    Told(String),
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolTurn {
    pub tool: String,
    pub input: Value,
    /// The outcome of the call, where it is known without asking the outside world.
    pub gives: Option<ToolOutcome>,
}

/// What a tool gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    pub output: Value,
    /// One line for people.
    pub summary: String,
    pub error: Option<CallError>,
    /// Bytes that the output names by their hash; they are stored beside the log together with the output.
    pub blobs: Vec<Bytes>,
    /// Millionths of the currency the prices are in.
    pub cost_micros: u64,
}

impl ToolOutcome {
    /// It gave this.
    pub fn gave(output: Value, summary: impl Into<String>) -> Self {
        Self {
            output,
            summary: summary.into(),
            error: None,
            blobs: vec![],
            cost_micros: 0,
        }
    }

    /// It gave nothing, and says why: `{error, code, retryable}`.
    pub fn refused(code: &str, message: &str, retryable: bool) -> Self {
        let error = CallError::new(code, message, retryable);
        let output = json!({ "error": message, "code": code, "retryable": retryable });
        Self {
            error: Some(error),
            ..Self::gave(output, message)
        }
    }
}

/// Something a finished step leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    Artifact(NewArtifact),
    Intent(IntentOutput),
    /// A file of the session, which replaces one of the same path.
    File {
        path: String,
        file: File,
    },
    /// The session has no such file any longer.
    FileRemoved {
        path: String,
    },
    Decision {
        what: String,
        choice: String,
        reason: String,
        by: String,
    },
}

/// An artifact before it has an id and a number.
#[derive(Clone, Debug, PartialEq)]
pub struct NewArtifact {
    pub kind: &'static str,
    /// First part of its id.
    pub id_prefix: &'static str,
    /// Where the step leaves several of this kind, which one it is; empty where it leaves one.
    pub part: String,
    pub title: String,
    pub content: Content,
    /// What the flow reads of the artifact; null where it reads nothing.
    pub facts: Value,
    pub shown: bool,
    pub from: Vec<ArtifactId>,
}

impl NewArtifact {
    /// The only artifact of its kind that a step leaves: shown to people, and without facts for the flow. `from` is its lineage, mostly
    /// [`Work::lineage`].
    pub fn new(
        kind: &'static str,
        id_prefix: &'static str,
        title: impl Into<String>,
        content: Content,
        from: Vec<ArtifactId>,
    ) -> Self {
        Self {
            kind,
            id_prefix,
            part: String::new(),
            title: title.into(),
            content,
            facts: Value::Null,
            shown: true,
            from,
        }
    }

    /// The content, where that is JSON.
    pub fn json(&self) -> Option<&Value> {
        match &self.content {
            Content::Json(json) => Some(json),
            Content::File(_) | Content::Same(_) => None,
        }
    }
}

/// What an artifact holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Json(Value),
    /// Kept beside the events, however small it is: no event holds bytes.
    File(File),
    /// The body of an earlier artifact, referred to and not copied.
    Same(Body),
}

impl Content {
    /// A file with these bytes.
    pub fn file(media_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self::File(File { media_type, bytes })
    }
}

/// A file that is not JSON.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    pub media_type: &'static str,
    pub bytes: Bytes,
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.bytes.len(), self.media_type)
    }
}

/// How the message of the run is meant.
#[derive(Clone, Debug, PartialEq)]
pub struct IntentOutput {
    pub intent: Intent,
    pub target: Option<SmolStr>,
    /// The items of the target that a change is about; empty where it is about all of it.
    pub items: Vec<String>,
    /// The items after a change of their order, in the new order; empty where it is about something else.
    pub order: Vec<String>,
    /// The run to which the session goes back, so that it becomes the head; nothing is made.
    pub back_to: Option<RunId>,
    /// The tag of the language into which a change wants the existing content put.
    pub language: Option<String>,
    pub confidence: f64,
    pub by: String,
    pub reason: String,
    pub reply: Option<String>,
}

impl IntentOutput {
    /// A message that is answered with a text, and nothing is made.
    pub fn refused(reply: String) -> Self {
        let reason = "the message asks for what takes a model, and none is configured";
        Self {
            reply: Some(reply),
            ..Self::by_rules(Intent::Irrelevant, reason)
        }
    }

    /// What rules say for certain, without a target and a reply.
    pub fn by_rules(intent: Intent, reason: impl Into<String>) -> Self {
        Self {
            intent,
            target: None,
            items: vec![],
            order: vec![],
            back_to: None,
            language: None,
            confidence: 1.0,
            by: RULES.to_owned(),
            reason: reason.into(),
            reply: None,
        }
    }
}
