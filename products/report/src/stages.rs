//! The stages in their order: what each makes, what it works from, what it is called.

use palimpsest::prelude::pipeline::StageSpec;

use crate::steps::ask::{INPUT_TOKENS, PLAN_TOKENS_MAX, SECTION_TOKENS};
use crate::steps::{aggregate, export, plan, prepare, section};

/// What the template is cut into.
pub(crate) const TEMPLATE_TREE: &str = "template_tree";
/// The tasks of the sections.
pub(crate) const PLAN: &str = "plan";
/// One section as it was written.
pub(crate) const SECTION: &str = "section";
/// The sections put together.
pub(crate) const REPORT: &str = "report";
/// The report as a file.
pub(crate) const MARKDOWN: &str = "markdown";
/// What is wrong with the report, as far as rules can tell.
pub(crate) const REPORT_CHECK: &str = "report_check";
/// The report as a page.
pub(crate) const HTML: &str = "html";
/// The report for word processors.
pub(crate) const DOCX: &str = "docx";

pub(crate) const PREPARATION: StageSpec = StageSpec::new(
    "prepare",
    ["读取模版与数据", "Template and data"],
    prepare::carry,
)
.makes(&[TEMPLATE_TREE]);

pub(crate) const PLANNING: StageSpec =
    StageSpec::new("plan", ["规划章节", "Plan of sections"], plan::carry)
        .makes(&[PLAN])
        .sees(&[TEMPLATE_TREE])
        .revises(&[PLAN])
        .asks("planner", "report/plan", INPUT_TOKENS, PLAN_TOKENS_MAX);

pub(crate) const WRITING: StageSpec =
    StageSpec::new("sections", ["撰写章节", "Sections"], section::carry)
        .makes(&[SECTION])
        .sees(&[TEMPLATE_TREE, PLAN])
        .revises(&[SECTION])
        .asks("solver", "report/section", INPUT_TOKENS, SECTION_TOKENS)
        .optional()
        .skippable();

pub(crate) const AGGREGATION: StageSpec =
    StageSpec::new("report", ["汇总报告", "Report"], |work, _| {
        aggregate::carry(work)
    })
    .makes(&[REPORT, MARKDOWN, REPORT_CHECK])
    .sees(&[TEMPLATE_TREE, PLAN, SECTION]);

pub(crate) const EXPORT: StageSpec = StageSpec::new(
    "export",
    ["导出 HTML 与 DOCX", "HTML and DOCX export"],
    export::carry,
)
.makes(&[HTML, DOCX])
.sees(&[REPORT])
.optional();

palimpsest::prelude::pipeline::stages! {
    pub(crate) enum Stage {
        Preparation = PREPARATION,
        Planning = PLANNING,
        Writing = WRITING,
        Aggregation = AGGREGATION,
        Export = EXPORT,
    }
}
