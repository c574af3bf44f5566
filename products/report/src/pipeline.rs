//! A report out of a template and data: the template's smallest sections are planned, confirmed, written several at once, and
//! put together under exactly the template's headings.

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::understanding::asked::Understanding;
use palimpsest::prelude::pipeline::{
    Carry, Description, Edited, FileRole, Flow, GateEdits, KindInfo, MadePart, Pipeline, Run,
    StageSpec, TurnResult, Violation, Work, Written,
};
use serde_json::Value;
use smol_str::SmolStr;

use crate::stages::{self, STAGES};
use crate::steps::{edits, export, files, understand, written};
use crate::{delivery, flow, shapes};

/// The pipeline `report`.
#[derive(Clone, Copy, Debug)]
pub struct Report;

impl Pipeline for Report {
    fn name(&self) -> &'static str {
        "report"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            title: words("模版报告", "Report from a template"),
            description: words(
                "结构与模版完全一致的报告，每一节都依据所给数据撰写。",
                "A report with exactly the structure of a template, each section written from the data that is given.",
            ),
            input_schema: shapes::input_schema(),
            takes_files: words(
                "模版放在 `template/<名称>.md` 或 `.html`，除非指定了服务器上的模版；其余文件都是数据（JSON、CSV、Excel、Word、PDF、文本等）。",
                "The template as `template/<name>.md` or `.html`, unless one of this server is named; everything else is data (JSON, CSV, Excel, Word, PDF, text).",
            ),
            sources_under: files::DATASETS_FOLDER,
            file_roles: vec![FileRole {
                role: "template",
                folder: files::TEMPLATE_FOLDER,
            }],
            artifacts: shapes::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &written::WRITTEN))
                .collect(),
            delivers: stages::MARKDOWN,
            forms: delivery::forms(chinese),
            checks: delivery::checks(chinese),
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn understanding(&self) -> Option<&'static Understanding> {
        Some(&understand::UNDERSTANDING)
    }

    fn flow(&self, run: &Run) -> Flow {
        flow::flow(run)
    }

    fn made_parts(&self, work: &Work) -> Vec<MadePart> {
        export::parts(work)
    }

    fn skippable(&self, run: &Run, stage: &str) -> Vec<String> {
        flow::skippable(run, stage)
    }

    fn edit(&self, given: &GateEdits<'_>) -> Result<Edited, Vec<Violation>> {
        edits::edit(given).map(Edited::from)
    }

    fn written_in(&self, made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
        written::written_in(made)
    }

    fn written(&self, work: &Work, written: &Written, _turns: &[TurnResult]) -> Carry {
        written::carry(work, written)
    }

    fn check_input(&self, input: &Value) -> Vec<Violation> {
        shapes::check_input(input)
    }
}
