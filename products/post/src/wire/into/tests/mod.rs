//! Requests to a server in the test's own process.

mod answering;
mod assets;
mod flow;
mod pipeline;
mod prompts;
mod resuming;
mod starting;
mod tasks;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{Response, header};
use futures::StreamExt;
use palimpsest::prelude::pipeline::Pipelines;
use palimpsest::prelude::trial::Parts;
use palimpsest::prelude::trial::serving::{self, told};
use palimpsest::prelude::wire::{App, Engine, KeyEntry, Session};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::pipeline::stage::SUPERVISOR;
use pipeline::{Small, Writer};

fn program() -> palimpsest::Server {
    let server = palimpsest::Server::builder().add(crate::add).build();
    server.expect("it goes together")
}

/// Texts that may be finished in tests that do not care about this.
const PLENTY: usize = 1_000;

struct Server {
    app: App,
    router: Router,
    /// One permit for each text that may be finished.
    texts: Arc<Semaphore>,
    _files: tempfile::TempDir,
}

impl Server {
    async fn start() -> Self {
        Self::with(&[], PLENTY).await
    }

    async fn with(keys: &[KeyEntry], texts: usize) -> Self {
        let texts = Arc::new(Semaphore::new(texts));
        let (log, clock) = serving::memory_log().await;
        let parts = Parts {
            prompts: pipeline::prompts(),
            model: Some(Arc::new(Writer(Arc::clone(&texts)))),
            clock,
            ..Parts::new(log, Pipelines::new(vec![&Small]))
        };
        let engine = Engine::start(parts).await.expect("an engine");
        let config = serving::config(&serving::MODEL, &[]);
        let files = tempfile::tempdir().expect("a folder");
        let app = serving::app(&program(), engine, config, keys, files.path());
        Self {
            router: serving::router(&program(), app.clone()),
            app,
            texts,
            _files: files,
        }
    }

    async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Response<Body> {
        serving::ask(&self.router, method, path, headers, body).await
    }

    async fn post(&self, path: &str, body: Value) -> Response<Body> {
        self.ask("POST", path, &[], Some(body)).await
    }

    async fn get(&self, path: &str) -> Response<Body> {
        self.ask("GET", path, &[], None).await
    }

    /// The stream of a new message.
    async fn say(&self, body: Value) -> Sse {
        Sse::of(self.post("/api/agent/stream", body).await)
    }

    async fn confirm(&self, body: Value) -> Sse {
        Sse::of(self.post("/api/agent/confirm", body).await)
    }

    /// The stream of a thread after a cursor.
    async fn after(&self, thread: &str, cursor: &str) -> Sse {
        let path = format!("/api/agent/stream/{thread}");
        Sse::of(
            self.ask("GET", &path, &[("last-event-id", cursor)], None)
                .await,
        )
    }

    async fn session(&self, session: &str) -> Arc<Session> {
        serving::session(&self.app, session).await
    }
}

/// The status and the code of a refusal, which is a text under `error`.
async fn refused(answer: Response<Body>) -> (u16, String) {
    let (status, body) = told(answer).await;
    assert!(body["error"].is_string(), "{body}");
    (status, body["code"].as_str().expect("a code").to_owned())
}

/// One message of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Message {
    id: Option<String>,
    data: String,
    comment: String,
}

struct Sse {
    thread: String,
    body: BodyDataStream,
    rest: String,
}

impl Sse {
    fn of(answer: Response<Body>) -> Self {
        let (parts, body) = answer.into_parts();
        assert_eq!(parts.status.as_u16(), 200);
        assert_eq!(parts.headers[header::CONTENT_TYPE], "text/event-stream");
        let thread = parts.headers["x-thread-id"]
            .to_str()
            .expect("a thread")
            .to_owned();
        assert_eq!(
            parts.headers[header::LOCATION],
            format!("/api/agent/stream/{thread}")
        );
        Self {
            thread,
            body: body.into_data_stream(),
            rest: String::new(),
        }
    }

    /// The next message, including comments; `None` at the end.
    async fn next_any(&mut self) -> Option<Message> {
        loop {
            if let Some((block, rest)) = self.rest.split_once("\n\n") {
                let mut message = Message::default();
                for line in block.lines() {
                    match line.split_once(": ").expect("a field") {
                        ("id", id) => message.id = Some(id.to_owned()),
                        ("data", data) => message.data.push_str(data),
                        ("", comment) => message.comment.push_str(comment),
                        other => panic!("{other:?}"),
                    }
                }
                self.rest = rest.to_owned();
                return Some(message);
            }
            let piece = self.body.next().await?.expect("not broken off");
            self.rest
                .push_str(std::str::from_utf8(&piece).expect("text"));
        }
    }

    async fn next(&mut self) -> Option<Message> {
        loop {
            let message = self.next_any().await?;
            if message.comment.is_empty() {
                return Some(message);
            }
        }
    }

    /// Everything up to the first frame of this type.
    async fn until(&mut self, kind: &str) -> Vec<(String, Value)> {
        let mut heard = vec![];
        loop {
            let message = self.next().await.expect("more");
            let frame: Value = serde_json::from_str(&message.data).expect("JSON");
            let is_last = frame["type"] == kind;
            heard.push((message.id.unwrap_or_default(), frame));
            if is_last {
                return heard;
            }
        }
    }

    /// Reads up to the end, which has to be `[DONE]`. Frames of the connection have no id.
    async fn whole(mut self) -> Vec<(String, Value)> {
        let mut heard = vec![];
        while let Some(message) = self.next().await {
            if message.data == "[DONE]" {
                assert_eq!(message.id, None);
                assert_eq!(self.next_any().await, None, "nothing after the end");
                return heard;
            }
            let frame = serde_json::from_str(&message.data).expect("JSON");
            heard.push((message.id.unwrap_or_default(), frame));
        }
        panic!("no [DONE] after {:?}", names(&heard));
    }
}

fn names(frames: &[(String, Value)]) -> Vec<&str> {
    let names = frames.iter().map(|(_, frame)| frame["type"].as_str());
    names.map(|name| name.expect("a type")).collect()
}

fn last(frames: &[(String, Value)]) -> &Value {
    &frames.last().expect("frames").1
}

/// The frames of the log, without those of the connection.
fn logged(frames: &[(String, Value)]) -> Vec<(String, Value)> {
    let logged = frames.iter().filter(|(id, _)| !id.is_empty());
    logged.cloned().collect()
}
