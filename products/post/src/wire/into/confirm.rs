//! `POST /api/agent/confirm`: takes the answer to a question and streams what follows from it.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::wire::sse::{admit, body, follow, last_event_id};
use palimpsest::prelude::wire::start_of;
use palimpsest::prelude::wire::{
    Actor, ApiError, ApiJson, App, CommandRequest, Owner, RunId, SessionId, Start, check_session,
    content_hash, fresh_id, idempotency_key,
};

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::errors::{PostRefusal, RefusalAnswer};
use super::gates::{Action, Answer, UserResponse, gate};
use super::presence::Presence;
use super::request::{OnDisconnect, before_version};
use super::shown::Shown;
use super::teller::{Stream, StreamSpan};
use crate::pipeline::stage::SUPERVISOR;
use crate::tools::templates::{self, Category, PostTemplate};
use crate::wire::out::Post;

/// What was changed is kept under a name.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
pub(crate) struct SaveAsTemplate {
    name: String,
    /// `image_style`, `writing_tone` or `content_structure`.
    category: String,
    #[serde(default)]
    tags: Vec<String>,
}

impl SaveAsTemplate {
    /// The template to keep, made from the modified data.
    fn template(&self, data: Value) -> Result<PostTemplate, PostRefusal> {
        if self.name.trim().is_empty() {
            return Err(PostRefusal::bad_request(
                "`saveAsTemplate.name` is required",
            ));
        }
        let category = Category::deserialize(json!(self.category)).map_err(|_| {
            let known = "image_style, writing_tone, content_structure";
            PostRefusal::bad_request(format!("`saveAsTemplate.category` is one of {known}"))
        })?;
        Ok(PostTemplate {
            name: self.name.clone(),
            category,
            tags: self.tags.clone(),
            title: data["title"].as_str().map(str::to_owned),
            data,
        })
    }
}

/// An answer.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmRequest {
    thread_id: Option<String>,
    /// The question; the one that waits where absent.
    gate_id: Option<String>,
    /// `approve`, `reject` or `modify`.
    action: Option<String>,
    /// Of `reject`: what is to be different.
    user_feedback: Option<String>,
    /// Of `modify`: what it is to be instead. A list is `imagePlans`.
    #[schema(value_type = Object)]
    modified_data: Option<Value>,
    /// The answer to a question; goes before `action`.
    user_response: Option<UserResponse>,
    /// Keeps what was modified, too.
    save_as_template: Option<SaveAsTemplate>,
    on_disconnect: Option<OnDisconnect>,
}

/// Answer a question and follow what comes of it
///
/// With an `Idempotency-Key`, a repetition gets the stream again and answers nothing.
#[utoipa::path(post, path = "/api/agent/confirm", tag = "posts", request_body = ConfirmRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call"),
        ("Last-Event-ID" = Option<String>, Header, description = "the cursor after which to go on")),
    responses(
        (status = 200, description = "a stream", body = String, content_type = "text/event-stream",
            headers(("x-run-id" = String, description = "the run"), ("x-thread-id" = String, description = "the thread"))),
        (status = 400, description = "not JSON, or something is missing", body = RefusalAnswer),
        (status = 404, description = "no such thread, or nothing waits", body = RefusalAnswer),
        (status = 409, description = "answered already, or rejected too often", body = RefusalAnswer),
        (status = 413, description = "too large", body = RefusalAnswer),
        (status = 422, description = "what was modified does not fit", body = RefusalAnswer),
        (status = 429, description = "too many connections", body = RefusalAnswer)))]
pub(crate) async fn confirm(
    State(app): State<App>,
    Extension(presence): Extension<Presence>,
    owner: Result<Owner, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<ConfirmRequest>, ApiError>,
) -> Result<Response, PostRefusal> {
    let owner = owner?;
    let request = body(request)?;
    let thread = request.thread_id.as_deref().filter(|id| !id.is_empty());
    let thread = thread.ok_or_else(|| PostRefusal::bad_request("`threadId` is required"))?;
    let session = SessionId::new(thread);
    let action = request.action.as_deref();
    let answer = Answer {
        // If there is a `userResponse`, the action is ignored.
        action: match (&request.user_response, action) {
            (Some(_), _) | (None, None) => None,
            (None, Some(action)) => Some(Action::named(action)?),
        },
        feedback: request.user_feedback.clone(),
        modified: request.modified_data.clone().filter(|data| !data.is_null()),
        response: request.user_response.clone(),
    };
    answer.check()?;
    // A template is only kept if the answer modified something.
    let template = match (&request.save_as_template, &answer.modified) {
        (Some(template), modified) => {
            let template = template.template(modified.clone().unwrap_or_default())?;
            (modified.is_some() && answer.response.is_none()).then_some(template)
        }
        (None, _) => None,
    };
    check_session(&session).map_err(|_| ApiError::no_session())?;
    let last = last_event_id(&headers);
    let last = last.map(|last| start_of(Some(last))).transpose()?;
    let key = idempotency_key(&headers)?;
    let admission = admit(&app, &owner)?;
    let named = request.gate_id.as_deref();
    let content = content_hash(&(
        named,
        action,
        &request.user_feedback,
        &request.modified_data,
        &request.user_response,
    ));
    let before = answered_before(&app, &owner, &session, key.as_deref(), content);
    let before = match before.await? {
        None => not_seen(&app, &owner, &session, &presence.shown, named).await?,
        before => before,
    };
    let (run, start) = match before {
        Some(before) => before,
        None => {
            let answered = give(
                &app,
                &owner,
                &session,
                (key.clone(), content),
                named,
                &answer,
            );
            let (run, start) = answered.await?;
            presence.shown.answered(&owner.stream(&session), start);
            (run, start)
        }
    };
    if let Some(template) = &template {
        keep(&app, &owner, template, key.as_deref()).await?;
    }
    let follower = follow::<Post>(&app, &owner, &session, last.unwrap_or(start)).await?;
    let abort = request.on_disconnect == Some(OnDisconnect::Abort);
    let attendance = presence.attend(owner.stream(&session), abort.then_some(run));
    let greeting = acknowledgement(&app, &owner, &session, run).await?;
    let stream = Stream {
        app,
        owner,
        session,
        follower,
        told: StreamSpan::Thread,
        greeting: Some(greeting),
        attendance,
        admission,
    };
    Ok(stream.respond(Some(run)))
}

/// For an answer that names no question, checks whether a stream has shown the waiting question. If not, the answer was meant for the
/// question before: gives the run, and the position from which the consequences of that answer are sent again. Nothing is answered.
async fn not_seen(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    shown: &Shown,
    named: Option<&str>,
) -> Result<Option<(RunId, Start)>, PostRefusal> {
    if named.is_some() {
        return Ok(None);
    }
    let stream = owner.stream(session);
    let state = app.engine.session(&stream).await?;
    let Ok(waits) = gate(&state, None) else {
        return Ok(None);
    };
    if shown.has(&stream, &waits.opened.gate) {
        return Ok(None);
    }
    if let Some(before) = shown.last_answer(&stream) {
        return Ok(Some((waits.opened.run, before)));
    }
    let mut gates = state.runs.values().flat_map(|run| run.gates.values());
    if gates.any(|gate| gate.answer.is_some()) {
        return Ok(Some((waits.opened.run, Start::Beginning)));
    }
    let message = "the question that waits was not told on a stream of this thread yet: read GET /api/agent/stream/{thread}, or name \
                   its `gateId`";
    Err(PostRefusal::conflict("question_not_read", message))
}

/// Keeps a template that came with an answer. If the answer is repeated, no second template is made.
async fn keep(
    app: &App,
    owner: &Owner,
    template: &PostTemplate,
    key: Option<&str>,
) -> Result<(), PostRefusal> {
    let id = key.map_or_else(fresh_id, |key| format!("{key}:template"));
    let collections = app.engine.collections();
    let actor = Actor::person(&owner.0);
    let kept = templates::save(collections, &owner.0, template, &id, actor).await;
    kept.map_err(ApiError::from)?;
    Ok(())
}

/// If a gate was already answered under this name, its run and the position before that answer.
async fn answered_before(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    key: Option<&str>,
    content: Sha256,
) -> Result<Option<(RunId, Start)>, PostRefusal> {
    let Some(key) = key else { return Ok(None) };
    let found = app
        .engine
        .find_command(&owner.stream(session), key, Some(content))
        .await?;
    let Some(first) = found.and_then(|applied| applied.events.first().cloned()) else {
        return Ok(None);
    };
    let state = app.engine.session(&owner.stream(session)).await?;
    let run = state
        .active
        .or_else(|| state.runs.keys().next_back().copied());
    Ok(run.map(|run| (run, before_version(first.version))))
}

/// Answers a gate; gives its run and the position before the answer.
pub(super) async fn give(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    (key, content): (Option<String>, Sha256),
    named: Option<&str>,
    answer: &Answer,
) -> Result<(RunId, Start), PostRefusal> {
    let stream = owner.stream(session);
    let state = app.engine.session(&stream).await?;
    let gate = gate(&state, named)?;
    let run = gate.opened.run;
    let id = key.unwrap_or_else(fresh_id);
    let request = CommandRequest::answer_gate(id.clone(), &gate.opened.gate, answer.to(gate)?);
    app.ask_with(owner, session, request, Some(content)).await?;
    let applied = app.engine.find_command(&stream, &id, None).await?;
    let first = applied.and_then(|applied| applied.events.first().map(|first| first.version));
    // If the log does not know the command, the frames since the pause are sent again, so that none is lost.
    let first = first.unwrap_or(state.version);
    Ok((run, before_version(first)))
}

/// The frame that acknowledges the answer. It is in no log.
async fn acknowledgement(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    run: RunId,
) -> Result<String, PostRefusal> {
    let state = app.engine.session(&owner.stream(session)).await?;
    let language = state.run(run).map(|run| run.settings.language.as_str());
    let content = if language.is_none_or(|language| language.starts_with("zh")) {
        "已收到确认，继续执行..."
    } else {
        "The answer was taken; the work goes on..."
    };
    let frame = json!({
        "type": "agent_start", "agent": SUPERVISOR.name, "content": content,
        "timestamp": app.engine.clock().now().timestamp_millis(),
    });
    Ok(frame.to_string())
}
