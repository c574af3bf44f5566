//! How a step is carried out: a pure function from what the step may see and what its turns gave so far to what it does
//! next. The runner makes the turns; those that are in the log already are replayed instead.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spec::{SlideSpec, Theme};

use crate::event::{ArtifactProduced, FilePut, Guidance, Intent, Violation};
use crate::ids::{ArtifactId, RunId, StepId};
use crate::pipeline::Pipeline;
use crate::session::{Branch, Change, Message, Run, Session};
use crate::settings::Settings;

/// A source text of the session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    pub path: String,
    pub text: String,
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
    /// What was wanted first: a change to what was made of it is not a brief.
    pub brief: String,
    /// What was given explicitly beside the brief.
    pub input: Value,
    /// What was wanted after the brief, in order; the feedback of `guidance`, if there is one, comes last.
    pub changes: Vec<Change>,
    pub settings: Settings,
    pub guidance: Guidance,
    /// Whether the run changes an earlier one.
    pub refines: bool,
    /// By kind; within a kind in the order of their items' numbers, then names.
    pub inputs: BTreeMap<String, Vec<Input>>,
    /// What the last change was said about, by kind.
    pub previous: BTreeMap<String, Input>,
    pub sources: Vec<Source>,
    /// The conversation before the message of this run.
    pub history: Vec<Message>,
    /// What an earlier run has made that this one could change: the run, and the kinds with their stages.
    pub refinable: Option<Refinable>,
    /// Whether the run before stopped before its end, so that it could be gone on with.
    pub resumable: bool,
}

/// A run that could be refined, as its artifacts' stages, kinds and ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Refinable {
    pub run: RunId,
    pub artifacts: Vec<(String, String, ArtifactId)>,
}

/// What a step sees of the log beyond the state: the caller loads it.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub inputs: Vec<Arc<ArtifactProduced>>,
    pub previous: Vec<Arc<ArtifactProduced>>,
    /// The files that the run may use as sources.
    pub files: Vec<FilePut>,
}

impl Work {
    /// What the step may see of the session, without the contents, which the caller loads.
    pub fn of(
        session: &Session,
        run: &Run,
        step: &StepId,
        pipeline: &dyn Pipeline,
    ) -> Option<(Self, Wanted)> {
        let state = run.step(&step.stage, &step.item)?;
        let branch = Branch::of(session, run);
        let sees = pipeline.sees(&step.stage, &step.item);
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
                a.step.item.parse::<u32>().unwrap_or(u32::MAX),
                a.step.item.clone(),
            )
        });
        let wanted = Wanted {
            inputs,
            previous: branch.before_change(
                &step.stage,
                &step.item,
                pipeline.revises(&step.stage, &step.item),
            ),
            files: branch.files(),
        };
        let before = session.messages.iter().filter(|m| m.run < run.id);
        let root = branch.root();
        let work = Self {
            step: step.clone(),
            attempt: state.attempt,
            brief: root.brief.clone(),
            input: root.input.clone(),
            changes: branch.changes(state.guidance.feedback.as_deref()),
            settings: run.settings.clone(),
            guidance: state.guidance.clone(),
            refines: run.refinement.is_some(),
            inputs: BTreeMap::new(),
            previous: BTreeMap::new(),
            sources: vec![],
            history: before.cloned().collect(),
            refinable: session
                .refinable()
                .filter(|&base| base != run.id)
                .and_then(|base| refinable(session, base)),
            resumable: session.resumable(run.id).is_some(),
        };
        Some((work, wanted))
    }

    /// What the last change was said about.
    pub fn previous(&self, kind: &str) -> Option<&Input> {
        self.previous.get(kind)
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

fn refinable(session: &Session, base: RunId) -> Option<Refinable> {
    let run = session.run(base)?;
    let artifacts = run
        .artifacts()
        .map(|a| (a.step.stage.clone(), a.kind.clone(), a.artifact.clone()))
        .collect();
    Some(Refinable {
        run: base,
        artifacts,
    })
}

/// What a turn gave.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnResult {
    Model { model: String, answer: Answer },
    Tool { output: Value },
    Rendered { output: Value },
}

/// A model's answer, read as far as it can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Json(Value),
    Text(String),
    /// Structured output was asked for and this is not it; the message is for the model.
    Unreadable(String),
}

/// What a step does next.
#[derive(Clone, Debug)]
pub enum Carry {
    Model(Box<ModelTurn>),
    Tool(ToolTurn),
    Render(Box<RenderJob>),
    Done(Vec<Output>),
    Reject(Vec<Violation>),
    Fail {
        code: String,
        message: String,
        retryable: bool,
    },
}

/// One question to a model.
#[derive(Clone, Debug)]
pub struct ModelTurn {
    /// Decides which model is called.
    pub role: &'static str,
    /// Path of the prompt under `prompts/`, without extension.
    pub prompt: &'static str,
    /// What the prompt's template is filled with.
    pub vars: Value,
    /// Name and JSON Schema of the wanted structure.
    pub schema: Option<(&'static str, Value)>,
    pub max_output_tokens: u32,
    /// What the offline author answers.
    pub offline: fn(&Work) -> Value,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolTurn {
    pub tool: &'static str,
    pub input: Value,
}

/// Typesetting, which is free and deterministic and therefore never recorded.
#[derive(Clone, Debug)]
pub enum RenderJob {
    /// Gives a [`TypesetPage`].
    Page {
        slide: SlideSpec,
        theme: Theme,
        place: PagePlace,
    },
    /// Gives the `AnyGenDocument`.
    Document {
        slides: Vec<(SlideSpec, String)>,
        theme: Theme,
        title: String,
    },
}

/// What typesetting a page gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypesetPage {
    /// The page fragment.
    pub html: String,
    pub misfits: Vec<Misfit>,
}

/// A text that the page has no room for, as far as type can be set smaller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Misfit {
    /// It is higher than its place, by so many pixels of a page of 1280 x 720.
    TooHigh { text: String, px: u32 },
    /// It fits in type of so many pixels only, which nobody can read.
    TooSmall { text: String, px: u32 },
}

/// Where a page stands in its deck.
#[derive(Clone, Debug, PartialEq)]
pub struct PagePlace {
    pub course_title: String,
    /// From 1.
    pub page_number: u32,
    pub page_count: u32,
    pub language: String,
    pub offline: bool,
}

/// Something a finished step leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    Artifact(NewArtifact),
    Intent(IntentOutput),
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
    pub title: String,
    pub body: Value,
    /// What the flow reads of it; null where it reads nothing.
    pub facts: Value,
    pub shown: bool,
    pub from: Vec<ArtifactId>,
}

/// How the message of the run is meant.
#[derive(Clone, Debug, PartialEq)]
pub struct IntentOutput {
    pub intent: Intent,
    pub target: Option<String>,
    pub confidence: f64,
    pub by: String,
    pub reason: String,
    pub reply: Option<String>,
}
