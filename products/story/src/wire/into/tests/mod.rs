//! Requests to a server in the test's own process: the real pipeline with its prompts, and a model and a project made for the tests.

mod asking;
mod chains;
mod preparing;
mod prompts;
mod refusing;
mod resuming;
mod telling;
mod world;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{Response, header};
use futures::StreamExt;
use palimpsest::prelude::pipeline::Pipelines;
use palimpsest::prelude::resource::project::Description;
use palimpsest::prelude::resource::project_commands::{DescribeProject, ProjectCommand};
use palimpsest::prelude::tool::{Outside, Tool, Tools};
use palimpsest::prelude::trial::Parts;
use palimpsest::prelude::trial::serving::{self, MODEL, memory_log, told};
use palimpsest::prelude::wire::{Actor, App, Clock, Config, Engine, KeyEntry, Log, Owner, Session};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::pipeline::Story;
use world::{Teller, tools, tools_that_meet};

/// A program that makes stories alone.
pub(crate) fn program() -> palimpsest::Server {
    let server = palimpsest::Server::builder().add(crate::add).build();
    server.expect("it goes together")
}

/// What its handlers share, around an engine, and the folder with the uploads.
pub(crate) fn app(engine: Engine, config: Config, keys: &[KeyEntry]) -> (App, TempDir) {
    let files = tempfile::tempdir().expect("a folder");
    let app = serving::app(&program(), engine, config, keys, files.path());
    (app, files)
}

/// Texts that may be finished in tests that do not care about this.
const PLENTY: usize = 1_000;

/// A project that every server of the tests has.
const PROJECT: &str = "p1";

struct Server {
    app: App,
    router: Router,
    log: Arc<dyn Log>,
    /// One permit for each text that may be finished.
    texts: Arc<Semaphore>,
    _files: tempfile::TempDir,
}

impl Server {
    async fn start() -> Self {
        Self::with(&[], PLENTY).await
    }

    async fn with(keys: &[KeyEntry], texts: usize) -> Self {
        let (log, _) = memory_log().await;
        let server = Self::over(log, keys, texts).await;
        let owners = server.app.keys.owners();
        server.put_project(&owners[0]).await;
        server
    }

    /// A server whose tools answer a read of the project only once this many reads are under way.
    async fn meeting(tasks: usize) -> Self {
        let (log, _) = memory_log().await;
        let server = Self::with_tools(log, &[], PLENTY, tools_that_meet(tasks)).await;
        let owners = server.app.keys.owners();
        server.put_project(&owners[0]).await;
        server
    }

    /// A server over a log that another server may have used before.
    async fn over(log: Arc<dyn Log>, keys: &[KeyEntry], texts: usize) -> Self {
        Self::with_tools(log, keys, texts, tools()).await
    }

    async fn with_tools(
        log: Arc<dyn Log>,
        keys: &[KeyEntry],
        texts: usize,
        tools: Vec<Arc<dyn Tool>>,
    ) -> Self {
        let texts = Arc::new(Semaphore::new(texts));
        let clock = Clock::system();
        let general = Tools::general(Outside::nothing());
        let parts = Parts {
            prompts: program().prompts().clone(),
            model: Some(Arc::new(Teller(Arc::clone(&texts)))),
            tools: general.with(tools).expect("names of their own"),
            clock,
            ..Parts::new(Arc::clone(&log), Pipelines::new(vec![&Story]))
        };
        let engine = Engine::start(parts).await.expect("an engine");
        let config = serving::config(&MODEL, &[]);
        let (app, files) = app(engine, config, keys);
        Self {
            router: serving::router(&program(), app.clone()),
            app,
            log,
            texts,
            _files: files,
        }
    }

    async fn put_project(&self, owner: &Owner) {
        let description = Description {
            title: "灯塔".into(),
            language: "zh".into(),
            phase: "WRITING".into(),
            ..Description::default()
        };
        let command = ProjectCommand::Describe(Box::new(DescribeProject {
            description,
            expected: None,
            why: String::new(),
        }));
        let actor = Actor::person(&owner.0);
        let projects = self.app.engine.projects();
        let changed = projects.change(&owner.0, PROJECT, command, vec![], "c1", actor);
        changed.await.expect("a project");
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

    /// Sends a message and returns its stream.
    async fn say(&self, body: Value) -> Sse {
        Sse::of(self.post("/api/v2/agent/chat", body).await)
    }

    /// Sends a message to the session `s1` and reads the whole stream.
    async fn hear(&self, message: &str) -> Vec<Heard> {
        let body = json!({ "message": message, "sessionId": "s1" });
        self.say(body).await.whole().await
    }

    /// The answer to reconnecting to `s1` after a frame.
    async fn after(&self, id: &str) -> Response<Body> {
        let path = "/api/v2/agent/chat/s1";
        self.ask("GET", path, &[("last-event-id", id)], None).await
    }

    async fn session(&self, session: &str) -> Arc<Session> {
        serving::session(&self.app, session).await
    }
}

/// The status and the code of a refusal, which contains its message twice.
async fn refused(answer: Response<Body>) -> (u16, String) {
    let (status, body) = told(answer).await;
    assert_eq!(body["error"]["message"], body["message"], "{body}");
    assert!(body["message"].is_string(), "{body}");
    let code = body["error"]["code"].as_str().expect("a code");
    (status, code.to_owned())
}

/// One frame of a stream.
#[derive(Clone, Debug, PartialEq)]
struct Heard {
    id: String,
    data: Value,
    /// As it was sent.
    text: String,
}

struct Sse {
    session: String,
    run: String,
    body: BodyDataStream,
    rest: String,
}

impl Sse {
    fn of(answer: Response<Body>) -> Self {
        let (parts, body) = answer.into_parts();
        assert_eq!(parts.status.as_u16(), 200);
        assert_eq!(parts.headers[header::CONTENT_TYPE], "text/event-stream");
        let text = |name: &str| parts.headers[name].to_str().expect("a text").to_owned();
        let session = text("x-session-id");
        assert_eq!(text("location"), format!("/api/v2/agent/chat/{session}"));
        Self {
            run: text("x-run-id"),
            session,
            body: body.into_data_stream(),
            rest: String::new(),
        }
    }

    /// The next frame; `None` at the end. Comments are skipped.
    async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some((block, rest)) = self.rest.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.rest = rest;
                if let Some(heard) = heard(&block) {
                    return Some(heard);
                }
                continue;
            }
            let piece = self.body.next().await?.expect("not broken off");
            self.rest
                .push_str(std::str::from_utf8(&piece).expect("text"));
        }
    }

    /// Everything up to the first frame of this type.
    async fn until(&mut self, kind: &str) -> Vec<Heard> {
        let mut all = vec![];
        loop {
            let heard = self.next().await.expect("more");
            let is_last = heard.data["type"] == kind;
            all.push(heard);
            if is_last {
                return all;
            }
        }
    }

    /// Reads up to the end, which has to be exactly one `done`.
    async fn whole(mut self) -> Vec<Heard> {
        let mut all = vec![];
        while let Some(heard) = self.next().await {
            all.push(heard);
        }
        assert_eq!(
            all.last().map(|last| &last.data["type"]),
            Some(&json!("done"))
        );
        assert_eq!(of(&all, "done").len(), 1);
        all
    }
}

/// A frame. Its single line of data has the event's name as its type. A comment gives `None`.
fn heard(block: &str) -> Option<Heard> {
    let (mut id, mut event, mut data) = (None, None, vec![]);
    for line in block.lines() {
        match line.split_once(": ").expect("a field") {
            ("id", value) => id = Some(value.to_owned()),
            ("event", value) => event = Some(value.to_owned()),
            ("data", value) => data.push(value.to_owned()),
            ("", _) => {}
            other => panic!("{other:?}"),
        }
    }
    let text = data.pop()?;
    assert!(data.is_empty(), "one line a frame");
    let data: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(data["type"], json!(event));
    Some(Heard {
        id: id.expect("an id"),
        data,
        text,
    })
}

fn names(frames: &[Heard]) -> Vec<&str> {
    let names = frames.iter().map(|frame| frame.data["type"].as_str());
    names.map(|name| name.expect("a type")).collect()
}

fn of<'a>(frames: &'a [Heard], kind: &str) -> Vec<&'a Value> {
    let frames = frames.iter().map(|frame| &frame.data);
    frames.filter(|data| data["type"] == kind).collect()
}

/// The stages of the `thought` frames, in their order.
fn stages(frames: &[Heard]) -> Vec<&str> {
    let stages = of(frames, "thought").into_iter();
    stages
        .map(|thought| thought["stage"].as_str().expect("a stage"))
        .collect()
}

fn last(frames: &[Heard]) -> &Value {
    &frames.last().expect("frames").data
}

/// The text of an agent as a client puts it together.
fn text(frames: &[Heard], step: u32) -> String {
    let mut text: Vec<char> = vec![];
    for piece in of(frames, "content") {
        if piece["step"] == step {
            let offset = piece["offset"].as_u64().expect("a number");
            text.truncate(usize::try_from(offset).expect("small"));
            text.extend(piece["content"].as_str().expect("a text").chars());
        }
    }
    text.into_iter().collect()
}
