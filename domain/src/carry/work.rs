//! What a step may see.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use smol_str::SmolStr;

use super::{Carry, EarlierRun, Input, Source, UnreadFile, Written, earlier};
use crate::event::{ArtifactProduced, FilePut, Guidance, Intent, IntentClassified};
use crate::ids::{ArtifactId, RunId, StepId};
use crate::session::{Branch, Change, GateAnswer, Message, Run, Session, Spent, Step};
use crate::settings::Settings;
use crate::wording::Instructions;

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
    /// The answer of the attempt before, as the model wrote it, if it was rejected; the caller loads it.
    pub rejected: Option<String>,
    /// What the prompts of the pipeline say, so that no answer says it again; the caller knows it.
    pub instructions: Arc<Instructions>,
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
            rejected: None,
            instructions: Arc::default(),
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
            settings: settings(run, state),
            guidance: state.guidance.clone(),
            rejected: None,
            instructions: Arc::default(),
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

    /// The first source that says who wrote it or when.
    pub fn signed_source(&self) -> Option<&spec::source::SourceDocument> {
        let mut sources = self.sources.iter().map(|source| &*source.document);
        sources.find(|source| source.author.is_some() || source.date.is_some())
    }

    pub fn is_chinese(&self) -> bool {
        self.settings.language.starts_with("zh")
    }
}

/// The settings of the run; where this attempt is the last one whatever they allow, they allow no more.
fn settings(run: &Run, step: &Step) -> Arc<Settings> {
    if !step.is_last {
        return Arc::clone(&run.settings);
    }
    Arc::new(Settings {
        attempts: step.attempt,
        ..Settings::clone(&run.settings)
    })
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
