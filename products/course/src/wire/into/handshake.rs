//! Checks to whom a socket belongs and what it wants, before it is connected.

use std::sync::{Arc, Mutex};

use palimpsest::feed::Admission;
use palimpsest::prelude::wire::{
    ApiError, App, Caller, Cursor, HandshakePlace, Owner, SessionId, check_session_id,
};
use serde::Deserialize;
use serde_json::Value;
use socketioxide::extract::{SocketRef, TryData};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::queue;
use super::queue::Incoming;
use crate::wire::out::Family;

/// The handshake's `auth`. Clients send fields in it that this server does not use.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Auth {
    token: Option<String>,
    session_id: Option<String>,
    after: Option<String>,
    tool_messages: Option<String>,
}

/// The data of a connected socket.
#[derive(Clone)]
pub(super) struct Peer {
    pub(super) app: App,
    pub(super) owner: Owner,
    pub(super) family: Family,
    /// The session that is meant if a message names none.
    pub(super) session: SessionId,
    /// Set if the handshake named the session: it is followed at once, after this cursor or from now on.
    pub(super) follows: Option<Option<Cursor>>,
    /// The messages of the client, in their order. The task that serves the socket takes the receiver, once.
    pub(super) inbox: Arc<Mutex<Option<mpsc::Receiver<Incoming>>>>,
    /// Cancelled when the client has gone.
    pub(super) gone: CancellationToken,
    /// Counts the connection until the socket is dropped.
    pub(super) _admission: Arc<Admission>,
}

/// A connect middleware. It installs the handlers, because the client may emit as soon as it learns that it is connected.
pub(super) async fn check(
    app: App,
    socket: SocketRef,
    TryData(auth): TryData<Value>,
) -> Result<(), String> {
    let auth = auth.unwrap_or(Value::Null);
    let auth = if auth.is_null() {
        Ok(Auth::default())
    } else {
        serde_json::from_value(auth)
    };
    let auth = auth.map_err(|error| format!("the handshake's `auth` is not right: {error}"))?;
    let (peer, sender) = admit(app, &socket, &auth).map_err(|error| error.to_string())?;
    let gone = peer.gone.clone();
    socket.extensions.insert(peer);
    queue::install(&socket, sender);
    socket.on_disconnect(async move || gone.cancel());
    Ok(())
}

fn admit(
    app: App,
    socket: &SocketRef,
    auth: &Auth,
) -> Result<(Peer, mpsc::Sender<Incoming>), ApiError> {
    let parts = socket.req_parts();
    let owner = match auth.token.as_deref() {
        Some(token) => {
            let mut caller = Caller::of(&parts.extensions);
            app.keys.owner(&mut caller, Some(token))?
        }
        None => app.keys.owner_of(parts)?,
    };
    let family = auth
        .tool_messages
        .as_deref()
        .map(str::parse::<Family>)
        .transpose();
    let family = family
        .map_err(|error| ApiError::bad_request(error.to_string()))?
        .unwrap_or_default();
    let after = auth.after.as_deref().map(cursor).transpose()?;
    if let Some(session) = &auth.session_id {
        check_session_id("sessionId", session)?;
    }
    let most = app.config.limits.connections_per_owner;
    let admission = app
        .feeds
        .admit(&owner.0, most)
        .map_err(|error| ApiError::bad_request(error.to_string()))?;
    // The owner is known now, so that the place is free for another handshake.
    if let Some(place) = parts.extensions.get::<HandshakePlace>() {
        place.leave();
    }
    let (sender, inbox) = mpsc::channel(queue::WAITING);
    let peer = Peer {
        app,
        owner,
        family,
        session: SessionId::new(
            auth.session_id
                .clone()
                .unwrap_or_else(|| socket.id.to_string()),
        ),
        follows: auth.session_id.as_ref().map(|_| after),
        inbox: Arc::new(Mutex::new(Some(inbox))),
        gone: CancellationToken::new(),
        _admission: Arc::new(admission),
    };
    Ok((peer, sender))
}

/// A position, as a client sends it back.
pub(super) fn cursor(text: &str) -> Result<Cursor, ApiError> {
    text.parse()
        .map_err(|error: palimpsest::prelude::wire::NotACursor| {
            ApiError::new(
                axum::http::StatusCode::BAD_REQUEST,
                "bad_cursor",
                error.to_string(),
            )
            .hint("`after` is the `pos` of the last frame")
        })
}
