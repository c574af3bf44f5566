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
use palimpsest::prelude::pipeline::{
    ArtifactId, Carry, Description, Edited, Flow, GateEdits, KindInfo, MadePart, Output, Pipeline,
    Reserve, Run, StageInfo, TurnResult, UNDERSTAND, Violation, Work, Written,
};
use serde_json::Value;
use smol_str::SmolStr;

use stage::Stage;

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
        let stage = |stage: &Stage| StageInfo {
            name: stage.name(),
            title: stage.title(false, chinese),
            artifacts: stage.kinds().to_vec(),
            skippable: false,
        };
        Description {
            name: self.name(),
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
            sources_under: "",
            file_roles: vec![],
            stages: Stage::ALL.iter().map(stage).collect(),
            artifacts: shape::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &written::WRITTEN))
                .collect(),
            delivers: stage::PPTX,
            forms: delivery::forms(chinese),
            checks: delivery::checks(chinese),
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        stage::NAMES
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

    fn reserve(&self, run: &Run, stage: &str, item: &str) -> Reserve {
        if edit::asks_nobody(run, stage, item) {
            return Reserve::default();
        }
        ask::reserve(&run.settings, stage, item)
    }

    fn sees(&self, stage: &str, item: &str) -> &'static [&'static str] {
        Stage::named(stage).map_or(&[], |stage| stage.sees(item))
    }

    fn revises(&self, stage: &str, item: &str) -> &'static [&'static str] {
        Stage::named(stage).map_or(&[], |stage| stage.revises(item))
    }

    fn shown_chars(&self) -> usize {
        ask::SOURCE_CHARS_MAX
    }

    fn made_parts(&self, work: &Work) -> Vec<MadePart> {
        export::parts(work)
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        if work.step.stage == UNDERSTAND {
            return understand::UNDERSTANDING.carry(work, turns);
        }
        if let Some(fail) = ask::beyond_the_author(work) {
            return fail;
        }
        if let Some(carry) = edit::carry(work, turns) {
            return carry;
        }
        match Stage::named(&work.step.stage) {
            Some(Stage::Analyze) if work.step.item == flow::SEARCH => {
                stages::search::carry(work, turns)
            }
            Some(Stage::Analyze) => stages::analyze::carry(work, turns),
            Some(Stage::Config) => stages::config::carry(work, turns),
            Some(Stage::Outline) => stages::outline::carry(work, turns),
            Some(Stage::Scripts) => stages::scripts::carry(work, turns),
            Some(Stage::Theme) => stages::theme::carry(work, turns),
            Some(Stage::Slides) if work.step.item == flow::DOCUMENT => pages::document(work, turns),
            Some(Stage::Slides) => pages::page(work, turns),
            Some(Stage::Export) => export::carry(work, turns),
            None => Carry::unknown_stage(&work.step.stage),
        }
    }

    fn without_model(&self, work: &Work) -> Option<Vec<Output>> {
        understand::UNDERSTANDING.without_model(work)
    }

    /// Pages can be redone one by one, and so can the scripts of pages, although all scripts are one artifact.
    fn parts(&self, run: &Run, stage: &str) -> Vec<String> {
        let pages = run
            .facts(stage::SLIDE_SCRIPTS)
            .and_then(|facts| facts[flow::PAGES].as_u64());
        match Stage::named(stage) {
            Some(Stage::Scripts | Stage::Slides) => (1..=pages.unwrap_or(0))
                .map(|page| page.to_string())
                .collect(),
            Some(
                Stage::Analyze | Stage::Config | Stage::Outline | Stage::Theme | Stage::Export,
            )
            | None => vec![],
        }
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
