//! The stages in their order: what each makes, what it works from, what it is called.

/// What is asked for, as far as the message says.
pub(crate) const REQUIREMENTS: &str = "requirements";
/// What the design index has for the requirements, and each design that was found.
pub(crate) const REFERENCES: &str = "design_references";
pub(crate) const REFERENCE: &str = "design_reference";
/// The deck as text, with remarks on how it was made.
pub(crate) const DECK: &str = "deck";
/// The pages of a deck, measured.
pub(crate) const LAYOUT: &str = "deck_layout";
/// A page as a picture, or a contact sheet of pages where a model looks at them.
pub(crate) const PAGE: &str = "page_picture";
/// What is wrong with a deck, as rules and models found it.
pub(crate) const INSPECTION: &str = "inspection";
/// The deck that was accepted, in SlideDSL.
pub(crate) const SDSL: &str = "sdsl";
pub(crate) const PPTX: &str = "pptx";
pub(crate) const PDF: &str = "pdf";
/// The pages small, with their notes below them.
pub(crate) const HANDOUT: &str = "handout";
pub(crate) const HTML: &str = "html";
pub(crate) const THUMBNAIL: &str = "thumbnail";
/// The findings about the deck that was accepted.
pub(crate) const QA_REPORT: &str = "qa_report";

/// Whether the deck was put into the design index, and what was counted.
pub(crate) const INDEXED: &str = "indexed";

/// In the facts of a contact sheet: slide and part of each of its pages, from 1.
pub(super) const PARTS: &str = "parts";

/// How often a deck is inspected at most; between two inspections it is corrected.
pub(super) const CYCLES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Requirements,
    Retrieve,
    Generate,
    /// The cycle is counted from 0.
    Render(usize),
    Inspect(usize),
    Fix(usize),
    Accept,
    Ingest,
}

/// The names of all stages, in their order.
pub(crate) const NAMES: [&str; 13] = [
    "requirements",
    "retrieve",
    "generate",
    "render",
    "inspect",
    "fix",
    "render_2",
    "inspect_2",
    "fix_2",
    "render_3",
    "inspect_3",
    "accept",
    "ingest",
];

impl Stage {
    pub(crate) const ALL: [Self; 13] = [
        Self::Requirements,
        Self::Retrieve,
        Self::Generate,
        Self::Render(0),
        Self::Inspect(0),
        Self::Fix(0),
        Self::Render(1),
        Self::Inspect(1),
        Self::Fix(1),
        Self::Render(2),
        Self::Inspect(2),
        Self::Accept,
        Self::Ingest,
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        let at = NAMES.iter().position(|known| *known == name)?;
        Some(Self::ALL[at])
    }

    pub(crate) fn name(self) -> &'static str {
        let at = Self::ALL.iter().position(|stage| *stage == self);
        at.map_or("", |at| NAMES[at])
    }

    pub(crate) fn title(self, chinese: bool) -> &'static str {
        let words = |zh, en| if chinese { zh } else { en };
        match self {
            Self::Requirements => words("理解需求", "Requirements"),
            Self::Retrieve => words("查找参考设计", "Earlier designs"),
            Self::Generate => words("撰写", "Writing"),
            Self::Render(0) => words("排版", "Typesetting"),
            Self::Render(1) => words("第二次排版", "Typesetting again"),
            Self::Render(_) => words("第三次排版", "Typesetting once more"),
            Self::Inspect(0) => words("检查", "Inspection"),
            Self::Inspect(1) => words("第二次检查", "Second inspection"),
            Self::Inspect(_) => words("第三次检查", "Third inspection"),
            Self::Fix(0) => words("修改", "Mending"),
            Self::Fix(_) => words("再次修改", "Mending again"),
            Self::Accept => words("导出文件", "Files"),
            Self::Ingest => words("收入设计库", "Into the design index"),
        }
    }

    /// What it makes, the main kind first.
    pub(crate) fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Requirements => &[REQUIREMENTS],
            Self::Retrieve => &[REFERENCES, REFERENCE],
            Self::Generate | Self::Fix(_) => &[DECK],
            Self::Render(_) => &[LAYOUT, PAGE],
            Self::Inspect(_) => &[INSPECTION],
            Self::Accept => &[SDSL, PPTX, PDF, HANDOUT, HTML, THUMBNAIL, QA_REPORT],
            Self::Ingest => &[INDEXED],
        }
    }

    /// What its steps work from.
    pub(super) fn sees(self) -> &'static [&'static str] {
        match self {
            Self::Requirements => &[],
            Self::Retrieve => &[REQUIREMENTS],
            Self::Generate => &[REQUIREMENTS, REFERENCES, REFERENCE],
            Self::Render(_) => &[DECK],
            Self::Inspect(_) => &[REQUIREMENTS, DECK, LAYOUT, PAGE],
            Self::Fix(_) => &[REQUIREMENTS, DECK, INSPECTION],
            Self::Accept => &[REQUIREMENTS, DECK, LAYOUT, INSPECTION],
            Self::Ingest => &[DECK],
        }
    }

    /// The kinds whose artifacts from before a change its steps are shown.
    pub(super) fn revises(self) -> &'static [&'static str] {
        match self {
            Self::Generate => &[DECK],
            Self::Requirements
            | Self::Retrieve
            | Self::Render(_)
            | Self::Inspect(_)
            | Self::Fix(_)
            | Self::Accept
            | Self::Ingest => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_its_name() {
        for (stage, name) in Stage::ALL.into_iter().zip(NAMES) {
            assert_eq!((stage.name(), Stage::named(name)), (name, Some(stage)));
        }
    }
}
