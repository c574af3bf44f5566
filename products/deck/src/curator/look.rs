//! Finds the decks about which nothing was said yet, and those that have texts without a vector.

use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, TurnResult, Work};
use serde_json::{Value, json};

use super::UNCURATED;

/// The tools that know these decks.
const LIST: &str = "uncuratedDesigns";
const LIST_WITHOUT_VECTORS: &str = "designsWithoutVectors";

/// The field of the ids of decks, in what the tools give and in the facts.
pub(super) const DECKS: &str = "decks";

/// The field in the facts of the decks for which vectors are made. The decks that this run describes are among them, since their
/// description is one of their texts.
pub(super) const WITHOUT_VECTORS: &str = "without_vectors";

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let ports = &work.settings.ports;
    let mut outputs = turns.iter().filter_map(TurnResult::output);
    let mut remark = None;
    let mut decks = json!([]);
    if ports.is_offline() {
        remark = Some("no model is configured: rules say what they can");
    } else {
        let Some(output) = outputs.next() else {
            return Carry::tool(LIST, json!({}));
        };
        decks = output[DECKS].clone();
        remark = remark.or(output["error"].as_str());
    }
    let mut facts = json!({ DECKS: decks });
    if ports.embeddings {
        let Some(output) = outputs.next() else {
            return Carry::tool(LIST_WITHOUT_VECTORS, json!({}));
        };
        facts[WITHOUT_VECTORS] = joined(&facts[DECKS], &output[DECKS]);
        remark = remark.or(output["error"].as_str());
    }
    found(work, facts, remark)
}

/// The decks of two lists, each once.
fn joined(one: &Value, other: &Value) -> Value {
    let mut all: Vec<&Value> = vec![];
    for deck in [one, other]
        .into_iter()
        .filter_map(Value::as_array)
        .flatten()
    {
        if !all.contains(&deck) {
            all.push(deck);
        }
    }
    json!(all)
}

fn found(work: &Work, facts: Value, remark: Option<&str>) -> Carry {
    let title = if work.is_chinese() {
        "待整理的文稿"
    } else {
        "Decks to look at"
    };
    let mut body = facts.clone();
    body["remark"] = json!(remark);
    Carry::from(NewArtifact {
        facts,
        ..NewArtifact::new(UNCURATED, "art_look_", title, Content::Json(body), vec![])
    })
}
