//! `POST /api/agent/cancel`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::session::End;
use domain::{RunId, SessionId};
use runner::clock::fresh_id;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::errors::{RefusalAnswer, Refused, body};
use crate::app::App;
use crate::ask::{CommandRequest, check_session};
use crate::error::ApiError;
use crate::http::{ApiJson, idempotency_key};
use crate::keys::Owner;

/// What is not to go on.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelRequest {
    thread_id: Option<String>,
    reason: Option<String>,
}

/// What was cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelAnswer {
    /// `cancelled`.
    status: &'static str,
    thread_id: String,
    #[schema(value_type = String)]
    run_id: RunId,
}

/// Cancel the run of a thread
#[utoipa::path(post, path = "/api/agent/cancel", tag = "posts", request_body = CancelRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "cancelled, now or before", body = CancelAnswer),
        (status = 400, description = "not JSON, or something is missing", body = RefusalAnswer),
        (status = 401, description = "no key, or an unknown one", body = RefusalAnswer),
        (status = 404, description = "no such thread", body = RefusalAnswer),
        (status = 409, description = "nothing is at work", body = RefusalAnswer)),
    security(("key" = [])))]
pub(crate) async fn cancel(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<CancelRequest>, ApiError>,
) -> Result<Json<CancelAnswer>, Refused> {
    let owner = owner?;
    let request = body(request)?;
    let thread = request.thread_id.filter(|id| !id.is_empty());
    let thread = thread.ok_or_else(|| Refused::bad_request("`threadId` is required"))?;
    let session = SessionId::new(thread.as_str());
    check_session(&session).map_err(|_| ApiError::no_session())?;
    let key = idempotency_key(&headers)?;
    let state = app.engine.session(&owner.stream(&session)).await?;
    let run_id = match (state.active, state.runs.values().next_back()) {
        (Some(run), _) => {
            let request = CommandRequest {
                id: key.unwrap_or_else(fresh_id),
                kind: "cancel".to_owned(),
                payload: json!({ "run": run, "reason": request.reason }),
                expected_version: None,
            };
            app.ask(&owner, &session, request).await?;
            run
        }
        (None, Some(run)) if matches!(run.end, Some(End::Cancelled { .. })) => run.id,
        (None, _) => {
            let message = "nothing is at work in this thread";
            return Err(Refused::conflict("nothing_to_do", message));
        }
    };
    Ok(Json(CancelAnswer {
        status: "cancelled",
        thread_id: thread,
        run_id,
    }))
}
