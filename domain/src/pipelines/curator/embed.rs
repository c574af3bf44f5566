//! A deck: vectors for the texts of it that have none, an exchange a turn. Where the provider does not give them, the deck is found by its
//! n-grams until the next run.

use serde_json::{Value, json};

use super::EMBEDDED;
use crate::carry::{Carry, Content, NewArtifact, Output, TurnResult, Work};
use crate::event::Reserve;
use crate::flow::RULES;
use crate::settings::{EMBEDDINGS_ROLE, Settings};

/// The tools that know which texts have no vector, and that have one made.
const MISSING: &str = "designsWithoutVectors";
const EMBED: &str = "embedDesign";

/// The worst that one exchange may use: 128 texts of 2,000 characters, a token each.
const TOKENS: u64 = 256_000;

pub(super) fn reserve(settings: &Settings) -> Reserve {
    let model = settings.models.get(EMBEDDINGS_ROLE);
    Reserve {
        calls: 1,
        // The tokens of tools are no part of the budget, only what they cost.
        tokens: 0,
        cost_micros: model.map_or(0, |model| settings.cost_micros(model, TOKENS, 0, 0)),
    }
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = work.step.item.as_str();
    let outputs: Vec<&Value> = turns.iter().filter_map(TurnResult::output).collect();
    let Some((missing, made)) = outputs.split_first() else {
        return Carry::tool(MISSING, json!({ "deck": deck }));
    };
    let refused = outputs.iter().find_map(|output| output["error"].as_str());
    if let Some(why) = refused {
        return Carry::Done(vec![Output::Decision {
            what: format!("embed:{deck}"),
            choice: "put_off".to_owned(),
            reason: why.to_owned(),
            by: RULES.to_owned(),
        }]);
    }
    let exchanges = missing["exchanges"].as_array();
    if let Some(texts) = exchanges.and_then(|exchanges| exchanges.get(made.len())) {
        return Carry::tool(EMBED, json!({ "deck": deck, "texts": texts }));
    }
    let sum = |field: &str| -> u64 { made.iter().filter_map(|one| one[field].as_u64()).sum() };
    let body = json!({
        "deck": deck, "embedding": missing["embedding"], "texts": sum("texts"), "tokens": sum("tokens"),
    });
    Carry::from(NewArtifact {
        shown: false,
        part: deck.to_owned(),
        ..NewArtifact::new(EMBEDDED, "art_emb_", deck, Content::Json(body), vec![])
    })
}
