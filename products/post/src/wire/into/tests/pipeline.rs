//! A pipeline with the stages of the contract whose text waits until the test lets it go on: a requirement, perhaps a
//! question about it, a text, a question about that, two pictures, a post.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use palimpsest::prelude::pipeline::event::Intent;
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Description, Edited, File, Flow, GateAnswer, GateEdits, GateSpec,
    IntentOutput, ModelTurn, NewArtifact, Output, Pipeline, Reserve, Run, StageSpec, Stop,
    TurnResult, Verdict, Violation, Work, need, need_each, need_understanding, pass_gate,
    reopen_stages, work_on,
};
use palimpsest::prelude::tool::{AnswerSink, ModelError, ModelErrorKind};
use palimpsest::prelude::trial::{Model, ModelAnswer, ModelRequest, Prompts, Usage};
use palimpsest::prelude::wire::ArtifactId;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub(super) struct Small;

/// Times that a text may be rejected.
const REJECTED_MAX: usize = 1;

/// The text of a message that is not clear.
pub(super) const VAGUE: &str = "随便";

/// The text of every written post.
pub(super) const TEXT: &str = "第一段。第二段。";

const STAGES: [StageSpec; 5] = [
    StageSpec::named("understand"),
    StageSpec::named("requirement")
        .makes(&["requirement"])
        .attempts(1),
    StageSpec::named("writer").makes(&["content"]).attempts(1),
    StageSpec::named("images")
        .makes(&["image"])
        .attempts(1)
        .width(1),
    StageSpec::named("post")
        .makes(&["post"])
        .sees(&["content", "image"])
        .attempts(1),
];

impl Pipeline for Small {
    fn name(&self) -> &'static str {
        "post"
    }

    fn describe(&self, _: bool) -> Description {
        Description {
            name: "post",
            title: "A small post",
            description: "for tests",
            delivers: "post",
            takes_files: "pictures",
            input_schema: json!(true),
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let [_, requirement, writer, images, post] = &STAGES;
        need_understanding(run)?;
        need(run, requirement)?;
        if run.settings.attended && run.brief.contains(VAGUE) {
            let name = "supervisor.clarity";
            let asked = || question(name, None, &["continue_default", "refine_requirements"]);
            pass_gate(run, &asked, name, None)?;
        }
        need(run, writer)?;
        if run.settings.attended {
            let text = run.artifact("content").map(|text| text.artifact.clone());
            let options: &[&str] = if run.times_declined("content") < REJECTED_MAX {
                &["approve", "reject", "modify"]
            } else {
                &["approve", "modify"]
            };
            let asked = || question("content", text.clone(), options);
            match pass_gate(run, &asked, "content", text.as_ref())? {
                GateAnswer::Confirmed { .. } => {}
                GateAnswer::Declined { feedback, .. } => {
                    return reopen_stages(&["writer"], feedback.clone(), "rejected by the person");
                }
                GateAnswer::Given { .. } => {
                    return Flow::Break(Stop::End(Verdict::Complete { partial: true }));
                }
            }
        }
        need_each(run, images, &work_on(["1", "2"]))?;
        need(run, post)
    }

    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }

    fn edit(&self, given: &GateEdits<'_>) -> Result<Edited, Vec<Violation>> {
        let GateEdits { subject, edits, .. } = *given;
        let Some(title) = edits["title"].as_str() else {
            return Err(vec![Violation::new("/title", "is no text")]);
        };
        let mut text = subject.clone();
        text["title"] = json!(title);
        Ok(made("content", "art_text_", Content::Json(text)).into())
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match (work.step.stage.as_str(), turns.first()) {
            ("understand", _) => Carry::Done(vec![Output::Intent(IntentOutput::by_rules(
                Intent::Initial,
                "everything is new",
            ))]),
            ("requirement", _) => {
                let level = if work.brief.contains(VAGUE) {
                    "low"
                } else {
                    "high"
                };
                done(made(
                    "requirement",
                    "art_req_",
                    Content::Json(json!({
                        "requirement": work.brief, "clarity": { "score": 0.4, "level": level, "missing": ["目标人群"] },
                        "intent": { "intent": "create_content", "confidence": 1.0, "keywords": [] },
                        "contentType": { "contentType": "story", "confidence": 0.8, "reasoning": "" },
                    })),
                ))
            }
            (
                "writer",
                Some(TurnResult::Model {
                    answer: Answer::Text(text),
                    ..
                }),
            ) => done(made(
                "content",
                "art_text_",
                Content::Json(json!({
                    "title": "春游", "body": text, "tags": ["春游"], "bodyBlocks": [],
                })),
            )),
            ("writer", _) => Carry::Model(Box::new(ModelTurn::new(
                "writer",
                "small/write",
                json!({}),
                1_000,
            ))),
            ("images", _) => done(made(
                "image",
                "art_img_",
                Content::File(File {
                    media_type: "image/png",
                    bytes: Bytes::from(format!("\u{89}PNG{}", work.step.item)),
                }),
            )),
            _ => {
                let text = work.inputs["content"][0].body.clone();
                let images = work.inputs["image"].iter().map(|image| {
                    json!({ "assetId": palimpsest::prelude::pipeline::numbers::asset_number(&image.artifact.artifact) })
                });
                done(made(
                    "post",
                    "art_post_",
                    Content::Json(json!({
                        "title": text["title"], "body": text["body"], "tags": text["tags"], "images": images.collect::<Vec<_>>(),
                        "missing": [], "review": { "status": "not_checked" },
                    })),
                ))
            }
        }
    }
}

fn question(name: &str, subject: Option<ArtifactId>, options: &[&str]) -> GateSpec {
    GateSpec {
        name: name.to_owned(),
        subject,
        question: "is it right?".to_owned(),
        schema: json!({ "type": "object" }),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        open_for: None,
        default: json!({ "confirm": true }),
    }
}

fn made(kind: &'static str, id_prefix: &'static str, content: Content) -> NewArtifact {
    NewArtifact::new(kind, id_prefix, kind, content, vec![])
}

fn done(artifact: NewArtifact) -> Carry {
    Carry::Done(vec![Output::Artifact(artifact)])
}

pub(super) fn prompts() -> Prompts {
    let mut prompts = Prompts::empty();
    let text = "---\nrole: writer\n---\n<!-- system -->\nWrite.\n<!-- user -->\nIt.\n";
    prompts.add("small/write", text).expect("a prompt");
    prompts
}

/// Writes once it gets a permit.
pub(super) struct Writer(pub(super) Arc<Semaphore>);

#[async_trait]
impl Model for Writer {
    async fn call(
        &self,
        _: &ModelRequest,
        _: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        tokio::select! {
            () = cancel.cancelled() => return Err(ModelError::new(ModelErrorKind::Cancelled, "cancelled")),
            permit = self.0.acquire() => permit.expect("open").forget(),
        }
        let chunk = json!({ "model": "writer", "choices": [{ "index": 0, "delta": { "content": TEXT }, "finish_reason": "stop" }] });
        Ok(ModelAnswer {
            text: TEXT.to_owned(),
            model: "writer".to_owned(),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage::default()),
            raw: Bytes::from(format!("data: {chunk}\n\ndata: [DONE]\n\n")),
            ..ModelAnswer::default()
        })
    }
}
