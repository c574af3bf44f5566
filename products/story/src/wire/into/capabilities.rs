//! `GET /api/v2/agent/capabilities` and `/tools`: what agents can do, and with which tools.

use axum::Json;
use palimpsest::prelude::wire::{ApiError, ApiPath, Owner};
use serde_json::Value;

use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::route::{json_of, phase};
use crate::readings::routing::{AgentCapability, AgentTool, CAPABILITIES, TOOLS};

/// What agents can do
#[utoipa::path(get, path = "/api/v2/agent/capabilities", operation_id = "list_capabilities", tag = "stories",
    responses(
        (status = 200, description = "a list of {agentName, category, supportedIntents, applicablePhases, requiredTools, executionMode, estimatedLatencyMs, estimatedTokenCost}", body = Vec<Object>),
        (status = 401, description = "no key, or an unknown one", body = StoryErrorAnswer)))]
pub(crate) async fn capabilities(
    owner: Result<Owner, ApiError>,
) -> Result<Json<Value>, StoryRefusal> {
    owner?;
    Ok(Json(json_of(&*CAPABILITIES)?))
}

/// What agents can do in a phase
#[utoipa::path(get, path = "/api/v2/agent/capabilities/phase/{phase}", operation_id = "list_capabilities_of_phase", tag = "stories",
    params(("phase" = String, Path, description = "IDEA, WORLDBUILDING, CHARACTER, OUTLINE, WRITING, REVISION or COMPLETED")),
    responses(
        (status = 200, description = "the same list, of those that work in it", body = Vec<Object>),
        (status = 400, description = "no such phase", body = StoryErrorAnswer)))]
pub(crate) async fn capabilities_of_phase(
    owner: Result<Owner, ApiError>,
    name: Result<ApiPath<String>, ApiError>,
) -> Result<Json<Value>, StoryRefusal> {
    owner?;
    let phase = phase(&name?.0)?;
    let works = |agent: &&AgentCapability| agent.applicable_phases.contains(&phase);
    let agents: Vec<&AgentCapability> = CAPABILITIES.iter().filter(works).collect();
    Ok(Json(json_of(&agents)?))
}

/// The tools of agents
#[utoipa::path(get, path = "/api/v2/agent/tools", operation_id = "list_agent_tools", tag = "stories",
    responses(
        (status = 200, description = "a list of {name, description, phases}", body = Vec<Object>),
        (status = 401, description = "no key, or an unknown one", body = StoryErrorAnswer)))]
pub(crate) async fn tools(owner: Result<Owner, ApiError>) -> Result<Json<Value>, StoryRefusal> {
    owner?;
    Ok(Json(json_of(&*TOOLS)?))
}

/// The tools of agents in a phase
#[utoipa::path(get, path = "/api/v2/agent/tools/phase/{phase}", operation_id = "list_agent_tools_of_phase", tag = "stories",
    params(("phase" = String, Path, description = "IDEA, WORLDBUILDING, CHARACTER, OUTLINE, WRITING, REVISION or COMPLETED")),
    responses(
        (status = 200, description = "the same list, of those that may be used in it", body = Vec<Object>),
        (status = 400, description = "no such phase", body = StoryErrorAnswer)))]
pub(crate) async fn tools_of_phase(
    owner: Result<Owner, ApiError>,
    name: Result<ApiPath<String>, ApiError>,
) -> Result<Json<Value>, StoryRefusal> {
    owner?;
    let phase = phase(&name?.0)?;
    let tools: Vec<&AgentTool> = TOOLS
        .iter()
        .filter(|tool| tool.phases.contains(&phase))
        .collect();
    Ok(Json(json_of(&tools)?))
}
