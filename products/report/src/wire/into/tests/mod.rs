//! Real sockets against a server within the test.

mod connecting;
mod pipeline;
mod resuming;
mod sessions;
mod steering;
mod whole;

use std::sync::Arc;

use axum::Router;
use futures::{SinkExt, StreamExt};
use palimpsest::prelude::pipeline::Pipelines;
use palimpsest::prelude::resource::Collections;
use palimpsest::prelude::tool::{Outside, Tool, Tools};
use palimpsest::prelude::trial::{Parts, serving};
use palimpsest::prelude::wire::{Engine, KeyEntry, LOCAL_OWNER, SessionId, Wire as _};
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::sync::{Semaphore, mpsc};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::*;
use crate::tools::{BackEnds, LoadResources, OwnedResources};
use crate::wire::out::Report as Wire;
use pipeline::{Three, Writer};

/// Sections that may be finished in tests that do not care about this.
const PLENTY: usize = 1_000;

/// Bytes that may be in a pipe: more than any test sends without reading.
const PIPE: usize = 1024 * 1024;

struct Server {
    app: App,
    pipes: mpsc::Sender<DuplexStream>,
    /// One permit for each section that may be finished.
    sections: Arc<Semaphore>,
    router: Router,
    _files: tempfile::TempDir,
}

impl Server {
    async fn start() -> Self {
        Self::with(&[], &[], PLENTY).await
    }

    /// A server with the pipeline of the tests.
    async fn with(variables: &[(&str, &str)], keys: &[KeyEntry], sections: usize) -> Self {
        let sections = Arc::new(Semaphore::new(sections));
        let variables: Vec<_> = serving::MODEL.iter().chain(variables).copied().collect();
        let parts = |parts| Parts {
            prompts: pipeline::prompts(),
            model: Some(Arc::new(Writer(Arc::clone(&sections)))),
            pipelines: Pipelines::new(vec![&Three]),
            ..parts
        };
        Self::put_together(&variables, keys, Arc::clone(&sections), parts).await
    }

    /// A server with the built-in pipeline, written by the offline author.
    async fn offline() -> Self {
        let parts = |parts: Parts| {
            let collections = Collections::new(Arc::clone(&parts.log), parts.clock.clone());
            let nowhere = BackEnds::new(None, vec![]);
            let nowhere = nowhere.expect("no addresses");
            let resources = OwnedResources::new(collections, nowhere);
            let tool: Arc<dyn Tool> = Arc::new(LoadResources(Some(Arc::new(resources))));
            let general = Tools::general(Outside::nothing());
            Parts {
                tools: general.with([tool]).expect("names differ"),
                ..parts
            }
        };
        Self::put_together(&[], &[], Arc::new(Semaphore::new(0)), parts).await
    }

    async fn put_together(
        variables: &[(&str, &str)],
        keys: &[KeyEntry],
        sections: Arc<Semaphore>,
        parts: impl FnOnce(Parts) -> Parts,
    ) -> Self {
        let server = crate::add(palimpsest::Server::builder());
        let server = server.build().expect("it goes together");
        let (log, clock) = serving::memory_log().await;
        let engine = Engine::start(parts(server.parts(log, clock, None)));
        let engine = engine.await.expect("an engine");
        let config = serving::config(variables, &[&ReportFlags::default()]);
        let files = tempfile::tempdir().expect("a folder");
        let app = serving::app(&server, engine, config, keys, files.path());
        let router = serving::router(&server, app.clone());
        let pipes = serving::serve_pipes(router.clone());
        Self {
            app,
            pipes,
            sections,
            router,
            _files: files,
        }
    }

    async fn open(&self, uri: &str, headers: &[(&'static str, &str)]) -> Result<Client, Error> {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        self.pipes.send(theirs).await.expect("it listens");
        let mut request = format!("ws://localhost{uri}")
            .into_client_request()
            .expect("a request");
        for (name, value) in headers {
            request
                .headers_mut()
                .insert(*name, value.parse().expect("a header"));
        }
        client_async(request, ours)
            .await
            .map(|(socket, _)| Client(socket))
    }

    /// A connection after its greeting.
    async fn connect(&self) -> Client {
        let mut client = self.open("/ws/report", &[]).await.expect("connected");
        assert_eq!(client.hear().await["event"], "system.connected");
        client
    }

    async fn session(&self, session: &str) -> Arc<palimpsest::prelude::wire::Session> {
        serving::session(&self.app, session).await
    }
}

struct Client(WebSocketStream<DuplexStream>);

impl Client {
    async fn send(&mut self, message: Message) {
        self.0.send(message).await.expect("sent");
    }

    async fn say(&mut self, message: Value) {
        self.send(Message::text(message.to_string())).await;
    }

    async fn next(&mut self) -> Option<Message> {
        loop {
            match self.0.next().await? {
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(message) => return Some(message),
                Err(_) => return None,
            }
        }
    }

    /// The next frame other than text under way, which may come at any time.
    async fn hear(&mut self) -> Value {
        loop {
            let frame = self.hear_any().await;
            if frame["event"] != "agent.partial_answer" {
                return frame;
            }
        }
    }

    async fn hear_any(&mut self) -> Value {
        match self.next().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("not a text: {other:?}"),
        }
    }

    /// All frames up to the first one of this event. Errors fail the test unless they are waited for.
    async fn until(&mut self, event: &str) -> Vec<Value> {
        let mut heard = vec![];
        loop {
            let frame = self.hear().await;
            let is_last = frame["event"] == event;
            assert!(
                is_last || frame["event"] != "agent.error",
                "{frame} after {:?}",
                names(&heard)
            );
            heard.push(frame);
            if is_last {
                return heard;
            }
        }
    }

    async fn last(&mut self, event: &str) -> Value {
        self.until(event).await.pop().expect("at least one")
    }

    /// Sends a message and returns the next frame.
    async fn ask(&mut self, message: Value) -> Value {
        self.say(message).await;
        self.hear().await
    }

    async fn create(&mut self) -> String {
        let created = self.ask(json!({ "event": "user.create_session" })).await;
        assert_eq!(created["event"], "agent.session_created", "{created}");
        text(&created["session_id"])
    }

    /// A session whose plan waits to be confirmed, and the `step_id` of the question.
    async fn planned(&mut self) -> (String, String) {
        let session = self.create().await;
        self.say(json!({ "event": "user.message", "session_id": session, "content": "写报告" }))
            .await;
        let asked = self.last("agent.user_confirm").await;
        let step = text(&asked["step_id"]);
        (session, step)
    }

    async fn confirm(&mut self, session: &str, step: &str) {
        self.say(json!({
            "event": "user.response", "session_id": session, "step_id": step, "content": { "confirmed": true },
        }))
        .await;
    }

    async fn closed(&mut self) -> Option<(u16, String)> {
        loop {
            match self.next().await {
                Some(Message::Close(Some(CloseFrame { code, reason }))) => {
                    return Some((code.into(), reason.to_string()));
                }
                Some(Message::Close(None)) | None => return None,
                Some(_) => {}
            }
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn names(frames: &[Value]) -> Vec<&str> {
    frames
        .iter()
        .filter_map(|frame| frame["event"].as_str())
        .collect()
}

fn seqs(frames: &[Value]) -> Vec<u64> {
    frames
        .iter()
        .filter_map(|frame| frame["seq"].as_u64())
        .collect()
}
