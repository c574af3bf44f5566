//! The accepted deck is put into the owner's design index, and the designs that served as its examples are counted as kept.

use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, Output, RULES, TurnResult, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ask;
use super::ask::json_of;
use super::stage::INDEXED;

/// The tool that puts decks into the index.
const INGEST: &str = "ingestDeck";

/// Whether the deck was put into the index, and what was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct IndexedVersion {
    /// The deck in the index; nothing where it was not taken.
    pub(crate) deck_chunk_id: Option<String>,
    /// References that are counted as kept.
    pub(crate) kept: u64,
    /// Why the deck was not taken, or why the references were not counted.
    pub(crate) remark: Option<String>,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = match ask::deck(work) {
        Ok(deck) => deck,
        Err(carry) => return *carry,
    };
    let Some(output) = turns.iter().find_map(TurnResult::output) else {
        let given = json!({
            "dsl": deck.dsl_text, "references": deck.design_references,
            "is_used": work.settings.ports.is_offline(),
        });
        return Carry::tool(INGEST, given);
    };
    let said = [&output["error"], &output["not_counted"]];
    let version = IndexedVersion {
        deck_chunk_id: output["deck_chunk_id"].as_str().map(str::to_owned),
        kept: output["kept"].as_u64().unwrap_or_default(),
        remark: said
            .into_iter()
            .find_map(serde_json::Value::as_str)
            .map(str::to_owned),
    };
    let title = if work.is_chinese() {
        "设计库"
    } else {
        "Design index"
    };
    let mut outputs = vec![Output::Artifact(NewArtifact {
        shown: false,
        ..NewArtifact::new(
            INDEXED,
            "art_idx_",
            title,
            Content::Json(json_of(&version)),
            work.lineage(),
        )
    })];
    if let (None, Some(why)) = (&version.deck_chunk_id, &version.remark) {
        outputs.push(Output::Decision {
            what: "design_index".to_owned(),
            choice: "not_taken".to_owned(),
            reason: why.clone(),
            by: RULES.to_owned(),
        });
    }
    Carry::Done(outputs)
}
