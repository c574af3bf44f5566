//! `POST /api/v2/agent/route`: where a message would go, without a run.

use axum::extract::State;
use axum::{Extension, Json};
use palimpsest::prelude::wire::sse::body;
use palimpsest::prelude::wire::{ApiError, ApiJson, App, Owner};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;
use utoipa::ToSchema;

use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::rate::RequestRate;
use super::request::{ChatRequest, project};
use crate::readings::routing::{Agent, Phase, Routed, Workflow, route as routed};

/// Where a message would go.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RouteAnswer {
    /// `intent`, `confidence` (0 to 1), `source`, `alternatives`, `phase`, `phaseSource`, `phaseWarning` and `needsModel`: a run
    /// would ask a model, too.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    routed: Routed,
    #[schema(value_type = String)]
    workflow: Workflow,
    #[schema(value_type = Vec<String>)]
    agents: &'static [Agent],
}

/// Where a message would go
///
/// By rules alone: no model is asked, nothing is started, and nothing is kept.
#[utoipa::path(post, path = "/api/v2/agent/route", operation_id = "route_message", tag = "stories", request_body = ChatRequest,
    responses(
        (status = 200, description = "the intent with its confidence", body = RouteAnswer),
        (status = 400, description = "not JSON, or something is missing or no value of its field", body = StoryErrorAnswer),
        (status = 404, description = "no such project", body = StoryErrorAnswer),
        (status = 429, description = "too many requests", body = StoryErrorAnswer)))]
pub(crate) async fn route(
    State(app): State<App>,
    Extension(rate): Extension<RequestRate>,
    owner: Result<Owner, ApiError>,
    request: Result<ApiJson<ChatRequest>, ApiError>,
) -> Result<Json<RouteAnswer>, StoryRefusal> {
    let owner = owner?;
    rate.take(&owner, Instant::now())?;
    let request = body(request)?;
    let message = request.message()?;
    let of_project = match request.project() {
        Some(id) => Phase::named(&project(&app, &owner, id).await?.description.phase),
        None => None,
    };
    let hint = request.hint()?;
    let routed = routed(
        message,
        hint,
        request.phase(),
        of_project,
        request.is_scene(),
    );
    Ok(Json(RouteAnswer {
        workflow: routed.intent.workflow(),
        agents: routed.intent.agents(),
        routed,
    }))
}

/// A phase in an address.
pub(super) fn phase(name: &str) -> Result<Phase, StoryRefusal> {
    Phase::named(name).ok_or_else(|| {
        let names: Vec<&str> = Phase::ALL.iter().map(|phase| phase.as_str()).collect();
        StoryRefusal::bad_request(format!("the phases are {}", names.join(", ")))
    })
}

/// A value of ours as JSON.
pub(super) fn json_of(value: &impl Serialize) -> Result<Value, StoryRefusal> {
    serde_json::to_value(value)
        .map_err(|error| ApiError::internal("writing an answer", error).into())
}
