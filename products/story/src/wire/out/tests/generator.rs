//! Plausible logs of the story pipeline: numbers choose among what could happen next. Mostly what the pipeline would do; now and then
//! a step fails, a tool is called, somebody answers, the run is cut off, or something comes late.

use palimpsest::prelude::pipeline::Settings;
use palimpsest::prelude::pipeline::event::*;
use palimpsest::prelude::trial::logs::*;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::runs::*;
use crate::pipeline::stage::Stage;
use crate::readings::routing::Intent as StoryIntent;

const TASKS: [&str; 3] = ["preflight", "search", "characters"];

#[derive(Default)]
struct World {
    log: LogFixture,
    running: bool,
    own: bool,
    intent: Option<StoryIntent>,
    /// The stages that are still to come, the next one last.
    ahead: Vec<Stage>,
    open: Option<Stage>,
    /// Tasks of the preprocessing that are at work.
    tasks: Vec<&'static str>,
    /// The open attempt of the stage, if there is one.
    attempt: Option<u32>,
    attempts: u32,
    turns: u32,
    tool: Option<(Stage, &'static str, u32)>,
    gate: Option<String>,
    gates: u32,
}

/// A log of up to some 250 events.
pub(crate) fn stories() -> impl Strategy<Value = LogFixture> {
    prop::collection::vec(any::<u16>(), 0..140).prop_map(|choices| {
        let mut world = World {
            log: LogFixture::story(),
            ..World::default()
        };
        for choice in choices {
            world.next(choice);
        }
        world.log
    })
}

impl World {
    fn go(&mut self, change: impl FnOnce(LogFixture) -> LogFixture) {
        self.log = change(std::mem::take(&mut self.log));
    }

    fn next(&mut self, choice: u16) {
        let (what, which) = (choice % 64, usize::from(choice / 64));
        match what {
            _ if !self.running => self.begin(which),
            40..=44 => self.fail(which),
            45..=48 => self.call(),
            49..=50 => self.end(which),
            51 => self.late(),
            _ => self.forward(which),
        }
    }

    fn begin(&mut self, which: usize) {
        let settings = Settings {
            attended: !which.is_multiple_of(4),
            ..with_writer(which.is_multiple_of(2))
        };
        let own = !which.is_multiple_of(9);
        let (log, gates) = (std::mem::take(&mut self.log), self.gates);
        *self = Self {
            log,
            gates,
            running: true,
            own,
            attempts: 1,
            ..Self::default()
        };
        if !own {
            return self.go(|log| {
                log.with_runs_of("talk")
                    .message("做课件", settings)
                    .understood()
            });
        }
        let intent = StoryIntent::ALL[which % StoryIntent::ALL.len()];
        self.intent = Some(intent);
        self.ahead = vec![Stage::Deliver];
        if !which.is_multiple_of(3) {
            self.ahead.extend([Stage::Keep, Stage::Check]);
        }
        if intent.workflow().is_chain() {
            self.ahead.push(Stage::Write);
        }
        self.ahead.push(Stage::Act);
        if !which.is_multiple_of(5) {
            self.ahead.push(Stage::Prepare);
        }
        self.ahead.push(Stage::Route);
        let input = json!({ "project": "p1", "skills": ["-action", "no_such"] });
        self.go(|log| log.tells("写一场打斗", input, settings));
    }

    fn forward(&mut self, which: usize) {
        if !self.own {
            return self.end(which);
        }
        if let Some(gate) = self.gate.take() {
            return self.go(|log| log.answers(&gate, json!({ "selection": "2" })));
        }
        let Some(stage) = self.open else {
            return self.open_next();
        };
        if stage == Stage::Prepare {
            return self.prepare(which);
        }
        let Some(attempt) = self.attempt.take() else {
            let attempt = self.attempts;
            (self.attempt, self.attempts) = (Some(attempt), attempt + 1);
            return self.go(|log| log.request(stage.name, "", attempt));
        };
        self.tool = None;
        let intent = self.intent.unwrap_or(StoryIntent::GeneralChat);
        let (facts, body) = match stage {
            Stage::Route => route(intent),
            Stage::Act => (Value::Null, outcome(intent, attempt)),
            Stage::Write => (Value::Null, written(attempt)),
            Stage::Check => (Value::Null, checked()),
            Stage::Keep => (json!({ "agent": "PlannerAgent" }), proposals()),
            Stage::Prepare | Stage::Deliver => (Value::Null, Value::Null),
        };
        self.go(|log| {
            log.called(stage.name, "", attempt, None)
                .makes(stage, stage.kind(), attempt, body, facts)
                .close(stage.name, StageOutcome::Completed)
        });
        self.open = None;
        let pauses = intent.workflow().pauses() && stage == Stage::Act;
        if pauses {
            self.gates += 1;
            let gate = format!("gate_{}", self.gates);
            self.gate = Some(gate.clone());
            self.go(|log| log.asks_to_choose(&gate));
        }
        if stage == Stage::Deliver {
            self.running = false;
            self.go(|log| log.completed(None));
        }
    }

    fn open_next(&mut self) {
        let Some(stage) = self.ahead.pop() else {
            return;
        };
        self.open = Some(stage);
        self.attempts = 1;
        if stage != Stage::Prepare {
            return self.go(|log| log.stage(stage.name, 1));
        }
        self.tasks = TASKS.to_vec();
        self.go(|log| {
            let log = log.stage(stage.name, 3);
            TASKS
                .iter()
                .fold(log, |log, task| log.request(stage.name, task, 1))
        });
    }

    fn prepare(&mut self, which: usize) {
        self.tool = None;
        if self.tasks.is_empty() {
            self.open = None;
            return self.go(|log| log.close(Stage::Prepare.name, StageOutcome::Completed));
        }
        let task = self.tasks.remove(which % self.tasks.len());
        self.go(|log| log.found_for(task, !which.is_multiple_of(5)));
    }

    fn fail(&mut self, which: usize) {
        let (Some(stage), Some(attempt)) = (self.open, self.attempt.take()) else {
            return;
        };
        self.tool = None;
        let retryable = !which.is_multiple_of(3);
        self.go(|log| log.fail(stage.name, "", attempt, "no answer", retryable));
    }

    fn call(&mut self) {
        if let Some((stage, item, turn)) = self.tool.take() {
            let step = self.log.step(stage.name, item);
            return self.go(|log| {
                log.then(ToolReturned {
                    step,
                    attempt: 1,
                    turn,
                    tool: "storyRead".into(),
                    output: palimpsest::prelude::pipeline::BlobRef::of(b"output"),
                    summary: "3 passages".to_owned(),
                    latency_ms: 3,
                    cost_micros: 0,
                    error: None,
                })
            });
        }
        let Some(stage) = self.open else { return };
        let item = match (stage, self.attempt) {
            (Stage::Prepare, _) => match self.tasks.first() {
                Some(task) => *task,
                None => return,
            },
            (_, Some(_)) => "",
            (_, None) => return,
        };
        self.turns += 1;
        let turn = self.turns;
        self.tool = Some((stage, item, turn));
        let step = self.log.step(stage.name, item);
        self.go(|log| {
            log.then(ToolCalled {
                step,
                attempt: 1,
                turn,
                tool: "storyRead".into(),
                input: json!({ "task": item }),
            })
        });
    }

    fn end(&mut self, which: usize) {
        let (stage, outcome) = match which % 2 {
            0 => (self.open, StageOutcome::Failed),
            _ => (self.open, StageOutcome::Cancelled),
        };
        self.running = false;
        self.gate = None;
        if let (Some(stage), Some(attempt)) = (stage, self.attempt.take()) {
            self.go(|log| log.cancel_step(stage.name, "", attempt, "cancelled"));
        }
        // In most cases everything that is open is closed before.
        if let Some(stage) = stage
            && !which.is_multiple_of(5)
        {
            self.go(|log| log.close(stage.name, outcome));
        }
        match which % 3 {
            0 => self.go(|log| log.failed("stage_failed", "no answer")),
            1 => self.go(LogFixture::cancelled),
            _ => self.go(|log| log.completed(None)),
        }
    }

    /// What comes when nobody waits for it any longer.
    fn late(&mut self) {
        self.go(|log| log.succeed(Stage::Act.name, "", 77, vec![]));
    }
}
