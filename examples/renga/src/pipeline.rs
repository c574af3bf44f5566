//! The pipeline `renga`: season words that suit the message, a verse for each of them, and the sheet with all of them.

use palimpsest::prelude::*;
use schemars::schema_for;

use crate::sheet::{self, RengaSheet};
use crate::verse;

pub(crate) struct Renga;

const STAGES: [StageSpec; 3] = [
    StageSpec::new("words", ["挑选季语", "Choosing words"], choose).makes(&["words"]),
    verse::VERSES,
    StageSpec::new("sheet", ["成页", "Putting it on a sheet"], sheet::carry)
        .makes(&["renga"])
        .sees(&["words", "verse"]),
];

impl Pipeline for Renga {
    fn name(&self) -> &'static str {
        "renga"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            title: words("连歌", "Renga"),
            description: words(
                "由季语串起的一组诗节，季语取自您的词库。",
                "A chain of verses, each with a season word of your collection.",
            ),
            artifacts: vec![KindInfo::of(
                "renga",
                schema_for!(RengaSheet).to_value(),
                &[],
            )],
            delivers: "renga",
            forms: vec![FormInfo {
                rendered: Some("svg"),
                ..FormInfo::new("renga", words("连歌", "Renga"), "renga.svg")
            }],
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let [words, verses, sheet] = &STAGES;
        need(run, words)?;
        need_each(
            run,
            verses,
            &work_on(numbered_items(run, "words", "verses")?),
        )?;
        need(run, sheet)
    }
}

/// Has the tool find the season words. How many it found is a fact that the flow reads: a verse for each of them.
fn choose(work: &Work, turns: &[TurnResult]) -> Carry {
    let Some(found) = turns.iter().find_map(TurnResult::output) else {
        return Carry::tool("nearest_words", json!({ "line": work.brief }));
    };
    if let Some(error) = found["error"].as_str() {
        return fail_step("no_words", error);
    }
    let number = found["words"].as_array().map_or(0, Vec::len);
    let content = Content::Json(found.clone());
    Carry::from(NewArtifact {
        facts: json!({ "verses": number }),
        ..NewArtifact::new("words", "art_words_", "Season words", content, vec![])
    })
}
