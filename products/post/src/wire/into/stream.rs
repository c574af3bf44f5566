//! `POST /api/agent/stream` and `GET /api/agent/stream/{threadId}`.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use palimpsest::prelude::wire::sse::{admit, body, follow, last_event_id};
use palimpsest::prelude::wire::start_of;
use palimpsest::prelude::wire::{
    ApiError, ApiJson, ApiPath, ApiQuery, App, Batch, Owner, SessionId, Start, check_session,
};

use serde::Deserialize;
use utoipa::IntoParams;

use super::errors::{PostRefusal, RefusalAnswer};
use super::presence::Presence;
use super::request::{StreamRequest, begin};
use super::teller::{Stream, StreamSpan};
use crate::wire::out::Post;

/// Start a run and follow it
///
/// A message starts a run, or waits behind the one that is at work, as `onBusy` says; without one the running thread is joined.
/// The stream ends with `data: [DONE]` once nothing is at work or an answer is waited for.
#[utoipa::path(post, path = "/api/agent/stream", operation_id = "start_stream", tag = "posts", request_body = StreamRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call"),
        ("Last-Event-ID" = Option<String>, Header, description = "the cursor after which to go on")),
    responses(
        (status = 200, description = "a stream", body = String, content_type = "text/event-stream",
            headers(("location" = String, description = "where the stream goes on"),
                ("x-run-id" = String, description = "the run"), ("x-thread-id" = String, description = "the thread"))),
        (status = 400, description = "not JSON, or something is missing", body = RefusalAnswer),
        (status = 404, description = "no such thread", body = RefusalAnswer),
        (status = 405, description = "another method", body = RefusalAnswer),
        (status = 409, description = "a run is at work, or too many messages wait", body = RefusalAnswer),
        (status = 413, description = "too large", body = RefusalAnswer),
        (status = 415, description = "not declared as JSON", body = RefusalAnswer),
        (status = 422, description = "not what is taken", body = RefusalAnswer),
        (status = 429, description = "too many connections", body = RefusalAnswer),
        (status = 503, description = "overloaded, stopping, or the log cannot be used", body = RefusalAnswer)))]
pub(crate) async fn start(
    State(app): State<App>,
    Extension(presence): Extension<Presence>,
    owner: Result<Owner, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<StreamRequest>, ApiError>,
) -> Result<Response, PostRefusal> {
    let owner = owner?;
    let request = body(request)?;
    let last = last_event_id(&headers);
    let last = last.map(|last| start_of(Some(last))).transpose()?;
    let admission = admit(&app, &owner)?;
    let begun = begin(&app, &owner, &headers, &request).await?;
    let start = last.unwrap_or(begun.start);
    let follower = follow::<Post>(&app, &owner, &begun.session, start).await?;
    let abort = request.abort().then_some(begun.run);
    let attendance = presence.attend(owner.stream(&begun.session), abort);
    let stream = Stream {
        app,
        owner,
        session: begun.session,
        follower,
        told: StreamSpan::Thread,
        greeting: None,
        attendance,
        admission,
    };
    Ok(stream.respond(Some(begun.run)))
}

/// From where.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResumeQuery {
    /// The cursor after which to go on; `start` (default) or `now`.
    after: Option<String>,
}

/// Follow a thread
///
/// Gives exactly what was missed, then what comes. A cursor of another version gets everything from the beginning.
#[utoipa::path(get, path = "/api/agent/stream/{thread}", tag = "posts",
    params(ResumeQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "the cursor after which to go on; goes before `after`")),
    responses(
        (status = 200, description = "a stream", body = String, content_type = "text/event-stream",
            headers(("x-thread-id" = String, description = "the thread"))),
        (status = 204, description = "everything was sent before `Last-Event-ID`, and the last run has ended"),
        (status = 400, description = "that is no cursor", body = RefusalAnswer),
        (status = 404, description = "no such thread", body = RefusalAnswer),
        (status = 410, description = "the thread was erased", body = RefusalAnswer),
        (status = 429, description = "too many connections", body = RefusalAnswer)))]
pub(crate) async fn resume(
    State(app): State<App>,
    Extension(presence): Extension<Presence>,
    owner: Result<Owner, ApiError>,
    thread: Result<ApiPath<String>, ApiError>,
    query: Result<ApiQuery<ResumeQuery>, ApiError>,
    headers: HeaderMap,
) -> Result<Response, PostRefusal> {
    let (owner, ApiPath(thread), ApiQuery(query)) = (owner?, thread?, query?);
    let session = SessionId::new(thread);
    check_session(&session)?;
    let last = last_event_id(&headers);
    let start = start_of(last.or(query.after.as_deref()))?;
    let state = app.engine.session(&owner.stream(&session)).await?;
    let admission = admit(&app, &owner)?;
    let follower = follow::<Post>(&app, &owner, &session, start).await?;
    let is_over = state.active.is_none() && state.queue.is_empty() && !state.runs.is_empty();
    // With an unusable cursor the follower begins from the beginning.
    let goes_on = matches!(start, Start::After(cursor) if follower.after() == cursor);
    if last.is_some() && is_over && goes_on {
        // Uses a second follower, because what this one reads would be missing in the stream.
        let mut look = follow::<Post>(&app, &owner, &session, start).await?;
        if let Batch::CaughtUp(_) = look.next().await.map_err(ApiError::from)? {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
    }
    let run = state
        .active
        .or_else(|| state.runs.keys().next_back().copied());
    let attendance = presence.attend(owner.stream(&session), None);
    let stream = Stream {
        app,
        owner,
        session,
        follower,
        told: StreamSpan::Thread,
        greeting: None,
        attendance,
        admission,
    };
    Ok(stream.respond(run))
}
