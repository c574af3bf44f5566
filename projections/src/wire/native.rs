//! The native wire: every event is one frame, and nothing is left out but positions and the bodies of requests and answers,
//! which are named by their hashes. The connection puts `{sub, cursor, version, type, ts, data}` around it, see
//! [`Frame::envelope`]; `type` is the event's name in snake case.
//!
//! | `type` | `data` |
//! |---|---|
//! | `session_opened` | `pipeline`, `title` |
//! | `session_titled` | `title` |
//! | `session_forked` | `parent`, `at` |
//! | `session_erased` | `reason` |
//! | `message_received` | `message`, `run`, `text`, `attachments` |
//! | `message_queued` | `message`, `run`, `pipeline`, `input?`, `settings` |
//! | `message_sent` | `message`, `run`, `text` |
//! | `file_put` | `path`, `sha256`, `size`, `media_type` |
//! | `file_removed` | `path` |
//! | `run_started` | `run`, `pipeline`, `base_run?`, `message?`, `brief`, `input?`, `settings` |
//! | `intent_classified` | `run`, `intent`, `target?`, `base_run?`, `kept`, `steps?`, `confidence`, `by`, `reason`, `reply?` |
//! | `refinement_requested` | `run`, `base_run`, `stage`, `feedback` |
//! | `stage_started` | `run`, `stage`, `items` |
//! | `stage_closed` | `run`, `stage`, `outcome` (`completed`, `failed`, `cancelled`, `reopened`) |
//! | `stages_reopened` | `run`, `stages`, `steps`, `feedback?`, `reason` |
//! | `step_requested` | STEP, `due`, `guidance {feedback?, violations?}`, `reserve {calls, tokens, cost_micros}` |
//! | `model_called` | STEP, `turn`, `try`, `role`, `model`, `prompt? {id, sha256}`, `request {sha256, size}`, `response? {sha256, size}`, `finish_reason?`, `thought?`, `usage {input, output, cached?}`, `cost_micros`, `latency_ms`, `error?` |
//! | `tool_called` | STEP, `turn`, `tool`, `input` |
//! | `tool_returned` | STEP, `turn`, `tool`, `output {sha256, size}`, `summary`, `latency_ms`, `error?` |
//! | `output_rejected` | STEP, `violations [{path, message}]` |
//! | `artifact_produced` | STEP, `artifact`, `kind`, `part?` (which one, where a step leaves several of a kind), `number`, `title`, `from`, `shown`, `content` (a path), and either `body` or `blob {sha256, size, media_type, file_name}` |
//! | `step_succeeded` | STEP, `artifacts` |
//! | `step_failed` | STEP, `code`, `message`, `retryable` |
//! | `step_cancelled` | STEP, `reason` |
//! | `decision_made` | `run`, `what`, `choice`, `reason`, `by` |
//! | `gate_opened` | `run`, `gate`, `name`, `subject?`, `question`, `schema?`, `options`, `deadline?`, `default?` |
//! | `plan_confirmed` | `run`, `gate`, `edits?`, `by` |
//! | `plan_declined` | `run`, `gate`, `feedback?`, `by` |
//! | `answer_given` | `run`, `gate`, `answer`, `by` |
//! | `budget_raised` | `run`, `budget {calls, tokens, cost_micros, working_ms}` |
//! | `run_completed` (terminal) | `run`, `final?`, `partial` |
//! | `run_failed` (terminal) | `run`, `code`, `message` |
//! | `run_cancelled` (terminal) | `run`, `reason` |
//! | `head_moved` | `run` |
//!
//! STEP is `step` (`r1/stage/item`), its parts `run`, `stage`, `item` (empty where a stage has one step), and `attempt`.
//! Times are RFC 3339; a field that is absent is left out, never null.

use std::sync::Arc;

use domain::event::{ArtifactProduced, Body, Event};
use domain::hash::BlobRef;
use domain::{ArtifactId, Recorded, RunId, StepId};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::fold::{Frame, FrameData, SessionRef, Wire};
use crate::{content_path, file_name, rfc3339};

/// The native protocol.
#[derive(Clone, Copy, Debug)]
pub struct Native;

impl Wire for Native {
    const NAME: &'static str = "native";
    const VERSION: u32 = 1;
    type State = ();
    type Data = NativeData;

    fn step((): &mut (), _: &SessionRef, recorded: &Recorded, out: &mut Vec<NativeData>) {
        out.extend(read(&recorded.event));
    }
}

/// What one event says.
#[derive(Clone, Debug)]
pub struct NativeData {
    name: &'static str,
    terminal: bool,
    fields: Fields,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Fields {
    Plain(Value),
    /// Apart from the others, so that a body is not copied.
    Artifact(Box<Artifact>),
}

#[derive(Clone, Debug, Serialize)]
struct Artifact {
    step: StepId,
    run: RunId,
    stage: String,
    item: String,
    attempt: u32,
    artifact: ArtifactId,
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    part: String,
    number: u32,
    title: String,
    from: Vec<ArtifactId>,
    shown: bool,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Arc<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob: Option<Value>,
}

impl Serialize for NativeData {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

impl FrameData for NativeData {
    fn name(&self) -> &'static str {
        self.name
    }
    fn is_terminal(&self) -> bool {
        self.terminal
    }
}

/// A frame as the native protocol, the JSON page and the SSE stream of events put it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Envelope<'a> {
    /// The subscription, where a connection has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub: Option<&'a str>,
    pub cursor: super::Cursor,
    pub version: u64,
    #[serde(rename = "type")]
    pub name: &'static str,
    #[serde(serialize_with = "time")]
    pub ts: chrono::DateTime<chrono::Utc>,
    pub data: &'a RawValue,
}

fn time<S: serde::Serializer>(
    at: &chrono::DateTime<chrono::Utc>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&rfc3339(*at))
}

impl Frame {
    /// The frame with what the native protocol puts around it.
    pub fn envelope<'a>(&'a self, sub: Option<&'a str>) -> Envelope<'a> {
        Envelope {
            sub,
            cursor: self.cursor,
            version: self.version,
            name: self.name,
            ts: self.recorded_at,
            data: &self.data,
        }
    }
}

fn read(event: &Event) -> Option<NativeData> {
    let plain = |name, fields| NativeData {
        name,
        terminal: false,
        fields: Fields::Plain(lean(fields)),
    };
    let terminal = |name, fields| NativeData {
        name,
        terminal: true,
        fields: Fields::Plain(lean(fields)),
    };
    Some(match event {
        Event::SessionOpened(e) => plain(
            "session_opened",
            json!({ "pipeline": e.pipeline, "title": e.title }),
        ),
        Event::SessionTitled(e) => plain("session_titled", json!({ "title": e.title })),
        Event::SessionForked(e) => {
            plain("session_forked", json!({ "parent": e.parent, "at": e.at }))
        }
        Event::SessionErased(e) => plain("session_erased", json!({ "reason": e.reason })),
        Event::MessageReceived(e) => plain(
            "message_received",
            json!({ "message": e.message, "run": e.run, "text": e.text, "attachments": e.attachments }),
        ),
        Event::MessageQueued(e) => plain(
            "message_queued",
            json!({ "message": e.message, "run": e.run, "pipeline": e.pipeline, "input": e.input, "settings": e.settings }),
        ),
        Event::MessageSent(e) => plain(
            "message_sent",
            json!({ "message": e.message, "run": e.run, "text": e.text }),
        ),
        Event::FilePut(e) => plain(
            "file_put",
            json!({ "path": e.path, "sha256": e.blob.sha256, "size": e.blob.size, "media_type": e.media_type }),
        ),
        Event::FileRemoved(e) => plain("file_removed", json!({ "path": e.path })),
        Event::RunStarted(e) => plain(
            "run_started",
            json!({
                "run": e.run, "pipeline": e.pipeline, "base_run": e.base_run, "message": e.message, "brief": e.brief,
                "input": e.input, "settings": e.settings,
            }),
        ),
        Event::IntentClassified(e) => plain(
            "intent_classified",
            json!({
                "run": e.run, "intent": e.intent, "target": e.target, "base_run": e.base_run, "kept": e.kept,
                "steps": (!e.steps.is_empty()).then_some(&e.steps), "confidence": e.confidence, "by": e.by,
                "reason": e.reason, "reply": e.reply,
            }),
        ),
        Event::RefinementRequested(e) => plain(
            "refinement_requested",
            json!({ "run": e.run, "base_run": e.base_run, "stage": e.stage, "feedback": e.feedback }),
        ),
        Event::StageStarted(e) => plain(
            "stage_started",
            json!({ "run": e.run, "stage": e.stage, "items": e.items }),
        ),
        Event::StageClosed(e) => plain(
            "stage_closed",
            json!({ "run": e.run, "stage": e.stage, "outcome": e.outcome }),
        ),
        Event::StagesReopened(e) => plain(
            "stages_reopened",
            json!({ "run": e.run, "stages": e.stages, "steps": e.steps, "feedback": e.feedback, "reason": e.reason }),
        ),
        Event::StepRequested(e) => plain(
            "step_requested",
            step(
                &e.step,
                e.attempt,
                json!({ "due": rfc3339(e.due), "guidance": e.guidance, "reserve": e.reserve }),
            ),
        ),
        Event::ModelCalled(e) => plain(
            "model_called",
            step(
                &e.step,
                e.attempt,
                json!({
                    "turn": e.turn, "try": e.try_number, "role": e.role, "model": e.model, "prompt": e.prompt,
                    "request": e.request, "response": e.response, "finish_reason": e.finish_reason, "usage": e.usage,
                    "cost_micros": e.cost_micros, "latency_ms": e.latency_ms, "error": e.error,
                }),
            ),
        ),
        Event::ToolCalled(e) => plain(
            "tool_called",
            step(
                &e.step,
                e.attempt,
                json!({ "turn": e.turn, "tool": e.tool, "input": e.input }),
            ),
        ),
        Event::ToolReturned(e) => plain(
            "tool_returned",
            step(
                &e.step,
                e.attempt,
                json!({
                    "turn": e.turn, "tool": e.tool, "output": e.output, "summary": e.summary,
                    "latency_ms": e.latency_ms, "error": e.error,
                }),
            ),
        ),
        Event::OutputRejected(e) => plain(
            "output_rejected",
            step(&e.step, e.attempt, json!({ "violations": e.violations })),
        ),
        Event::ArtifactProduced(e) => NativeData {
            name: "artifact_produced",
            terminal: false,
            fields: Fields::Artifact(Box::new(artifact(e))),
        },
        Event::StepSucceeded(e) => plain(
            "step_succeeded",
            step(&e.step, e.attempt, json!({ "artifacts": e.artifacts })),
        ),
        Event::StepFailed(e) => plain(
            "step_failed",
            step(
                &e.step,
                e.attempt,
                json!({ "code": e.code, "message": e.message, "retryable": e.retryable }),
            ),
        ),
        Event::StepCancelled(e) => plain(
            "step_cancelled",
            step(&e.step, e.attempt, json!({ "reason": e.reason })),
        ),
        Event::DecisionMade(e) => plain(
            "decision_made",
            json!({ "run": e.run, "what": e.what, "choice": e.choice, "reason": e.reason, "by": e.by }),
        ),
        Event::GateOpened(e) => plain(
            "gate_opened",
            json!({
                "run": e.run, "gate": e.gate, "name": e.name, "subject": e.subject, "step": e.step, "question": e.question,
                "schema": e.schema, "options": e.options, "deadline": e.deadline.map(rfc3339), "default": e.default,
            }),
        ),
        Event::PlanConfirmed(e) => plain(
            "plan_confirmed",
            json!({ "run": e.run, "gate": e.gate, "edits": e.edits, "by": e.by }),
        ),
        Event::PlanDeclined(e) => plain(
            "plan_declined",
            json!({ "run": e.run, "gate": e.gate, "feedback": e.feedback, "by": e.by }),
        ),
        Event::AnswerGiven(e) => plain(
            "answer_given",
            json!({ "run": e.run, "gate": e.gate, "answer": e.answer, "by": e.by }),
        ),
        Event::BudgetRaised(e) => {
            plain("budget_raised", json!({ "run": e.run, "budget": e.budget }))
        }
        Event::RunCompleted(e) => terminal(
            "run_completed",
            json!({ "run": e.run, "final": e.final_artifact, "partial": e.partial }),
        ),
        Event::RunFailed(e) => terminal(
            "run_failed",
            json!({ "run": e.run, "code": e.code, "message": e.message }),
        ),
        Event::RunCancelled(e) => {
            terminal("run_cancelled", json!({ "run": e.run, "reason": e.reason }))
        }
        Event::HeadMoved(e) => plain("head_moved", json!({ "run": e.run })),
        // Of the other aggregate: no session has them.
        Event::CollectionOpened(_) | Event::DocumentsImported(_) | Event::DocumentsRemoved(_) => {
            return None;
        }
    })
}

fn artifact(e: &ArtifactProduced) -> Artifact {
    let (body, blob) = match &e.body {
        Body::Event { json } => (Some(Arc::clone(json)), None),
        Body::Blob {
            blob: BlobRef { sha256, size },
            media_type,
        } => (
            None,
            Some(json!({
                "sha256": sha256, "size": size, "media_type": media_type, "file_name": file_name(e, media_type),
            })),
        ),
    };
    Artifact {
        step: e.step.clone(),
        run: e.step.run,
        stage: e.step.stage.clone(),
        item: e.step.item.clone(),
        attempt: e.attempt,
        artifact: e.artifact.clone(),
        kind: e.kind.clone(),
        part: e.part.clone(),
        number: e.number,
        title: e.title.clone(),
        from: e.from.clone(),
        shown: e.shown,
        content: content_path(&e.artifact),
        body,
        blob,
    }
}

fn step(id: &StepId, attempt: u32, rest: Value) -> Value {
    let mut fields = json!({ "step": id, "run": id.run, "stage": id.stage, "item": id.item, "attempt": attempt });
    if let (Value::Object(fields), Value::Object(rest)) = (&mut fields, rest) {
        fields.extend(rest);
    }
    fields
}

/// Leaves out what is absent.
fn lean(mut fields: Value) -> Value {
    if let Value::Object(fields) = &mut fields {
        fields.retain(|_, value| !value.is_null());
    }
    fields
}
