//! A client of the native protocol.

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::within;

pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Connects and says `hello`.
    pub(crate) async fn connect(address: &str) -> Self {
        let (stream, _) = within("the socket", tokio_tungstenite::connect_async(address)).await.expect("a socket");
        let mut socket = Self(stream);
        socket.say(&json!({ "frame": "hello", "protocol": 1 })).await;
        let welcome = socket.next().await.expect("a welcome");
        assert_eq!(welcome["frame"], "welcome", "{welcome}");
        socket
    }

    pub(crate) async fn say(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.expect("the socket is open");
    }

    pub(crate) async fn subscribe(&mut self, sub: &str, session: &str, view: &str, after: &str) {
        let frame = json!({ "frame": "subscribe", "sub": sub, "session": session, "view": view, "after": after });
        self.say(&frame).await;
    }

    /// The next frame; nothing when the connection has ended, in whatever way.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        within("a frame", async {
            loop {
                match self.0.next().await? {
                    Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).expect("frames are JSON")),
                    Ok(Message::Close(_)) | Err(_) => return None,
                    Ok(_) => {}
                }
            }
        })
        .await
    }
}
