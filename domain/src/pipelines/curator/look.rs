//! Which decks nothing was said of yet.

use serde_json::{Value, json};

use super::UNCURATED;
use crate::carry::{Carry, Content, NewArtifact, TurnResult, Work};

/// The tool that knows.
const LIST: &str = "uncuratedDesigns";

/// In the facts: their ids.
pub(super) const DECKS: &str = "decks";

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    if work.settings.ports.is_offline() {
        return found(
            work,
            &json!([]),
            Some("no model is configured: rules say what they can"),
        );
    }
    match turns.iter().find_map(TurnResult::output) {
        None => Carry::tool(LIST, json!({})),
        Some(output) => found(work, &output[DECKS], output["error"].as_str()),
    }
}

fn found(work: &Work, decks: &Value, remark: Option<&str>) -> Carry {
    let title = if work.is_chinese() {
        "待整理的文稿"
    } else {
        "Decks to look at"
    };
    Carry::from(NewArtifact {
        facts: json!({ DECKS: decks }),
        ..NewArtifact::new(
            UNCURATED,
            "art_look_",
            title,
            Content::Json(json!({ DECKS: decks, "remark": remark })),
            vec![],
        )
    })
}
