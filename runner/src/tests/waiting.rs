//! What a step waits for is seen while it waits.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use commands::{Command, SendMessage};
use domain::Actor;
use domain::carry::{Carry, ModelTurn, TurnResult, Work};
use domain::event::Reserve;
use domain::flow::{Flow, need};
use domain::ids::MessageId;
use domain::pipeline::{Description, Pipeline, Pipelines, StageSpec};
use domain::session::Run;
use domain::settings::{OnBusy, Ports, Settings};
use serde_json::json;
use store::{Log, MasterKey, MemoryLog, StreamId};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::ports::{AnswerSink, Model, ModelAnswer, ModelError, ModelErrorKind, ModelRequest};
use crate::prompts::Prompts;
use crate::{Engine, Envelope, Parts, WaitReason};

/// How long a wait may take to be seen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks a model once.
struct Ask;

static ASK: Ask = Ask;

const STAGE: StageSpec = StageSpec::named("ask").attempts(1);

impl Pipeline for Ask {
    fn name(&self) -> &'static str {
        "ask"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: "ask",
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
        match turns.len() {
            0 => ModelTurn::new("writer", "test/line", json!({ "brief": work.brief }), 100).into(),
            _ => Carry::Done(vec![]),
        }
    }
}

/// Goes on when the test says so: to its first byte, and then to the request to be left alone.
#[derive(Default)]
struct Slow {
    goes_on: Notify,
}

#[async_trait]
impl Model for Slow {
    async fn call(
        &self,
        _: &ModelRequest,
        sink: &mut dyn AnswerSink,
        _: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        self.goes_on.notified().await;
        sink.bytes(b"data: ").expect("nothing keeps it");
        self.goes_on.notified().await;
        Err(ModelError {
            retry_after: Some(Duration::from_secs(600)),
            ..ModelError::new(ModelErrorKind::RateLimited, "slow down")
        })
    }
}

const PROMPT: &str = "---\nrole: writer\nartifact: line\ndescription: A line.\n---\n<!-- system -->\nWrite.\n<!-- user -->\n{{ brief | material(\"message\") }}\n";

/// Waits until the only step waits for this, or for nothing.
async fn until(engine: &Engine, reason: Option<WaitReason>) {
    let seen = async {
        loop {
            let wait = engine.waits().into_values().next();
            if wait.map(|wait| wait.reason) == reason {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    let seen = tokio::time::timeout(PATIENCE, seen).await;
    assert!(seen.is_ok(), "the step never waits for {reason:?}");
}

#[tokio::test]
async fn a_step_waits_for_the_first_byte_and_then_for_the_pause_that_its_provider_wants() {
    let log: Arc<dyn Log> =
        Arc::new(MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await);
    let slow = Arc::new(Slow::default());
    let mut parts = Parts::new(log, Pipelines::new(vec![&ASK]));
    parts.model = Some(Arc::clone(&slow) as Arc<dyn Model>);
    parts.prompts = Prompts::empty();
    parts.prompts.add("test/line", PROMPT).expect("a prompt");
    let engine = Engine::start(parts).await.expect("an engine starts");
    let stream = StreamId::new("ann", "s".into());
    let ports = Ports {
        model: "m".to_owned(),
        search: false,
        images: false,
        embeddings: false,
    };
    let message = SendMessage {
        message: MessageId::new("msg_1".to_owned()),
        text: "Rain".to_owned(),
        files: vec![],
        pipeline: Some("ask".to_owned()),
        input: json!({}),
        settings: Settings {
            ports,
            models: [("default".to_owned(), "m".to_owned())].into(),
            ..Settings::default()
        },
        on_busy: OnBusy::Enqueue,
    };
    let sent = engine.send(
        &stream,
        Envelope {
            command: Command::SendMessage(Box::new(message)),
            client_id: "c1".to_owned(),
            actor: Actor::person("ann"),
            expected_version: None,
            blobs: vec![],
            content: None,
        },
    );
    sent.await.expect("it is taken");
    until(&engine, Some(WaitReason::FirstByte)).await;
    slow.goes_on.notify_one();
    until(&engine, None).await;
    slow.goes_on.notify_one();
    until(&engine, Some(WaitReason::Pause)).await;
    let waits = engine.waits();
    let steps: Vec<_> = waits.keys().map(|(_, step)| step.to_string()).collect();
    assert_eq!(steps, ["r1/ask"]);
    let drained = tokio::time::timeout(PATIENCE, engine.drain()).await;
    assert!(drained.is_ok(), "a pause holds the end up");
    engine.stop().await;
    assert!(engine.waits().is_empty());
}
