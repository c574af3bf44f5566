//! What comes in with a message, and what the stages leave.

use palimpsest::prelude::pipeline::{EntryId, Violation, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::stage::{
    ANSWER, CHECK, OUTCOME, OUTLINE_PART, PASSAGE, PREPARED, PROPOSED, ROUTING, SHOWN, WRITTEN,
};
use crate::readings::passage::{PassageSelection, PassageTask};
use crate::readings::routing::{Agent, Intent, Phase, Routed, Workflow};

/// Words of a passage that may be asked for.
const TARGET_WORDS_MAX: u32 = 20_000;

/// The structured input that is given with the message.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Input {
    /// The project whose bible is read; without it, nothing is known about a story.
    pub project: Option<String>,
    /// Where the message goes, if that is known already.
    pub intent_hint: Option<Intent>,
    pub phase: Option<Phase>,
    /// The chapter that is open.
    pub chapter: Option<EntryId>,
    /// Who is to be in the scene.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub characters: Vec<EntryId>,
    pub scene_type: Option<String>,
    #[schemars(range(min = 1, max = 20000))]
    pub target_word_count: Option<u32>,
    /// Whether what is written is checked against the bible; it is, unless this is `false`.
    pub consistency: Option<bool>,
    /// Whether the story is searched for what belongs to the message; it is, unless this is `false`.
    pub rag_enabled: Option<bool>,
    /// Skills that the writer is to use, or, with a `-` before the name, is not to use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The passage that the message is about. It is rewritten, continued, or rewritten in three variants.
    pub selection: Option<PassageSelection>,
}

impl Input {
    /// # Errors
    ///
    /// A message about the input if it does not fit its schema.
    pub(crate) fn read(input: &Value) -> Result<Self, String> {
        if input.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(input.clone()).map_err(|error| error.to_string())
    }

    /// Whether it asks for a scene, which is written without routing the message.
    pub(crate) fn is_scene(&self) -> bool {
        self.chapter.is_some()
            || !self.characters.is_empty()
            || self.scene_type.is_some()
            || self.selection.is_some()
    }

    /// The chapter that is open: the one that is named, otherwise the chapter of the selection.
    pub(crate) fn open_chapter(&self) -> Option<&EntryId> {
        let selected = self.selection.as_ref();
        let selected = selected.and_then(|selection| selection.chapter.as_ref());
        self.chapter.as_ref().or(selected)
    }
}

pub(super) fn input_schema() -> Value {
    schemars::schema_for!(Input).to_value()
}

pub(super) fn check_input(input: &Value) -> Vec<Violation> {
    if input.is_null() {
        return vec![];
    }
    let mut violations = schema::violations(&input_schema(), input);
    if !violations.is_empty() {
        return violations;
    }
    match Input::read(input) {
        Err(error) => violations.push(Violation::new("", error)),
        Ok(input) => {
            if let Some(selection) = &input.selection {
                violations.extend(check_selection(&input, selection));
            }
            if input
                .target_word_count
                .is_some_and(|words| words > TARGET_WORDS_MAX)
            {
                let message = format!("at most {TARGET_WORDS_MAX} words are written at once");
                violations.push(Violation::new("/targetWordCount", message));
            }
        }
    }
    violations
}

/// What is wrong with a selection, as far as this can be said without reading the chapter.
fn check_selection(input: &Input, selection: &PassageSelection) -> Vec<Violation> {
    let mut violations = vec![];
    if selection.from >= selection.to {
        let message = "a selection ends behind its beginning: `to` is greater than `from`";
        violations.push(Violation::new("/selection", message));
    }
    if input.project.is_none() {
        let message = "a selection is of a chapter: name its project";
        violations.push(Violation::new("/project", message));
    }
    if input.open_chapter().is_none() {
        let message = "a selection is of a chapter: name it";
        violations.push(Violation::new("/selection/chapterId", message));
    }
    if input
        .intent_hint
        .is_some_and(|intent| intent != Intent::WriteContent)
    {
        let message = "a selection goes to WRITE_CONTENT: name no other intent with it";
        violations.push(Violation::new("/intentHint", message));
    }
    violations
}

/// Where a message went, with the workflow and the chapters that it speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Route {
    pub intent: Intent,
    pub workflow: Workflow,
    /// The agents that work on the message, in their order.
    pub agents: Vec<Agent>,
    /// What is to be done with the passage that is selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<PassageTask>,
}

impl Route {
    pub(super) fn of(routed: &Routed) -> Self {
        Self {
            intent: routed.intent,
            workflow: routed.intent.workflow(),
            agents: routed.intent.agents().to_vec(),
            passage: None,
        }
    }

    pub(super) fn of_facts(facts: &Value) -> Option<Self> {
        Self::deserialize(facts).ok()
    }

    /// Whether prose is checked after it was written.
    pub(crate) fn is_checked(&self, input: &Input) -> bool {
        self.intent.writes_prose() && input.consistency != Some(false)
    }

    /// Whether what is planned enters the bible as proposed.
    pub(crate) fn proposes(&self) -> bool {
        matches!(
            self.workflow,
            Workflow::CharacterDesign
                | Workflow::WorldBuilding
                | Workflow::OutlinePlanning
                | Workflow::OutlineToChapter
                | Workflow::CharacterToScene
        )
    }
}

/// What an agent made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub agent: Agent,
    /// As people read it, Markdown.
    pub text: String,
    /// The structure that it was asked for; null where it wrote prose.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// What it could not do, and why, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Whether what was written agrees with the bible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckStatus {
    Passed,
    Issues,
    /// Nothing was checked, or the answer cannot be read.
    NotChecked,
}

/// What was found wrong with what was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckResult {
    pub status: CheckStatus,
    /// In words, for people.
    pub content: String,
    /// The issues that rules and the model found, the most serious first.
    pub issues: Vec<Value>,
    /// What was not looked at, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
}

pub(super) fn kinds() -> Vec<(&'static str, Value)> {
    let object = || json!({ "type": "object" });
    vec![
        (ROUTING, object()),
        (PASSAGE, object()),
        (PREPARED, object()),
        (SHOWN, object()),
        (OUTLINE_PART, object()),
        (OUTCOME, schemars::schema_for!(Outcome).to_value()),
        (WRITTEN, schemars::schema_for!(Outcome).to_value()),
        (CHECK, schemars::schema_for!(CheckResult).to_value()),
        (PROPOSED, object()),
        (ANSWER, Value::Null),
    ]
}
