//! The pipeline by example: steps that are carried out over files that a test gives.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the turns that it is about"
)]

mod asking;
mod beginnings;
mod making;
mod planning;
mod preparing;
mod prompts;
mod random;
mod routes;
mod understanding;

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::pipeline::carry::Call;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body, FilePut, Guidance};
use palimpsest::prelude::pipeline::typeset::{TextFiles, Typeset};
use palimpsest::prelude::pipeline::{
    Answer, ArtifactId, BlobRef, Carry, Content, Input, ModelTurn, NewArtifact, Output, Pipeline,
    RunId, StepId, TurnResult, Violation, Work,
};
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::pipeline::Report;
use crate::steps::{files, plan, section};

const TEMPLATE: &str = "---\ntitle: 年度报告\n---\n# 概述\n\n（说明背景）\n\n## 销售情况\n\n（列出销售数据）\n\n## 人员\n\n# 展望\n";
const SALES: &str = r#"{"销售": [{"季度": "Q1", "金额": 1200}, {"季度": "Q2", "金额": 1350}], "说明": "销售额稳步增长，全年无退货。"}"#;

/// A session's files and what was made so far.
pub(crate) struct ReportFixture {
    files: BTreeMap<String, String>,
    input: Value,
    inputs: BTreeMap<SmolStr, Vec<Input>>,
    /// What the back end answers.
    loads: Value,
    guidance: Guidance,
}

impl ReportFixture {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self {
            files: files.collect(),
            input: Value::Null,
            inputs: BTreeMap::new(),
            loads: Value::Null,
            guidance: Guidance::default(),
        }
    }

    pub(crate) fn work(&self, stage: &str, item: &str) -> Work {
        let files = self.files.iter().map(|(path, text)| FilePut {
            path: path.clone(),
            blob: BlobRef::of(text.as_bytes()),
            media_type: "text/plain".to_owned(),
        });
        Work {
            brief: "写一份年度报告".to_owned(),
            input: self.input.clone(),
            guidance: self.guidance.clone(),
            inputs: self.inputs.clone(),
            files: files.collect(),
            ..Work::blank(StepId::new(RunId(1), stage, item))
        }
    }

    /// What a turn gives, as the runner and a model would answer it.
    fn turn(&self, work: &Work, carry: &Carry) -> TurnResult {
        match carry {
            Carry::Model(turn) => model(turn, work),
            Carry::Tool(turn) => {
                let output = match (&turn.gives, turn.tool.as_str()) {
                    (Some(outcome), _) => outcome.output.clone(),
                    (None, "load_resources") => self.loads.clone(),
                    (None, "read_local_file") => {
                        let path = turn.input["path"].as_str().unwrap_or_default();
                        match self.files.get(path) {
                            Some(text) => json!({ "path": path, "text": text }),
                            None => json!({ "error": format!("there is no file `{path}`") }),
                        }
                    }
                    (None, other) => panic!("nobody has the tool {other}"),
                };
                TurnResult::Tool { output }
            }
            Carry::Render(_) => TurnResult::Typeset(Typeset::Text(Box::new(TextFiles {
                html: "<p>".into(),
                docx: "PK".into(),
            }))),
            end @ (Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => {
                panic!("that is no turn: {end:?}")
            }
        }
    }

    /// Carries a step out to its end, after these turns.
    pub(crate) fn carry(&self, stage: &str, item: &str, mut turns: Vec<TurnResult>) -> Carry {
        let work = self.work(stage, item);
        loop {
            match Report.carry(&work, &turns) {
                end @ (Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => return end,
                next => turns.push(self.turn(&work, &next)),
            }
        }
    }

    /// Carries a step out and keeps what it leaves.
    pub(crate) fn make(&mut self, stage: &str, item: &str) -> Vec<NewArtifact> {
        let end = self.carry(stage, item, vec![]);
        let Carry::Done(outputs) = end else {
            panic!("{end:?}")
        };
        self.keep(item, outputs)
    }

    fn keep(&mut self, item: &str, outputs: Vec<Output>) -> Vec<NewArtifact> {
        let mut made = vec![];
        for output in outputs {
            match output {
                Output::Artifact(artifact) => {
                    if let Some(body) = artifact.json() {
                        let input = taken(&artifact, item, body.clone());
                        self.inputs
                            .entry(artifact.kind.into())
                            .or_default()
                            .push(input);
                    }
                    made.push(artifact);
                }
                Output::File { path, file } => {
                    let text = String::from_utf8(file.bytes.to_vec()).expect("text");
                    self.files.insert(path, text);
                }
                Output::FileRemoved { path } => drop(self.files.remove(&path)),
                Output::Intent(_) | Output::Decision { .. } => {}
            }
        }
        made
    }

    /// Everything before the sections, and these sections.
    pub(crate) fn with_sections(files: &[(&str, &str)], sections: &[&str]) -> Self {
        let mut desk = Self::new(files);
        desk.make("prepare", "");
        desk.make("plan", "");
        for section in sections {
            desk.make("sections", section);
        }
        desk
    }
}

fn taken(artifact: &NewArtifact, item: &str, body: Value) -> Input {
    let id = ArtifactId::new(format!("{}{item}", artifact.id_prefix));
    let body = Arc::new(body);
    Input {
        artifact: Arc::new(ArtifactProduced {
            artifact: id,
            kind: artifact.kind.into(),
            part: "".into(),
            number: 1,
            title: artifact.title.as_str().into(),
            step: StepId::new(RunId(1), "stage", item),
            attempt: 1,
            body: Body::Event {
                json: Arc::clone(&body),
            },
            facts: artifact.facts.clone(),
            from: vec![],
            shown: true,
        }),
        body,
    }
}

/// A model that plans the second section from all data, and writes of every section that there is nothing to say.
fn model(turn: &ModelTurn, work: &Work) -> TurnResult {
    match turn.prompt {
        "report/plan" => {
            let data: Vec<&str> = files::data(work).map(|file| file.path.as_str()).collect();
            let tasks = json!([{ "id": 2, "required_inputs": data }]);
            calls(&[(plan::SUBMIT, json!({ "tasks": tasks }))])
        }
        "report/section" => {
            let task = &turn.vars["task"];
            let content = "资料中没有这一节的内容。";
            let draft = json!({ "id": task["id"], "title": task["title"], "content": content });
            calls(&[(section::SUBMIT, json!({ "section": draft }))])
        }
        other => panic!("nobody answers {other}"),
    }
}

/// A model that calls these tools.
pub(crate) fn calls(wanted: &[(&str, Value)]) -> TurnResult {
    let calls = wanted.iter().zip(1..).map(|((name, arguments), id)| {
        Call::new(format!("c{id}"), (*name).to_owned(), arguments.to_string())
    });
    TurnResult::Model {
        model: "gpt".into(),
        answer: Answer::calls(calls.collect()),
    }
}

pub(crate) fn body(made: &[NewArtifact], kind: &str) -> Value {
    let found = made.iter().find(|artifact| artifact.kind == kind);
    let found = found.unwrap_or_else(|| panic!("no {kind}"));
    found.json().expect("JSON").clone()
}

pub(crate) fn failure(carry: Carry) -> (String, String) {
    let Carry::Fail { code, message, .. } = carry else {
        panic!("{carry:?}")
    };
    (code, message)
}

pub(crate) fn refusals(violations: &[Violation]) -> Vec<String> {
    let violations = violations.iter();
    violations
        .map(|found| format!("{} {}", found.path, found.message))
        .collect()
}

pub(crate) fn text_of(artifact: &NewArtifact) -> String {
    match &artifact.content {
        Content::File(file) => String::from_utf8(file.bytes.to_vec()).expect("text"),
        Content::Json(_) | Content::Same(_) => panic!("no file"),
    }
}
