//! The stages in their order: what each makes, what it works from, what it is called.

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

// What the macro derives with.
use strum as _;

palimpsest::prelude::pipeline::stages! {
    pub(crate) enum Stage {
        Prepare,
        Plan,
        Sections,
        Report,
        Export,
    }
}

impl Stage {
    pub(crate) fn title(self, chinese: bool) -> &'static str {
        let words = |zh, en| if chinese { zh } else { en };
        match self {
            Self::Prepare => words("读取模版与数据", "Template and data"),
            Self::Plan => words("规划章节", "Plan of sections"),
            Self::Sections => words("撰写章节", "Sections"),
            Self::Report => words("汇总报告", "Report"),
            Self::Export => words("导出 HTML 与 DOCX", "HTML and DOCX export"),
        }
    }

    /// What it makes, the main kind first.
    pub(crate) fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Prepare => &[TEMPLATE_TREE],
            Self::Plan => &[PLAN],
            Self::Sections => &[SECTION],
            Self::Report => &[REPORT, MARKDOWN, REPORT_CHECK],
            Self::Export => &[HTML, DOCX],
        }
    }

    /// What its steps work from.
    pub(crate) fn sees(self) -> &'static [&'static str] {
        match self {
            Self::Prepare => &[],
            Self::Plan => &[TEMPLATE_TREE],
            Self::Sections => &[TEMPLATE_TREE, PLAN],
            Self::Report => &[TEMPLATE_TREE, PLAN, SECTION],
            Self::Export => &[REPORT],
        }
    }

    /// The kinds whose artifacts from before a change its steps are shown.
    pub(crate) fn revises(self) -> &'static [&'static str] {
        match self {
            Self::Plan => &[PLAN],
            Self::Sections => &[SECTION],
            Self::Prepare | Self::Report | Self::Export => &[],
        }
    }
}
