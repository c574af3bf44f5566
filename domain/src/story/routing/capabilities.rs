//! What each agent can do and what it costs, and the tools of each phase: what clients are told before they ask.

use serde::Serialize;

use super::table::{Agent, Intent};
use crate::project::Phase;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AgentCategory {
    Creative,
    Quality,
    Routing,
    Utility,
}

/// Whether an agent works as part of a workflow only, or also when it is called by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ExecutionMode {
    Eager,
    Lazy,
}

/// What an agent can do, and what a call of it costs approximately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCapability {
    #[serde(rename = "agentName")]
    pub agent: Agent,
    pub category: AgentCategory,
    /// The intents whose workflows it works in.
    pub supported_intents: &'static [Intent],
    pub applicable_phases: &'static [Phase],
    /// Names of [`TOOLS`].
    pub required_tools: &'static [&'static str],
    pub execution_mode: ExecutionMode,
    pub estimated_latency_ms: u32,
    /// The tokens of input and output together.
    pub estimated_token_cost: u32,
}

/// A tool, and the phases in which agents may use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentTool {
    pub name: &'static str,
    pub description: &'static str,
    pub phases: &'static [Phase],
}

const ANY: &[Phase] = &Phase::ALL;

/// The capabilities of this agent.
pub fn capability(agent: Agent) -> &'static AgentCapability {
    CAPABILITIES
        .iter()
        .find(|capability| capability.agent == agent)
        .expect("a test walks the agents and finds each of them here")
}

/// A line for each agent, in the order of the enum.
pub const CAPABILITIES: [AgentCapability; 10] = [
    AgentCapability {
        agent: Agent::Writer,
        category: AgentCategory::Creative,
        supported_intents: &[
            Intent::WriteContent,
            Intent::BrainstormAndExpand,
            Intent::OutlineToChapter,
            Intent::CharacterToScene,
        ],
        applicable_phases: &[Phase::Writing, Phase::Revision],
        required_tools: &["ragSearch", "styleRetrieve", "preflight"],
        execution_mode: ExecutionMode::Eager,
        estimated_latency_ms: 3_000,
        estimated_token_cost: 2_000,
    },
    AgentCapability {
        agent: Agent::WorldBuilder,
        category: AgentCategory::Creative,
        supported_intents: &[Intent::PlanWorld, Intent::BrainstormIdea],
        applicable_phases: &[Phase::Idea, Phase::Worldbuilding],
        required_tools: &["creativeGen", "universalCrud"],
        execution_mode: ExecutionMode::Eager,
        estimated_latency_ms: 2_000,
        estimated_token_cost: 1_500,
    },
    AgentCapability {
        agent: Agent::Character,
        category: AgentCategory::Creative,
        supported_intents: &[
            Intent::PlanCharacter,
            Intent::DesignRelationship,
            Intent::MatchArchetype,
            Intent::CharacterToScene,
        ],
        applicable_phases: &[
            Phase::Idea,
            Phase::Worldbuilding,
            Phase::Character,
            Phase::Outline,
        ],
        required_tools: &["creativeGen", "universalCrud"],
        execution_mode: ExecutionMode::Eager,
        estimated_latency_ms: 2_000,
        estimated_token_cost: 1_500,
    },
    AgentCapability {
        agent: Agent::Planner,
        category: AgentCategory::Creative,
        supported_intents: &[
            Intent::PlanOutline,
            Intent::ManagePlotloop,
            Intent::AnalyzePacing,
            Intent::OutlineToChapter,
        ],
        applicable_phases: &[Phase::Outline, Phase::Writing],
        required_tools: &["ragSearch", "deepReasoning", "universalCrud"],
        execution_mode: ExecutionMode::Eager,
        estimated_latency_ms: 2_500,
        estimated_token_cost: 1_800,
    },
    AgentCapability {
        agent: Agent::Consistency,
        category: AgentCategory::Quality,
        supported_intents: &[Intent::CheckConsistency, Intent::AnalyzeStyle],
        applicable_phases: &[Phase::Writing, Phase::Revision],
        required_tools: &["ragSearch", "preflight"],
        execution_mode: ExecutionMode::Eager,
        estimated_latency_ms: 3_000,
        estimated_token_cost: 2_000,
    },
    AgentCapability {
        agent: Agent::Brainstorm,
        category: AgentCategory::Creative,
        supported_intents: &[Intent::BrainstormAndExpand],
        applicable_phases: &[
            Phase::Idea,
            Phase::Worldbuilding,
            Phase::Character,
            Phase::Outline,
            Phase::Writing,
        ],
        required_tools: &["creativeGen"],
        execution_mode: ExecutionMode::Eager,
        estimated_latency_ms: 2_000,
        estimated_token_cost: 1_500,
    },
    AgentCapability {
        agent: Agent::Chat,
        category: AgentCategory::Routing,
        supported_intents: &[Intent::GeneralChat],
        applicable_phases: ANY,
        required_tools: &[],
        execution_mode: ExecutionMode::Eager,
        estimated_latency_ms: 500,
        estimated_token_cost: 200,
    },
    AgentCapability {
        agent: Agent::NameGenerator,
        category: AgentCategory::Utility,
        supported_intents: &[Intent::GenerateName],
        applicable_phases: ANY,
        required_tools: &[],
        execution_mode: ExecutionMode::Lazy,
        estimated_latency_ms: 1_000,
        estimated_token_cost: 500,
    },
    AgentCapability {
        agent: Agent::Summary,
        category: AgentCategory::Utility,
        supported_intents: &[Intent::Summarize],
        applicable_phases: ANY,
        required_tools: &[],
        execution_mode: ExecutionMode::Lazy,
        estimated_latency_ms: 1_500,
        estimated_token_cost: 800,
    },
    AgentCapability {
        agent: Agent::Extraction,
        category: AgentCategory::Utility,
        supported_intents: &[Intent::ExtractEntity],
        applicable_phases: &[Phase::Writing, Phase::Revision],
        required_tools: &[],
        execution_mode: ExecutionMode::Lazy,
        estimated_latency_ms: 2_000,
        estimated_token_cost: 1_000,
    },
];

/// The tools, by name.
pub const TOOLS: [AgentTool; 6] = [
    AgentTool {
        name: "universalCrud",
        description: "create, read, list, change and delete characters, world entries, plot loops, volumes and chapters",
        phases: ANY,
    },
    AgentTool {
        name: "ragSearch",
        description: "search the story's characters, world entries and chapters",
        phases: &[
            Phase::Worldbuilding,
            Phase::Character,
            Phase::Outline,
            Phase::Writing,
            Phase::Revision,
        ],
    },
    AgentTool {
        name: "creativeGen",
        description: "find ideas, characters and details",
        phases: &[
            Phase::Idea,
            Phase::Worldbuilding,
            Phase::Character,
            Phase::Writing,
        ],
    },
    AgentTool {
        name: "deepReasoning",
        description: "think through a plot of many steps",
        phases: &[Phase::Outline, Phase::Writing],
    },
    AgentTool {
        name: "preflight",
        description: "check a scene against what is known before it is written",
        phases: &[Phase::Outline, Phase::Writing, Phase::Revision],
    },
    AgentTool {
        name: "styleRetrieve",
        description: "find samples of the author's own style",
        phases: &[Phase::Writing],
    },
];
