//! The stages in their order: what each makes, what it works from, what it is called.

use palimpsest::prelude::pipeline::StageSpec;

use super::ask::{self, DECK_TOKENS, FRAME_TOKENS, GENERATE_TOKENS, LIST_TOKENS, SOURCE_TOKENS};
use super::{accept, fix, generate, ingest, inspect, render, requirements, retrieve};

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

/// The requirements, each inspection of the deck and each better version are asked for once, so that a run never takes more than nine
/// calls. Where an answer cannot be used, rules decide. A deck that is written and drawn is not lost because nobody can look at it or mend
/// it.
const ONCE: u32 = 1;

/// In the facts of a contact sheet: slide and part of each of its pages, from 1.
pub(super) const PARTS: &str = "parts";

pub(super) const REQUIRE: StageSpec = StageSpec::new(
    "requirements",
    ["理解需求", "Requirements"],
    requirements::carry,
)
.makes(&[REQUIREMENTS])
.asks("planner", "deck/requirements", FRAME_TOKENS, LIST_TOKENS)
.without_model(requirements::without_model)
.attempts(ONCE);

const RETRIEVE: StageSpec = StageSpec::new(
    "retrieve",
    ["查找参考设计", "Earlier designs"],
    retrieve::carry,
)
.makes(&[REFERENCES, REFERENCE])
.sees(&[REQUIREMENTS]);

pub(super) const GENERATE: StageSpec =
    StageSpec::new("generate", ["撰写", "Writing"], generate::carry)
        .makes(&[DECK])
        .sees(&[REQUIREMENTS, REFERENCES, REFERENCE])
        .revises(&[DECK])
        .asks("writer", "deck/generate", GENERATE_TOKENS, DECK_TOKENS)
        .attempts(generate::ATTEMPTS);

const RENDER: StageSpec = StageSpec::new("render", ["排版", "Typesetting"], render::carry)
    .makes(&[LAYOUT, PAGE])
    .sees(&[DECK]);

const INSPECT: StageSpec = StageSpec::new("inspect", ["检查", "Inspection"], inspect::carry)
    .makes(&[INSPECTION])
    .sees(&[REQUIREMENTS, DECK, LAYOUT, PAGE])
    .reserve(|run, _| ask::reserve_inspection(run))
    .without_model(inspect::without_model)
    .attempts(ONCE)
    .dispensable();

pub(super) const FIX: StageSpec = StageSpec::new("fix", ["修改", "Mending"], fix::carry)
    .makes(&[DECK])
    .sees(&[REQUIREMENTS, DECK, INSPECTION])
    .asks(
        "writer",
        "deck/fix",
        FRAME_TOKENS + SOURCE_TOKENS,
        DECK_TOKENS,
    )
    .without_model(fix::without_model)
    .attempts(ONCE)
    .dispensable();

const ACCEPT: StageSpec = StageSpec::new("accept", ["导出文件", "Files"], accept::carry)
    .makes(&[SDSL, PPTX, PDF, HANDOUT, HTML, THUMBNAIL, QA_REPORT])
    .sees(&[REQUIREMENTS, DECK, LAYOUT, INSPECTION]);

const INGEST: StageSpec = StageSpec::new(
    "ingest",
    ["收入设计库", "Into the design index"],
    ingest::carry,
)
.makes(&[INDEXED])
.sees(&[DECK]);

/// A deck is inspected at most three times; between two inspections it is corrected.
pub(super) const STAGES: [StageSpec; 13] = [
    REQUIRE,
    RETRIEVE,
    GENERATE,
    RENDER,
    INSPECT,
    FIX,
    RENDER.again("render_2", ["第二次排版", "Typesetting again"]),
    INSPECT.again("inspect_2", ["第二次检查", "Second inspection"]),
    FIX.again("fix_2", ["再次修改", "Mending again"]),
    RENDER.again("render_3", ["第三次排版", "Typesetting once more"]),
    INSPECT.again("inspect_3", ["第三次检查", "Third inspection"]),
    ACCEPT,
    INGEST,
];
