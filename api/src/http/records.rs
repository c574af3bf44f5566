//! One event and its background: who caused it, why, in which command, and what a model was asked and answered.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::SessionId;
use domain::event::{Event, ModelCalled, StepEvent};
use domain::hash::BlobRef;
use projections::Wire as _;
use projections::cause::Causes;
use projections::wire::FrameData as _;
use projections::wire::native::Native;
use serde::Serialize;
use serde_json::Value;
use ts_rs::TS;
use utoipa::ToSchema;

use crate::app::App;
use crate::connections::Caller;
use crate::contents;
use crate::error::{ApiError, ErrorAnswer, no_version};
use crate::feed::reference;
use crate::in_flight::Counted;
use crate::keys::Owner;
use crate::read::{Content, each_event};
use crate::request::ApiPath;
use projections::rfc3339;

/// A request or an answer that is opened as a page of its own may only be read; the browser runs and loads nothing.
const SANDBOX: &str = "sandbox; default-src 'none'";

/// An event as it was recorded.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
pub(super) struct EventRecord {
    version: u64,
    /// 32 hexadecimal digits.
    event_id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    ts: String,
    /// `person:<owner>`, `system` or `deadline`.
    actor: String,
    command: CommandOf,
    /// The version that it follows from; absent where nothing in the log brought it about.
    cause: Option<u64>,
    /// As the native protocol has it.
    #[schema(value_type = Object)]
    #[ts(type = "unknown")]
    data: Value,
    /// Of what a step did: the exchange with a model behind it, the last one with an answer.
    call: Option<CallOf>,
}

/// The command that recorded an event, and what else it recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, TS)]
struct CommandOf {
    /// 32 hexadecimal digits.
    id: String,
    /// The versions of its first and its last event.
    from: u64,
    to: u64,
}

/// An exchange with a model. Its bodies are at `/v1/sessions/{session}/blobs/{sha256}`.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
struct CallOf {
    version: u64,
    turn: u32,
    role: String,
    model: String,
    prompt: Option<PromptOf>,
    request: BlobOf,
    response: Option<BlobOf>,
}

/// Which prompt was sent: its path in `prompts/` without the ending, and the hash of its template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, TS)]
struct PromptOf {
    id: String,
    sha256: String,
}

/// Bytes that are kept beside the events, by their hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, TS)]
struct BlobOf {
    sha256: String,
    /// Bytes.
    size: u64,
}

impl From<&BlobRef> for BlobOf {
    fn from(blob: &BlobRef) -> Self {
        Self {
            sha256: blob.sha256.to_string(),
            size: blob.size,
        }
    }
}

impl CallOf {
    fn new(version: u64, called: &ModelCalled) -> Self {
        Self {
            version,
            turn: called.turn,
            role: called.role.to_string(),
            model: called.model.to_string(),
            prompt: called.prompt.as_ref().map(|prompt| PromptOf {
                id: prompt.id.to_string(),
                sha256: prompt.sha256.to_string(),
            }),
            request: BlobOf::from(&called.request),
            response: called.response.as_ref().map(BlobOf::from),
        }
    }
}

/// An event with what is behind it
#[utoipa::path(get, path = "/v1/sessions/{session}/events/{version}", operation_id = "show_event", tag = "sessions",
    params(("version" = u64, Path, description = "which event, from 1")),
    responses(
        (status = 200, description = "the event", body = EventRecord),
        (status = 404, description = "no such session or version", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer)))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath((session, version)): ApiPath<(String, u64)>,
) -> Result<Json<EventRecord>, ApiError> {
    let stream = owner.stream(&SessionId::new(session));
    let log = app.engine.log().as_ref();
    let Some(found) = log.provenance(&stream, version).await? else {
        let head = log.version(&stream).await?.unwrap_or(0);
        return Err(no_version(version, head));
    };
    let recorded = &found.recorded;
    let attempt = recorded.event.attempt();
    let mut causes = Causes::default();
    let mut call = None;
    // An answer is recorded together with the events that it led to, so that all of them are in the same append.
    each_event(log, &stream, Some(found.last), |recorded| {
        causes.push(recorded);
        if let Event::Step(StepEvent::ModelCalled(called)) = &recorded.event {
            let is_it = recorded.version == version;
            let is_behind = attempt == Some((&called.step, called.attempt))
                && called.response.is_some()
                && !matches!(found.recorded.event, Event::Step(StepEvent::ModelCalled(_)));
            if is_it || is_behind {
                call = Some(CallOf::new(recorded.version, called));
            }
        }
    })
    .await?;
    let session = reference(&stream);
    let mut frames = vec![];
    Native::step(&mut (), &session, recorded, &mut frames);
    let frame = frames.into_iter().next();
    let frame = frame.ok_or_else(|| no_version(version, found.last))?;
    let data = serde_json::to_value(&frame);
    let data = data.map_err(|error| ApiError::internal("writing an event", error))?;
    Ok(Json(EventRecord {
        version,
        event_id: recorded.event_id.to_string(),
        kind: frame.name(),
        ts: rfc3339(recorded.recorded_at),
        actor: recorded.actor.as_str().to_owned(),
        command: CommandOf {
            id: found.command.to_string(),
            from: found.first,
            to: found.last,
        },
        cause: causes.of(version, found.first),
        data,
        call,
    }))
}

/// What a model was asked or answered, or what a tool gave
///
/// By the hash that the events and the audit have.
#[utoipa::path(get, path = "/v1/sessions/{session}/blobs/{sha256}", tag = "sessions",
    params(("sha256" = String, Path, description = "64 hexadecimal digits")),
    responses(
        (status = 200, description = "JSON, or else text or bytes", content_type = "application/json"),
        (status = 304, description = "as it is there already"),
        (status = 404, description = "no such session, or it keeps nothing of this hash", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer)))]
pub(super) async fn blob(
    State(app): State<App>,
    owner: Owner,
    caller: Caller,
    ApiPath((session, sha256)): ApiPath<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let nothing = || {
        let message = "this session keeps nothing of this hash";
        ApiError::new(StatusCode::NOT_FOUND, "no_blob", message)
            .hint("hashes are in the events and in `history`")
    };
    let stream = owner.stream(&SessionId::new(session));
    let sha256 = sha256.parse().map_err(|_| nothing())?;
    let load = || async {
        let bytes = app.engine.log().get_blob(&stream, &sha256).await?;
        bytes.ok_or_else(nothing)
    };
    let name = (stream.clone(), sha256);
    let bytes = app
        .in_flight
        .load(caller.account(), name, None, load)
        .await?;
    let media_type = match std::str::from_utf8(&bytes) {
        Ok(text) if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => {
            "application/json"
        }
        Ok(_) => "text/plain; charset=utf-8",
        Err(_) => "application/octet-stream",
    };
    let content = Content {
        bytes,
        media_type: media_type.to_owned(),
        sha256,
    };
    let mut response = contents::respond(&content, &headers, SANDBOX);
    response.extensions_mut().insert(Counted);
    Ok(response)
}
