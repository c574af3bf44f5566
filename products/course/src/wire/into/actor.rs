//! The task of one socket: it takes what the client emits, one after the other, and keeps one follower for each session.

use std::collections::HashMap;

use palimpsest::feed::Reset;
use palimpsest::prelude::wire::{
    ApiError, Batch, Cursor, FeedError, Filter, Follower, SessionId, Start, Wire,
};
use serde_json::{Value, json};
use socketioxide::extract::SocketRef;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::chat;
use super::emit::{Answer, disconnect, emit, refused};
use super::handshake::Peer;
use super::queue::Incoming;
use crate::wire::out::Course;

/// Serves a socket until its client has gone.
pub(super) async fn serve(socket: SocketRef) {
    let Some(peer) = socket.extensions.get::<Peer>() else {
        return;
    };
    let Some(mut inbox) = peer
        .inbox
        .lock()
        .expect("nobody panics while taking the queue")
        .take()
    else {
        return;
    };
    let gone = peer.gone.clone();
    let mut actor = Actor {
        socket,
        peer,
        following: HashMap::new(),
    };
    actor.begin().await;
    loop {
        let incoming = tokio::select! {
            biased;
            () = gone.cancelled() => break,
            incoming = inbox.recv() => incoming,
        };
        let Some(incoming) = incoming else { break };
        actor.take(incoming).await;
    }
    actor.end();
}

pub(super) struct Actor {
    pub(super) socket: SocketRef,
    pub(super) peer: Peer,
    following: HashMap<SessionId, AbortHandle>,
}

impl Actor {
    /// Does what the handshake asked for.
    async fn begin(&mut self) {
        let Some(after) = self.peer.follows else {
            return;
        };
        let session = self.peer.session.clone();
        let start = after.map_or(Start::Now, Start::After);
        let error = match self.follower(&session, start).await {
            Ok(Ok(follower)) => return self.follow(&session, follower),
            Ok(Err(reset)) => {
                let message = format!(
                    "the position `after` is of no use any longer ({})",
                    reset.code()
                );
                ApiError::new(axum::http::StatusCode::GONE, "reset", message)
                    .hint("emit `chat:init` without `after`")
            }
            Err(error) => error.into(),
        };
        // The socket stays connected: `chat:init` can follow the session again.
        let _ = emit(&self.socket, "error", &refused(&error)).await;
    }

    async fn take(&mut self, incoming: Incoming) {
        let Incoming {
            event,
            data,
            answer,
        } = incoming;
        let answered = match event.as_str() {
            "chat:init" => chat::init(self, data).await,
            "chat:send" => return chat::send(self, data, answer).await,
            "chat:cancel" => chat::cancel(self, data).await,
            unknown => {
                let shown: String = unknown.chars().take(40).collect();
                let message = format!(
                    "there is no event `{shown}`; there are chat:init, chat:send and chat:cancel"
                );
                Err(ApiError::bad_request(message))
            }
        };
        self.answer(answer, answered).await;
    }

    pub(super) async fn answer(&self, answer: Answer, answered: Result<Value, ApiError>) {
        match answered {
            Ok(value) => answer.send(&value),
            Err(error) if answer.is_asked() => answer.send(&refused(&error)),
            Err(error) => {
                // If the client does not receive it, nothing more can be done.
                let _ = emit(&self.socket, "error", &refused(&error)).await;
            }
        }
    }

    pub(super) fn is_following(&self, session: &SessionId) -> bool {
        self.following
            .get(session)
            .is_some_and(|task| !task.is_finished())
    }

    /// A follower of a session that may not have begun yet.
    pub(super) async fn follower(
        &self,
        session: &SessionId,
        start: Start,
    ) -> Result<Result<Follower, Reset>, FeedError> {
        let stream = self.peer.owner.stream(session);
        let filter = Filter::Without(self.peer.family.left_out());
        self.peer
            .app
            .feeds
            .await_session(&stream, Course::NAME, start, filter)
            .await
    }

    /// A follower from a position that this server gave.
    pub(super) async fn follower_after(
        &self,
        session: &SessionId,
        at: Cursor,
    ) -> Result<Follower, ApiError> {
        let followed = self.follower(session, Start::After(at)).await?;
        followed.map_err(|reset| ApiError::internal("following a session", reset.code()))
    }

    /// Starts to emit the frames of a follower. Each session needs only one, so a second one is dropped.
    pub(super) fn follow(&mut self, session: &SessionId, follower: Follower) {
        if self.is_following(session) {
            return;
        }
        let task = tokio::spawn(tell(self.socket.clone(), follower, self.peer.gone.clone()));
        self.following.insert(session.clone(), task.abort_handle());
    }

    /// How many sessions this socket follows.
    pub(super) fn follows(&self) -> usize {
        self.following
            .values()
            .filter(|task| !task.is_finished())
            .count()
    }

    fn end(self) {
        for task in self.following.values() {
            task.abort();
        }
        self.socket.extensions.clear();
    }
}

/// Emits every frame with its position. If the client does not read, the connection is closed; the client can come back with its position.
async fn tell(socket: SocketRef, mut follower: Follower, gone: CancellationToken) {
    loop {
        let batch = match follower.next().await {
            Ok(batch) => batch,
            Err(FeedError::Erased { .. }) => {
                for parting in follower.partings().await {
                    if emit(&socket, parting.name, &*parting.data).await.is_err() {
                        break;
                    }
                }
                return;
            }
            Err(error) => {
                tracing::error!(%error, "a session could not be followed any longer");
                return disconnect(socket).await;
            }
        };
        let Batch::Frames(frames) = batch else {
            continue;
        };
        for frame in frames {
            if emit(&socket, frame.name, &*frame.data).await.is_err() {
                disconnect(socket).await;
                gone.cancel();
                return;
            }
        }
    }
}

/// The acknowledgement of a message that is in the log.
pub(super) fn received(session: &SessionId, more: Value) -> Value {
    let mut answer = json!({ "status": "received", "sessionId": session });
    if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
        answer.extend(more);
    }
    answer
}
