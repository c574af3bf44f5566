//! Work on a story: what somebody says goes to one of eighteen intents, its workflow and its agents; what they make is checked against
//! the bible of the project, and what they plan enters it as proposed.

mod act;
mod ask;
mod check;
mod deliver;
mod delivery;
mod flow;
mod keep;
mod outline;
pub(crate) mod passage;
mod prepare;
mod route;
pub(crate) mod shape;
pub(crate) mod stage;
mod talk;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use palimpsest::prelude::pipeline::event::Intent;
use palimpsest::prelude::pipeline::text::says_go_on;
use palimpsest::prelude::pipeline::{
    Carry, Description, Flow, IntentOutput, KindInfo, MadePart, Output, Pipeline, Run, StageSpec,
    TurnResult, UNDERSTAND, Violation, Work,
};
use serde_json::Value;

use stage::{STAGES, Stage};

/// The folder of the session that sources are put into.
const SOURCES_FOLDER: &str = "sources/";

/// The pipeline `story`.
#[derive(Clone, Copy, Debug)]
pub struct Story;

impl Pipeline for Story {
    fn name(&self) -> &'static str {
        "story"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            title: words("小说", "Story"),
            description: words(
                "围绕一部小说工作：构思、人物、世界观、大纲、写作、检查；只有被采纳的文字才是事实。",
                "Work on a novel: ideas, characters, world, outline, prose, checks; only accepted text is fact.",
            ),
            input_schema: shape::input_schema(),
            takes_files: words("参考材料", "Material to draw on"),
            sources_under: SOURCES_FOLDER,
            artifacts: shape::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &[]))
                .collect(),
            delivers: stage::ANSWER,
            forms: delivery::forms(chinese),
            checks: delivery::checks(chinese),
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        flow::flow(run)
    }

    /// Without a model, only the offline authors of the agents are asked; and no model is asked to put ranges together.
    fn asks_nobody(&self, run: &Run, stage: &str, item: &str) -> bool {
        let is_of_agent = Stage::named(stage)
            .and_then(Stage::place_of_agent)
            .is_some();
        item == outline::WHOLE || (run.settings.ports.is_offline() && !is_of_agent)
    }

    fn instead(&self, work: &Work, _turns: &[TurnResult]) -> Option<Carry> {
        (work.step.stage == UNDERSTAND).then(|| understand(work))
    }

    fn shown_chars(&self) -> usize {
        ask::SOURCE_CHARS
    }

    fn made_parts(&self, work: &Work) -> Vec<MadePart> {
        deliver::parts(work)
    }

    fn check_input(&self, input: &Value) -> Vec<Violation> {
        shape::check_input(input)
    }
}

/// Every message has a run of its own; the next stage decides where the message goes.
fn understand(work: &Work) -> Carry {
    let (intent, reason) = if work.resumable && says_go_on(&work.brief) {
        (Intent::Resumption, "the message only says to go on")
    } else {
        (Intent::Initial, "where it goes is told by the route")
    };
    Carry::Done(vec![Output::Intent(IntentOutput::by_rules(intent, reason))])
}
