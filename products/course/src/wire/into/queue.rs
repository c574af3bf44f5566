//! Keeps the messages of a client in order. The library runs a task for each message, and these tasks may overtake each other. Its
//! extractors, however, run where messages are read, in their order, so messages are put into the queue there.

use std::convert::Infallible;
use std::sync::Arc;

use palimpsest::prelude::wire::ApiError;
use serde_json::Value;
use socketioxide::adapter::LocalAdapter;
use socketioxide::extract::{AckSender, Event, SocketRef, TryData};
use socketioxide::handler::{FromMessage, FromMessageParts, Value as Packet};
use socketioxide::socket::Socket;
use tokio::sync::mpsc;

use super::emit::{Answer, refused};

/// Messages of a socket that wait for their turn. A person has one at a time; a program with more has to wait for answers.
pub(super) const WAITING: usize = 64;

/// Something that a client emitted.
pub(super) struct Incoming {
    pub(super) event: String,
    /// The first argument; null without one.
    pub(super) data: Value,
    pub(super) answer: Answer,
}

/// Puts everything that this socket's client emits into the queue.
pub(super) fn install(socket: &SocketRef, queue: mpsc::Sender<Incoming>) {
    socket.extensions.insert(queue);
    socket.on_fallback(async |_: Queued| {});
}

/// Shows that a message was put into the queue, or refused.
struct Queued;

impl FromMessage<LocalAdapter> for Queued {
    type Error = Infallible;

    fn from_message(
        socket: Arc<Socket>,
        mut packet: Packet,
        ack: Option<i64>,
    ) -> Result<Self, Infallible> {
        let Ok(Event(event)) = Event::from_message_parts(&socket, &mut packet, &ack) else {
            return Ok(Self);
        };
        let Ok(TryData(data)) = TryData::<Value>::from_message_parts(&socket, &mut packet, &ack);
        let Ok(sender) = AckSender::from_message_parts(&socket, &mut packet, &ack);
        let answer = Answer::new(ack.is_some(), sender);
        let incoming = Incoming {
            event,
            data: data.unwrap_or(Value::Null),
            answer,
        };
        let Some(queue) = socket.extensions.get::<mpsc::Sender<Incoming>>() else {
            return Ok(Self);
        };
        if let Err(full) = queue.try_send(incoming) {
            let Incoming { answer, .. } = full.into_inner();
            let busy = refused(&ApiError::busy());
            if answer.is_asked() {
                answer.send(&busy);
            } else if let Err(error) = socket.emit("error", &busy) {
                tracing::debug!(%error, socket = %socket.id, "a client was not told that its message was refused");
            }
        }
        Ok(Self)
    }
}
