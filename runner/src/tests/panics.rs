//! Registered code that panics or never ends: the attempt fails or is told about it, and the run goes on or ends.

use std::sync::Arc;

use async_trait::async_trait;
use commands::{Command, SendMessage};
use domain::Actor;
use domain::carry::{Carry, ToolOutcome, TurnResult, Work};
use domain::event::Reserve;
use domain::flow::{Flow, need};
use domain::ids::MessageId;
use domain::pipeline::{Description, Pipeline, Pipelines, StageSpec};
use domain::session::{Run, Session};
use domain::settings::{OnBusy, Settings};
use serde_json::{Value, json};
use store::panics;
use store::{MasterKey, MemoryLog, StreamId};

use crate::clock::Clock;
use crate::tools::{Tool, ToolContext, ToolError};
use crate::{Engine, Envelope, Parts};

/// Calls `break` and panics afterwards, in its first attempt or in each.
struct Fragile;

const STAGE: StageSpec = StageSpec::named("work").attempts(2);

impl Pipeline for Fragile {
    fn name(&self) -> &'static str {
        "fragile"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: "fragile",
            input_schema: json!(true),
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        &[STAGE]
    }
    fn flow(&self, run: &Run) -> Flow {
        need(run, &STAGE)
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }
    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        if turns.is_empty() {
            return Carry::tool("break", work.input.clone());
        }
        let panics = work.input["pipeline"].as_u64().unwrap_or(0);
        assert!(u64::from(work.attempt) > panics, "the pipeline is broken");
        Carry::Done(vec![])
    }
}

/// Panics when it is told to, or never gives anything.
struct Break;

#[async_trait]
impl Tool for Break {
    fn name(&self) -> &'static str {
        "break"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }
    async fn call(&self, _: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
        if input["tool"] == "hangs" {
            std::future::pending::<()>().await;
        }
        assert!(input["tool"].is_null(), "the tool is broken");
        Ok(ToolOutcome::gave(json!(1), "gave"))
    }
}

/// The session when its run with this input has ended, and the names of its events.
async fn ended(input: Value) -> (Arc<Session>, Vec<String>) {
    let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
    let mut parts = Parts::new(Arc::new(log), Pipelines::new(vec![&Fragile]));
    let tool: Arc<dyn Tool> = Arc::new(Break);
    parts.tools = parts.tools.with([tool]).expect("its name is new");
    let engine = Engine::start(parts).await.expect("an engine starts");
    let stream = StreamId::new("ann", "s".into());
    let message = SendMessage {
        message: MessageId::new("msg_1".to_owned()),
        text: "go".to_owned(),
        files: vec![],
        pipeline: Some("fragile".to_owned()),
        input,
        settings: Settings {
            attempts: 2,
            ..Settings::default()
        },
        on_busy: OnBusy::Enqueue,
    };
    let envelope = Envelope {
        command: Command::SendMessage(Box::new(message)),
        client_id: "c1".to_owned(),
        actor: Actor::person("ann"),
        expected_version: None,
        blobs: vec![],
        content: None,
    };
    let mut changes = engine.log().watch_stream(&stream);
    engine.send(&stream, envelope).await.expect("it is taken");
    loop {
        let session = engine.session(&stream).await.expect("a session");
        if session.active.is_none() {
            engine.0.workshop.registry.idle(&stream).await;
            let read = engine.log().read(&stream, 0, 1_000).await.expect("reads");
            let names = read.iter().map(|it| it.event.name().to_owned()).collect();
            return (session, names);
        }
        changes.changed().await.expect("the log is open");
    }
}

fn count(names: &[String], name: &str) -> usize {
    names.iter().filter(|it| *it == name).count()
}

#[tokio::test(start_paused = true)]
async fn after_a_panic_the_run_goes_on_with_the_next_attempt_and_keeps_what_was_paid() {
    let before = panics::caught_so_far();
    let (_, names) = ended(json!({ "pipeline": 1 })).await;
    let counted = [
        "StepFailed",
        "ToolReturned",
        "StepSucceeded",
        "RunCompleted",
    ]
    .map(|name| count(&names, name));
    assert_eq!(counted, [1, 2, 1, 1], "{names:?}");
    assert!(panics::caught_so_far() > before);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_always_panics_fails_the_run_with_its_message() {
    let (session, names) = ended(json!({ "tool": true })).await;
    assert_eq!(count(&names, "RunFailed"), 1, "{names:?}");
    assert!(format!("{session:?}").contains("the tool is broken"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_never_ends_is_left_and_its_step_is_told() {
    let (_, names) = ended(json!({ "tool": "hangs" })).await;
    let counted = ["ToolReturned", "StepSucceeded", "RunCompleted"].map(|name| count(&names, name));
    assert_eq!(counted, [1, 1, 1], "{names:?}");
}
