//! The offline author of a report against the same checks as a model: from a template and data to the text.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::StepId;
use domain::carry::{Carry, Content, Input, Output, TurnResult, Work};
use domain::event::{ArtifactProduced, Body, FilePut};
use domain::hash::BlobRef;
use domain::ids::{ArtifactId, RunId};
use domain::pipeline::Pipeline;
use domain::pipelines::report::Report;
use domain::pipelines::report::shape::{Plan, ReportCheck, ReportContent};
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::testing;

const TEMPLATE: &str = "---\ntitle: 年度报告\n---\n# 概述\n\n（说明背景）\n\n## 销售情况\n\n（列出销售数据）\n\n## 人员\n\n# 展望\n";
const SALES: &str = r#"{"销售": [{"季度": "Q1", "金额": 1200}, {"季度": "Q2", "金额": 1350}], "说明": "销售额稳步增长，全年无退货。"}"#;
const FILES: [(&str, &str); 2] = [("template/a.md", TEMPLATE), ("datasets/销售.json", SALES)];

/// What was made so far.
type Inputs = BTreeMap<SmolStr, Vec<Input>>;

fn work(inputs: &Inputs, stage: &str, item: &str) -> Work {
    let files = FILES.map(|(path, text)| FilePut {
        path: path.to_owned(),
        blob: BlobRef::of(text.as_bytes()),
        media_type: "text/plain".to_owned(),
    });
    Work {
        brief: "写一份年度报告".to_owned(),
        inputs: inputs.clone(),
        files: files.into(),
        ..testing::work(StepId::new(RunId(1), stage, item))
    }
}

/// What a tool gives.
fn called(name: &str, input: &Value) -> Value {
    assert_eq!(name, "read_local_file");
    let path = input["path"].as_str().unwrap_or_default();
    match FILES.iter().find(|(known, _)| *known == path) {
        Some((path, text)) => json!({ "path": path, "text": text }),
        None => json!({ "error": format!("there is no file `{path}`") }),
    }
}

/// Carries a step out with the offline author and keeps what it leaves.
fn make(inputs: &mut Inputs, stage: &str, item: &str) {
    let work = work(inputs, stage, item);
    let mut turns = vec![];
    let outputs = loop {
        match Report.carry(&work, &turns) {
            Carry::Model(turn) => {
                let answer = testing::answer(&turn, &work, &turns);
                turns.push(answer);
            }
            Carry::Tool(turn) => {
                let output = match &turn.gives {
                    Some(outcome) => outcome.output.clone(),
                    None => called(&turn.tool, &turn.input),
                };
                turns.push(TurnResult::Tool { output });
            }
            Carry::Done(outputs) => break outputs,
            end @ (Carry::Render(_) | Carry::Reject(_) | Carry::Fail { .. }) => panic!("{end:?}"),
        }
    };
    for output in outputs {
        let Output::Artifact(artifact) = output else {
            continue;
        };
        let Content::Json(body) = artifact.content else {
            continue;
        };
        let body = Arc::new(body);
        let made = ArtifactProduced {
            artifact: ArtifactId::new(format!("{}{item}", artifact.id_prefix)),
            kind: artifact.kind.into(),
            part: "".into(),
            number: 1,
            title: artifact.title.as_str().into(),
            step: StepId::new(RunId(1), stage, item),
            attempt: 1,
            body: Body::Event {
                json: Arc::clone(&body),
            },
            facts: artifact.facts,
            from: vec![],
            shown: true,
        };
        let input = Input {
            artifact: Arc::new(made),
            body,
        };
        inputs.entry(artifact.kind.into()).or_default().push(input);
    }
}

fn body<T: serde::de::DeserializeOwned>(inputs: &Inputs, kind: &str) -> T {
    serde_json::from_value(inputs[kind][0].body.as_ref().clone()).expect("of its kind")
}

fn planned() -> Inputs {
    let mut inputs = Inputs::new();
    make(&mut inputs, "prepare", "");
    make(&mut inputs, "plan", "");
    inputs
}

#[test]
fn the_offline_author_looks_at_the_files_and_gives_each_section_those_that_fit() {
    let plan: Plan = body(&planned(), "plan");
    assert_eq!(plan.planned_by, "offline");
    assert_eq!(plan.tasks[1].required_inputs, ["datasets/销售.json"]);
}

#[test]
fn a_report_quotes_its_data_and_says_that_no_model_wrote_it() {
    let mut inputs = planned();
    for section in ["1", "2", "3", "4"] {
        make(&mut inputs, "sections", section);
    }
    let written = inputs["section"].iter();
    assert!(
        written
            .clone()
            .all(|section| section.body["written_by"] == "offline")
    );
    make(&mut inputs, "report", "");
    let report: ReportContent = body(&inputs, "report");
    assert!(!report.partial);
    let text = &report.report.content;
    assert!(text.contains("离线作者") && text.contains("1200"), "{text}");
    let check: ReportCheck = body(&inputs, "report_check");
    assert!(check.passed, "{:?}", check.findings);
}
