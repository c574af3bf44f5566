//! Logs of the story pipeline.

use palimpsest::prelude::pipeline::Settings;
use palimpsest::prelude::pipeline::event::StageOutcome;
use palimpsest::prelude::trial::logs::*;
use serde_json::{Value, json};

use crate::pipeline::stage::Stage;
use crate::readings::routing::{Agent, Intent};

/// A run with somebody to ask.
pub(crate) fn with_writer(chinese: bool) -> Settings {
    Settings {
        attended: true,
        attempts: 2,
        language: if chinese { "zh" } else { "en" }.to_owned(),
        ..with_model(true)
    }
}

/// What the route of a message leaves, with its facts.
pub(crate) fn route(intent: Intent) -> (Value, Value) {
    let facts = json!({
        "intent": intent, "workflow": intent.workflow(), "agents": intent.agents(), "chapters": [],
    });
    let body = json!({
        "intent": intent, "confidence": 0.92, "source": "RULE_ENGINE", "alternatives": [], "phase": "WRITING",
        "phaseSource": "PROJECT", "needsModel": false, "workflow": intent.workflow(), "agents": intent.agents(),
        "chapters": [], "missingChapters": [], "project": null,
    });
    (facts, body)
}

/// What the first agent makes for this intent.
pub(crate) fn outcome(intent: Intent, number: u32) -> Value {
    let agent = intent.agents()[0];
    let data = match agent {
        Agent::Brainstorm => json!({ "options": [
            { "id": "1", "title": "海上钟声", "summary": "钟声引来船。" },
            { "id": "2", "title": "无人的灯塔", "summary": "灯自己亮了。" },
        ] }),
        Agent::Consistency => checked(),
        Agent::Writer
        | Agent::WorldBuilder
        | Agent::Character
        | Agent::Planner
        | Agent::Chat
        | Agent::NameGenerator
        | Agent::Summary
        | Agent::Extraction => Value::Null,
    };
    json!({ "agent": agent, "text": format!("第{number}稿。\n"), "data": data })
}

pub(crate) fn written(number: u32) -> Value {
    json!({ "agent": "WriterAgent", "text": format!("灯亮了{number}次。") })
}

/// A check that found something.
pub(crate) fn checked() -> Value {
    json!({
        "status": "issues", "content": "发现 1 处问题。", "notChecked": [],
        "issues": [{
            "type": "character", "severity": "ERROR", "description": "林晚已经死去",
            "said": { "passage": { "sentence": "林晚笑了。", "number": 3, "title": "潮" } },
            "contradicts": { "entry": "林晚", "fieldPath": "death", "value": "第二章" },
        }],
    })
}

pub(crate) fn proposals() -> Value {
    json!({
        "project": "p1", "version": 7, "remarks": ["「林晚」已存在，未改动"],
        "entries": [
            { "id": "character_1", "standing": "proposed", "kind": "character", "name": "陈默" },
            { "id": "relationship_1", "standing": "proposed", "kind": "relationship", "from": "character_1" },
            { "id": "world_1", "standing": "proposed", "kind": "world", "title": "灯塔" },
        ],
    })
}

/// The story of a chapter.
pub(crate) trait StoryLog: Sized {
    fn story() -> Self;

    /// A message with what is given beside it, understood.
    fn tells(self, message: &str, input: Value, settings: Settings) -> Self;

    /// A stage of one step that makes this.
    fn makes(self, stage: Stage, kind: &str, attempt: u32, body: Value, facts: Value) -> Self;

    fn works(self, stage: Stage, body: Value, facts: Value) -> Self;

    fn goes_to(self, intent: Intent) -> Self;

    /// Tasks of the preprocessing, of which one fails.
    fn prepares(self, tasks: &[&str], failing: &str) -> Self;

    fn found_for(self, task: &str, succeeds: bool) -> Self;

    fn asks_to_choose(self, gate: &str) -> Self;

    fn hands_over(self) -> Self;
}

impl StoryLog for LogFixture {
    fn story() -> Self {
        Self::of("story", "")
    }

    fn tells(self, message: &str, input: Value, settings: Settings) -> Self {
        self.with_runs_of("story")
            .message_with(message, input, settings)
            .understood()
    }

    fn makes(self, stage: Stage, kind: &str, attempt: u32, body: Value, facts: Value) -> Self {
        let mut made = self.artifact(stage.name, "", attempt, kind, true, inline(body));
        made.facts = facts;
        self.then(made).succeed(stage.name, "", attempt, vec![])
    }

    fn works(self, stage: Stage, body: Value, facts: Value) -> Self {
        let name = stage.name;
        self.stage(name, 1)
            .request(name, "", 1)
            .called(name, "", 1, None)
            .makes(stage, stage.kind(), 1, body, facts)
            .close(name, StageOutcome::Completed)
    }

    fn goes_to(self, intent: Intent) -> Self {
        let (facts, body) = route(intent);
        self.works(Stage::Route, body, facts)
    }

    fn prepares(self, tasks: &[&str], failing: &str) -> Self {
        let stage = Stage::Prepare.name;
        let count = u32::try_from(tasks.len()).unwrap();
        let mut log = self.stage(stage, count);
        for task in tasks {
            log = log.request(stage, task, 1);
        }
        for task in tasks {
            log = log.found_for(task, *task != failing);
        }
        log.close(stage, StageOutcome::Completed)
    }

    fn found_for(self, task: &str, succeeds: bool) -> Self {
        let stage = Stage::Prepare.name;
        if !succeeds {
            return self.fail(stage, task, 1, "the index is not there", false);
        }
        let result = match task {
            "preflight" => json!({
                "text": "- x", "canProceed": false,
                "issues": [{ "severity": "ERROR", "description": "陈默已死", "entityName": "陈默" }],
            }),
            "search" => json!({ "text": "一场打斗", "results": [] }),
            _ => json!({ "text": task }),
        };
        let body = json!({ "task": task, "result": result });
        let mut made = self.artifact(stage, task, 1, "story_context", false, inline(body));
        made.part = task.into();
        self.then(made).succeed(stage, task, 1, vec![])
    }

    fn asks_to_choose(self, gate: &str) -> Self {
        let subject = self.last_artifact();
        self.opens_gate(gate, "choose", Some(subject), &["1", "2"])
    }

    fn hands_over(self) -> Self {
        let log = self.works(Stage::Deliver, Value::Null, Value::Null);
        let made = log.last_artifact();
        log.completed(Some(made))
    }
}
