//! Emits events to a client of Socket.IO. The library limits the packets that wait for a socket, so that an emit may have to be repeated.

use std::time::Duration;

use palimpsest::prelude::wire::{ApiError, WRITE_DEADLINE};
use serde::Serialize;
use serde_json::{Value, json};
use socketioxide::extract::{AckSender, SocketRef};
use socketioxide::{SendError, SocketError};
use tokio::time::Instant;

/// How long to wait before an emit that found no room is repeated. A client that reads makes room within a few of these times.
const AGAIN_AFTER: Duration = Duration::from_millis(20);

/// The acknowledgement of a message. If the client asked for none, only errors are emitted, as the event `error`.
pub(super) struct Answer {
    is_asked: bool,
    sender: AckSender,
}

impl Answer {
    pub(super) fn new(is_asked: bool, sender: AckSender) -> Self {
        Self { is_asked, sender }
    }

    pub(super) fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// Sends the acknowledgement. If there is no room it is lost; the client then repeats its message with the same `messageId`.
    pub(super) fn send(self, answer: &impl Serialize) {
        if let Err(error) = self.sender.send(answer) {
            tracing::debug!(%error, "an acknowledgement was not sent");
        }
    }
}

/// The answer to a request that was refused.
pub(super) fn refused(error: &ApiError) -> Value {
    json!({ "status": "error", "error": error.error })
}

/// The socket takes nothing any longer: it is gone, or it did not read for too long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone;

/// Emits an event; waits for room until the deadline.
pub(super) async fn emit(
    socket: &SocketRef,
    event: &str,
    data: &(impl Serialize + ?Sized),
) -> Result<(), Gone> {
    let deadline = Instant::now() + WRITE_DEADLINE;
    loop {
        match socket.emit(event, data) {
            Ok(()) => return Ok(()),
            Err(SendError::Socket(SocketError::InternalChannelFull))
                if Instant::now() < deadline =>
            {
                tokio::time::sleep(AGAIN_AFTER).await;
            }
            Err(SendError::Socket(SocketError::InternalChannelFull)) => {
                tracing::debug!(socket = %socket.id, "a socket was not read for too long");
                return Err(Gone);
            }
            Err(SendError::Socket(SocketError::Closed)) => return Err(Gone),
            Err(SendError::Serialize(error)) => {
                tracing::error!(%error, event, "a frame could not be written");
                return Err(Gone);
            }
        }
    }
}

/// Closes a connection. The close packet needs room as well; if there is none, the unanswered ping ends the connection.
pub(super) async fn disconnect(socket: SocketRef) {
    let deadline = Instant::now() + WRITE_DEADLINE;
    while socket.connected() && Instant::now() < deadline {
        if socket.clone().disconnect().is_ok() {
            return;
        }
        tokio::time::sleep(AGAIN_AFTER).await;
    }
}
