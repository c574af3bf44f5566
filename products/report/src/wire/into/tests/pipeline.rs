//! A pipeline of the contract's shape whose sections wait until the test lets them go on: a plan of three sections, a
//! question about it, the sections, a report.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::TimeDelta;
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Description, Edited, Flow, GateAnswer, GateEdits, GateSpec,
    IntentOutput, ModelTurn, NewArtifact, Output, Pipeline, Reserve, Run, StageSpec, Stop,
    TurnResult, Verdict, Violation, Work, need, need_each, need_understanding, numbered_items,
    pass_gate, work_on,
};
use palimpsest::prelude::tool::{AnswerSink, ModelError, ModelErrorKind};
use palimpsest::prelude::trial::{Model, ModelAnswer, ModelRequest, Prompts, Usage};
use palimpsest::prelude::wire::ArtifactId;
use palimpsest::prelude::wire::event::Intent;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::wire::into::REPORT;

pub(crate) struct Three;

const TITLES: [&str; 3] = ["一", "二", "三"];

const STAGES: [StageSpec; 4] = [
    StageSpec::named("understand"),
    StageSpec::named("plan").attempts(1),
    StageSpec::named("sections").attempts(1).optional(),
    StageSpec::named("report").attempts(1),
];

impl Pipeline for Three {
    fn name(&self) -> &'static str {
        REPORT
    }

    fn describe(&self, _: bool) -> Description {
        Description {
            name: REPORT,
            title: "Three sections",
            description: "for tests",
            delivers: "report",
            input_schema: json!(true),
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let [_, plan, sections, report] = &STAGES;
        need_understanding(run)?;
        need(run, plan)?;
        let solves = run.input["mode"] == "solve_tasks";
        // A plan that was taken over was confirmed in the earlier run.
        let asks = run.settings.attended && !run.took_over("plan", "");
        if asks && !solves && run.settings.options["require_confirm"] == true {
            let plan = run.step("plan", "").and_then(|step| step.artifacts.first());
            match pass_gate(run, &|| question(plan.cloned()), "confirm_plan", plan)? {
                GateAnswer::Confirmed { .. } => {}
                GateAnswer::Declined { .. } | GateAnswer::Given { .. } => {
                    let text = "Plan was declined by user.".to_owned();
                    return Flow::Break(Stop::End(Verdict::Reply { text }));
                }
            }
        }
        need_each(
            run,
            sections,
            &work_on(numbered_items(run, "plan", "tasks")?),
        )?;
        if solves {
            return Flow::Break(Stop::End(Verdict::Complete { partial: false }));
        }
        need(run, report)
    }

    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }

    fn skippable(&self, run: &Run, stage: &str) -> Vec<String> {
        let is_planned = stage == "sections" && run.facts("plan").is_some();
        (1..=TITLES.len())
            .filter(|_| is_planned)
            .map(|id| id.to_string())
            .collect()
    }

    fn edit(&self, given: &GateEdits<'_>) -> Result<Edited, Vec<Violation>> {
        let GateEdits { subject, edits, .. } = *given;
        let known = |task: &Value| task["id"].as_u64().is_some_and(|id| (1..=3).contains(&id));
        match edits.as_array() {
            Some(tasks) if tasks.iter().all(known) => {
                let mut plan = subject.clone();
                for task in tasks {
                    let id = task["id"].as_u64().and_then(|id| usize::try_from(id).ok());
                    plan["tasks"][id.unwrap_or(1) - 1]["title"] = task["title"].clone();
                }
                Ok(made("plan", plan, json!({ "tasks": TITLES.len() })).into())
            }
            Some(_) | None => Err(vec![Violation {
                path: "/0/id".to_owned(),
                message: "there is no such leaf".to_owned(),
            }]),
        }
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        let stage = work.step.stage.as_str();
        match (stage, turns.first()) {
            ("understand", _) => Carry::Done(vec![Output::Intent(IntentOutput::by_rules(
                Intent::Initial,
                "everything is new",
            ))]),
            ("plan", _) => {
                let task = |(number, title)| {
                    json!({
                        "id": number + 1, "title": title, "objective": "write", "template": null, "hints": [],
                        "required_inputs": [],
                    })
                };
                let tasks: Vec<_> = TITLES.iter().enumerate().map(task).collect();
                let plan = json!({ "tasks": tasks, "plan_summary": "three", "doc_title": "数" });
                done(made("plan", plan, json!({ "tasks": TITLES.len() })))
            }
            (
                "sections",
                Some(TurnResult::Model {
                    answer: Answer::Text(text),
                    ..
                }),
            ) => {
                let id: usize = work.step.item.parse().expect("a number");
                let title = TITLES[id - 1];
                let section = json!({ "id": id, "title": title, "content": text, "summary": text, "citations": [] });
                done(made(
                    "section",
                    section,
                    json!({ "id": id, "title": title }),
                ))
            }
            ("sections", None) => Carry::Model(Box::new(ModelTurn::new(
                "writer",
                "three/section",
                json!({ "step": work.step.item }),
                1_000,
            ))),
            _ => {
                let report = json!({
                    "sections": [], "missing": [], "partial": false,
                    "report": { "title": "数", "content": "# 数", "vfs_path": "reports/r.md", "path": "reports/r.md" },
                });
                done(made("report", report, json!({ "missing": 0 })))
            }
        }
    }
}

fn question(subject: Option<ArtifactId>) -> GateSpec {
    GateSpec {
        name: "confirm_plan".to_owned(),
        subject,
        question: "Solve these tasks?".to_owned(),
        schema: json!({ "type": "object" }),
        options: vec![],
        open_for: Some(TimeDelta::days(1)),
        default: json!({ "confirm": false }),
    }
}

fn made(kind: &'static str, json: Value, facts: Value) -> NewArtifact {
    NewArtifact {
        facts,
        ..NewArtifact::new(kind, "art_", kind, Content::Json(json), vec![])
    }
}

fn done(artifact: NewArtifact) -> Carry {
    Carry::Done(vec![Output::Artifact(artifact)])
}

pub(crate) fn prompts() -> Prompts {
    let mut prompts = Prompts::empty();
    let text =
        "---\nrole: writer\n---\n<!-- system -->\nWrite.\n<!-- user -->\nSection {{ step }}\n";
    prompts.add("three/section", text).expect("a prompt");
    prompts
}

/// The text of every section.
pub(crate) const TEXT: &str = "写好了 indeed";

/// Writes the first half at once and the second once it gets a permit.
pub(crate) struct Writer(pub(crate) Arc<Semaphore>);

#[async_trait]
impl Model for Writer {
    async fn call(
        &self,
        _: &ModelRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        let (first, second) = TEXT.split_at(TEXT.len() / 3 * 2 - 1);
        sink.text(first);
        tokio::select! {
            () = cancel.cancelled() => return Err(ModelError::new(ModelErrorKind::Cancelled, "cancelled")),
            permit = self.0.acquire() => permit.expect("open").forget(),
        }
        sink.text(second);
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
