//! `/api/tasks`: runs without an open stream.

pub(crate) mod list;
mod row;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::{Extension, Json};
use palimpsest::prelude::wire::sse::{admit, body, follow, last_event_id};
use palimpsest::prelude::wire::{
    ApiError, ApiJson, ApiPath, ApiQuery, App, Batch, Frame, Owner, RunId, Session, SessionId,
    Start, check_session, content_hash, fresh_id, idempotency_key,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::confirm::give;
use super::errors::{PostRefusal, RefusalAnswer};
use super::gates::{Action, Answer, UserResponse, gate};
use super::limits::TASKS_MAX;
use super::presence::Presence;
use super::request::{StreamRequest, begin};
use super::teller::{Stream, StreamSpan};
use crate::wire::out::Post;
use row::{Task, TaskView};

/// The thread that a task is in.
pub(super) fn thread_of(task: &str) -> &str {
    split(task).map_or(task, |(thread, _)| thread)
}

fn split(task: &str) -> Option<(&str, RunId)> {
    let (thread, run) = task.rsplit_once(':')?;
    Some((thread, run.parse().ok()?))
}

fn no_task() -> PostRefusal {
    PostRefusal::not_found("no_task", "there is no such task")
}

/// A task with the state of its thread. The name of a thread stands for the thread's last run.
async fn find(
    app: &App,
    owner: &Owner,
    task: &str,
) -> Result<(SessionId, RunId, std::sync::Arc<Session>), PostRefusal> {
    let session = SessionId::new(thread_of(task));
    check_session(&session).map_err(|_| no_task())?;
    let state = app.engine.session(&owner.stream(&session)).await?;
    let run = split(task).map_or(state.last_run, |(_, run)| run);
    let is_known = run >= RunId(1) && run <= state.last_run;
    is_known
        .then_some((session, run, state))
        .ok_or_else(no_task)
}

/// What a task is known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskStarted {
    task_id: String,
    thread_id: String,
    /// `queued`; of a thread that was joined what it is.
    status: &'static str,
}

/// Start a task
///
/// The same as `POST /api/agent/stream` without the stream. Without a message, or repeated, it starts nothing and is answered 200.
#[utoipa::path(post, path = "/api/tasks", operation_id = "start_task", tag = "posts", request_body = StreamRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "the task that is there already", body = TaskStarted),
        (status = 201, description = "started, or waiting for its turn", body = TaskStarted),
        (status = 400, description = "not JSON, or something is missing", body = RefusalAnswer),
        (status = 404, description = "no such thread", body = RefusalAnswer),
        (status = 409, description = "a run is at work, or too many messages wait", body = RefusalAnswer),
        (status = 413, description = "too large", body = RefusalAnswer),
        (status = 422, description = "not what is taken", body = RefusalAnswer)))]
pub(crate) async fn start(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<StreamRequest>, ApiError>,
) -> Result<(StatusCode, Json<TaskStarted>), PostRefusal> {
    let owner = owner?;
    let request = body(request)?;
    let begun = begin(&app, &owner, &headers, &request).await?;
    let (code, status) = if begun.joined {
        let state = app.engine.session(&owner.stream(&begun.session)).await?;
        (StatusCode::OK, row::status(&state, begun.run))
    } else {
        (StatusCode::CREATED, "queued")
    };
    let started = TaskStarted {
        task_id: row::task_id(&begun.session, begun.run),
        thread_id: begun.session.to_string(),
        status,
    };
    Ok((code, Json(started)))
}

/// A task
#[utoipa::path(get, path = "/api/tasks/{task}", operation_id = "show_task", tag = "posts",
    responses(
        (status = 200, description = "the task", body = TaskView),
        (status = 404, description = "no such task", body = RefusalAnswer),
        (status = 410, description = "the thread was erased", body = RefusalAnswer)))]
pub(crate) async fn show(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    task: Result<ApiPath<String>, ApiError>,
) -> Result<Json<TaskView>, PostRefusal> {
    let (owner, ApiPath(task)) = (owner?, task?);
    let (session, run, state) = find(&app, &owner, &task).await?;
    let frames = frames(&app, &owner, &session, run).await?;
    let task = Task {
        owner: &owner,
        session: &session,
        run,
        state: &state,
    };
    Ok(Json(task.view(&frames)))
}

/// The frames of a run so far.
async fn frames(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    run: RunId,
) -> Result<Vec<Frame>, ApiError> {
    let mut follower = follow::<Post>(app, owner, session, Start::Beginning).await?;
    let (mut ended, mut its) = (0, vec![]);
    while let Batch::Frames(frames) = follower.next().await? {
        for frame in frames {
            let is_its = ended + 1 == run.0;
            ended += u32::from(frame.terminal);
            if is_its {
                its.push(frame);
            }
        }
    }
    Ok(its)
}

/// From where.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct EventsQuery {
    /// The number of the first event that is wanted, from 0.
    from_index: Option<u64>,
}

/// Follow a task
///
/// Events have their number as `id`; `Last-Event-ID` goes before `fromIndex`.
#[utoipa::path(get, path = "/api/tasks/{task}/events", operation_id = "task_events", tag = "posts",
    params(EventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "the number of the last event that was received")),
    responses(
        (status = 200, description = "a stream", body = String, content_type = "text/event-stream"),
        (status = 400, description = "that is no number", body = RefusalAnswer),
        (status = 404, description = "no such task", body = RefusalAnswer),
        (status = 410, description = "the thread was erased", body = RefusalAnswer),
        (status = 429, description = "too many connections", body = RefusalAnswer)))]
pub(crate) async fn events(
    State(app): State<App>,
    Extension(presence): Extension<Presence>,
    owner: Result<Owner, ApiError>,
    task: Result<ApiPath<String>, ApiError>,
    query: Result<ApiQuery<EventsQuery>, ApiError>,
    headers: HeaderMap,
) -> Result<Response, PostRefusal> {
    let (owner, ApiPath(task), ApiQuery(query)) = (owner?, task?, query?);
    let from = match last_event_id(&headers) {
        Some(last) => {
            let last = last.parse::<u64>();
            let last =
                last.map_err(|_| PostRefusal::bad_request("`Last-Event-ID` is no number"))?;
            last.saturating_add(1)
        }
        None => query.from_index.unwrap_or(0),
    };
    let (session, run, _) = find(&app, &owner, &task).await?;
    let admission = admit(&app, &owner)?;
    let follower = follow::<Post>(&app, &owner, &session, Start::Beginning).await?;
    let attendance = presence.attend(owner.stream(&session), None);
    let stream = Stream {
        app,
        owner,
        session,
        follower,
        told: StreamSpan::Run { run, from },
        greeting: None,
        attendance,
        admission,
    };
    Ok(stream.respond(Some(run)))
}

/// An answer to a task's question.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RespondRequest {
    /// `approve`, `reject` or `modify`.
    action: Option<String>,
    /// The question; the one that waits where absent.
    gate_id: Option<String>,
    selected_ids: Option<Vec<String>>,
    /// Of `reject`: what is to be different.
    custom_input: Option<String>,
    /// Another name of `customInput`.
    user_feedback: Option<String>,
    #[schema(value_type = Object)]
    modified_data: Option<Value>,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Responded {
    success: bool,
    /// `running`.
    status: &'static str,
}

/// Answer a task's question
#[utoipa::path(post, path = "/api/tasks/{task}/respond", tag = "posts", request_body = RespondRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "the task goes on", body = Responded),
        (status = 400, description = "not JSON, or something is missing", body = RefusalAnswer),
        (status = 404, description = "no such task, or nothing waits", body = RefusalAnswer),
        (status = 409, description = "answered already, or rejected too often", body = RefusalAnswer),
        (status = 422, description = "what was modified does not fit", body = RefusalAnswer)))]
pub(crate) async fn respond(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    task: Result<ApiPath<String>, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<RespondRequest>, ApiError>,
) -> Result<Json<Responded>, PostRefusal> {
    let (owner, ApiPath(task)) = (owner?, task?);
    let request = body(request)?;
    let key = idempotency_key(&headers)?;
    let (session, run, state) = find(&app, &owner, &task).await?;
    let responded = Json(Responded {
        success: true,
        status: "running",
    });
    let content = content_hash(&(
        (&request.action, &request.gate_id, &request.selected_ids),
        (&request.custom_input, &request.user_feedback),
        &request.modified_data,
    ));
    if let Some(key) = &key {
        let found = app
            .engine
            .find_command(&owner.stream(&session), key, Some(content))
            .await?;
        if found.is_some() {
            return Ok(responded);
        }
    }
    let action = request.action.as_deref().map(Action::named).transpose()?;
    let gate = gate(&state, request.gate_id.as_deref())?;
    if gate.opened.run != run {
        return Err(PostRefusal::not_found(
            "no_gate",
            "nothing in this task waits for an answer",
        ));
    }
    // Questions of approval are answered by the action, others by the choice.
    let is_chosen = action.is_none() || gate.opened.subject.is_none();
    let has_choice = request.selected_ids.is_some() || request.custom_input.is_some();
    let answer = Answer {
        action,
        feedback: request
            .user_feedback
            .clone()
            .or(request.custom_input.clone()),
        modified: request.modified_data.filter(|data| !data.is_null()),
        response: (is_chosen && has_choice).then_some(UserResponse {
            selected_ids: request.selected_ids,
            custom_input: request.custom_input,
            modified_context: None,
        }),
    };
    answer.check()?;
    let named = gate.opened.gate.clone();
    let name = (key, content);
    give(&app, &owner, &session, name, Some(named.as_str()), &answer).await?;
    Ok(responded)
}

/// What was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Deleted {
    success: bool,
    /// Tasks that were removed, now or before.
    deleted: Vec<String>,
    /// Tasks that are not there, or that others live on.
    failed: Vec<String>,
}

/// Remove a task
///
/// Its thread is erased for good, with all its runs.
#[utoipa::path(delete, path = "/api/tasks/{task}", operation_id = "delete_task", tag = "posts",
    responses(
        (status = 200, description = "removed", body = Deleted),
        (status = 404, description = "no such task", body = RefusalAnswer),
        (status = 409, description = "other threads live on it", body = RefusalAnswer)))]
pub(crate) async fn delete(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    task: Result<ApiPath<String>, ApiError>,
) -> Result<Json<Deleted>, PostRefusal> {
    let (owner, ApiPath(task)) = (owner?, task?);
    remove(&app, &owner, &task).await?;
    Ok(Json(Deleted {
        success: true,
        deleted: vec![task],
        failed: vec![],
    }))
}

async fn remove(app: &App, owner: &Owner, task: &str) -> Result<(), PostRefusal> {
    let (session, _, _) = find(app, owner, task).await?;
    let stream = owner.stream(&session);
    app.erase(owner, &stream, false, &fresh_id()).await?;
    Ok(())
}

/// Tasks.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(crate) struct DeleteRequest {
    /// At most 200.
    #[serde(default)]
    ids: Vec<String>,
}

/// Remove several tasks
#[utoipa::path(post, path = "/api/tasks/batch-delete", tag = "posts", request_body = DeleteRequest,
    responses(
        (status = 200, description = "what could be removed was", body = Deleted),
        (status = 400, description = "not JSON, no tasks, or too many", body = RefusalAnswer)))]
pub(crate) async fn delete_many(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    request: Result<ApiJson<DeleteRequest>, ApiError>,
) -> Result<Json<Deleted>, PostRefusal> {
    let owner = owner?;
    let ids = body(request)?.ids;
    if ids.is_empty() || ids.len() > TASKS_MAX {
        let message = format!("`ids` names 1 to {TASKS_MAX} tasks");
        return Err(PostRefusal::bad_request(message));
    }
    let (mut deleted, mut failed) = (vec![], vec![]);
    for task in ids {
        match remove(&app, &owner, &task).await {
            Ok(()) => deleted.push(task),
            // The other tasks of an erased thread are gone, too.
            Err(error) if error.0.status == StatusCode::GONE => deleted.push(task),
            Err(_) => failed.push(task),
        }
    }
    Ok(Json(Deleted {
        success: failed.is_empty(),
        deleted,
        failed,
    }))
}
