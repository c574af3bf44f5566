//! A step that has vectors made for texts: a tool says which have none, another one asks a model for them, an exchange a turn. Where
//! the provider does not give them, what the texts are of is found by its words until the next run.

use serde_json::{Value, json};

use crate::carry::{Carry, Content, NewArtifact, Output, TurnResult};
use crate::event::Reserve;
use crate::flow::RULES;
use crate::settings::{EMBEDDINGS_ROLE, Settings};

/// The worst that one exchange may use: 128 texts of 2,000 characters, a token each.
const TOKENS: u64 = 256_000;

/// What vectors are made for, and by which tools.
#[derive(Clone, Copy, Debug)]
pub struct VectorStep<'a> {
    /// The tool that knows which texts have no vector: it gives `exchanges`, lists of hashes.
    pub missing: &'static str,
    /// The tool that has vectors made of one such list, which it is given as `texts`.
    pub embed: &'static str,
    /// The field under which both are told what the texts are of.
    pub field: &'static str,
    pub about: &'a str,
    /// The kind of what the step leaves, and its part.
    pub kind: &'static str,
    pub part: &'a str,
}

/// The worst that one exchange may cost.
pub fn reserve(settings: &Settings) -> Reserve {
    let model = settings.models.get(EMBEDDINGS_ROLE);
    Reserve {
        calls: 1,
        // The tokens of tools are no part of the budget, only what they cost.
        tokens: 0,
        cost_micros: model.map_or(0, |model| settings.cost_micros(model, TOKENS, 0, 0)),
    }
}

/// What the step does next, given what its turns so far gave. It leaves how many texts were given vectors, or the decision to put
/// them off with the reason.
pub fn carry(step: &VectorStep<'_>, turns: &[TurnResult]) -> Carry {
    let VectorStep { field, about, .. } = *step;
    let outputs: Vec<&Value> = turns.iter().filter_map(TurnResult::output).collect();
    let Some((missing, made)) = outputs.split_first() else {
        return Carry::tool(step.missing, json!({ field: about }));
    };
    let refused = outputs.iter().find_map(|output| output["error"].as_str());
    if let Some(why) = refused {
        return Carry::Done(vec![Output::Decision {
            what: format!("embed:{about}"),
            choice: "put_off".to_owned(),
            reason: why.to_owned(),
            by: RULES.to_owned(),
        }]);
    }
    let exchanges = missing["exchanges"].as_array();
    if let Some(texts) = exchanges.and_then(|exchanges| exchanges.get(made.len())) {
        return Carry::tool(step.embed, json!({ field: about, "texts": texts }));
    }
    let sum = |field: &str| -> u64 { made.iter().filter_map(|one| one[field].as_u64()).sum() };
    let body = json!({
        field: about, "embedding": missing["embedding"], "texts": sum("texts"), "tokens": sum("tokens"),
    });
    Carry::from(NewArtifact {
        shown: false,
        part: step.part.to_owned(),
        ..NewArtifact::new(step.kind, "art_emb_", about, Content::Json(body), vec![])
    })
}
