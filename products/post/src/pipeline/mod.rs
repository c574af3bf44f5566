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
use palimpsest::prelude::pipeline::understanding::asked::Understanding;
use palimpsest::prelude::pipeline::{
    Carry, Description, Edited, Flow, GateEdits, KindInfo, MadePart, Pipeline, Run, StageSpec,
    TurnResult, Violation, Work, Written,
};
use serde_json::Value;
use smol_str::SmolStr;

pub(crate) use kind::POST_TEMPLATES;
use stage::{IMAGE_PLAN, POST, STAGES, SUPERVISE, SUPERVISION, Stage};

/// The pipeline `post`.
#[derive(Clone, Copy, Debug)]
pub struct Post;

impl Pipeline for Post {
    fn name(&self) -> &'static str {
        "post"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
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
            artifacts: shape::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &written::WRITTEN))
                .collect(),
            delivers: POST,
            forms: delivery::forms(chinese),
            options: options::all(chinese).collect(),
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn row(&self, stage: &str, _item: &str) -> Option<&'static StageSpec> {
        if stage.starts_with(SUPERVISE) {
            return Some(&SUPERVISION);
        }
        STAGES.iter().find(|row| row.name == stage)
    }

    fn understanding(&self) -> Option<&'static Understanding> {
        Some(&understand::UNDERSTANDING)
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

    fn asks_nobody(&self, run: &Run, stage: &str, item: &str) -> bool {
        Stage::named(stage).is_some_and(|stage| kept::asks_nobody(run, stage, item))
    }

    fn shown_chars(&self) -> usize {
        ask::SOURCE_CHARS_MAX
    }

    fn made_parts(&self, work: &Work) -> Vec<MadePart> {
        whole::parts(work)
    }

    fn instead(&self, work: &Work, _turns: &[TurnResult]) -> Option<Carry> {
        kept::carry(work)
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
