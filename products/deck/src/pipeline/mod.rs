//! A deck out of a sentence and notes: what is asked for, earlier designs, the deck as SlideDSL, its pages, an inspection, up to two better
//! versions, and the files of the accepted deck, which later decks can use as an example.

mod accept;
mod ask;
mod delivery;
mod fix;
mod flow;
mod generate;
mod ingest;
mod inspect;
mod judgement;
mod near;
mod order;
mod pages;
mod render;
mod requirements;
mod retrieve;
pub(crate) mod shape;
pub(crate) mod stage;
mod template;
mod understand;
mod vocabulary;
mod written;

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::understanding::asked::Understanding;
use palimpsest::prelude::pipeline::{
    Carry, Description, FileRole, Flow, KindInfo, MadePart, Pipeline, Run, StageSpec, TurnResult,
    Violation, Work, Written,
};
use serde_json::Value;
use smol_str::SmolStr;

use generate::SLIDES;
use stage::{DECK, GENERATE, STAGES};

/// The folder of the session that sources are put into.
const SOURCES_FOLDER: &str = "sources/";

/// The pipeline `deck`.
#[derive(Clone, Copy, Debug)]
pub struct Deck;

impl Pipeline for Deck {
    fn name(&self) -> &'static str {
        "deck"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            title: words("幻灯片", "Deck of slides"),
            description: words(
                "由一句话和笔记生成可编辑的幻灯片：先写成 SlideDSL 文本，再排版、检查、修改。",
                "Slides from a sentence and notes: written as SlideDSL, typeset, inspected, mended.",
            ),
            input_schema: shape::input_schema(),
            takes_files: words(
                "材料：笔记、文档、表格、图片；图片和数据文件可在幻灯片中按名称引用。PowerPoint 模版（.pptx、.potx）放在 `template/<名称>`。",
                "Material: notes, documents, tables, pictures; a deck refers to pictures and tables by their names. A PowerPoint template (.pptx, .potx) as `template/<name>`.",
            ),
            sources_under: SOURCES_FOLDER,
            file_roles: vec![FileRole {
                role: "template",
                folder: template::FOLDER,
            }],
            artifacts: shape::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &written::WRITTEN))
                .collect(),
            delivers: stage::SDSL,
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

    fn attempts_max(&self) -> u32 {
        generate::ATTEMPTS
    }

    /// Without a model, only the writer is asked: the offline author.
    fn asks_nobody(&self, run: &Run, stage: &str, _item: &str) -> bool {
        let writes = stage == GENERATE.name;
        (run.settings.ports.is_offline() && !writes) || (writes && order::asks_nobody(run))
    }

    /// The slides of a deck, by their numbers from 1.
    fn parts(&self, run: &Run, stage: &str) -> Vec<String> {
        let slides = run.facts(DECK).and_then(|facts| facts[SLIDES].as_u64());
        let slides = slides.filter(|_| stage == GENERATE.name);
        (1..=slides.unwrap_or(0)).map(|n| n.to_string()).collect()
    }

    fn uses_as_it_is(&self, work: &Work, path: &str) -> bool {
        template::is_template(work, path)
    }

    fn shown_chars(&self) -> usize {
        ask::SOURCE_CHARS
    }

    fn made_parts(&self, work: &Work) -> Vec<MadePart> {
        accept::parts(work)
    }

    fn written_in(&self, made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
        written::written_in(made)
    }

    fn written(&self, work: &Work, written: &Written, _turns: &[TurnResult]) -> Carry {
        written::carry(work, written)
    }

    fn check_input(&self, input: &Value) -> Vec<Violation> {
        shape::check_input(input)
    }
}
