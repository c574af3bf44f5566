//! What all web sockets here share: limits, a deadline for every write, and a close frame that the other side receives.

use std::time::Duration;

use axum::Error as SocketError;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use tokio::time::timeout;

use super::limits::WRITE_DEADLINE;
use crate::error::ApiError;

/// How long the other side may take to close after it was told to.
const LINGER: Duration = Duration::from_secs(2);

/// Bytes of one message from a client. A message of 20,000 characters is 60 kB of UTF-8 and twice that when escaped.
pub const MESSAGE_BYTES_MAX: usize = 1024 * 1024;

/// Bytes of one frame from a client. This is more than a message may have, so that a message that is slightly too large is read to its end
/// and its sender learns why the connection closes.
const FRAME_BYTES_MAX: usize = 4 * MESSAGE_BYTES_MAX;

/// Bytes read at a time. The default of 128 KiB for each connection is too much for thousands of idle ones.
const READ_BUFFER: usize = 16 * 1024;

/// Bytes after which written data is sent before the next flush. Everything is flushed after every message.
const WRITE_BUFFER: usize = 64 * 1024;

/// Bytes that may wait in the socket for writing. The socket refuses a single message that is larger, so this is not the 256 KiB that are
/// enough for a batch of events but the size of the largest message, the snapshot of a long session.
const WRITE_BUFFER_MAX: usize = 8 * 1024 * 1024;

/// The prefix of a sub-protocol that is a key. Browsers cannot send headers with a web socket.
const KEY_SUB_PROTOCOL: &str = "bearer.";

/// Sets all limits of a socket.
pub fn bounded(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(WRITE_BUFFER_MAX)
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(FRAME_BYTES_MAX)
}

/// The key that is offered as a sub-protocol.
pub fn key_of(upgrade: &WebSocketUpgrade) -> Option<String> {
    let offered = upgrade
        .requested_protocols()
        .filter_map(|name| name.to_str().ok());
    offered
        .into_iter()
        .find_map(|name| name.strip_prefix(KEY_SUB_PROTOCOL))
        .map(str::to_owned)
}

/// Why a connection ends.
pub enum End {
    /// The other side closed, or is gone.
    Gone,
    /// A message was too large. `cut` says that the rest of it is still coming.
    TooLarge {
        cut: bool,
    },
    /// The data is not that of a web socket: reserved bits, unknown opcodes, fragments of control frames.
    BrokenProtocol,
    /// A text is not UTF-8.
    NotUtf8,
    /// The other side did not read for too long.
    Slow,
    Silent,
    NoHello,
    Refused(ApiError),
    TooMany(String),
    Stopping,
}

impl End {
    /// The code of the close frame, with words for people.
    fn close(&self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Gone => return None,
            Self::TooLarge { .. } => (1009, "message_too_large".to_owned()),
            Self::BrokenProtocol => (1002, "protocol_error".to_owned()),
            Self::NotUtf8 => (1007, "not_utf_8".to_owned()),
            Self::Slow => (4008, "slow_consumer".to_owned()),
            Self::Silent => (4000, "silent".to_owned()),
            Self::NoHello => (4002, "no_hello".to_owned()),
            Self::Refused(error) => (4001, error.error.code.to_string()),
            Self::TooMany(message) => (4029, message.clone()),
            Self::Stopping => (1001, "the server is stopping".to_owned()),
        };
        Some(CloseFrame {
            code,
            reason: reason.into(),
        })
    }
}

/// The socket, with a deadline on every write.
pub struct Peer(WebSocket);

impl Peer {
    pub fn new(socket: WebSocket) -> Self {
        Self(socket)
    }

    pub async fn text(&mut self, text: String) -> Result<(), End> {
        self.send(Message::Text(text.into())).await
    }

    pub async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(WRITE_DEADLINE, self.0.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Gone),
            Err(_) => Err(End::Slow),
        }
    }

    /// The next message.
    pub async fn hear(&mut self) -> Result<Message, End> {
        match self.0.recv().await {
            Some(Ok(message)) => Ok(message),
            Some(Err(error)) => Err(fault(&error)),
            None => Err(End::Gone),
        }
    }

    /// Sends the reason, and waits a moment for the other side to close.
    pub async fn close(mut self, end: End) {
        if let Some(frame) = end.close() {
            let written = timeout(LINGER, self.0.send(Message::Close(Some(frame)))).await;
            // The rest of a message that is far too large is not read, so nothing that follows it could be read either.
            if matches!(end, End::TooLarge { cut: true }) || !matches!(written, Ok(Ok(()))) {
                return;
            }
        }
        // Without this loop the answer to the other side's close would never be flushed.
        let drained = timeout(LINGER, async {
            while let Some(Ok(_)) = self.0.recv().await {}
        })
        .await;
        if drained.is_err() {
            tracing::debug!("a client did not close its side");
        }
    }
}

/// The library's messages about a connection that no longer exists, in its protocol errors.
const GONE: [&str; 3] = [
    "Connection reset without closing handshake",
    "Sending after closing is not allowed",
    "Remote sent after having closed",
];

/// Why the socket failed. The library does not export the type behind the error, so its message is searched for the exceeded limit or the
/// broken rule.
fn fault(error: &SocketError) -> End {
    let words = error.to_string();
    if words.contains("Message too long") {
        return End::TooLarge {
            cut: words.ends_with(&format!("> {FRAME_BYTES_MAX}")),
        };
    }
    match words.split_once(": ") {
        Some(("UTF-8 encoding error", _)) => End::NotUtf8,
        Some(("WebSocket protocol error", rule)) if !GONE.contains(&rule) => End::BrokenProtocol,
        Some(_) | None => End::Gone,
    }
}
