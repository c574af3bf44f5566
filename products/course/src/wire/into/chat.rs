//! The three things a client can ask for.

use palimpsest::feed::CONTENT_BYTES_MAX;
use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::wire::{
    AnyOverview, ApiError, CommandRequest, MessageAnswer, Say, SessionId, SettingsRequest, Start,
    StreamId, Wire as _, check_client_id, check_session_id, content_hash, derived, fresh_id,
};
use palimpsest::read;
use palimpsest::uploads::Attachment;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::actor::{Actor, received};
use super::emit::{Answer, emit};
use super::handshake::{Peer, cursor};
use super::metadata::{Metadata, take_up};
use crate::wire::out::{Artifact, Course, InitResponse, InitView};

/// The pipeline that this protocol is for. Unknown fields of payloads are ignored: clients of the contract send more fields than it names.
const PIPELINE: &str = "course";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Init {
    session_id: Option<String>,
    after: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Send {
    message: String,
    session_id: Option<String>,
    message_id: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancel {
    session_id: Option<String>,
}

/// Answers with what the session has, and follows it from there, or from the position that the client names.
pub(super) async fn init(actor: &mut Actor, data: Value) -> Result<Value, ApiError> {
    let ask: Init = read(data)?;
    let session = session(actor, ask.session_id)?;
    let after = ask.after.as_deref().map(cursor).transpose()?;
    check_room(actor, &session)?;
    let stream = actor.peer.owner.stream(&session);
    let mut overview = overview(actor, &stream).await?;
    for artifact in &mut overview.artifacts {
        fill(actor, artifact).await?;
    }
    let mut response = serde_json::to_value(&overview)
        .map_err(|error| ApiError::internal("writing a session", error))?;
    let mut follower = None;
    if !actor.is_following(&session) {
        follower = Some(match after {
            None => actor.follower_after(&session, overview.pos).await?,
            Some(after) => match actor.follower(&session, Start::After(after)).await? {
                Ok(follower) => follower,
                Err(reset) => {
                    response["reset"] = reset.code().into();
                    actor.follower_after(&session, overview.pos).await?
                }
            },
        });
    }
    // If the client is gone, the next emit notices it.
    let _ = emit(&actor.socket, "chat:init:response", &response).await;
    if let Some(follower) = follower {
        actor.follow(&session, follower);
    }
    Ok(response)
}

/// What the session has, in the form for the client's family.
async fn overview(actor: &Actor, stream: &StreamId) -> Result<InitResponse, ApiError> {
    let Peer { app, family, .. } = &actor.peer;
    let read = |overview: &AnyOverview| Some(overview.downcast::<InitView>()?.response(*family));
    let found = app.feeds.overview(stream, Course::NAME, read).await?;
    found
        .flatten()
        .ok_or_else(|| ApiError::internal("reading a session", "the wire has no overview"))
}

/// Puts the content of an artifact in the place of its summary, as in frames.
async fn fill(actor: &Actor, artifact: &mut Artifact) -> Result<(), ApiError> {
    let Some(summary) = &artifact.summary else {
        return Ok(());
    };
    if summary.size > CONTENT_BYTES_MAX {
        return Ok(());
    }
    let log = actor.peer.app.engine.log().as_ref();
    let found = read::artifact(log, &actor.peer.owner.0, &artifact.id).await?;
    if let Some(json) = read::json(log, &found.stream, &found.artifact).await? {
        artifact.content = Some(json);
        artifact.summary = None;
    }
    Ok(())
}

/// Sends a message, and acknowledges it as soon as it is in the log. The follower is made before the message and emits after the
/// acknowledgement, so that no frame of the run is missed and none comes before the acknowledgement.
pub(super) async fn send(actor: &mut Actor, data: Value, answer: Answer) {
    let sent = said(actor, data).await;
    match sent {
        Ok((value, session, follower)) => {
            answer.send(&value);
            if let Some(follower) = follower {
                actor.follow(&session, follower);
            }
        }
        Err(error) => actor.answer(answer, Err(error)).await,
    }
}

type Sent = (
    Value,
    SessionId,
    Option<palimpsest::prelude::wire::Follower>,
);

async fn said(actor: &Actor, data: Value) -> Result<Sent, ApiError> {
    let content = content_hash(&(&data["message"], &data["metadata"]));
    let ask: Send = read(data)?;
    let session = session(actor, ask.session_id)?;
    if let Some(id) = &ask.message_id {
        check_client_id("messageId", id)?;
    }
    check_room(actor, &session)?;
    let (app, owner) = (&actor.peer.app, &actor.peer.owner);
    let message = ask
        .message_id
        .unwrap_or_else(|| format!("msg_{}", fresh_id()));
    let client_id = derived("chat", &[&message]);
    let follower = if actor.is_following(&session) {
        None
    } else {
        // `Start::Now` has no cursor that could be refused.
        actor.follower(&session, Start::Now).await?.ok()
    };
    // For a repetition, the attached files may be gone by now, so that the first answer is looked for before they are read.
    let before = app
        .said_before(owner, &session, &client_id, Some(content))
        .await?;
    let said = match before {
        Some(said) => said,
        None => {
            let (text, attachments) = take_up(actor, ask.message, ask.metadata).await?;
            let name = (client_id, content);
            say(actor, &session, name, message, text, attachments).await?
        }
    };
    let value = received(
        &session,
        json!({ "messageId": said.message, "runId": said.run }),
    );
    Ok((value, session, follower))
}

async fn say(
    actor: &Actor,
    session: &SessionId,
    (client_id, content): (String, Sha256),
    message: String,
    text: String,
    attachments: Vec<Attachment>,
) -> Result<MessageAnswer, ApiError> {
    let say = Say {
        session: session.clone(),
        client_id,
        content: Some(content),
        message_id: Some(message),
        pipeline: Some(PIPELINE.to_owned()),
        text,
        input: Value::Null,
        settings: SettingsRequest::default(),
        attachments,
        expected_version: None,
    };
    actor.peer.app.say(&actor.peer.owner, say).await
}

/// Cancels the run that is at work.
pub(super) async fn cancel(actor: &Actor, data: Value) -> Result<Value, ApiError> {
    let ask: Cancel = read(data)?;
    let session = session(actor, ask.session_id)?;
    let request = CommandRequest::new(fresh_id(), "cancel", Value::Null);
    actor
        .peer
        .app
        .ask(&actor.peer.owner, &session, request)
        .await?;
    Ok(received(&session, Value::Null))
}

fn session(actor: &Actor, named: Option<String>) -> Result<SessionId, ApiError> {
    let Some(named) = named else {
        return Ok(actor.peer.session.clone());
    };
    check_session_id("sessionId", &named)?;
    Ok(SessionId::new(named))
}

/// Checks that this socket may follow one more session.
fn check_room(actor: &Actor, session: &SessionId) -> Result<(), ApiError> {
    let most = actor.peer.app.config.limits.subscriptions_per_connection;
    if actor.is_following(session) || actor.follows() < most {
        return Ok(());
    }
    let message = format!("a socket follows at most {most} sessions; open another one");
    Err(ApiError::unprocessable("too_many_subscriptions", message))
}

fn read<T: DeserializeOwned>(data: Value) -> Result<T, ApiError> {
    let data = if data.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        data
    };
    serde_json::from_value(data).map_err(|error| {
        let fields = "chat:send takes {message, sessionId?, messageId?, metadata?}, chat:init {sessionId?, after?}, \
                      chat:cancel {sessionId?}";
        ApiError::bad_request(format!("the payload is not right: {error}")).hint(fields)
    })
}
