//! What is wrong in a project, with the sentences that prove it.

use palimpsest::prelude::pipeline::{EntryId, Sha256};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::measures::Measures;
use crate::readings::book::Placed;

/// How bad something is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// What a finding is filed under.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WarningType {
    NameDuplicate,
    NameConflict,
    MissingField,
    ReferenceBroken,
    RelationshipInconsistency,
    RelationshipConflict,
    CharacterInconsistency,
    TimelineConflict,
    SettingViolation,
    PlotHole,
    PlotLoopUnclosed,
    Other,
}

/// The rules. Their names are parts of the keys of findings that people have waived, so they must never change.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    DoubledName,
    MissingField,
    BrokenReference,
    MissingEntry,
    MissingReverse,
    ContradictingRelation,
    CircularParenthood,
    UnknownName,
    NameOffByOne,
    DeadActs,
    AbsentActs,
    Appearance,
    Age,
    Date,
    ChapterOrder,
    Weekday,
    TimeSum,
    TravelTime,
    TwoPlaces,
    TwoHands,
    WorldRule,
    LoopOpen,
    LoopOverdue,
    LoopOrder,
    UnreadChapter,
}

impl Rule {
    /// Its name, as it is written.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What its findings are filed under.
    pub fn warning_type(self) -> WarningType {
        match self {
            Self::DoubledName => WarningType::NameDuplicate,
            Self::MissingField => WarningType::MissingField,
            Self::BrokenReference | Self::MissingEntry => WarningType::ReferenceBroken,
            Self::MissingReverse => WarningType::RelationshipInconsistency,
            Self::ContradictingRelation | Self::CircularParenthood => {
                WarningType::RelationshipConflict
            }
            Self::UnknownName | Self::UnreadChapter => WarningType::Other,
            Self::NameOffByOne => WarningType::NameConflict,
            Self::DeadActs | Self::AbsentActs | Self::Appearance | Self::Age => {
                WarningType::CharacterInconsistency
            }
            Self::Date
            | Self::ChapterOrder
            | Self::Weekday
            | Self::TimeSum
            | Self::TravelTime
            | Self::TwoPlaces => WarningType::TimelineConflict,
            Self::WorldRule => WarningType::SettingViolation,
            Self::TwoHands | Self::LoopOrder => WarningType::PlotHole,
            Self::LoopOpen | Self::LoopOverdue => WarningType::PlotLoopUnclosed,
        }
    }
}

/// A sentence of a chapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    pub chapter: EntryId,
    /// Counted from 1 through all volumes.
    pub number: usize,
    pub title: String,
    pub sentence: String,
    /// Characters of the chapter before the sentence.
    pub start: usize,
}

impl Passage {
    /// The passage for a chapter as a whole, where no single sentence is meant.
    pub(super) fn whole(chapter: &Placed<'_>) -> Self {
        Self {
            chapter: chapter.id.clone(),
            number: chapter.number,
            title: chapter.chapter.title.clone(),
            sentence: String::new(),
            start: 0,
        }
    }
}

/// What is contradicted: another sentence, or a field of the bible.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Contradicted {
    pub passage: Option<Passage>,
    pub entry: Option<EntryId>,
    pub field_path: Option<String>,
    pub value: Option<String>,
}

/// A contradiction in a project.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The key stays the same as long as the rule, the entries and the sentences do; changes elsewhere do not affect it.
    pub key: String,
    pub rule: Rule,
    pub warning_type: WarningType,
    pub severity: Severity,
    /// In the language of the book.
    pub description: String,
    pub suggestion: String,
    /// The sentence that does not fit; absent where the error is in the bible alone.
    pub said: Option<Passage>,
    pub contradicts: Option<Contradicted>,
    pub entity_id: Option<EntryId>,
    /// `CHARACTER`, `WIKI`, `CHAPTER`, `PLOTLOOP`, `ITEM`, `PLACE`, `RELATIONSHIP` or `VOLUME`.
    pub entity_type: Option<String>,
    pub entity_name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_entity_ids: Vec<EntryId>,
    pub field_path: Option<String>,
    pub expected_value: Option<String>,
    pub actual_value: Option<String>,
}

/// Hexadecimal digits of a key: 80 bits, with which two of a million findings hardly ever have the same key.
const KEY_DIGITS: usize = 20;

impl Finding {
    /// The key of this finding, computed from its present fields.
    pub(super) fn key_of(&self) -> String {
        let mut parts = vec![self.rule.name().to_owned()];
        let mut ids: Vec<&str> = self
            .entity_id
            .iter()
            .chain(&self.related_entity_ids)
            .map(EntryId::as_str)
            .collect();
        ids.sort_unstable();
        parts.push(ids.join("\n"));
        for passage in [
            self.said.as_ref(),
            self.contradicts.as_ref().and_then(|it| it.passage.as_ref()),
        ] {
            let passage = passage.map(|it| format!("{}\n{}", it.chapter, it.sentence));
            parts.push(passage.unwrap_or_default());
        }
        for value in [&self.field_path, &self.expected_value, &self.actual_value] {
            parts.push(value.clone().unwrap_or_default());
        }
        let hash = Sha256::of_parts(parts.iter().map(String::as_bytes));
        hash.hex().chars().take(KEY_DIGITS).collect()
    }

    pub(super) fn about(mut self, id: &EntryId, kind: &str, name: &str) -> Self {
        self.entity_id = Some(id.clone());
        self.entity_type = Some(entity_type(kind).to_owned());
        self.entity_name = Some(name.to_owned());
        self
    }

    pub(super) fn with(mut self, other: &EntryId) -> Self {
        self.related_entity_ids.push(other.clone());
        self
    }

    pub(super) fn said(mut self, passage: Passage) -> Self {
        self.said = Some(passage);
        self
    }

    pub(super) fn against(mut self, passage: Passage) -> Self {
        self.contradicts.get_or_insert_default().passage = Some(passage);
        self
    }

    pub(super) fn against_field(mut self, entry: &EntryId, path: &str, value: &str) -> Self {
        let contradicted = self.contradicts.get_or_insert_default();
        contradicted.entry = Some(entry.clone());
        contradicted.field_path = Some(path.to_owned());
        contradicted.value = Some(value.to_owned());
        self.field_path = Some(path.to_owned());
        self
    }

    pub(super) fn field(mut self, path: &str) -> Self {
        self.field_path = Some(path.to_owned());
        self
    }

    pub(super) fn values(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected_value = Some(expected.into());
        self.actual_value = Some(actual.into());
        self
    }
}

/// The kind of an entry as clients of findings call it.
pub(super) fn entity_type(kind: &str) -> &'static str {
    match kind {
        "character" => "CHARACTER",
        "world" => "WIKI",
        "chapter" => "CHAPTER",
        "plot_loop" => "PLOTLOOP",
        "item" => "ITEM",
        "place" => "PLACE",
        "relationship" => "RELATIONSHIP",
        "volume" => "VOLUME",
        _ => "OTHER",
    }
}

/// A finding that somebody has looked at and left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waived {
    pub finding: Finding,
    pub reason: String,
}

/// Something that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotChecked {
    pub what: String,
    /// In the language of the book.
    pub why: String,
}

/// How many findings there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    pub total: usize,
    pub error: usize,
    pub warning: usize,
    pub info: usize,
}

/// What a check says of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Report {
    /// The worst first, then in the order of the chapters.
    pub findings: Vec<Finding>,
    pub waived: Vec<Waived>,
    pub not_checked: Vec<NotChecked>,
    /// Of the findings that are not waived.
    pub counts: Counts,
    pub measures: Measures,
}
