//! What a project knows beside its prose: who, where, what, and what was promised to the reader.
//!
//! Entries are storage formats, as parts of the events that bring them: the only change allowed is a new field with a default.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::EntryId;

/// Whether something holds in the story, or is planned for it. An agent can only plan; only a person can make it fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    #[default]
    Fact,
    Proposed,
}

impl Standing {
    pub fn is_fact(&self) -> bool {
        matches!(self, Self::Fact)
    }
}

/// One thing that a project knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Unique among all entries of the project, of whatever kind.
    pub id: EntryId,
    #[serde(default, skip_serializing_if = "Standing::is_fact")]
    pub standing: Standing,
    /// Whether it belongs into every prompt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    #[serde(flatten)]
    pub what: What,
}

/// What an entry is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    Volume(Volume),
    Chapter(Chapter),
    Character(Character),
    Relationship(Relationship),
    World(WorldEntry),
    Item(Item),
    Place(Place),
    PlotLoop(PlotLoop),
    Archetype(Archetype),
    StyleSample(StyleSample),
}

impl What {
    /// The name of its kind, as it is written.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Volume(_) => "volume",
            Self::Chapter(_) => "chapter",
            Self::Character(_) => "character",
            Self::Relationship(_) => "relationship",
            Self::World(_) => "world",
            Self::Item(_) => "item",
            Self::Place(_) => "place",
            Self::PlotLoop(_) => "plot_loop",
            Self::Archetype(_) => "archetype",
            Self::StyleSample(_) => "style_sample",
        }
    }

    /// What people call it; empty where it has no name of its own.
    pub fn name(&self) -> &str {
        match self {
            Self::Volume(it) => &it.title,
            Self::Chapter(it) => &it.title,
            Self::Character(it) => &it.name,
            Self::World(it) => &it.title,
            Self::Item(it) => &it.name,
            Self::Place(it) => &it.name,
            Self::PlotLoop(it) => &it.title,
            Self::Archetype(it) => &it.name,
            Self::Relationship(_) | Self::StyleSample(_) => "",
        }
    }

    /// What else it is called.
    pub fn aliases(&self) -> &[String] {
        match self {
            Self::Character(it) => &it.aliases,
            Self::World(it) => &it.aliases,
            Self::Item(it) => &it.aliases,
            Self::Place(it) => &it.aliases,
            Self::Volume(_)
            | Self::Chapter(_)
            | Self::Relationship(_)
            | Self::PlotLoop(_)
            | Self::Archetype(_)
            | Self::StyleSample(_) => &[],
        }
    }
}

macro_rules! as_kind {
    ($($method:ident $variant:ident($of:ty)),* $(,)?) => {
        impl What {
            $(
                /// The content of the entry, if it is of this kind.
                pub fn $method(&self) -> Option<&$of> {
                    if let Self::$variant(it) = self { Some(it) } else { None }
                }
            )*
        }
    };
}

as_kind! {
    as_volume Volume(Volume),
    as_chapter Chapter(Chapter),
    as_character Character(Character),
    as_relationship Relationship(Relationship),
    as_world World(WorldEntry),
    as_item Item(Item),
    as_place Place(Place),
    as_plot_loop PlotLoop(PlotLoop),
    as_archetype Archetype(Archetype),
    as_style_sample StyleSample(StyleSample),
}

/// Chapters that belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Volume {
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Where it stands among the volumes; they are read in this order.
    pub order: u32,
}

/// A chapter without its prose. It is identified by its id; its place is a field, so that nothing that refers to the chapter changes when
/// it is moved.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Chapter {
    pub title: String,
    pub volume: Option<EntryId>,
    /// Where it stands in its volume, or among the chapters that are in none.
    pub order: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The day on which it begins, in the project's calendar: `1923-03-12`, or a year alone.
    pub date: Option<String>,
    /// The place where the chapter is set.
    pub place: Option<EntryId>,
    /// From whose eyes it is told.
    pub point_of_view: Option<EntryId>,
    /// The characters who are planned to appear in the chapter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cast: Vec<EntryId>,
    /// `DRAFT`, `WRITING`, `REVIEW` or `COMPLETED`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Whether its prose must not be changed, neither by people nor by agents.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
    /// What happens in it, as planned: one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key_events: Vec<String>,
}

/// A person of the story, or a being that acts like one.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Character {
    pub name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// `protagonist`, `antagonist`, `supporting`, `minor`, or the author's own word.
    pub role: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub personality: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub background: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub motivation: String,
    /// The id of an archetype, one of the project's or of the fifteen.
    pub archetype: Option<String>,
    /// What the character can do, is or has, if rules of the world ask for it: `mage`, `left-handed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traits: Vec<String>,
    /// Looks: the feature and its value, such as `eyes` and `grey`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub appearance: BTreeMap<String, String>,
    /// The day of birth in the project's calendar, or the year alone.
    pub born: Option<String>,
    pub age: Option<Age>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<Absence>,
    pub death: Option<Death>,
    /// `active`, `inactive`, `dead`, or the author's own word.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Other characters who look alike, so that confusing them is not an error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<EntryId>,
}

/// How old somebody is, in years, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Age {
    pub years: u32,
    /// The chapter in which the character has this age; the beginning of the story where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<EntryId>,
}

/// Chapters in which a character is absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absence {
    /// The first chapter of the absence.
    pub from: EntryId,
    /// The last chapter of the absence; where it is not given, the absence lasts to the end of the story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<EntryId>,
    /// Why, or where they are instead.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Where the reader learns that somebody dies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Death {
    pub chapter: EntryId,
    /// The sentence that says so; empty where the death is known without such a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sentence: String,
}

/// What two characters are to each other.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Relationship {
    pub source: EntryId,
    pub target: EntryId,
    /// What the source is to the target: `mother`, `rival`, `师父`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the target is to the source: `daughter`; where absent and the relationship goes both ways, it is the same word.
    pub reverse: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// From 1 to 10.
    pub strength: Option<u8>,
    pub bidirectional: bool,
    /// The first chapter in which it holds.
    pub since: Option<EntryId>,
    /// The last chapter in which it holds.
    pub until: Option<EntryId>,
}

/// How things are in the world of the story.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorldEntry {
    pub title: String,
    /// `world_setting`, `power_system`, `geography`, `history`, `society`, or the author's own word.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<WorldRule>,
}

/// Something that nobody can do in this world, with exceptions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorldRule {
    /// The words by which the text says that it is done: `flew`, `御剑`. One of them is enough.
    pub forbids: Vec<String>,
    /// A character with one of these traits may do it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unless_trait: Vec<String>,
    /// When one of these words stands in the sentence or the one before, it is allowed: `at night`, `满月`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unless_time: Vec<String>,
    /// The rule in words, as findings quote it.
    pub says: String,
}

/// A thing that matters.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Item {
    pub name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The character who has it when the story begins.
    pub owner: Option<EntryId>,
    /// Where it is when the story begins.
    pub place: Option<EntryId>,
    /// There is only one of it.
    pub unique: bool,
}

/// A place of the story.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Place {
    pub name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The place that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<EntryId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub travel: Vec<Travel>,
}

/// How long the way to another place takes, either way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Travel {
    pub to: EntryId,
    /// By the fastest way that there is in this world.
    pub hours: f64,
}

/// Something that the reader waits for.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlotLoop {
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub status: LoopStatus,
    /// Where it is opened.
    pub intro: Option<EntryId>,
    /// The chapter by which it should be closed.
    pub due: Option<EntryId>,
    /// Where it is closed.
    pub resolution: Option<EntryId>,
    pub abandon_reason: Option<String>,
    /// Words by which it is recognised when a chapter speaks of it again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LoopStatus {
    #[default]
    Open,
    Resolved,
    Abandoned,
}

/// A role that characters play in stories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Archetype {
    pub name: String,
    pub traits: Vec<String>,
    pub function: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// A passage as it was written first and as its author left it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StyleSample {
    /// What an agent wrote; empty where the author wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub original: String,
    /// What the author made of it.
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapter: Option<EntryId>,
}
