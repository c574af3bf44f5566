//! What each agent can do and what it costs, and the tools of each phase: what clients are told before they ask.

use std::sync::LazyLock;

use palimpsest::prelude::resource::project::Phase;
use serde::Serialize;
use strum::EnumString;
use words::{entries, rows};

use super::table::{Agent, Intent, read, read_all};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum AgentCategory {
    Creative,
    Quality,
    Routing,
    Utility,
}

/// Whether an agent works as part of a workflow only, or also when it is called by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ExecutionMode {
    Eager,
    Lazy,
}

/// What an agent can do, and what a call of it costs approximately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentCapability {
    #[serde(rename = "agentName")]
    pub agent: Agent,
    pub category: AgentCategory,
    /// The intents whose workflows it works in.
    pub supported_intents: Vec<Intent>,
    pub applicable_phases: Vec<Phase>,
    /// Names of [`TOOLS`].
    pub required_tools: Vec<&'static str>,
    pub execution_mode: ExecutionMode,
    pub estimated_latency_ms: u32,
    /// The tokens of input and output together.
    pub estimated_token_cost: u32,
}

/// A tool, and the phases in which agents may use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentTool {
    pub name: &'static str,
    pub description: &'static str,
    pub phases: Vec<Phase>,
}

/// A line for each agent, in the order of the enum.
pub(crate) static CAPABILITIES: LazyLock<Vec<AgentCapability>> = LazyLock::new(|| {
    let rows = rows(include_str!("capabilities.tsv"));
    let lines = rows.map(
        |[
            agent,
            category,
            intents,
            phases,
            tools,
            mode,
            latency,
            tokens,
        ]| AgentCapability {
            agent: Agent::named(agent).expect("a test reads each agent"),
            category: read(category),
            supported_intents: read_all(intents),
            applicable_phases: read_all(phases),
            required_tools: entries(tools),
            execution_mode: read(mode),
            estimated_latency_ms: read(latency),
            estimated_token_cost: read(tokens),
        },
    );
    lines.collect()
});

/// The tools, by name.
pub(crate) static TOOLS: LazyLock<Vec<AgentTool>> = LazyLock::new(|| {
    let rows = rows(include_str!("tools.tsv"));
    let tools = rows.map(|[name, description, phases]| AgentTool {
        name,
        description,
        phases: read_all(phases),
    });
    tools.collect()
});
