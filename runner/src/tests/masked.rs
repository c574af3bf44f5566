//! A run whose brief holds secrets: neither the question to a model nor what is put into a tool that asks outside has them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use commands::{Command, SendMessage};
use domain::Actor;
use domain::carry::{Carry, ModelTurn, ToolOutcome, TurnResult, Work};
use domain::event::{Event, Reserve, StepEvent};
use domain::flow::{Flow, need};
use domain::ids::MessageId;
use domain::pipeline::{Description, Pipeline, Pipelines, StageSpec};
use domain::session::Run;
use domain::settings::{OnBusy, Settings};
use serde_json::{Value, json};
use store::{Log, MasterKey, MemoryLog, StreamId};

use crate::authors::Author;
use crate::clock::Clock;
use crate::prompts::Prompts;
use crate::tools::{Tool, ToolContext, ToolError};
use crate::{Engine, Envelope, Parts};

const PHONE: &str = "13912345670";
const PASSWORD: &str = "kiwi$77x";

/// Asks a model about the brief, then the world with what the brief says, and another tool with the same.
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
        let query = json!({ "query": format!("{PASSWORD} {PHONE}") });
        match turns.len() {
            0 => ModelTurn::new("writer", "test/line", json!({ "brief": work.brief }), 100).into(),
            1 => Carry::tool("outside", query),
            2 => Carry::tool("inside", query),
            _ => Carry::Done(vec![]),
        }
    }
}

struct Told {
    name: &'static str,
    outside: bool,
    inputs: Arc<Mutex<Vec<Value>>>,
}

#[async_trait]
impl Tool for Told {
    fn name(&self) -> &'static str {
        self.name
    }
    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }
    async fn call(&self, _: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
        let mut inputs = self.inputs.lock().expect("nothing panics");
        inputs.push(input["query"].clone());
        Ok(ToolOutcome::gave(json!(1), "told"))
    }
    fn asks_outside(&self) -> bool {
        self.outside
    }
}

const PROMPT: &str = "---\nrole: writer\nartifact: line\ndescription: A line.\n---\n<!-- system -->\nWrite.\n<!-- user -->\n{{ brief | material(\"message\") }}\n";

#[tokio::test]
async fn secrets_of_a_brief_reach_neither_a_model_nor_the_outside_world() {
    let log: Arc<dyn Log> =
        Arc::new(MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await);
    let inputs = Arc::<Mutex<Vec<Value>>>::default();
    let mut parts = Parts::new(Arc::clone(&log), Pipelines::new(vec![&ASK]));
    let tool = |name, outside| -> Arc<dyn Tool> {
        let inputs = Arc::clone(&inputs);
        Arc::new(Told {
            name,
            outside,
            inputs,
        })
    };
    let tools = [tool("outside", true), tool("inside", false)];
    parts.tools = parts.tools.with(tools).expect("their names are new");
    parts.prompts = Prompts::empty();
    parts.prompts.add("test/line", PROMPT).expect("a prompt");
    let author = Author::Structure(|_| json!("Dear all"));
    parts.authors = parts.authors.with("test/line", author);
    let engine = Engine::start(parts).await.expect("an engine starts");
    let stream = StreamId::new("ann", "s".into());
    let message = SendMessage {
        message: MessageId::new("msg_1".to_owned()),
        text: format!("我的密码是{PASSWORD}，电话{PHONE}"),
        files: vec![],
        pipeline: Some("ask".to_owned()),
        input: json!({}),
        settings: Settings::default(),
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
    let mut changes = log.watch_stream(&stream);
    while engine
        .session(&stream)
        .await
        .expect("a session")
        .active
        .is_some()
    {
        changes.changed().await.expect("the log is open");
    }
    let read = log.read(&stream, 0, 1_000).await.expect("reads");
    let asked = read.iter().find_map(|it| {
        if let Event::Step(StepEvent::ModelCalled(called)) = &it.event {
            Some(called.request.clone())
        } else {
            None
        }
    });
    let asked = asked.expect("a model was asked");
    let asked = log.get_blob(&stream, &asked.sha256).await.expect("reads");
    let asked = String::from_utf8_lossy(&asked.expect("it is kept")).into_owned();
    assert!(
        asked.contains("我的密码是[password-1]，电话[phone-1]"),
        "{asked}"
    );
    let all = inputs.lock().expect("nothing panics").clone();
    let original = format!("{PASSWORD} {PHONE}");
    assert_eq!(
        all,
        [json!("[password-1] [phone-1]"), json!(original)],
        "only what leaves the program is hidden"
    );
}
