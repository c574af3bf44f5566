//! `POST /api/v2/agent/cancel`.

use axum::Json;
use axum::extract::State;
use palimpsest::prelude::wire::sse::body;
use palimpsest::prelude::wire::{ApiError, ApiJson, App, Owner};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::begin;
use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::request::check_session_name;
use crate::wire::out::run_name;

/// What is not to go on.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelRequest {
    session_id: Option<String>,
    reason: Option<String>,
}

/// What was cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelAnswer {
    /// `cancelled`.
    status: &'static str,
    session_id: String,
    run_id: String,
}

/// Cancel what works in a session
///
/// The run at work; where none is, the chain that came to wait last. Its stream ends with `done` and the status `cancelled`.
#[utoipa::path(post, path = "/api/v2/agent/cancel", operation_id = "cancel_chat", tag = "stories", request_body = CancelRequest,
    responses(
        (status = 200, description = "cancelled", body = CancelAnswer),
        (status = 400, description = "not JSON, or something is missing", body = StoryErrorAnswer),
        (status = 404, description = "no such session", body = StoryErrorAnswer),
        (status = 409, description = "nothing is at work, and nothing waits", body = StoryErrorAnswer)))]
pub(crate) async fn cancel(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    request: Result<ApiJson<CancelRequest>, ApiError>,
) -> Result<Json<CancelAnswer>, StoryRefusal> {
    let owner = owner?;
    let request = body(request)?;
    let client = request.session_id.filter(|id| !id.is_empty());
    let client = client.ok_or_else(|| StoryRefusal::bad_request("`sessionId` is required"))?;
    check_session_name(&client)?;
    let (session, run) = begin::cancel(&app, &owner, &client, request.reason.as_deref()).await?;
    Ok(Json(CancelAnswer {
        status: "cancelled",
        run_id: run_name(session.as_str(), run),
        session_id: client,
    }))
}
