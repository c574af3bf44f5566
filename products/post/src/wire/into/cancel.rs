//! `POST /api/agent/cancel`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use palimpsest::prelude::pipeline::End;
use palimpsest::prelude::pipeline::event::{RunEvent, SessionEvent};
use palimpsest::prelude::wire::sse::body;
use palimpsest::prelude::wire::{
    ApiError, ApiJson, App, Applied, CommandRequest, Event, Owner, RunId, SendError, Session,
    SessionId, check_session, fresh_id, idempotency_key,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::errors::{PostRefusal, RefusalAnswer};

/// What is not to go on.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelRequest {
    thread_id: Option<String>,
    /// The run at work where absent; one that waits for its turn is not begun.
    #[schema(value_type = Option<String>)]
    run_id: Option<RunId>,
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

/// Cancel a run of a thread
///
/// The next message that waits is then taken up.
#[utoipa::path(post, path = "/api/agent/cancel", tag = "posts", request_body = CancelRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "cancelled, now or before", body = CancelAnswer),
        (status = 400, description = "not JSON, or something is missing", body = RefusalAnswer),
        (status = 404, description = "no such thread or run", body = RefusalAnswer),
        (status = 409, description = "nothing is at work, or the run has ended otherwise", body = RefusalAnswer)))]
pub(crate) async fn cancel(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<CancelRequest>, ApiError>,
) -> Result<Json<CancelAnswer>, PostRefusal> {
    let owner = owner?;
    let request = body(request)?;
    let thread = request.thread_id.filter(|id| !id.is_empty());
    let thread = thread.ok_or_else(|| PostRefusal::bad_request("`threadId` is required"))?;
    let session = SessionId::new(thread.as_str());
    check_session(&session).map_err(|_| ApiError::no_session())?;
    let key = idempotency_key(&headers)?;
    let stream = owner.stream(&session);
    let answer = |run_id| {
        Json(CancelAnswer {
            status: "cancelled",
            thread_id: thread.clone(),
            run_id,
        })
    };
    let state = app.engine.session(&stream).await?;
    if let Some(key) = &key
        && let Some(before) = app.engine.find_command(&stream, key, None).await?
        && let Some(run) = cancelled_by(&before)
    {
        if request.run_id.is_some_and(|named| named != run) {
            return Err(SendError::IdReused.into());
        }
        return Ok(answer(run));
    }
    let last = || state.runs.keys().next_back().copied();
    let run = request.run_id.or(state.active).or_else(last);
    let run = run.ok_or_else(nothing_to_do)?;
    match standing(&state, run) {
        Standing::Ahead => {
            let id = key.unwrap_or_else(fresh_id);
            let command = CommandRequest::cancel(id, run, request.reason.as_deref());
            app.ask(&owner, &session, command).await?;
            Ok(answer(run))
        }
        Standing::Cancelled => Ok(answer(run)),
        Standing::Over => Err(nothing_to_do()),
        Standing::Unknown => Err(PostRefusal::not_found(
            "no_run",
            "there is no such run in this thread",
        )),
    }
}

fn nothing_to_do() -> PostRefusal {
    PostRefusal::conflict("nothing_to_do", "nothing is at work in this thread")
}

/// What state a run is in for a request to cancel it.
enum Standing {
    /// At work, or waiting for its turn.
    Ahead,
    Cancelled,
    /// The run ended in another way.
    Over,
    Unknown,
}

fn standing(state: &Session, run: RunId) -> Standing {
    if state.active == Some(run) || state.queued(run).is_some() {
        return Standing::Ahead;
    }
    if state.withdrawn.contains_key(&run) {
        return Standing::Cancelled;
    }
    match state.run(run).map(|run| &run.end) {
        Some(Some(End::Cancelled { .. })) => Standing::Cancelled,
        Some(_) => Standing::Over,
        None => Standing::Unknown,
    }
}

/// The run that a command cancelled.
fn cancelled_by(applied: &Applied) -> Option<RunId> {
    let mut events = applied.events.iter();
    events.find_map(|recorded| {
        if let Event::Session(SessionEvent::MessageWithdrawn(e)) = &recorded.event {
            return Some(e.run);
        }
        if let Event::Run(RunEvent::RunCancelled(e)) = &recorded.event {
            Some(e.run)
        } else {
            None
        }
    })
}
