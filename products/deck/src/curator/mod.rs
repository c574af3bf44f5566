//! Describes the decks of a design index by what is not written in them: summaries, audiences, topics; and has a model make vectors of
//! their texts, where one is configured. The pipeline works after each change of the index, in the session that is named after the index,
//! with one question for each deck, whatever the answer is. A deck can be found even before anything was said about it, and without a
//! model rules say what they can.

mod embed;
mod enrich;
mod look;
mod reading;
#[cfg(test)]
mod tests;

use palimpsest::prelude::pipeline::{
    Description, Flow, FormInfo, KindInfo, Pipeline, Run, StageSpec, Violation, complete_run,
    embedding, need, need_each, work_on,
};
use serde_json::Value;

use crate::designs::Enrichment;
use look::{DECKS, WITHOUT_VECTORS};

/// Its stages.
const LOOK: &str = "look";
const SETTLE: &str = "settle";
const EMBED: &str = "embed";
const STAGES: [StageSpec; 4] = [
    StageSpec::new(LOOK, ["查找", "Looking"], look::carry).makes(&[UNCURATED]),
    enrich::ENRICHING,
    StageSpec::new(SETTLE, ["收尾", "Settling"], enrich::settle).optional(),
    StageSpec::new(EMBED, ["向量", "Making vectors"], embed::carry)
        .makes(&[EMBEDDED])
        .reserve(|run, _| embedding::reserve(&run.settings))
        .attempts(ATTEMPTS)
        .optional(),
];

/// The decks about which nothing was said yet.
const UNCURATED: &str = "uncurated";
/// What is said about a deck.
const ENRICHMENT: &str = "enrichment";

/// How many texts of a deck were given vectors.
const EMBEDDED: &str = "embedded";

/// Vectors are asked for once more where they did not come.
const ATTEMPTS: u32 = 2;

/// The pipeline `curator`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DesignCurator;

/// The decks that the first stage found, from this list in its facts.
fn found(run: &Run, list: &str) -> Vec<String> {
    let facts = run.facts(UNCURATED);
    facts
        .and_then(|facts| serde_json::from_value(facts[list].clone()).ok())
        .unwrap_or_default()
}

/// A stage with a step for each of these decks, if there are any. A deck whose step fails is left out.
fn need_all(run: &Run, stage: &StageSpec, decks: Vec<String>) -> Flow {
    if decks.is_empty() {
        return Flow::Continue(());
    }
    need_each(run, stage, &work_on(decks))
}

impl Pipeline for DesignCurator {
    fn name(&self) -> &'static str {
        "curator"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            title: words("设计库整理", "Curator of the design index"),
            description: words(
                "为设计库中的文稿写摘要、受众和主题，并为其文本生成向量；每次入库之后自动进行。",
                "Summaries, audiences, topics and vectors for the decks of the design index; works by itself after each change.",
            ),
            // The input says which change started the run; the run looks at all decks.
            input_schema: serde_json::json!({ "type": "object" }),
            artifacts: vec![
                KindInfo::of(UNCURATED, serde_json::json!({ "type": "object" }), &[]),
                KindInfo::of(
                    ENRICHMENT,
                    schemars::schema_for!(Enrichment).to_value(),
                    &[],
                ),
                KindInfo::of(EMBEDDED, serde_json::json!({ "type": "object" }), &[]),
            ],
            delivers: UNCURATED,
            forms: vec![FormInfo::new(
                UNCURATED,
                words("待整理的文稿", "decks to look at"),
                "decks.json",
            )],
            internal: true,
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let [look, enrich, settle, embed] = &STAGES;
        need(run, look)?;
        let decks = found(run, DECKS);
        need_all(run, enrich, decks.clone())?;
        let unanswered = decks.into_iter();
        let unanswered = unanswered.filter(|deck| enrich::is_unanswered(run, deck));
        need_all(run, settle, unanswered.collect())?;
        // The description of a deck is one of its texts, so it comes before the vectors.
        let decks = found(run, WITHOUT_VECTORS);
        need_all(run, embed, decks)?;
        complete_run(false)
    }

    fn attempts_max(&self) -> u32 {
        ATTEMPTS
    }

    fn check_input(&self, _input: &Value) -> Vec<Violation> {
        vec![]
    }
}
