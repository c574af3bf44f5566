//! A client of the native protocol.

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::within;

pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    closed_with: Option<u16>,
}

impl Socket {
    /// Connects and says `hello`.
    pub(crate) async fn connect(address: &str) -> Self {
        Self::try_connect(address).await.expect("a socket")
    }

    /// The same, where the server may be killed meanwhile.
    pub(crate) async fn try_connect(address: &str) -> Option<Self> {
        let (stream, _) = within("the socket", tokio_tungstenite::connect_async(address))
            .await
            .ok()?;
        let mut socket = Self {
            stream,
            closed_with: None,
        };
        socket
            .say(&json!({ "frame": "hello", "protocol": 1 }))
            .await;
        let welcome = socket.next().await?;
        assert_eq!(welcome["frame"], "welcome", "{welcome}");
        Some(socket)
    }

    /// The code that the server closed the connection with.
    pub(crate) fn closed_with(&self) -> Option<u16> {
        self.closed_with
    }

    /// Sends a frame. That the server is gone is ignored here; reading the next frame shows it.
    pub(crate) async fn say(&mut self, frame: &Value) {
        let _ = self.stream.send(Message::text(frame.to_string())).await;
    }

    pub(crate) async fn subscribe(&mut self, sub: &str, session: &str, view: &str, after: &str) {
        let frame = json!({ "frame": "subscribe", "sub": sub, "session": session, "view": view, "after": after });
        self.say(&frame).await;
    }

    /// The next frame; nothing when the connection has ended, in whatever way.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        within("a frame", async {
            loop {
                match self.stream.next().await? {
                    Ok(Message::Text(text)) => {
                        return Some(serde_json::from_str(&text).expect("frames are JSON"));
                    }
                    Ok(Message::Close(close)) => {
                        self.closed_with = close.map(|close| close.code.into());
                        return None;
                    }
                    Err(_) => return None,
                    Ok(_) => {}
                }
            }
        })
        .await
    }
}
