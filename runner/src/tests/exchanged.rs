//! The program is replaced by another version while a step is in the middle of its turns. A question that stays the same is not paid for
//! again; from the first different question on the step begins anew, in the same run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

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
use tokio::sync::Notify;

use crate::authors::Author;
use crate::clock::Clock;
use crate::prompts::Prompts;
use crate::tools::{Tool, ToolContext, ToolError};
use crate::{Engine, Envelope, Parts};

/// Looks something up, has a line written about it, and waits; then it is done, or goes through a stage more.
struct Letter {
    looks_up: &'static str,
    schema: bool,
    line_first: bool,
    stages: &'static [StageSpec],
}

/// A single attempt: asking anew does not use up an attempt.
const LETTER: StageSpec = StageSpec::named("letter").attempts(1);

const FIRST: Letter = Letter {
    looks_up: "weather",
    schema: false,
    line_first: false,
    stages: &[LETTER],
};

static VERSIONS: [Letter; 5] = [
    FIRST,
    Letter {
        looks_up: "news",
        ..FIRST
    },
    Letter {
        schema: true,
        ..FIRST
    },
    Letter {
        line_first: true,
        ..FIRST
    },
    Letter {
        stages: &[LETTER, StageSpec::named("stamp").attempts(1)],
        ..FIRST
    },
];

impl Letter {
    fn turns(&self) -> [Carry; 3] {
        let look_up = Carry::tool("look_up", json!({ "what": self.looks_up }));
        let mut line = ModelTurn::new("writer", "test/line", json!({}), 100);
        if self.schema {
            line = line.structured("line", json!({ "type": "object" }));
        }
        let wait = Carry::tool("wait", json!({}));
        if self.line_first {
            [line.into(), look_up, wait]
        } else {
            [look_up, line.into(), wait]
        }
    }
}

impl Pipeline for Letter {
    fn name(&self) -> &'static str {
        "letter"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: "letter",
            input_schema: json!(true),
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        self.stages
    }
    fn flow(&self, run: &Run) -> Flow {
        for stage in self.stages {
            need(run, stage)?;
        }
        Flow::Continue(())
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }
    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        let next = self.turns().into_iter().nth(turns.len());
        let next = next.filter(|_| work.step.stage == "letter");
        next.unwrap_or_else(|| Carry::Done(vec![]))
    }
}

#[derive(Default)]
struct World {
    looked_up: AtomicU32,
    waits: Notify,
}

struct LookUp(Arc<World>);

#[async_trait]
impl Tool for LookUp {
    fn name(&self) -> &'static str {
        "look_up"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }
    async fn call(&self, _: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
        self.0.looked_up.fetch_add(1, Ordering::Relaxed);
        Ok(ToolOutcome::gave(input.clone(), "looked up"))
    }
}

/// Lets the program be stopped in the middle of the step.
struct Wait {
    world: Arc<World>,
    hangs: bool,
}

#[async_trait]
impl Tool for Wait {
    fn name(&self) -> &'static str {
        "wait"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }
    async fn call(&self, _: &ToolContext<'_>, _: &Value) -> Result<ToolOutcome, ToolError> {
        if self.hangs {
            self.world.waits.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(ToolOutcome::gave(json!(1), "waited"))
    }
}

async fn program(
    log: &Arc<dyn Log>,
    world: &Arc<World>,
    letter: &'static Letter,
    prompt: &str,
    hangs: bool,
) -> Engine {
    let mut parts = Parts::new(Arc::clone(log), Pipelines::new(vec![letter]));
    let tools: [Arc<dyn Tool>; 2] = [
        Arc::new(LookUp(Arc::clone(world))),
        Arc::new(Wait {
            world: Arc::clone(world),
            hangs,
        }),
    ];
    parts.tools = parts.tools.with(tools).expect("their names are new");
    parts.prompts = Prompts::empty();
    parts.prompts.add("test/line", prompt).expect("a prompt");
    let author = Author::Structure(|_| json!({ "line": "Dear all" }));
    parts.authors = parts.authors.with("test/line", author);
    Engine::start(parts).await.expect("an engine starts")
}

const PROMPT: &str = "---\nrole: writer\nartifact: line\ndescription: A line.\n---\n<!-- system -->\nWrite.\n<!-- user -->\nA line.\n";

fn message() -> Envelope {
    let message = SendMessage {
        message: MessageId::new("msg_1".to_owned()),
        text: "go".to_owned(),
        files: vec![],
        pipeline: Some("letter".to_owned()),
        input: json!({}),
        settings: Settings::default(),
        on_busy: OnBusy::Enqueue,
    };
    Envelope {
        command: Command::SendMessage(Box::new(message)),
        client_id: "c1".to_owned(),
        actor: Actor::person("ann"),
        expected_version: None,
        blobs: vec![],
        content: None,
    }
}

/// How often something was looked up, how often a line was written, the attempts of the step, and the names of the last events, when the
/// program is replaced by this one after two turns.
async fn exchanged_by(letter: &'static Letter, prompt: &str) -> (u32, usize, u32, Vec<String>) {
    let log: Arc<dyn Log> =
        Arc::new(MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await);
    let world = Arc::<World>::default();
    let stream = StreamId::new("ann", "s".into());
    let first = program(&log, &world, &VERSIONS[0], PROMPT, true).await;
    first.send(&stream, message()).await.expect("it is taken");
    world.waits.notified().await;
    first.stop().await;
    let second = program(&log, &world, letter, prompt, false).await;
    let mut changes = log.watch_stream(&stream);
    while second
        .session(&stream)
        .await
        .expect("a session")
        .active
        .is_some()
    {
        changes.changed().await.expect("the log is open");
    }
    let read = log.read(&stream, 0, 1_000).await.expect("reads");
    let lines = read
        .iter()
        .filter(|it| matches!(it.event, Event::Step(StepEvent::ModelCalled(_))))
        .count();
    let attempts = read
        .iter()
        .filter(|it| matches!(it.event, Event::Step(StepEvent::StepCancelled(_))))
        .count();
    let names = read.iter().map(|it| it.event.name().to_owned()).collect();
    let attempts = u32::try_from(attempts).expect("a few") + 1;
    (
        world.looked_up.load(Ordering::Relaxed),
        lines,
        attempts,
        names,
    )
}

#[tokio::test]
async fn what_is_asked_as_before_is_not_paid_again() {
    // The same program, and one with a stage more.
    for version in [0, 4] {
        let (looked_up, lines, attempts, names) = exchanged_by(&VERSIONS[version], PROMPT).await;
        assert_eq!(
            (looked_up, lines, attempts),
            (1, 1, 1),
            "{version}: {names:?}"
        );
        assert_eq!(names.last().map(String::as_str), Some("RunCompleted"));
    }
}

#[tokio::test]
async fn from_the_first_difference_on_the_step_begins_anew_in_the_same_run() {
    let other = PROMPT.replace("Write.", "Write well.");
    for (version, prompt) in [(0, other.as_str()), (1, PROMPT), (2, PROMPT), (3, PROMPT)] {
        let (looked_up, lines, attempts, names) = exchanged_by(&VERSIONS[version], prompt).await;
        assert_eq!(
            (looked_up, lines, attempts),
            (2, 2, 2),
            "{version}: {names:?}"
        );
        assert_eq!(names.last().map(String::as_str), Some("RunCompleted"));
        assert!(!names.iter().any(|name| name == "StepFailed"), "{names:?}");
        assert_eq!(names.iter().filter(|name| *name == "RunStarted").count(), 1);
    }
}
