//! The table: what can be asked for, the workflow that each request takes, and the agents that work in it, in their order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::project::Phase;

/// What a message asks for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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

/// A line of the table.
struct Line {
    intent: Intent,
    /// The name on the wire.
    name: &'static str,
    workflow: Workflow,
    /// The agents that work on the intent, one after another.
    agents: &'static [Agent],
    /// What the intent means, for the prompt of a model that is asked.
    meaning: &'static str,
}

/// A line for each intent, in the order of the enum.
const TABLE: [Line; 18] = [
    Line {
        intent: Intent::WriteContent,
        name: "WRITE_CONTENT",
        workflow: Workflow::ContentGeneration,
        agents: &[Agent::Writer],
        meaning: "write, continue, expand, rewrite or polish prose of the story",
    },
    Line {
        intent: Intent::PlanWorld,
        name: "PLAN_WORLD",
        workflow: Workflow::WorldBuilding,
        agents: &[Agent::WorldBuilder],
        meaning: "build the world: its rules, powers, places, peoples, history",
    },
    Line {
        intent: Intent::BrainstormIdea,
        name: "BRAINSTORM_IDEA",
        workflow: Workflow::WorldBuilding,
        agents: &[Agent::WorldBuilder],
        meaning: "find ideas or directions, without writing them out",
    },
    Line {
        intent: Intent::PlanCharacter,
        name: "PLAN_CHARACTER",
        workflow: Workflow::CharacterDesign,
        agents: &[Agent::Character],
        meaning: "create or change a character: personality, past, motive, looks",
    },
    Line {
        intent: Intent::DesignRelationship,
        name: "DESIGN_RELATIONSHIP",
        workflow: Workflow::CharacterDesign,
        agents: &[Agent::Character],
        meaning: "design or lay out relationships between characters",
    },
    Line {
        intent: Intent::MatchArchetype,
        name: "MATCH_ARCHETYPE",
        workflow: Workflow::CharacterDesign,
        agents: &[Agent::Character],
        meaning: "compare a character with archetypes such as mentor, shadow or trickster",
    },
    Line {
        intent: Intent::PlanOutline,
        name: "PLAN_OUTLINE",
        workflow: Workflow::OutlinePlanning,
        agents: &[Agent::Planner],
        meaning: "plan the plot, its structure, volumes or chapters",
    },
    Line {
        intent: Intent::ManagePlotloop,
        name: "MANAGE_PLOTLOOP",
        workflow: Workflow::OutlinePlanning,
        agents: &[Agent::Planner],
        meaning: "plant, list or pay off foreshadowing, clues and loose ends",
    },
    Line {
        intent: Intent::AnalyzePacing,
        name: "ANALYZE_PACING",
        workflow: Workflow::OutlinePlanning,
        agents: &[Agent::Planner],
        meaning: "judge the pacing, tension, rise and fall",
    },
    Line {
        intent: Intent::CheckConsistency,
        name: "CHECK_CONSISTENCY",
        workflow: Workflow::ConsistencyCheck,
        agents: &[Agent::Consistency],
        meaning: "look for contradictions, continuity errors and holes",
    },
    Line {
        intent: Intent::AnalyzeStyle,
        name: "ANALYZE_STYLE",
        workflow: Workflow::ConsistencyCheck,
        agents: &[Agent::Consistency],
        meaning: "judge the style, tone or voice of the writing",
    },
    Line {
        intent: Intent::BrainstormAndExpand,
        name: "BRAINSTORM_AND_EXPAND",
        workflow: Workflow::BrainstormExpand,
        agents: &[Agent::Brainstorm, Agent::Writer],
        meaning: "find several ideas, have the person choose one, and write that one out",
    },
    Line {
        intent: Intent::OutlineToChapter,
        name: "OUTLINE_TO_CHAPTER",
        workflow: Workflow::OutlineToChapter,
        agents: &[Agent::Planner, Agent::Writer],
        meaning: "turn an outline into the text of a chapter",
    },
    Line {
        intent: Intent::CharacterToScene,
        name: "CHARACTER_TO_SCENE",
        workflow: Workflow::CharacterToScene,
        agents: &[Agent::Character, Agent::Writer],
        meaning: "bring a character on stage: the scene of an entrance or first appearance",
    },
    Line {
        intent: Intent::GenerateName,
        name: "GENERATE_NAME",
        workflow: Workflow::SimpleAgent,
        agents: &[Agent::NameGenerator],
        meaning: "find names or titles for people, places, things, chapters, the book",
    },
    Line {
        intent: Intent::ExtractEntity,
        name: "EXTRACT_ENTITY",
        workflow: Workflow::SimpleAgent,
        agents: &[Agent::Extraction],
        meaning: "list the people, places, things and events that a text mentions",
    },
    Line {
        intent: Intent::Summarize,
        name: "SUMMARIZE",
        workflow: Workflow::SimpleAgent,
        agents: &[Agent::Summary],
        meaning: "summarise a chapter, a volume, a person or the story so far",
    },
    Line {
        intent: Intent::GeneralChat,
        name: "GENERAL_CHAT",
        workflow: Workflow::SimpleAgent,
        agents: &[Agent::Chat],
        meaning: "greetings, thanks, side talk, help, and questions that ask for an answer only",
    },
];

impl Intent {
    pub const ALL: [Self; 18] = {
        let mut all = [Self::GeneralChat; 18];
        let mut at = 0;
        while at < TABLE.len() {
            all[at] = TABLE[at].intent;
            at += 1;
        }
        all
    };

    const fn line(self) -> &'static Line {
        &TABLE[self as usize]
    }

    /// The name on the wire: `WRITE_CONTENT`.
    pub const fn as_str(self) -> &'static str {
        self.line().name
    }

    /// The intent of this name on the wire, in letters of either case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL
            .into_iter()
            .find(|intent| intent.as_str().eq_ignore_ascii_case(name))
    }

    pub const fn workflow(self) -> Workflow {
        self.line().workflow
    }

    /// The agents that work on the intent, in their order; never empty.
    pub const fn agents(self) -> &'static [Agent] {
        self.line().agents
    }

    /// What the intent means, in one line of English for a prompt.
    pub const fn meaning(self) -> &'static str {
        self.line().meaning
    }

    /// Whether the result is prose.
    pub fn writes_prose(self) -> bool {
        self.agents().contains(&Agent::Writer)
    }
}

impl Workflow {
    pub const ALL: [Self; 9] = [
        Self::ContentGeneration,
        Self::CharacterDesign,
        Self::WorldBuilding,
        Self::OutlinePlanning,
        Self::ConsistencyCheck,
        Self::SimpleAgent,
        Self::BrainstormExpand,
        Self::OutlineToChapter,
        Self::CharacterToScene,
    ];

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

/// The intents that are typical in a phase.
pub(super) const fn typical(phase: Phase) -> &'static [Intent] {
    match phase {
        Phase::Idea | Phase::Worldbuilding => &[Intent::PlanWorld, Intent::BrainstormIdea],
        Phase::Character => &[
            Intent::PlanCharacter,
            Intent::DesignRelationship,
            Intent::MatchArchetype,
        ],
        Phase::Outline => &[
            Intent::PlanOutline,
            Intent::ManagePlotloop,
            Intent::AnalyzePacing,
        ],
        Phase::Writing => &[Intent::WriteContent],
        Phase::Revision => &[Intent::CheckConsistency, Intent::AnalyzeStyle],
        Phase::Completed => &[],
    }
}

/// The intent that a message without an intent of its own gets in a phase.
pub(super) const fn by_itself(phase: Phase) -> Intent {
    match phase {
        Phase::Idea => Intent::BrainstormIdea,
        Phase::Worldbuilding => Intent::PlanWorld,
        Phase::Character => Intent::PlanCharacter,
        Phase::Outline => Intent::PlanOutline,
        Phase::Writing => Intent::WriteContent,
        Phase::Revision => Intent::CheckConsistency,
        Phase::Completed => Intent::GeneralChat,
    }
}

impl Agent {
    pub const ALL: [Self; 10] = [
        Self::Writer,
        Self::WorldBuilder,
        Self::Character,
        Self::Planner,
        Self::Consistency,
        Self::Brainstorm,
        Self::Chat,
        Self::NameGenerator,
        Self::Summary,
        Self::Extraction,
    ];

    /// The name on the wire: `WriterAgent`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Writer => "WriterAgent",
            Self::WorldBuilder => "WorldBuilderAgent",
            Self::Character => "CharacterAgent",
            Self::Planner => "PlannerAgent",
            Self::Consistency => "ConsistencyAgent",
            Self::Brainstorm => "BrainstormAgent",
            Self::Chat => "ChatAgent",
            Self::NameGenerator => "NameGeneratorAgent",
            Self::Summary => "SummaryAgent",
            Self::Extraction => "ExtractionAgent",
        }
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
