//! A pipeline of six steps, one after the other, each a model call with a result of two kilobytes, and a model that answers
//! at once.

use async_trait::async_trait;
use bytes::Bytes;
use domain::carry::{Answer, Carry, Content, ModelTurn, NewArtifact, Output, TurnResult, Work};
use domain::event::Reserve;
use domain::flow::{Flow, need_each, work_on};
use domain::pipeline::{Description, Pipeline, StageSpec};
use domain::session::Run;
use runner::ports::{AnswerSink, Model, ModelAnswer, ModelError, ModelRequest, Usage};
use runner::prompts::Prompts;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const STEPS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

const STAGE: StageSpec = StageSpec::named("steps")
    .makes(&["result"])
    .sees(&["result"])
    .attempts(1)
    .width(1);

pub(crate) struct Six;

impl Pipeline for Six {
    fn name(&self) -> &'static str {
        "six"
    }
    fn describe(&self, _: bool) -> Description {
        let (title, description, delivers) = ("six steps", "for benches", "result");
        Description {
            name: "six",
            title,
            description,
            delivers,
            input_schema: json!(true),
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        &[STAGE]
    }
    fn flow(&self, run: &Run) -> Flow {
        need_each(run, &STAGE, &work_on(STEPS))
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve {
            calls: 1,
            tokens: 2_000,
            cost_micros: 0,
        }
    }
    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match turns.first() {
            Some(TurnResult::Model {
                answer: Answer::Json(body),
                ..
            }) => Carry::Done(vec![Output::Artifact(NewArtifact::new(
                "result",
                "art_",
                work.step.item.to_string(),
                Content::Json(body.clone()),
                work.lineage(),
            ))]),
            Some(_) => Carry::Fail {
                code: "odd".into(),
                message: "not the answer".into(),
                retryable: false,
            },
            None => Carry::Model(Box::new(ModelTurn {
                schema: Some(("result", json!({ "type": "object" }))),
                ..ModelTurn::new(
                    "writer",
                    "six/step",
                    json!({ "brief": work.brief, "step": work.step.item }),
                    1_000,
                )
            })),
        }
    }
}

pub(crate) fn prompts() -> Prompts {
    let mut prompts = Prompts::empty();
    let text = "---\nrole: writer\n---\n<!-- system -->\nWrite.\n<!-- user -->\n{{ step }} of {{ brief }}\n";
    prompts.add("six/step", text).expect("a well-formed prompt");
    prompts
}

/// Answers with two kilobytes, at once.
pub(crate) struct Instant {
    raw: Bytes,
    text: String,
}

impl Instant {
    pub(crate) fn new() -> Self {
        let text = json!({ "text": "0123456789abcdef".repeat(125) }).to_string();
        let chunk = json!({ "model": "instant", "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": "stop" }] });
        let raw = format!("data: {chunk}\n\ndata: [DONE]\n\n").into();
        Self { raw, text }
    }
}

#[async_trait]
impl Model for Instant {
    async fn call(
        &self,
        _: &ModelRequest,
        _: &mut dyn AnswerSink,
        _: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        Ok(ModelAnswer {
            text: self.text.clone(),
            model: "instant".to_owned(),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage {
                input: 300,
                output: 700,
                ..Usage::default()
            }),
            raw: self.raw.clone(),
            ..ModelAnswer::default()
        })
    }
}
