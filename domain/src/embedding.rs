//! A step that has vectors made for texts. One tool says which texts have no vector; another one asks a model for vectors, with one
//! exchange in each turn. Where the provider does not give any, what the texts belong to can only be searched by words until the next run.

use serde_json::{Value, json};

use crate::carry::{Carry, Content, NewArtifact, Output, TurnResult};
use crate::event::RULES;
use crate::event::Reserve;
use crate::settings::{EMBEDDINGS_ROLE, Settings};

/// The most tokens that one exchange may use: 128 texts of 2,000 characters, one token for each character.
const TOKENS: u64 = 256_000;

/// What vectors are made for, and by which tools.
#[derive(Clone, Copy, Debug)]
pub struct VectorStep<'a> {
    /// The tool that knows which texts have no vector: it gives `exchanges`, lists of hashes.
    pub missing: &'static str,
    /// The tool that has vectors made for one such list, which is passed as `texts`.
    pub embed: &'static str,
    /// The field in which both tools are told what the texts belong to.
    pub field: &'static str,
    pub about: &'a str,
    /// The kind and the part of the artifact that the step leaves.
    pub kind: &'static str,
    pub part: &'a str,
}

/// The most that one exchange may cost.
pub fn reserve(settings: &Settings) -> Reserve {
    let model = settings.models.get(EMBEDDINGS_ROLE);
    Reserve {
        calls: 1,
        // The budget counts the cost of tools, but not their tokens.
        tokens: 0,
        cost_micros: model.map_or(0, |model| settings.cost_micros(model, TOKENS, 0, 0)),
    }
}

/// What the step does next, given what its turns so far gave. The step leaves the number of texts that were given vectors, or a decision to
/// put the vectors off, with the reason.
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
