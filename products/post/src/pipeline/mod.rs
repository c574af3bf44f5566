//! A post for a social network: a brief, evidence, a text, and pictures, reviewed and sent back where it is not good enough.

mod ask;
mod blocks;
pub(crate) mod brief;
pub(crate) mod card;
pub(crate) mod clarify;
mod delivery;
mod edits;
pub(crate) mod flow;
pub(crate) mod heard;
pub(crate) mod image_plan;
mod images;
mod kept;
mod kind;
mod known;
mod layout;
mod measure;
pub(crate) mod options;
pub(crate) mod pictures;
pub(crate) mod platform;
mod reference;
pub(crate) mod requirement;
pub(crate) mod research;
mod review;
pub(crate) mod route;
pub(crate) mod shape;
pub(crate) mod stage;
mod supervise;
#[cfg(test)]
pub(crate) mod tests;
mod understand;
mod vocabulary;
mod wanted;
mod whole;
mod wording;
mod writer;
mod written;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{
    Carry, Description, Edited, Flow, GateEdits, KindInfo, MadePart, Output, Pipeline, Reserve,
    Run, StageInfo, TurnResult, Violation, Work, Written,
};
use serde_json::Value;
use smol_str::SmolStr;

pub(crate) use kind::POST_TEMPLATES;
use stage::{IMAGE_PLAN, POST, SUPERVISE, Stage};

/// The pipeline `post`.
#[derive(Clone, Copy, Debug)]
pub struct Post;

impl Pipeline for Post {
    fn name(&self) -> &'static str {
        "post"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        let stage = |stage: &Stage| StageInfo {
            name: stage.name(),
            title: stage.title(chinese),
            artifacts: vec![stage.kind()],
            skippable: *stage == Stage::Images,
        };
        Description {
            name: self.name(),
            title: words("社交图文", "Social post"),
            description: words(
                "由一句话生成标题、正文、标签和配图：有据可查、经过审核，需要时由人确认。",
                "Title, text, tags and pictures for a social network, out of a sentence: researched, reviewed, and confirmed by people where they want to be asked.",
            ),
            input_schema: shape::schema::<shape::Input>(),
            takes_files: words(
                "参考图（PNG、JPEG、WebP），在 `referenceInputs` 里写明路径；其余文件（Word、PDF、表格、文本等）是帖子依据的资料。",
                "Pictures to go by (PNG, JPEG, WebP), named by their paths in `referenceInputs`; all other files (Word, PDF, tables, texts) are material for the post.",
            ),
            sources_under: "",
            file_roles: vec![],
            stages: Stage::ALL.iter().map(stage).collect(),
            artifacts: shape::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &written::WRITTEN))
                .collect(),
            delivers: POST,
            forms: delivery::forms(chinese),
            checks: vec![],
            options: options::all(chinese).collect(),
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        stage::NAMES
    }

    fn flow(&self, run: &Run) -> Flow {
        flow::flow(run)
    }

    /// What is put together names its pictures by their ids, which are new each time.
    fn is_same(&self, base: &Run, run: &Run) -> bool {
        let contents = |run: &Run| -> Vec<(String, Body)> {
            let kinds = [
                stage::CONTENT,
                stage::LAYOUT,
                stage::IMAGE_PLAN,
                stage::IMAGE,
            ];
            let made = kinds.iter().flat_map(|kind| run.artifacts_of(kind));
            made.map(|(item, made)| (format!("{}/{item}", made.kind), made.body.clone()))
                .collect()
        };
        let made = run.artifact(stage::POST);
        made.is_some_and(|made| made.step.run == run.id) && contents(base) == contents(run)
    }

    fn reserve(&self, run: &Run, stage: &str, item: &str) -> Reserve {
        let named = Stage::named(stage);
        if named.is_some_and(|stage| kept::asks_nobody(run, stage, item)) {
            return Reserve::default();
        }
        ask::reserve(run, stage)
    }

    fn sees(&self, stage: &str, _item: &str) -> &'static [&'static str] {
        if stage.starts_with(SUPERVISE) {
            return stage::SUPERVISOR_SEES;
        }
        Stage::named(stage).map_or(&[], ask::sees)
    }

    fn revises(&self, stage: &str, _item: &str) -> &'static [&'static str] {
        Stage::named(stage).map_or(&[], ask::revises)
    }

    fn shown_chars(&self) -> usize {
        ask::SOURCE_CHARS_MAX
    }

    fn made_parts(&self, work: &Work) -> Vec<MadePart> {
        whole::parts(work)
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        let name = work.step.stage.as_str();
        if name.starts_with(SUPERVISE) {
            return supervise::carry(work, turns);
        }
        if let Some(kept) = kept::carry(work) {
            return kept;
        }
        match Stage::named(name) {
            None => understand::UNDERSTANDING.carry(work, turns),
            Some(Stage::Requirement) => requirement::carry(work, turns),
            Some(Stage::Brief) => brief::carry(work, turns),
            Some(Stage::Research) => research::carry(work, turns),
            Some(Stage::Reference) => reference::carry(work, turns),
            Some(Stage::Writer) => writer::carry(work, turns),
            Some(Stage::Layout) => layout::carry(work, turns),
            Some(Stage::ImagePlan) => image_plan::carry(work, turns),
            Some(Stage::Images) => images::carry(work, turns),
            Some(Stage::Review) => review::carry(work, turns),
            Some(Stage::Post) => whole::carry(work),
        }
    }

    fn without_model(&self, work: &Work) -> Option<Vec<Output>> {
        let name = work.step.stage.as_str();
        if name.starts_with(SUPERVISE) {
            return Some(supervise::without_model());
        }
        let Some(stage) = Stage::named(name) else {
            return understand::UNDERSTANDING.without_model(work);
        };
        match stage {
            Stage::Research => Some(research::without_model(work)),
            Stage::Reference => Some(reference::without_model(work)),
            Stage::Review => Some(review::without_model(work)),
            Stage::Requirement
            | Stage::Brief
            | Stage::Writer
            | Stage::Layout
            | Stage::ImagePlan
            | Stage::Images
            | Stage::Post => None,
        }
    }

    /// Pictures can be redone one by one, and so can their entries in the plan and in the layout, although each of these is one artifact.
    fn parts(&self, run: &Run, stage: &str) -> Vec<String> {
        let plans = run
            .facts(IMAGE_PLAN)
            .and_then(|facts| facts["plans"].as_u64());
        let has_parts = Stage::named(stage).is_some_and(Stage::is_of_pictures);
        let pictures = 1..=plans.filter(|_| has_parts).unwrap_or(0);
        pictures.map(|picture| picture.to_string()).collect()
    }

    fn skippable(&self, run: &Run, stage: &str) -> Vec<String> {
        flow::skippable(run, stage)
    }

    fn edits_see(&self, _gate: &str) -> &'static [&'static str] {
        edits::SEEN
    }

    fn edit(&self, given: &GateEdits<'_>) -> Result<Edited, Vec<Violation>> {
        edits::edit(given.gate, given.seen, given.edits)
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
