//! The model and the tools of the tests.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::tool::{
    AnswerSink, CALL_LIMIT, ModelError, ModelErrorKind, Tool, ToolContext, ToolError,
};
use palimpsest::prelude::trial::Message;
use palimpsest::prelude::trial::{Model, ModelAnswer, ModelRequest, Usage};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};
use tokio_util::sync::CancellationToken;

/// The text of all prose, in two pieces.
pub(super) const PIECES: [&str; 2] = ["灯亮了。\n", "\n海上没有船。"];

/// The whole text.
pub(super) fn prose() -> String {
    PIECES.concat()
}

/// Answers in the requested form. Prose comes in two pieces, the second once it gets a permit.
pub(super) struct Teller(pub(super) Arc<Semaphore>);

#[async_trait]
impl Model for Teller {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        let text = match &request.schema {
            Some(schema) if schema.name == "outline" => outline(&request.messages).to_string(),
            Some(schema) => structure(&schema.name).to_string(),
            None => {
                sink.text(PIECES[0]);
                tokio::select! {
                    () = cancel.cancelled() => return Err(ModelError::new(ModelErrorKind::Cancelled, "cancelled")),
                    permit = self.0.acquire() => permit.expect("open").forget(),
                }
                sink.text(PIECES[1]);
                prose()
            }
        };
        let chunk = json!({ "model": "teller", "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": "stop" }] });
        Ok(ModelAnswer {
            text,
            model: "teller".to_owned(),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage {
                input: 100,
                output: 20,
                ..Usage::default()
            }),
            raw: Bytes::from(format!("data: {chunk}\n\ndata: [DONE]\n\n")),
            ..ModelAnswer::default()
        })
    }
}

/// The chapters that are asked for by number. If the first one is the 21st, the last one is missing until a message says that this is
/// wrong.
fn outline(messages: &[Message]) -> Value {
    let text: String = messages
        .iter()
        .map(|message| message.content.as_str())
        .collect();
    let numbers = text.split_once("exactly the chapters ").map(|(_, rest)| {
        let mut numbers = rest.split(|c: char| !c.is_ascii_digit());
        let mut next = || numbers.find_map(|number| number.parse::<u32>().ok());
        (next().expect("a first"), next().expect("a last"))
    });
    let (first, last) = numbers.unwrap_or((1, 1));
    let forgets = first == 21 && !text.contains("What was wrong with the last answer");
    let chapters: Vec<Value> = (first..=last - u32::from(forgets))
        .map(|number| json!({ "title": format!("灯 {number}"), "summary": format!("灯亮了 {number} 次") }))
        .collect();
    json!({ "chapters": chapters, "volumes": [{ "title": "上卷" }] })
}

fn structure(name: &str) -> Value {
    match name {
        "route" => json!({ "intent": "GENERAL_CHAT", "confidence": 0.5, "alternatives": [] }),
        "ideas" => json!({ "options": [
            { "title": "海上钟声", "summary": "钟声引来船。" },
            { "title": "无人的灯塔", "summary": "灯自己亮了。" },
            { "title": "守塔人的信", "summary": "信从海里来。" },
        ] }),
        "issues" => json!({ "issues": [], "summary": "没有问题" }),
        "names" => {
            let name = json!({ "name": "灯", "meaning": "光" });
            json!({ "names": [name, name, name, name, name] })
        }
        "characters" => json!({
            "characters": [{ "name": "陈默", "role": "antagonist" }],
            "relationships": [{ "from": "陈默", "to": "林晚", "type": "rival" }],
        }),
        "world" => {
            json!({ "entries": [{ "name": "灯塔", "type": "geography", "description": "在海边" }] })
        }
        "entities" => {
            json!({ "characters": [], "locations": [], "items": [], "relationships": [], "events": [] })
        }
        other => panic!("no shape `{other}`"),
    }
}

/// Whether the message asks for a task that never ends.
fn is_hanging(input: &Value) -> bool {
    input["message"]
        .as_str()
        .is_some_and(|message| message.contains("没有回音"))
}

/// A tool of a story. With a barrier, a read of the project waits until as many reads are under way as the barrier has places.
struct Made(&'static str, Option<Arc<Barrier>>);

/// The tools by which the pipeline reads a project.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    made(None)
}

/// The same tools, but a read waits until this many reads are under way.
pub(super) fn tools_that_meet(readers: usize) -> Vec<Arc<dyn Tool>> {
    made(Some(Arc::new(Barrier::new(readers))))
}

fn made(meeting: Option<Arc<Barrier>>) -> Vec<Arc<dyn Tool>> {
    let names = ["storyProject", "storyRead", "storyCheck", "storyPropose"];
    let tool = |name| Arc::new(Made(name, meeting.clone())) as Arc<dyn Tool>;
    names.map(tool).into()
}

#[async_trait]
impl Tool for Made {
    fn name(&self) -> &'static str {
        self.0
    }

    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }

    /// Without a barrier, each call answers at once or never.
    fn limit(&self) -> Duration {
        match self.1 {
            None => Duration::from_millis(1),
            Some(_) => CALL_LIMIT,
        }
    }

    async fn call(&self, _: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
        let gave = |output| Ok(ToolOutcome::gave(output, self.0));
        if let ("storyRead", Some(meeting)) = (self.0, &self.1) {
            meeting.wait().await;
        }
        match (self.0, input["task"].as_str()) {
            ("storyProject", _) => {
                gave(json!({ "id": input["project"], "phase": "WRITING", "chapters": [] }))
            }
            ("storyRead", Some("style")) => {
                Ok(ToolOutcome::refused("no_index", "no samples", false))
            }
            ("storyRead", Some("plotloops")) if is_hanging(input) => std::future::pending().await,
            ("storyRead", Some("preflight")) => {
                gave(json!({ "text": "", "canProceed": true, "issues": [] }))
            }
            ("storyRead", Some("search")) => gave(json!({ "text": "一场打斗", "results": [] })),
            ("storyCheck", _) => gave(json!({ "findings": [], "notChecked": [] })),
            ("storyPropose", _) => gave(json!({
                "project": input["project"], "version": 2, "remarks": [],
                "entries": [{ "id": "character_1", "standing": "proposed", "kind": "character", "name": "陈默" }],
            })),
            _ => gave(json!({ "text": "" })),
        }
    }
}
