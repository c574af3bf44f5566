//! Opens sessions and takes commands for them.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::{RunId, SessionId};
use runner::clock::fresh_id;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::ask::{CommandAnswer, CommandRequest, Say, content_hash, derived};
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::request::{ApiJson, ApiPath, ApiQuery, idempotency_key};
use crate::settings::SettingsRequest;
use crate::uploads::Attachment;

/// A new session and what is wanted.
#[derive(Clone, Debug, Deserialize, ToSchema, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct OpenSessionRequest {
    /// See `GET /v1/pipelines`.
    pub pipeline: String,
    /// What is wanted, in the person's words.
    pub message: String,
    /// What is said beside the message; see the pipeline's input schema.
    #[serde(default)]
    #[schema(value_type = Object)]
    #[ts(type = "unknown", optional)]
    pub input: Value,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub settings: SettingsRequest,
    /// Uploads that come with the message.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub attachments: Vec<Attachment>,
    /// The session's name; made where absent.
    pub session: Option<String>,
}

/// What a new session began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema, TS)]
pub struct OpenSessionAnswer {
    pub session: String,
    #[schema(value_type = String)]
    pub run: RunId,
    /// The version of the session that has all of it.
    pub version: u64,
}

/// Open a session and start a run
///
/// With an `Idempotency-Key`, a repetition gets the first answer and starts nothing.
#[utoipa::path(post, path = "/v1/sessions", tag = "sessions", request_body = OpenSessionRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 201, description = "the session is open", body = OpenSessionAnswer,
            headers(("location" = String, description = "the session"), ("x-run-id" = String, description = "the run"))),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 409, description = "there is a session of this name, or the key was given with another body", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "not declared as JSON", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer),
        (status = 503, description = "overloaded, stopping, or the log cannot be used", body = ErrorAnswer)))]
pub(super) async fn open(
    State(app): State<App>,
    owner: Owner,
    headers: HeaderMap,
    ApiJson(request): ApiJson<OpenSessionRequest>,
) -> Result<
    (
        StatusCode,
        [(&'static str, String); 2],
        Json<OpenSessionAnswer>,
    ),
    ApiError,
> {
    let key = idempotency_key(&headers)?;
    let session = match (&request.session, &key) {
        (Some(session), _) => session.clone(),
        // A repetition has to come to the same session.
        (None, Some(key)) => derived("s", &["open", &owner.0, key]),
        (None, None) => format!("s_{}", fresh_id()),
    };
    let content = content_hash(&(
        &request.pipeline,
        &request.message,
        &request.input,
        &request.settings,
        &request.attachments,
    ));
    let say = Say {
        session: SessionId::new(session),
        message_id: None,
        pipeline: Some(request.pipeline),
        text: request.message,
        input: request.input,
        settings: request.settings,
        attachments: request.attachments,
        client_id: key.unwrap_or_else(fresh_id),
        content: Some(content),
        expected_version: Some(0),
    };
    let said = app.say(&owner, say).await.map_err(exists_already)?;
    let answer = OpenSessionAnswer {
        session: said.session.to_string(),
        run: said.run,
        version: said.version,
    };
    let location = format!("/v1/sessions/{}", answer.session);
    Ok((
        StatusCode::CREATED,
        [("location", location), ("x-run-id", said.run.to_string())],
        Json(answer),
    ))
}

/// If the session that was to be opened has versions already, it is another one that exists.
fn exists_already(error: ApiError) -> ApiError {
    if error.error.code == "stale" {
        ApiError::session_exists()
    } else {
        error
    }
}

/// Command a session
///
/// The payload depends on the type: see the schemas `…Payload`.
#[utoipa::path(post, path = "/v1/sessions/{session}/commands", tag = "sessions", request_body = CommandRequest,
    responses(
        (status = 200, description = "carried out, now or before", body = CommandAnswer),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 404, description = "no such session, run, step, gate or version", body = ErrorAnswer),
        (status = 409, description = "not as things stand", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "not declared as JSON", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer),
        (status = 503, description = "overloaded, stopping, or the log cannot be used", body = ErrorAnswer)))]
pub(super) async fn ask(
    State(app): State<App>,
    owner: Owner,
    ApiPath(session): ApiPath<String>,
    ApiJson(request): ApiJson<CommandRequest>,
) -> Result<Json<CommandAnswer>, ApiError> {
    app.ask_as_sent(&owner, &SessionId::new(session), request)
        .await
        .map(Json)
}

/// How a session is erased.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct DeleteQuery {
    /// Whether sessions that were forked from it are erased with it; else it is refused while there are any.
    #[serde(default)]
    forks: bool,
}

/// Erase a session for good
///
/// A session that was erased before is answered as it was then.
#[utoipa::path(delete, path = "/v1/sessions/{session}", operation_id = "delete_session", tag = "sessions",
    params(DeleteQuery, ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "erased, now or before", body = CommandAnswer),
        (status = 404, description = "no such session", body = ErrorAnswer),
        (status = 409, description = "other sessions live on it", body = ErrorAnswer)))]
pub(super) async fn delete(
    State(app): State<App>,
    owner: Owner,
    ApiPath(session): ApiPath<String>,
    ApiQuery(query): ApiQuery<DeleteQuery>,
    headers: HeaderMap,
) -> Result<Json<CommandAnswer>, ApiError> {
    let id = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    let stream = owner.stream(&SessionId::new(session));
    app.erase(&owner, &stream, query.forks, &id).await.map(Json)
}
