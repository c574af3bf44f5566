//! What a pipeline is: a flow, the work of each stage, and the words that describe it to clients.
//!
//! A pipeline is a type that implements [`Pipeline`]: its stages, each of which is a row ([`StageSpec`]) that names a function from the
//! [`Work`] and the turns so far to the next [`Carry`]; its `flow`; a folder of the same name in `prompts/`, one file for each stage that
//! asks a model (`prompts/README.md` has the form); and what the offline author answers, by the names of the prompts. It never names another
//! one. What its artifacts look like is a type with `schemars`; what a schema cannot say is a function that gives violations, each of which
//! is written for the model that has to correct the answer. `products/course` is the example to read.

mod stages;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use smol_str::SmolStr;
use ts_rs::TS;

use crate::carry::{Carry, MadePart, NewArtifact, Output, TurnResult, Work, Written};
use crate::delivery::{CheckInfo, FormInfo};
use crate::event::{ArtifactProduced, Reserve, Violation};
use crate::flow::{Flow, UNDERSTAND};
use crate::ids::ArtifactId;
use crate::schema;
use crate::session::Run;
use crate::settings::ATTEMPTS_MAX;
use crate::understanding::asked::Understanding;

pub use stages::{Asks, BadStages, LeaveWithoutModel, StageSpec, check_stages};

/// A stage as clients see it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct StageInfo {
    pub name: &'static str,
    pub title: &'static str,
    /// Artifact kinds it makes, the main one first.
    pub artifacts: Vec<&'static str>,
    /// Whether single items of it can be left out while the run is at work.
    pub skippable: bool,
}

/// An option that people are offered, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct OptionInfo {
    pub option: &'static str,
    pub title: &'static str,
    pub description: &'static str,
}

/// An artifact kind and the JSON Schema of its content.
#[derive(Clone, Debug, Serialize, TS)]
pub struct KindInfo {
    pub kind: &'static str,
    /// Fields that follow from the rest of the content are `readOnly`.
    #[ts(type = "unknown")]
    pub schema: Value,
    /// Whether a person may write its next version by hand.
    pub editable: bool,
}

/// A kind that a person may write by hand, with the fields of its content that follow from the rest.
pub type ByHand = (&'static str, &'static [&'static str]);

impl KindInfo {
    /// A kind of a pipeline; `by_hand` lists the kinds that a person may write by hand.
    pub fn of(kind: &'static str, mut schema: Value, by_hand: &[ByHand]) -> Self {
        let found = by_hand.iter().find(|(written, _)| *written == kind);
        if let Some((_, follow)) = found {
            let of_list = schema.pointer("/items/properties").is_some();
            let fields = if of_list {
                "/items/properties"
            } else {
                "/properties"
            };
            for field in *follow {
                if let Some(field) = schema.pointer_mut(&format!("{fields}/{field}")) {
                    field["readOnly"] = Value::Bool(true);
                }
            }
        }
        Self {
            kind,
            schema,
            editable: found.is_some(),
        }
    }
}

/// A role that a file beside the sources may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct FileRole {
    pub role: &'static str,
    /// The folder of the session that a file of this role is put into, with a slash at its end.
    pub folder: &'static str,
}

/// A pipeline as clients see it.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct Description {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    #[ts(type = "unknown")]
    pub input_schema: Value,
    /// What files that come with a message are for, and how they are told apart; empty where none are taken.
    pub takes_files: &'static str,
    /// The folder of the session that files without a role are put into, with a slash at its end; empty for none.
    pub sources_under: &'static str,
    /// The roles that other files may have.
    pub file_roles: Vec<FileRole>,
    pub stages: Vec<StageInfo>,
    pub artifacts: Vec<KindInfo>,
    /// The kind of the deliverable.
    pub delivers: &'static str,
    /// The files in which the results are delivered, apart from the artifacts that are only data to look into.
    pub forms: Vec<FormInfo>,
    /// The artifacts that check what was made.
    pub checks: Vec<CheckInfo>,
    /// The words of the options of its questions.
    pub options: Vec<OptionInfo>,
    /// Whether its runs are begun by other runs and not by a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub internal: bool,
}

/// What results from the edits of a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edited {
    /// The next version of what the gate asks about, where that is edited.
    pub subject: Option<NewArtifact>,
    /// Next versions of what other steps made, with the stage and the item of each.
    pub others: Vec<(String, String, NewArtifact)>,
    /// What the person decided besides: the name of the decision, the choice, and why.
    pub decisions: Vec<(String, String, String)>,
    /// Stages that are done again because of the edits.
    pub reopens: Vec<SmolStr>,
}

impl From<NewArtifact> for Edited {
    fn from(subject: NewArtifact) -> Self {
        Self {
            subject: Some(subject),
            ..Self::default()
        }
    }
}

/// The edits of a person to what a gate asks about.
#[derive(Clone, Copy, Debug)]
pub struct GateEdits<'a> {
    /// The name of the gate.
    pub gate: &'a str,
    pub subject: &'a Value,
    /// What else may be edited there, by kind; see [`Pipeline::edits_see`].
    pub seen: &'a BTreeMap<String, Value>,
    pub edits: &'a Value,
    /// The paths of the session's files.
    pub files: &'a [&'a str],
}

/// A way of making something in stages. Everything here is a pure function of its arguments.
pub trait Pipeline: Send + Sync {
    fn name(&self) -> &'static str;

    /// What clients are told of it, in Chinese or in English; [`Description::of`] has what the stages say.
    fn describe(&self, chinese: bool) -> Description;

    /// The stages that a refinement may name, in their order. A refinement redoes its target and every later one.
    fn stages(&self) -> &'static [StageSpec];

    /// The row of a step: the row of its stage, unless the pipeline has a row for this item, or for stages that its table does not list.
    fn row(&self, stage: &str, _item: &str) -> Option<&'static StageSpec> {
        self.stages().iter().find(|row| row.name == stage)
    }

    /// How its messages are understood, which is the stage before all others.
    fn understanding(&self) -> Option<&'static Understanding> {
        None
    }

    /// What is needed next.
    fn flow(&self, run: &Run) -> Flow;

    /// The most attempts that its steps may be given.
    fn attempts_max(&self) -> u32 {
        ATTEMPTS_MAX
    }

    /// The deliverable, if there is one yet: the artifact of the kind that the description names.
    fn deliver(&self, run: &Run) -> Option<ArtifactId> {
        let delivered = run.artifact(self.describe(false).delivers)?;
        Some(delivered.artifact.clone())
    }

    /// Whether a run that was to change something made what people get the same again. A pipeline whose artifacts say themselves what
    /// became of a wish answers no.
    fn is_same(&self, base: &Run, run: &Run) -> bool {
        let delivered = |run: &Run| {
            let id = self.deliver(run)?;
            run.artifacts().find(|made| made.artifact == id).cloned()
        };
        let made = delivered(run).filter(|made| made.step.run == run.id);
        made.is_some_and(|made| delivered(base).is_some_and(|before| before.body == made.body))
    }

    /// Whether this step asks neither a model nor a tool in this run, although its row says what it may use.
    fn asks_nobody(&self, _run: &Run, _stage: &str, _item: &str) -> bool {
        false
    }

    /// The most that one turn of a step of this stage may use; nothing where the step asks neither a model nor a tool. See
    /// [`asking::reserve_question`](crate::asking::reserve_question).
    fn reserve(&self, run: &Run, stage: &str, item: &str) -> Reserve {
        if let Some(understanding) = self.understanding().filter(|_| stage == UNDERSTAND) {
            return understanding.reserve(run);
        }
        let row = self.row(stage, item);
        let row = row.filter(|_| !self.asks_nobody(run, stage, item));
        row.map_or_else(Reserve::default, |row| row.most(run, item))
    }

    /// The kinds of artifacts that a step of this stage works from.
    fn sees(&self, stage: &str, item: &str) -> &'static [&'static str] {
        self.row(stage, item).map_or(&[], |row| row.sees)
    }

    /// The kinds whose artifacts from before the change a step of this stage is shown together with that change.
    fn revises(&self, stage: &str, item: &str) -> &'static [&'static str] {
        self.row(stage, item).map_or(&[], |row| row.revises)
    }

    /// The artifact kinds that a step is shown from earlier runs of the session on which its own run is not based.
    fn recalls(&self, stage: &str, item: &str) -> &'static [&'static str] {
        self.row(stage, item).map_or(&[], |row| row.recalls)
    }

    /// What the step does instead of what its row says; nothing where it does that.
    fn instead(&self, _work: &Work, _turns: &[TurnResult]) -> Option<Carry> {
        None
    }

    /// What the step does next, given what its turns so far gave.
    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        let (stage, item) = (work.step.stage.as_str(), work.step.item.as_str());
        if let Some(understanding) = self.understanding().filter(|_| stage == UNDERSTAND) {
            return understanding.carry(work, turns);
        }
        if let Some(carry) = self.instead(work, turns) {
            return carry;
        }
        match self.row(stage, item) {
            Some(row) => (row.carry)(work, turns),
            None => Carry::unknown_stage(stage),
        }
    }

    /// Whether a file of the session is used as it is, such as a template, so that it is not read as material.
    fn uses_as_it_is(&self, _work: &Work, _path: &str) -> bool {
        false
    }

    /// How many characters of the texts of all files, in their order, the prompts show: all of them where steps read files by tools.
    fn shown_chars(&self) -> usize {
        usize::MAX
    }

    /// What the run has made, in parts as people know them, for the account of its [`material`](crate::material). The last stage calls
    /// this.
    fn made_parts(&self, _work: &Work) -> Vec<MadePart> {
        vec![]
    }

    /// What the step leaves when the model that it asks is not available, either for good or in the last attempt; `None` where the step
    /// then fails.
    fn without_model(&self, work: &Work) -> Option<Vec<Output>> {
        let (stage, item) = (work.step.stage.as_str(), work.step.item.as_str());
        if let Some(understanding) = self.understanding().filter(|_| stage == UNDERSTAND) {
            return understanding.without_model(work);
        }
        let leaves = self.row(stage, item)?.without_model?;
        leaves(work)
    }

    /// The parts of what a stage of this run made that a refinement may name, so that only these are made anew: the items of its
    /// steps, unless the pipeline knows others.
    fn parts(&self, run: &Run, stage: &str) -> Vec<String> {
        let of_stage = run.artifacts().filter(|made| made.step.stage == stage);
        let items = of_stage.map(|made| made.step.item.to_string());
        let items: BTreeSet<String> = items.filter(|item| !item.is_empty()).collect();
        items.into_iter().collect()
    }

    /// The items of this stage that a person may leave out, as far as these are known.
    fn skippable(&self, _run: &Run, _stage: &str) -> Vec<String> {
        vec![]
    }

    /// The kinds that edits at this gate may be about, besides the gate's subject.
    fn edits_see(&self, _gate: &str) -> &'static [&'static str] {
        &[]
    }

    /// What becomes of the subject of a gate, and of what else may be edited there, after the edits of the person who confirms it; or what
    /// is wrong with these edits.
    fn edit(&self, _edits: &GateEdits<'_>) -> Result<Edited, Vec<Violation>> {
        Err(vec![Violation {
            path: String::new(),
            message: "what this gate asks about cannot be edited".to_owned(),
        }])
    }

    /// The step that leaves the next version of an artifact which a person wrote by hand: its stage and item. `None` where the content
    /// follows from other artifacts, or was found in the outside world.
    fn written_in(&self, _made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
        None
    }

    /// What that step does with what the person wrote, instead of asking a model. It rejects, before its first turn, a text that cannot be
    /// used. If that text was only kept while something else is changed, the step then makes the artifact anew.
    fn written(&self, _work: &Work, _written: &Written, _turns: &[TurnResult]) -> Carry {
        Carry::Reject(vec![Violation::new("", "this cannot be written by hand")])
    }

    /// The parts in which two versions of an artifact with several parts differ.
    fn differing(&self, _kind: &str, _before: &Value, _after: &Value) -> Vec<String> {
        vec![]
    }

    /// What is wrong with an input; empty when it can be used. Null means no input; anything else has to fit the schema of the description.
    fn check_input(&self, input: &Value) -> Vec<Violation> {
        if input.is_null() {
            return vec![];
        }
        let schema = self.describe(false).input_schema;
        if schema.is_null() {
            let message = format!("`{}` takes no input", self.name());
            return vec![Violation::new("", message)];
        }
        schema::violations(&schema, input)
    }
}

/// The pipelines that a process serves.
#[derive(Clone)]
pub struct Pipelines(Vec<&'static dyn Pipeline>);

impl Pipelines {
    pub fn new(list: Vec<&'static dyn Pipeline>) -> Self {
        Self(list)
    }

    pub fn find(&self, name: &str) -> Option<&'static dyn Pipeline> {
        self.0
            .iter()
            .copied()
            .find(|pipeline| pipeline.name() == name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Pipeline> + '_ {
        self.0.iter().copied()
    }
}

impl std::fmt::Debug for Pipelines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|pipeline| pipeline.name()))
            .finish()
    }
}
