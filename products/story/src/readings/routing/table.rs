//! The table: what can be asked for, the workflow that each request takes, and the agents that work in it, in their order.

use std::str::FromStr;
use std::sync::LazyLock;

use palimpsest::prelude::resource::project::Phase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray};
use words::{entries, rows};

/// What a message asks for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumCount,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", const_into_str)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Intent {
    WriteContent,
    PlanWorld,
    BrainstormIdea,
    PlanCharacter,
    DesignRelationship,
    MatchArchetype,
    PlanOutline,
    ManagePlotloop,
    AnalyzePacing,
    CheckConsistency,
    AnalyzeStyle,
    BrainstormAndExpand,
    OutlineToChapter,
    CharacterToScene,
    GenerateName,
    ExtractEntity,
    Summarize,
    GeneralChat,
}

/// The way in which an intent is worked on.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumCount,
    EnumString,
    VariantArray,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Workflow {
    ContentGeneration,
    CharacterDesign,
    WorldBuilding,
    OutlinePlanning,
    ConsistencyCheck,
    SimpleAgent,
    BrainstormExpand,
    OutlineToChapter,
    CharacterToScene,
}

/// Who does the work of a workflow.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumCount,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(suffix = "Agent", const_into_str)]
pub enum Agent {
    #[serde(rename = "WriterAgent")]
    Writer,
    #[serde(rename = "WorldBuilderAgent")]
    WorldBuilder,
    #[serde(rename = "CharacterAgent")]
    Character,
    #[serde(rename = "PlannerAgent")]
    Planner,
    #[serde(rename = "ConsistencyAgent")]
    Consistency,
    #[serde(rename = "BrainstormAgent")]
    Brainstorm,
    #[serde(rename = "ChatAgent")]
    Chat,
    #[serde(rename = "NameGeneratorAgent")]
    NameGenerator,
    #[serde(rename = "SummaryAgent")]
    Summary,
    #[serde(rename = "ExtractionAgent")]
    Extraction,
}

/// What is known of an intent.
struct Line {
    workflow: Workflow,
    /// The agents that work on the intent, one after another.
    agents: Vec<Agent>,
    meaning: &'static str,
}

/// A line for each intent, in the order of the enum.
static TABLE: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let lines = rows(include_str!("intents.tsv")).map(|[_, workflow, agents, meaning]| Line {
        workflow: read(workflow),
        agents: read_all(agents),
        meaning,
    });
    lines.collect()
});

/// What a cell of a table names.
pub(super) fn read<T: FromStr>(cell: &str) -> T {
    let read = cell.parse().ok();
    read.expect("a test reads each name of the table")
}

/// The same for a cell with commas between several.
pub(super) fn read_all<T: FromStr>(cell: &'static str) -> Vec<T> {
    entries(cell).into_iter().map(read).collect()
}

impl Intent {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    fn line(self) -> &'static Line {
        &TABLE[self as usize]
    }

    /// The name on the wire: `WRITE_CONTENT`.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// The intent of this name on the wire, in letters of either case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL
            .into_iter()
            .find(|intent| intent.as_str().eq_ignore_ascii_case(name))
    }

    pub fn workflow(self) -> Workflow {
        self.line().workflow
    }

    /// The agents that work on the intent, in their order; never empty.
    pub fn agents(self) -> &'static [Agent] {
        &self.line().agents
    }

    /// What the intent means, in one line of English for a prompt.
    pub fn meaning(self) -> &'static str {
        self.line().meaning
    }

    /// Whether the result is prose.
    pub fn writes_prose(self) -> bool {
        self.agents().contains(&Agent::Writer)
    }
}

impl Workflow {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    /// Whether agents work on it one after the other, each with what the one before has made.
    pub const fn is_chain(self) -> bool {
        match self {
            Self::BrainstormExpand | Self::OutlineToChapter | Self::CharacterToScene => true,
            Self::ContentGeneration
            | Self::CharacterDesign
            | Self::WorldBuilding
            | Self::OutlinePlanning
            | Self::ConsistencyCheck
            | Self::SimpleAgent => false,
        }
    }

    /// Whether a person chooses among what the first agent found before the next one begins.
    pub const fn pauses(self) -> bool {
        matches!(self, Self::BrainstormExpand)
    }
}

/// By phase, in the order of the enum: the intents that are typical in it, and the one that a message without one of its own gets there.
static PHASES: LazyLock<Vec<(Vec<Intent>, Intent)>> = LazyLock::new(|| {
    let rows = rows(include_str!("phases.tsv"));
    rows.map(|[_, typical, by_itself]| (read_all(typical), read(by_itself)))
        .collect()
});

/// The intents that are typical in a phase.
pub(super) fn typical(phase: Phase) -> &'static [Intent] {
    &PHASES[phase as usize].0
}

/// The intent that a message without an intent of its own gets in a phase.
pub(super) fn by_itself(phase: Phase) -> Intent {
    PHASES[phase as usize].1
}

impl Agent {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    /// The name on the wire: `WriterAgent`.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// The agent of this name, with or without `Agent` at its end, in letters of either case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL.into_iter().find(|agent| {
            let whole = agent.as_str();
            let short = whole.trim_end_matches("Agent");
            name.eq_ignore_ascii_case(whole) || name.eq_ignore_ascii_case(short)
        })
    }
}
