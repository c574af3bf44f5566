//! Describes the decks of a design index by what is not written in them: summaries, audiences, topics; and has a model make vectors of
//! their texts, where one is configured. The pipeline works after each change of the index, in the session that is named after the index,
//! with one question for each deck. A deck can be found even before anything was said about it, and without a model rules say what they
//! can.

mod embed;
mod enrich;
mod look;

use palimpsest::prelude::pipeline::{
    Carry, Description, Flow, FormInfo, KindInfo, Pipeline, Reserve, Run, StageInfo, TurnResult,
    Violation, Work, asking, complete, each, embedding, need, need_each,
};
use serde_json::Value;

use crate::designs::Enrichment;
use look::{DECKS, WITHOUT_VECTORS};

/// Its stages.
const LOOK: &str = "look";
const ENRICH: &str = "enrich";
const EMBED: &str = "embed";
const STAGES: [&str; 3] = [LOOK, ENRICH, EMBED];

/// The decks about which nothing was said yet.
const UNCURATED: &str = "uncurated";
/// What is said about a deck.
const ENRICHMENT: &str = "enrichment";

/// How many texts of a deck were given vectors.
const EMBEDDED: &str = "embedded";

/// The role of the model that describes decks.
const CURATOR: &str = "curator";

/// A model is asked about a deck at most twice: if it cannot answer, what rules say is used.
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

impl Pipeline for DesignCurator {
    fn name(&self) -> &'static str {
        "curator"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            name: self.name(),
            title: words("设计库整理", "Curator of the design index"),
            description: words(
                "为设计库中的文稿写摘要、受众和主题，并为其文本生成向量；每次入库之后自动进行。",
                "Summaries, audiences, topics and vectors for the decks of the design index; works by itself after each change.",
            ),
            // The input says which change started the run; the run looks at all decks.
            input_schema: serde_json::json!({ "type": "object" }),
            stages: vec![
                StageInfo::new(LOOK, words("查找", "Looking"), &[UNCURATED]),
                StageInfo::new(ENRICH, words("整理", "Curating"), &[ENRICHMENT]),
                StageInfo::new(EMBED, words("向量", "Making vectors"), &[EMBEDDED]),
            ],
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
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let attempts = run.settings.attempts;
        need(run, LOOK, attempts)?;
        // The description of a deck is one of its texts, so it comes before the vectors.
        for (stage, decks) in [(ENRICH, DECKS), (EMBED, WITHOUT_VECTORS)] {
            let decks = found(run, decks);
            if decks.is_empty() {
                continue;
            }
            let decks = each(decks)
                .width(run.settings.width)
                .attempts(attempts.min(ATTEMPTS))
                .tolerant();
            need_each(run, stage, &decks)?;
        }
        complete(false)
    }

    fn attempts_max(&self) -> u32 {
        ATTEMPTS
    }

    fn reserve(&self, run: &Run, stage: &str, _item: &str) -> Reserve {
        match stage {
            ENRICH => {
                let (input, output) = (enrich::INPUT_TOKENS, enrich::OUTPUT_TOKENS);
                asking::reserve(&run.settings, CURATOR, input, output)
            }
            EMBED => embedding::reserve(&run.settings),
            _ => Reserve::default(),
        }
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match work.step.stage.as_str() {
            LOOK => look::carry(work, turns),
            EMBED => embed::carry(work, turns),
            _ => enrich::carry(work, turns),
        }
    }

    fn check_input(&self, _input: &Value) -> Vec<Violation> {
        vec![]
    }
}
