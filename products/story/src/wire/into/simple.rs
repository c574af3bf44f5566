//! `POST /api/v2/agent/chat/simple`: the same as a chat, without a stream.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use palimpsest::prelude::wire::sse::{admit, body, follow};
use palimpsest::prelude::wire::{ApiError, ApiJson, App, Batch, Owner, idempotency_key};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, timeout};
use utoipa::ToSchema;

use super::begin::{Begun, Message, begin};
use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::limits::ANSWER_WAIT;
use super::rate::RequestRate;
use super::request::ChatRequest;
use crate::wire::out::{Story, run_name};

/// What came of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimpleAnswer {
    /// What the last agent made, whole.
    pub(super) content: String,
    pub(super) session_id: String,
    /// The phase in which the message was said.
    pub(super) phase: String,
    pub(super) intent: String,
    /// The agent that made it.
    pub(super) agent_name: String,
    pub(super) run_id: String,
    /// Of a text for a passage: where it belongs, and what a person who takes it puts there.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub(super) passage: Value,
}

/// The fields of a run's frames that are used here.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Heard {
    run_id: String,
    stage: String,
    intent: String,
    phase: String,
    agent: String,
    content: String,
    passage: Value,
    message: String,
    code: String,
    status: String,
}

/// Have agents work on a message and wait for them
///
/// Nobody is asked to choose: a chain goes on with its first option. The run goes on where the caller goes away.
#[utoipa::path(post, path = "/api/v2/agent/chat/simple", operation_id = "chat_simple", tag = "stories", request_body = ChatRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "what was made", body = SimpleAnswer),
        (status = 400, description = "not JSON, or something is missing or no value of its field", body = StoryErrorAnswer),
        (status = 404, description = "no such project, chapter, character or pause", body = StoryErrorAnswer),
        (status = 409, description = "the run was cancelled, or too many chains wait", body = StoryErrorAnswer),
        (status = 422, description = "not what is taken", body = StoryErrorAnswer),
        (status = 429, description = "too many requests or connections", body = StoryErrorAnswer),
        (status = 502, description = "the run failed", body = StoryErrorAnswer),
        (status = 503, description = "overloaded, stopping, or the log cannot be used", body = StoryErrorAnswer),
        (status = 504, description = "it takes longer than is waited for; the run goes on", body = StoryErrorAnswer)))]
pub(crate) async fn simple(
    State(app): State<App>,
    Extension(rate): Extension<RequestRate>,
    owner: Result<Owner, ApiError>,
    headers: HeaderMap,
    request: Result<ApiJson<ChatRequest>, ApiError>,
) -> Result<Json<SimpleAnswer>, StoryRefusal> {
    let owner = owner?;
    rate.take(&owner, Instant::now())?;
    let request = body(request)?;
    let key = idempotency_key(&headers)?;
    answer(&app, &owner, &request, key).await.map(Json)
}

/// Carries out a message, and waits for what is made.
pub(super) async fn answer(
    app: &App,
    owner: &Owner,
    request: &ChatRequest,
    key: Option<String>,
) -> Result<SimpleAnswer, StoryRefusal> {
    let client = request.session(owner)?;
    let admission = admit(app, owner)?;
    let message = Message {
        client: &client,
        request,
        key,
        attended: false,
    };
    let begun = begin(app, owner, message).await?;
    let heard = timeout(ANSWER_WAIT, heard(app, owner, &client, &begun)).await;
    drop(admission);
    heard.unwrap_or_else(|_| {
        let message = format!("the run is still at work; follow it in the session `{client}`");
        let status = StatusCode::GATEWAY_TIMEOUT;
        Err(ApiError::new(status, "still_at_work", message).into())
    })
}

async fn heard(
    app: &App,
    owner: &Owner,
    client: &str,
    begun: &Begun,
) -> Result<SimpleAnswer, StoryRefusal> {
    let mut follower = follow::<Story>(app, owner, &begun.session, begun.start).await?;
    let name = run_name(begun.session.as_str(), begun.run);
    let mut answer = SimpleAnswer {
        content: String::new(),
        session_id: client.to_owned(),
        phase: String::new(),
        intent: String::new(),
        agent_name: String::new(),
        run_id: name.clone(),
        passage: Value::Null,
    };
    let mut failure = None;
    loop {
        let batch = tokio::select! {
            batch = follower.next() => batch.map_err(ApiError::from)?,
            () = app.stopping.cancelled() => return Err(palimpsest::prelude::wire::SendError::Stopped.into()),
        };
        let Batch::Frames(frames) = batch else {
            continue;
        };
        for frame in &frames {
            let heard: Heard = serde_json::from_str(frame.data.get())
                .map_err(|error| ApiError::internal("reading a frame", error))?;
            if heard.run_id != name {
                continue;
            }
            match frame.name {
                "thought" if heard.stage == "routing" => {
                    (answer.intent, answer.phase) = (heard.intent, heard.phase);
                }
                "content" => {
                    (answer.content, answer.agent_name) = (heard.content, heard.agent);
                    answer.passage = heard.passage;
                }
                "error" => failure = Some((heard.code, heard.message)),
                "done" => return end(answer, &heard.status, failure),
                _ => {}
            }
        }
    }
}

fn end(
    answer: SimpleAnswer,
    status: &str,
    failure: Option<(String, String)>,
) -> Result<SimpleAnswer, StoryRefusal> {
    match (status, failure) {
        ("failed", failure) => {
            let (code, message) = failure.unwrap_or_default();
            let error = ApiError::new(StatusCode::BAD_GATEWAY, "run_failed", message);
            Err(error.hint(format!("the run failed with `{code}`")).into())
        }
        ("cancelled", _) => Err(StoryRefusal::conflict("cancelled", "the run was cancelled")),
        _ => Ok(answer),
    }
}
