//! The request that starts a run, for a stream and for a task.

use axum::http::HeaderMap;
use palimpsest::prelude::pipeline::OnBusy;
use palimpsest::prelude::wire::{
    ApiError, App, Owner, RunId, Say, SessionId, SettingsRequest, Start, StreamId, Wire as _,
    check_session_id, content_hash, derived, fresh_id, idempotency_key,
};
use palimpsest::read::first_version;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::errors::PostRefusal;
use super::references;
use super::teller::is_paused;
use crate::wire::out::Post;

/// The pipeline that this protocol starts.
pub(super) const PIPELINE: &str = "post";

/// A reference picture.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub(crate) struct Reference {
    /// An address, or a picture as a `data:` address.
    pub(super) url: String,
    /// `style`, `layout` or `content`.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
}

/// What happens when a client goes away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnDisconnect {
    /// The run goes on.
    #[default]
    Continue,
    /// The run is cancelled with the last stream of its thread.
    Abort,
}

/// A message, and what is said beside it.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamRequest {
    /// What is wanted. Without it a running thread is joined.
    pub(super) message: Option<String>,
    /// A new thread where absent.
    thread_id: Option<String>,
    /// Another name of `threadId`.
    #[serde(alias = "conversation")]
    conversation_id: Option<String>,
    /// Of a task: the task in whose thread this is said.
    source_task_id: Option<String>,
    theme_id: Option<i64>,
    creative_id: Option<u64>,
    pub(super) reference_image_url: Option<String>,
    pub(super) reference_images: Option<Vec<String>>,
    pub(super) reference_inputs: Option<Vec<Reference>>,
    /// `dense`, `balanced` or `visual-first`.
    layout_preference: Option<String>,
    image_gen_provider: Option<String>,
    /// Whether somebody is there to answer questions.
    #[serde(rename = "enableHITL")]
    enable_hitl: Option<bool>,
    fast_mode: Option<bool>,
    /// BCP 47 tag; that of the message where absent.
    language: Option<String>,
    on_disconnect: Option<OnDisconnect>,
    /// `enqueue`, `refuse` or `interrupt`; as configured where absent.
    #[schema(value_type = Option<String>)]
    on_busy: Option<OnBusy>,
    /// The sender's name for the message; a repetition gets the first answer.
    message_id: Option<String>,
}

/// A run that was started or queued, or whose thread was joined.
pub(super) struct Begun {
    pub(super) session: SessionId,
    pub(super) run: RunId,
    /// The position before its first frame.
    pub(super) start: Start,
    /// Whether no run was started by this request.
    pub(super) joined: bool,
}

impl StreamRequest {
    pub(super) fn abort(&self) -> bool {
        self.on_disconnect == Some(OnDisconnect::Abort)
    }

    /// What is said, whatever it is called, wherever it is said, and whoever listens.
    fn said(&self) -> Self {
        Self {
            thread_id: None,
            conversation_id: None,
            source_task_id: None,
            on_disconnect: None,
            message_id: None,
            ..self.clone()
        }
    }

    fn thread(&self) -> Result<Option<SessionId>, PostRefusal> {
        let named = self.thread_id.as_ref().or(self.conversation_id.as_ref());
        let of_task = self.source_task_id.as_deref().map(super::tasks::thread_of);
        let thread = named.map(String::as_str).or(of_task);
        let thread = thread.filter(|thread| !thread.is_empty());
        if let Some(thread) = thread {
            check_session_id("threadId", thread)
                .map_err(|e| PostRefusal::bad_request(e.error.message))?;
        }
        Ok(thread.map(SessionId::new))
    }

    /// The pipeline's input beside the message.
    fn input(&self, references: Vec<Value>) -> Result<Value, PostRefusal> {
        let mut input = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            input.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("themeId", self.theme_id.map(Value::from));
        put("creativeId", self.creative_id.map(Value::from));
        put(
            "imageGenProvider",
            self.image_gen_provider.clone().map(Value::from),
        );
        put("fastMode", self.fast_mode.map(Value::from));
        let has_references = !references.is_empty();
        put("referenceInputs", has_references.then(|| json!(references)));
        let layout = match self.layout_preference.as_deref() {
            None | Some("") => None,
            Some(layout @ ("dense" | "balanced" | "visual-first")) => Some(layout),
            Some("visual_first") => Some("visual-first"),
            Some(_) => {
                let message = "`layoutPreference` is dense, balanced or visual-first";
                return Err(PostRefusal::bad_request(message));
            }
        };
        put("layoutPreference", layout.map(Value::from));
        Ok(Value::Object(input))
    }
}

/// Starts the run that is asked for, or finds the active one.
pub(super) async fn begin(
    app: &App,
    owner: &Owner,
    headers: &HeaderMap,
    request: &StreamRequest,
) -> Result<Begun, PostRefusal> {
    let thread = request.thread()?;
    let message = request.message.as_deref().map(str::trim);
    let Some(message) = message.filter(|message| !message.is_empty()) else {
        return join(app, owner, thread).await;
    };
    let key = idempotency_key(headers)?.or_else(|| request.message_id.clone());
    let session = match (&thread, &key) {
        (Some(thread), _) => thread.clone(),
        // A repetition has to come to the same thread.
        (None, Some(key)) => SessionId::new(derived("s", &["post", &owner.0, key])),
        (None, None) => SessionId::new(format!("s_{}", fresh_id())),
    };
    let stream = owner.stream(&session);
    let client_id = key.unwrap_or_else(fresh_id);
    let content = Some(content_hash(&request.said()));
    let sent = app.said_before(owner, &session, &client_id, content);
    let said = match sent.await? {
        Some(said) => said,
        None => {
            let (references, attachments) = references::taken(app, owner, request).await?;
            let say = Say {
                session: session.clone(),
                message_id: request.message_id.clone(),
                pipeline: Some(PIPELINE.to_owned()),
                text: message.to_owned(),
                input: request.input(references)?,
                settings: SettingsRequest {
                    language: request.language.clone(),
                    on_busy: request.on_busy,
                    attended: Some(request.enable_hitl.unwrap_or(false)),
                    ..SettingsRequest::default()
                },
                attachments,
                client_id: client_id.clone(),
                content,
                expected_version: None,
            };
            app.say(owner, say).await?
        }
    };
    Ok(Begun {
        start: before(app, &stream, &client_id, said.run).await?,
        session,
        run: said.run,
        joined: said.duplicate,
    })
}

/// Joins the active run of a thread.
async fn join(app: &App, owner: &Owner, thread: Option<SessionId>) -> Result<Begun, PostRefusal> {
    let missing = || PostRefusal::bad_request("`message` is required");
    let session = thread.ok_or_else(missing)?;
    let state = app.engine.session(&owner.stream(&session)).await?;
    let run = state.active.ok_or_else(missing)?;
    Ok(Begun {
        session,
        run,
        start: Start::Beginning,
        joined: true,
    })
}

/// The position before a run starts. If it waits, the position after the run that it interrupted, else the one before its command or before
/// the question that the thread waits for.
async fn before(
    app: &App,
    stream: &StreamId,
    client_id: &str,
    run: RunId,
) -> Result<Start, ApiError> {
    use palimpsest::prelude::pipeline::event::{Event, RunEvent};
    let applied = app.engine.find_command(stream, client_id, None).await?;
    let events = applied.map(|applied| applied.events).unwrap_or_default();
    let starts =
        |event: &Event| matches!(event, Event::Run(RunEvent::RunStarted(e)) if e.run == run);
    let started = events.iter().find(|recorded| starts(&recorded.event));
    // The run that was interrupted ends first.
    let ends = |event: &Event| matches!(event, Event::Run(RunEvent::RunCancelled(_)));
    let ended = events.iter().rfind(|recorded| ends(&recorded.event));
    let first = match (started, ended) {
        (Some(started), _) => Some(started.version),
        (None, Some(ended)) => Some(ended.version + 1),
        (None, None) => {
            // If the thread waits for an answer, its question comes first.
            let asked = paused_since(app, stream).await?;
            let said = events.first().map(|first| first.version);
            asked.into_iter().chain(said).min()
        }
    };
    Ok(first.map_or(Start::Beginning, before_version))
}

/// The version of the question that a thread waits for; `None` if it waits for none.
async fn paused_since(app: &App, stream: &StreamId) -> Result<Option<u64>, ApiError> {
    use palimpsest::prelude::pipeline::event::{Event, GateEvent};
    let state = app.engine.session(stream).await?;
    let waiting = state.active.filter(|run| is_paused(&state, *run));
    let Some(run) = waiting.and_then(|run| state.run(run)) else {
        return Ok(None);
    };
    let open: Vec<_> = run
        .open_gates()
        .map(|gate| gate.opened.gate.clone())
        .collect();
    let opens = |event: &Event| matches!(event, Event::Gate(GateEvent::GateOpened(e)) if open.contains(&e.gate));
    first_version(app.engine.log().as_ref(), stream, opens).await
}

/// The position after everything before this version.
pub(super) fn before_version(version: u64) -> Start {
    Start::before_version(Post::VERSION, version)
}
