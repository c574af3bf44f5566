//! A teaching deck out of a topic: analysis, configuration, outline, scripts beside the theme, then page by page.

mod ask;
mod delivery;
mod edit;
pub(crate) mod export;
mod flow;
mod forms;
mod given;
mod missing;
mod pages;
mod pictures;
pub(crate) mod remarks;
pub(crate) mod rules;
pub(crate) mod shape;
mod slide;
pub(crate) mod stage;
mod stages;
#[cfg(test)]
mod tests;
pub(crate) mod tone;
mod understand;
mod vocabulary;
mod wanted;
pub(crate) mod wish;
mod written;

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::understanding::asked::Understanding;
use palimpsest::prelude::pipeline::{
    ArtifactId, Carry, Description, Edited, Flow, GateEdits, KindInfo, MadePart, Pipeline, Run,
    StageSpec, TurnResult, Violation, Work, Written,
};
use serde_json::Value;
use smol_str::SmolStr;

use stage::{JOINING, SEARCHING, STAGES};

/// The most attempts of a step: what is rejected is asked for again at most twice.
const ATTEMPTS_MAX: u32 = 3;

/// The pipeline `course`.
#[derive(Clone, Copy, Debug)]
pub struct Course;

impl Pipeline for Course {
    fn name(&self) -> &'static str {
        "course"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            title: words("教学课件", "Teaching deck"),
            description: words(
                "由一个主题生成带讲稿的课件，有资料时以资料为准。",
                "A deck with narration from a topic, and from source texts where there are any.",
            ),
            input_schema: shape::input_schema(),
            takes_files: words(
                "资料文件（Word、PDF、PowerPoint、Excel、EPUB、Markdown、文本、HTML、CSV 等），课件内容来自它们。",
                "Sources (Word, PDF, PowerPoint, Excel, EPUB, Markdown, text, HTML, CSV): what the deck says comes from them.",
            ),
            artifacts: shape::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &written::WRITTEN))
                .collect(),
            delivers: stage::PPTX,
            forms: delivery::forms(chinese),
            checks: delivery::checks(chinese),
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn row(&self, stage: &str, item: &str) -> Option<&'static StageSpec> {
        match item {
            flow::SEARCH => Some(&SEARCHING),
            flow::DOCUMENT => Some(&JOINING),
            _ => STAGES.iter().find(|row| row.name == stage),
        }
    }

    fn understanding(&self) -> Option<&'static Understanding> {
        Some(&understand::UNDERSTANDING)
    }

    fn flow(&self, run: &Run) -> Flow {
        flow::flow(run)
    }

    fn attempts_max(&self) -> u32 {
        ATTEMPTS_MAX
    }

    /// What is made of a wish without a model says so itself (`remarks`).
    fn is_same(&self, _base: &Run, _run: &Run) -> bool {
        false
    }

    fn deliver(&self, run: &Run) -> Option<ArtifactId> {
        let document = &run.artifact(stage::DSL)?.artifact;
        // An export of another document does not count.
        run.artifact(stage::PPTX)
            .filter(|pptx| pptx.from.contains(document))
            .map(|pptx| pptx.artifact.clone())
    }

    fn asks_nobody(&self, run: &Run, stage: &str, item: &str) -> bool {
        edit::asks_nobody(run, stage, item)
    }

    fn shown_chars(&self) -> usize {
        ask::SOURCE_CHARS_MAX
    }

    fn made_parts(&self, work: &Work) -> Vec<MadePart> {
        export::parts(work)
    }

    fn instead(&self, work: &Work, turns: &[TurnResult]) -> Option<Carry> {
        ask::beyond_the_author(work).or_else(|| edit::carry(work, turns))
    }

    /// Pages can be redone one by one, and so can the scripts of pages, although all scripts are one artifact.
    fn parts(&self, run: &Run, stage: &str) -> Vec<String> {
        let pages = run
            .facts(stage::SLIDE_SCRIPTS)
            .and_then(|facts| facts[flow::PAGES].as_u64());
        let has_pages = vocabulary::VOCABULARY.item_stages.contains(&stage);
        let pages = pages.filter(|_| has_pages).unwrap_or(0);
        (1..=pages).map(|page| page.to_string()).collect()
    }

    fn edits_see(&self, _gate: &str) -> &'static [&'static str] {
        &[stage::COURSE_CONFIG]
    }

    fn edit(&self, edits: &GateEdits<'_>) -> Result<Edited, Vec<Violation>> {
        written::outline_at_gate(edits).map(Into::into)
    }

    fn written_in(&self, made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
        written::written_in(made)
    }

    fn written(&self, work: &Work, written: &Written, turns: &[TurnResult]) -> Carry {
        written::carry(work, written, turns)
    }

    fn differing(&self, kind: &str, before: &Value, after: &Value) -> Vec<String> {
        written::differing(kind, before, after)
    }

    fn check_input(&self, input: &Value) -> Vec<Violation> {
        wish::check_input(input)
    }
}
