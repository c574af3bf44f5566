//! `GET /api/v2/agent/lazy-agents` and `POST /api/v2/agent/lazy-agents/{name}/execute`: agents that are called by their name.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use palimpsest::prelude::wire::sse::body;
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, App, Owner, idempotency_key};
use serde_json::Value;
use tokio::time::Instant;

use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::rate::RequestRate;
use super::request::ChatRequest;
use super::route::json_of;
use super::simple::{SimpleAnswer, answer};
use crate::readings::routing::{Agent, AgentCapability, CAPABILITIES, ExecutionMode};

fn lazy() -> impl Iterator<Item = &'static AgentCapability> {
    CAPABILITIES
        .iter()
        .filter(|agent| agent.execution_mode == ExecutionMode::Lazy)
}

/// The agents that are called by their name
#[utoipa::path(get, path = "/api/v2/agent/lazy-agents", operation_id = "list_lazy_agents", tag = "stories",
    responses(
        (status = 200, description = "a list, as of the capabilities", body = Vec<Object>),
        (status = 401, description = "no key, or an unknown one", body = StoryErrorAnswer)))]
pub(crate) async fn list(owner: Result<Owner, ApiError>) -> Result<Json<Value>, StoryRefusal> {
    owner?;
    let agents: Vec<&AgentCapability> = lazy().collect();
    Ok(Json(json_of(&agents)?))
}

/// Call an agent by its name and wait for it
///
/// The message goes to this agent, whatever it says.
#[utoipa::path(post, path = "/api/v2/agent/lazy-agents/{name}/execute", operation_id = "execute_lazy_agent", tag = "stories", request_body = ChatRequest,
    params(("name" = String, Path, description = "with or without `Agent` at its end"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "what was made", body = SimpleAnswer),
        (status = 400, description = "not JSON, or something is missing or no value of its field", body = StoryErrorAnswer),
        (status = 404, description = "no such agent or project", body = StoryErrorAnswer),
        (status = 409, description = "the run was cancelled", body = StoryErrorAnswer),
        (status = 422, description = "not what is taken", body = StoryErrorAnswer),
        (status = 429, description = "too many requests or connections", body = StoryErrorAnswer),
        (status = 502, description = "the run failed", body = StoryErrorAnswer),
        (status = 504, description = "it takes longer than is waited for; the run goes on", body = StoryErrorAnswer)))]
pub(crate) async fn execute(
    State(app): State<App>,
    Extension(rate): Extension<RequestRate>,
    owner: Result<Owner, ApiError>,
    name: Result<ApiPath<String>, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<ChatRequest>, ApiError>,
) -> Result<Json<SimpleAnswer>, StoryRefusal> {
    let (owner, ApiPath(name)) = (owner?, name?);
    rate.take(&owner, Instant::now())?;
    let named = Agent::named(&name);
    let agent = lazy().find(|agent| Some(agent.agent) == named);
    let intent = agent.and_then(|agent| agent.supported_intents.first());
    let Some(intent) = intent else {
        let names: Vec<&str> = lazy().map(|agent| agent.agent.as_str()).collect();
        let message = format!("there is no such agent; there are {}", names.join(", "));
        return Err(StoryRefusal::not_found("no_agent", message));
    };
    let mut request = body(request)?;
    request.intent_hint = Some(intent.as_str().to_owned());
    let key = idempotency_key(&headers)?;
    answer(&app, &owner, &request, key).await.map(Json)
}
