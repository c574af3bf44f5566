//! The pipeline `renga`: season words that suit the message, a verse for each of them, and the sheet with all of them.

use palimpsest::prelude::*;
use schemars::schema_for;

use crate::sheet::{self, RengaSheet};
use crate::verse;

pub(crate) struct Renga;

impl Pipeline for Renga {
    fn name(&self) -> &'static str {
        "renga"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            name: "renga",
            title: words("连歌", "Renga"),
            description: words(
                "由季语串起的一组诗节，季语取自您的词库。",
                "A chain of verses, each with a season word of your collection.",
            ),
            stages: vec![
                StageInfo::new("words", words("挑选季语", "Choosing words"), &["words"]),
                StageInfo::new("verses", words("写作", "Writing"), &["verse"]),
                StageInfo::new("sheet", words("成页", "Putting it on a sheet"), &["renga"]),
            ],
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
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        &["words", "verses", "sheet"]
    }

    fn flow(&self, run: &Run) -> Flow {
        let attempts = run.settings.attempts;
        need(run, "words", attempts)?;
        let verses = each(numbered(run, "words", "verses")?).attempts(attempts);
        need_each(run, "verses", &verses.width(run.settings.width))?;
        need(run, "sheet", attempts)
    }

    fn reserve(&self, run: &Run, stage: &str, _item: &str) -> Reserve {
        match stage {
            "verses" => verse::most(run),
            _ => Reserve::default(),
        }
    }

    fn sees(&self, stage: &str, _item: &str) -> &'static [&'static str] {
        match stage {
            "verses" => &["words"],
            "sheet" => &["words", "verse"],
            _ => &[],
        }
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match work.step.stage.as_str() {
            "words" => choose(work, turns),
            "verses" => verse::carry(work, turns),
            "sheet" => sheet::carry(work),
            other => Carry::unknown_stage(other),
        }
    }
}

/// Has the tool find the season words. How many it found is a fact that the flow reads: a verse for each of them.
fn choose(work: &Work, turns: &[TurnResult]) -> Carry {
    let Some(found) = turns.iter().find_map(TurnResult::output) else {
        return Carry::tool("nearest_words", json!({ "line": work.brief }));
    };
    if let Some(error) = found["error"].as_str() {
        return fail("no_words", error);
    }
    let number = found["words"].as_array().map_or(0, Vec::len);
    let content = Content::Json(found.clone());
    Carry::from(NewArtifact {
        facts: json!({ "verses": number }),
        ..NewArtifact::new("words", "art_words_", "Season words", content, vec![])
    })
}
