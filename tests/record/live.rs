//! What clients of each wire are sent while a run is at work, without times and ids.

use std::path::Path;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::api::{Answer, Api};
use crate::support::polling::Polling;
use crate::support::socket::Socket;
use crate::support::within;

/// Fields that hold a time, a duration or a name made anew in each run.
const DIFFERENT_EACH_TIME: [&str; 22] = [
    "at",
    "ts",
    "timestamp",
    "recorded_at",
    "recordedAt",
    "createdAt",
    "created_at",
    "updatedAt",
    "updated_at",
    "startedAt",
    "completedAt",
    "deadline",
    "due",
    "expires",
    "expiresAt",
    "latency_ms",
    "duration_ms",
    "durationMs",
    "duration",
    "url",
    "assetId",
    "sha256",
];

/// The frames of one client, a line each.
pub(crate) struct Transcript(Vec<String>);

impl Transcript {
    pub(crate) fn new() -> Self {
        Self(vec![])
    }

    pub(crate) fn note(&mut self, frame: &Value) {
        let mut frame = frame.clone();
        forget(&mut frame);
        self.0.push(without_names(&frame.to_string()));
    }

    /// The frames of a stream of server-sent events.
    pub(crate) fn note_stream(&mut self, answer: Answer) {
        let text = answer.succeeded();
        for line in text.as_str().expect("a stream").lines() {
            match line.strip_prefix("data: ") {
                Some("[DONE]") | None => self.0.push(comment(line)),
                Some(frame) => self.note(&serde_json::from_str(frame).expect("JSON")),
            }
        }
    }

    pub(crate) fn write(self, folder: &Path, name: &str) {
        let folder = folder.join("live");
        std::fs::create_dir_all(&folder).expect("a folder for transcripts");
        let text = self.0.join("\n") + "\n";
        std::fs::write(folder.join(name), text).expect("a transcript that can be written");
    }
}

/// A line that is not a frame, without the time that keep-alives have in them.
fn comment(line: &str) -> String {
    if line.starts_with(": keep-alive") {
        ": keep-alive".to_owned()
    } else {
        without_names(line)
    }
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if DIFFERENT_EACH_TIME.contains(&name.as_str()) && !field.is_null() {
                    *field = json!("*");
                } else {
                    forget(field);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(forget),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A text without the ids in it: words of eight characters and more that have digits and only hexadecimal ones.
fn without_names(text: &str) -> String {
    let ends = |c: char| !c.is_ascii_alphanumeric();
    let kept = text.split_inclusive(ends).map(|part| {
        let word = part.trim_end_matches(ends);
        let is_id = word.len() >= 8
            && word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().all(|b| b.is_ascii_hexdigit());
        if is_id {
            format!("*{}", &part[word.len()..])
        } else {
            part.to_owned()
        }
    });
    kept.collect()
}

/// Everything on the native wire from the beginning of a session to the end of this run.
pub(crate) async fn native(address: &str, session: &str, run: &str) -> Transcript {
    let mut socket = Socket::connect(address).await;
    socket.subscribe("1", session, "native", "start").await;
    let mut transcript = Transcript::new();
    loop {
        let frame = socket.next().await.expect("a frame");
        if frame["frame"] == "heartbeat" {
            continue;
        }
        transcript.note(&frame);
        let ends = ["run_completed", "run_failed", "run_cancelled"];
        let is_end = ends.iter().any(|end| frame["type"] == *end);
        if is_end && frame["data"]["run"] == run {
            return transcript;
        }
    }
}

/// A course asked for over Socket.IO, to its completion.
pub(crate) async fn socket_io(api: &Api, session: &str, message: &Value) -> Transcript {
    let mut client = Polling::connect(api, &json!({ "sessionId": session }), &[]).await;
    assert!(client.next().await.starts_with("40"));
    let mut transcript = Transcript::new();
    client
        .send(&format!("42{}", json!(["chat:send", message])))
        .await;
    loop {
        let (name, data) = client.event().await;
        transcript.note(&json!([name, data]));
        if name == "completion" {
            return transcript;
        }
    }
}

/// What somebody who comes back to a finished report is sent, to its last answer.
pub(crate) async fn report(address: &str, session: &str) -> Transcript {
    let (mut stream, _) = within("the socket", tokio_tungstenite::connect_async(address))
        .await
        .expect("a socket");
    let back =
        json!({ "event": "user.reconnect", "session_id": session, "content": { "last_seq": 0 } });
    stream
        .send(Message::text(back.to_string()))
        .await
        .expect("a server that listens");
    let mut transcript = Transcript::new();
    loop {
        let frame = within("a frame", stream.next()).await;
        let Message::Text(text) = frame.expect("an open socket").expect("a message") else {
            continue;
        };
        let frame: Value = serde_json::from_str(&text).expect("frames are JSON");
        if frame["event"] == "system.heartbeat" {
            continue;
        }
        transcript.note(&frame);
        if frame["event"] == "agent.final_answer" {
            return transcript;
        }
    }
}

/// A stream that is begun by a request, to its end.
pub(crate) async fn stream(api: &Api, path: &str, body: &Value) -> Transcript {
    let mut transcript = Transcript::new();
    transcript.note_stream(api.post(path, body).await);
    transcript
}
