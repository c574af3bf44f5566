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
    Carry, Description, Flow, IntentOutput, KindInfo, MadePart, Output, Pipeline, Reserve, Run,
    StageInfo, TurnResult, Violation, Work,
};
use serde_json::Value;

use stage::Stage;

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
        let stage =
            |stage: &Stage| StageInfo::new(stage.name(), stage.title(chinese), stage.kinds());
        Description {
            name: self.name(),
            title: words("小说", "Story"),
            description: words(
                "围绕一部小说工作：构思、人物、世界观、大纲、写作、检查；只有被采纳的文字才是事实。",
                "Work on a novel: ideas, characters, world, outline, prose, checks; only accepted text is fact.",
            ),
            input_schema: shape::input_schema(),
            takes_files: words("参考材料", "Material to draw on"),
            sources_under: SOURCES_FOLDER,
            stages: Stage::ALL.iter().map(stage).collect(),
            artifacts: shape::kinds()
                .into_iter()
                .map(|(kind, schema)| KindInfo::of(kind, schema, &[]))
                .collect(),
            delivers: stage::ANSWER,
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

    fn reserve(&self, run: &Run, stage: &str, item: &str) -> Reserve {
        // No model is asked to put ranges together.
        if item == outline::WHOLE {
            return Reserve::default();
        }
        ask::reserve(run, stage)
    }

    fn sees(&self, stage: &str, _item: &str) -> &'static [&'static str] {
        Stage::named(stage).map_or(&[], Stage::sees)
    }

    fn revises(&self, stage: &str, _item: &str) -> &'static [&'static str] {
        Stage::named(stage).map_or(&[], Stage::revises)
    }

    fn recalls(&self, stage: &str, _item: &str) -> &'static [&'static str] {
        Stage::named(stage).map_or(&[], Stage::recalls)
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match Stage::named(&work.step.stage) {
            None => understand(work),
            Some(Stage::Route) => route::carry(work, turns),
            Some(Stage::Prepare) => prepare::carry(work, turns),
            Some(Stage::Act | Stage::Write) => act::carry(work, turns),
            Some(Stage::Check) => check::carry(work, turns),
            Some(Stage::Keep) => keep::carry(work, turns),
            Some(Stage::Deliver) => deliver::carry(work),
        }
    }

    fn without_model(&self, work: &Work) -> Option<Vec<Output>> {
        match Stage::named(&work.step.stage)? {
            Stage::Route => route::without_model(work),
            Stage::Prepare
            | Stage::Act
            | Stage::Write
            | Stage::Check
            | Stage::Keep
            | Stage::Deliver => None,
        }
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
