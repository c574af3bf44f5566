//! Stories of the post pipeline.

use palimpsest::prelude::pipeline::event::*;
use palimpsest::prelude::pipeline::{BlobRef, Settings};
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::{ArtifactId, GateId};
use serde_json::{Value, json};

use crate::pipeline::stage::Stage;

pub(crate) const IMAGES: &str = "images";

/// The settings of a run with somebody to ask.
pub(crate) fn attended() -> Settings {
    Settings {
        attended: true,
        attempts: 2,
        ..with_model(true)
    }
}

pub(crate) fn content(number: u32) -> Value {
    json!({
        "title": format!("春游攻略{number}"), "body": "第一段\n\n第二段", "tags": ["春游", "出游"],
        "bodyBlocks": [{ "id": "p1", "text": "第一段", "intent": "opening", "keywords": [] }], "offline": false,
    })
}

/// What a stage makes when it makes it for this many-th time.
pub(crate) fn body(stage: Stage, number: u32) -> Value {
    match stage {
        Stage::Requirement => json!({
            "requirement": "写一篇春游笔记，生成文案和标题",
            "intent": { "intent": "create_content", "confidence": 0.67, "suggestedCategory": "writing_tone", "keywords": ["写", "标题"] },
            "contentType": { "contentType": "story", "confidence": 0.8, "reasoning": "讲一次出游" },
            "clarity": { "score": 0.4, "level": "low", "missing": ["目标人群", "创作目标"] },
            "justGenerate": false, "layoutPreference": "balanced", "fastMode": false, "referenceInputs": [],
        }),
        Stage::Brief => json!({
            "topic": "春游", "audience": "年轻家庭", "goal": "提升互动", "constraints": [], "keywords": ["春游"],
            "keyPoints": [], "callToAction": "", "bannedExpressions": [], "tone": "轻松", "offline": false,
        }),
        Stage::Research => json!({
            "items": [{ "fact": "四月最热", "source": "n1" }], "summary": "四月最热", "status": "found", "offline": false,
        }),
        Stage::Reference => json!({ "analyses": [], "status": "none" }),
        Stage::Writer => content(number),
        Stage::Layout => json!({
            "layoutSpec": [{ "imageSeq": 0, "role": "cover", "visualFocus": "花", "textDensity": "低", "blocks": [] }],
            "layoutPreference": "balanced", "offline": false,
        }),
        Stage::ImagePlan => json!({
            "plans": [{ "sequence": 0, "role": "cover", "description": "封面" }, { "sequence": 1, "role": "detail", "description": "细节" }],
            "paragraphImageBindings": [{ "imageSeq": 0, "paragraphIds": ["p1"] }],
            "textOverlayPlan": [{ "imageSeq": 0, "titleText": "春游", "placement": "top" }], "offline": false,
        }),
        Stage::Review => json!({
            "approved": number > 1, "status": if number > 1 { "passed" } else { "failed" },
            "scores": { "infoDensity": 0.9, "textImageAlignment": null, "styleConsistency": 0.8, "readability": 0.8, "platformFit": if number > 1 { 0.9 } else { 0.4 } },
            "overall": 0.8,
            "checkedBy": { "infoDensity": "rules", "textImageAlignment": null, "styleConsistency": "model", "readability": "rules", "platformFit": "model" },
            "failReasons": if number > 1 { json!([]) } else { json!(["标题太平"]) }, "suggestions": [],
        }),
        Stage::Post => json!({
            "title": "春游攻略", "body": "第一段\n\n第二段", "tags": ["春游"],
            "images": [{ "sequence": 0, "taskId": 1, "artifact": "art_img_1", "assetId": 17, "role": "cover", "width": 3, "height": 4, "drawn": "local" }],
            "missing": [2], "review": { "status": "passed", "overall": 0.8, "scores": {}, "round": number },
            "platform": { "name": "xiaohongshu", "ok": true, "findings": [] }, "offline": false,
        }),
        Stage::Images => Value::Null,
    }
}

/// The id of a picture. Its number is built from those of the run, the picture and the version.
fn picture(run: palimpsest::prelude::wire::RunId, task: u32, number: u32) -> ArtifactId {
    let number = run.0 * 100_000 + task * 1_000 + number;
    ArtifactId::new(format!("art_img_{number:013x}00000000000"))
}

/// The story of a post.
pub(crate) trait PostLog: Sized {
    fn post() -> Self;

    /// A message, understood.
    fn wants(self, brief: &str, settings: Settings) -> Self;

    fn wants_with(self, brief: &str, input: Value, settings: Settings) -> Self;

    fn decides_what(self, what: &str, choice: &str, by: &str) -> Self;

    fn routes(self, stage: &str) -> Self;

    /// What a stage produces.
    fn leaves(self, stage: Stage, attempt: u32, number: u32) -> Self;

    /// A whole stage of one step.
    fn does(self, stage: Stage, number: u32) -> Self;

    fn image(self, task: u32, attempt: u32, number: u32) -> Self;

    /// A question while a step is at work.
    fn asks_in(self, gate: &str, name: &str, stage: &str) -> Self;

    fn approves(self, gate: &str, edits: Option<ArtifactId>) -> Self;

    fn rejects(self, gate: &str) -> Self;

    fn goes_back(self, stages: &[Stage], items: u32, reason: &str) -> Self;

    fn calls(
        self,
        stage: Stage,
        item: &str,
        attempt: u32,
        turn: u32,
        tool: &str,
        input: Value,
    ) -> Self;

    fn returns(
        self,
        stage: Stage,
        item: &str,
        attempt: u32,
        turn: u32,
        tool: &str,
        says: &str,
    ) -> Self;
}

impl PostLog for LogFixture {
    fn post() -> Self {
        Self::of("post", "")
    }

    fn wants(self, brief: &str, settings: Settings) -> Self {
        self.wants_with(brief, json!({ "fastMode": false }), settings)
    }

    fn wants_with(self, brief: &str, input: Value, settings: Settings) -> Self {
        self.with_runs_of("post")
            .message_with(brief, input, settings)
            .understood()
    }

    fn decides_what(self, what: &str, choice: &str, by: &str) -> Self {
        let run = self.run;
        self.then(DecisionMade {
            run,
            what: what.to_owned(),
            choice: choice.to_owned(),
            reason: "按顺序进行".to_owned(),
            by: by.to_owned(),
        })
    }

    fn routes(self, stage: &str) -> Self {
        let is_route = |event: &Event| matches!(event, Event::Run(RunEvent::DecisionMade(e)) if e.what.starts_with("route:"));
        let before = self.events.iter().filter(|r| is_route(&r.event)).count();
        self.decides_what(&format!("route:{}", before + 1), stage, "rules")
    }

    fn leaves(self, stage: Stage, attempt: u32, number: u32) -> Self {
        let kind = stage.kind();
        self.make(
            stage.name,
            "",
            attempt,
            kind,
            true,
            inline(body(stage, number)),
        )
        .succeed(stage.name, "", attempt, vec![])
    }

    fn does(self, stage: Stage, number: u32) -> Self {
        let (name, attempt) = (stage.name, number);
        self.routes(name)
            .stage(name, 1)
            .request(name, "", attempt)
            .leaves(stage, attempt, number)
            .close(name, StageOutcome::Completed)
    }

    fn image(self, task: u32, attempt: u32, number: u32) -> Self {
        let item = task.to_string();
        let body = blob(b"PNG", "image/png");
        let mut made = self.artifact(IMAGES, &item, attempt, "image", true, body);
        made.artifact = picture(self.run, task, number);
        made.facts = json!({
            "sequence": task - 1, "drawn": "local", "prompt_sha256": format!("hash{task}{number}"), "prompt_preview": "a picnic",
        });
        self.then(made).succeed(IMAGES, &item, attempt, vec![])
    }

    fn asks_in(self, gate: &str, name: &str, stage: &str) -> Self {
        let mut log = self.opens_gate(gate, name, None, &[]);
        let step = log.step(stage, "");
        let last = log.events.last_mut().expect("a gate");
        if let Event::Gate(GateEvent::GateOpened(opened)) = &mut last.event {
            opened.step = Some(step);
        }
        log
    }

    fn approves(self, gate: &str, edits: Option<ArtifactId>) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(PlanConfirmed {
            run,
            gate: GateId::new(gate),
            edits,
            by: "person".to_owned(),
            at,
        })
    }

    fn rejects(self, gate: &str) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(PlanDeclined {
            run,
            gate: GateId::new(gate),
            feedback: Some("标题换一个".to_owned()),
            by: "person".to_owned(),
            at,
        })
    }

    fn goes_back(self, stages: &[Stage], items: u32, reason: &str) -> Self {
        let run = self.run;
        let mut steps = vec![];
        for stage in stages {
            if *stage == Stage::Images {
                steps.extend((1..=items).map(|item| self.step(IMAGES, &item.to_string())));
            } else {
                steps.push(self.step(stage.name, ""));
            }
        }
        self.then(StagesReopened {
            run,
            stages: stages.iter().map(|stage| stage.name.into()).collect(),
            steps,
            feedback: None,
            feedback_for: None,
            reason: reason.to_owned(),
        })
    }

    fn calls(
        self,
        stage: Stage,
        item: &str,
        attempt: u32,
        turn: u32,
        tool: &str,
        input: Value,
    ) -> Self {
        let step = self.step(stage.name, item);
        self.then(ToolCalled {
            step,
            attempt,
            turn,
            tool: tool.into(),
            input,
        })
    }

    fn returns(
        self,
        stage: Stage,
        item: &str,
        attempt: u32,
        turn: u32,
        tool: &str,
        says: &str,
    ) -> Self {
        let step = self.step(stage.name, item);
        self.then(ToolReturned {
            step,
            attempt,
            turn,
            tool: tool.into(),
            output: BlobRef::of(b"output"),
            summary: says.to_owned(),
            latency_ms: 3,
            cost_micros: 0,
            error: None,
        })
    }
}
