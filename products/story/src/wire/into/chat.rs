//! `POST /api/v2/agent/chat` and `GET /api/v2/agent/chat/{session}`.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use palimpsest::feed::Admission;
use palimpsest::prelude::wire::sse::{admit, body, follow, last_event_id};
use palimpsest::prelude::wire::{
    ApiError, ApiJson, ApiPath, App, Batch, Owner, RunId, Start, Wire as _, idempotency_key,
};
use tokio::time::Instant;

use super::begin::{Begun, Message, begin, start_of_run};
use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::lanes::{Lane, lanes, latest};
use super::place::{Piece, Place};
use super::rate::RequestRate;
use super::request::{ChatRequest, check_session_name};
use super::teller::Stream;
use crate::wire::out::Story;

/// The place that a client sends when it reconnects.
fn last_place(headers: &HeaderMap) -> Result<Option<Place>, StoryRefusal> {
    let last = last_event_id(headers).map(str::parse::<Place>).transpose();
    last.map_err(|error| StoryRefusal::bad_request(error.to_string()))
}

/// Have agents work on a message and follow them
///
/// A message starts a run, or, where a chain waits and it names one of its options, goes on with that. The stream's last frame is
/// `done`. With `Last-Event-ID`, or an `Idempotency-Key` that was used before, nothing is started.
#[utoipa::path(post, path = "/api/v2/agent/chat", tag = "stories", request_body = ChatRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call"),
        ("Last-Event-ID" = Option<String>, Header, description = "the id of the frame after which to go on")),
    responses(
        (status = 200, description = "a stream", body = String, content_type = "text/event-stream",
            headers(("location" = String, description = "where the stream goes on"),
                ("x-run-id" = String, description = "the run"), ("x-session-id" = String, description = "the session"))),
        (status = 204, description = "everything was sent before `Last-Event-ID`"),
        (status = 400, description = "not JSON, or something is missing or no value of its field", body = StoryErrorAnswer),
        (status = 404, description = "no such project, chapter, character or pause", body = StoryErrorAnswer),
        (status = 409, description = "the pause is over, or too many chains wait", body = StoryErrorAnswer),
        (status = 413, description = "too large", body = StoryErrorAnswer),
        (status = 415, description = "not declared as JSON", body = StoryErrorAnswer),
        (status = 422, description = "not what is taken", body = StoryErrorAnswer),
        (status = 429, description = "too many requests or connections", body = StoryErrorAnswer),
        (status = 503, description = "overloaded, stopping, or the log cannot be used", body = StoryErrorAnswer)))]
pub(crate) async fn chat(
    State(app): State<App>,
    Extension(rate): Extension<RequestRate>,
    owner: Result<Owner, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<ChatRequest>, ApiError>,
) -> Result<Response, StoryRefusal> {
    let owner = owner?;
    rate.take(&owner, Instant::now())?;
    let request = body(request)?;
    let client = request.session(&owner)?;
    let last = last_place(&headers)?;
    let key = idempotency_key(&headers)?;
    let admission = admit(&app, &owner)?;
    if let Some(last) = last {
        return go_on(&app, &owner, client, Some(last), admission).await;
    }
    let message = Message {
        client: &client,
        request: &request,
        key,
        attended: true,
    };
    let begun = begin(&app, &owner, message).await?;
    stream(&app, &owner, client, begun, None, admission).await
}

/// Follow a session's run again
///
/// Gives exactly what was missed, then what comes; without `Last-Event-ID` the latest run from its beginning.
#[utoipa::path(get, path = "/api/v2/agent/chat/{session}", operation_id = "rejoin_chat", tag = "stories",
    params(("session" = String, Path, description = "the session, as the client names it"),
        ("Last-Event-ID" = Option<String>, Header, description = "the id of the frame after which to go on")),
    responses(
        (status = 200, description = "a stream", body = String, content_type = "text/event-stream",
            headers(("x-run-id" = String, description = "the run"), ("x-session-id" = String, description = "the session"))),
        (status = 204, description = "everything was sent before `Last-Event-ID`"),
        (status = 400, description = "that is no id of a frame", body = StoryErrorAnswer),
        (status = 404, description = "no such session", body = StoryErrorAnswer),
        (status = 409, description = "a session of something else", body = StoryErrorAnswer),
        (status = 410, description = "the session was erased", body = StoryErrorAnswer),
        (status = 429, description = "too many requests or connections", body = StoryErrorAnswer)))]
pub(crate) async fn rejoin(
    State(app): State<App>,
    Extension(rate): Extension<RequestRate>,
    owner: Result<Owner, ApiError>,
    session: Result<ApiPath<String>, ApiError>,
    headers: HeaderMap,
) -> Result<Response, StoryRefusal> {
    let (owner, ApiPath(client)) = (owner?, session?);
    rate.take(&owner, Instant::now())?;
    check_session_name(&client)?;
    let last = last_place(&headers)?;
    let admission = admit(&app, &owner)?;
    go_on(&app, &owner, client, last, admission).await
}

/// The stream after a place, or that of the latest run.
async fn go_on(
    app: &App,
    owner: &Owner,
    client: String,
    last: Option<Place>,
    admission: Admission,
) -> Result<Response, StoryRefusal> {
    let lanes = lanes(app, owner, &client).await?;
    let latest = latest(&lanes).ok_or_else(ApiError::no_session)?;
    if let Some(last) = last
        && let Some(lane) = lanes.iter().find(|lane| lane.number == last.lane)
        && last.cursor.wire_version == Story::VERSION
        && last.cursor.version <= lane.state.version
    {
        return after(app, owner, client, lane, last, admission).await;
    }
    // If the stream cannot continue from the place, the whole run is sent.
    let run = latest.last_run().ok_or_else(ApiError::no_session)?.id;
    let session = latest.session.clone();
    let start = start_of_run(app, owner, &session, run).await?;
    let begun = Begun {
        session,
        run,
        start,
    };
    stream(app, owner, client, begun, None, admission).await
}

/// What follows a place in a lane; 204 if nothing does.
async fn after(
    app: &App,
    owner: &Owner,
    client: String,
    lane: &Lane,
    last: Place,
    admission: Admission,
) -> Result<Response, StoryRefusal> {
    let begun = |run: RunId| Begun {
        session: lane.session.clone(),
        run,
        start: Start::After(last.cursor),
    };
    let over = || Ok(StatusCode::NO_CONTENT.into_response());
    let Some((run, is_ended)) = run_at(app, owner, lane, &last).await? else {
        return over();
    };
    let state = lane.state.run(run);
    let is_quiet = state.is_none_or(|run| run.end.is_some() || run.is_waiting());
    if is_quiet {
        // Uses a second follower, because what this one reads would be missing in the stream.
        let mut look =
            follow::<Story>(app, owner, &lane.session, Start::After(last.cursor)).await?;
        let goes_on = match look.next().await.map_err(ApiError::from)? {
            // The event that ends a run gives the run's last frames; later frames belong to another run.
            Batch::Frames(frames) => {
                !is_ended
                    || frames
                        .iter()
                        .any(|frame| frame.version == last.cursor.version)
            }
            Batch::CaughtUp(_) => false,
        };
        if !goes_on {
            return over();
        }
    }
    let piece = last.piece.clone();
    stream(app, owner, client, begun(run), piece, admission).await
}

/// The run at a place, and whether it has ended there; `None` if no run was begun.
async fn run_at(
    app: &App,
    owner: &Owner,
    lane: &Lane,
    place: &Place,
) -> Result<Option<(RunId, bool)>, StoryRefusal> {
    if place.cursor.version == 0 {
        return Ok(lane.last_run().map(|run| (run.id, false)));
    }
    let stream = owner.stream(&lane.session);
    let seen = app.engine.session_at(&stream, place.cursor.version).await?;
    let active = seen.active.map(|run| (run, false));
    let last = || seen.runs.keys().next_back().map(|run| (*run, true));
    Ok(active.or_else(last))
}

/// The stream of a run from a place on.
async fn stream(
    app: &App,
    owner: &Owner,
    client: String,
    begun: Begun,
    piece: Option<Piece>,
    admission: Admission,
) -> Result<Response, StoryRefusal> {
    let follower = follow::<Story>(app, owner, &begun.session, begun.start).await?;
    let stream = Stream {
        app: app.clone(),
        owner: owner.clone(),
        client,
        session: begun.session,
        run: begun.run,
        follower,
        piece,
        admission,
    };
    Ok(stream.respond().await?)
}
