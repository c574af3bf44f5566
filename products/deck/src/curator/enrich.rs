//! Reads a deck, asks a model about it once, and stores what the model says beside the deck.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{
    Carry, Content, ModelTurn, NewArtifact, Output, RULES, TurnResult, Work, asking, vars,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CURATOR, ENRICHMENT};
use crate::designs::{DeckEnrichment, Enrichment, SlideEnrichment};

/// The tools that read a deck of the index and store what is said of it.
const READ: &str = "readDesign";
const KEEP: &str = "remarkDesign";

/// Characters of a deck that the question shows; the contract's number.
const DECK_CHARS: usize = 8_000;

/// The most that one question may use: the deck at 0.7 tokens a character with its frame, and the contract's number of tokens for each ten
/// slides of an answer.
pub(super) const INPUT_TOKENS: u64 = 9_000;
pub(super) const OUTPUT_TOKENS: u32 = 4_096;

/// The most slides that one answer describes; rules describe the rest.
const SLIDES_MAX: usize = 40;

/// Tags of a deck or slide.
const TAGS_MAX: usize = 8;

/// The name that is recorded for what a model says.
const MODEL: &str = "model";

/// What a model says of a deck.
#[derive(Deserialize, JsonSchema)]
struct Said {
    deck: DeckEnrichment,
    slides: Vec<SaidOfSlide>,
}

#[derive(Deserialize, JsonSchema)]
struct SaidOfSlide {
    /// Counted from 1.
    slide: usize,
    #[serde(flatten)]
    said: SlideEnrichment,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = work.step.item.as_str();
    let mut outputs = turns.iter().filter_map(TurnResult::output);
    let Some(read) = outputs.next() else {
        return Carry::tool(READ, json!({ "deck": deck }));
    };
    let (Some(text), Some(ids)) = (read["dsl"].as_str(), read["slides"].as_array()) else {
        // The deck was removed from the index in the meantime, so nothing is to be said about it.
        let why = read["error"].as_str().unwrap_or("it is not there");
        return Carry::Done(vec![Output::Decision {
            what: format!("enrich:{deck}"),
            choice: "passed_over".to_owned(),
            reason: why.to_owned(),
            by: RULES.to_owned(),
        }]);
    };
    let ids: Vec<&str> = ids.iter().filter_map(Value::as_str).collect();
    let shown_text: String = text.chars().take(DECK_CHARS).collect();
    let more = json!({
        "title": read["title"],
        "deck": shown_text,
        "cut": shown_text.len() < text.len(),
        "slides": ids.len().min(SLIDES_MAX),
    });
    let schema = schemars::schema_for!(Said).to_value();
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let turn = ModelTurn::new(CURATOR, "curator/deck", vars(work, more), OUTPUT_TOKENS);
        return turn.structured("enrichment", schema).into();
    };
    let enrichment = match asking::read::<Said>(answer, &schema) {
        Ok(said) => enrichment(said, &ids),
        Err(violations) => return Carry::Reject(violations),
    };
    if outputs.next().is_none() {
        return Carry::tool(KEEP, json!({ "deck": deck, "said": json_of(&enrichment) }));
    }
    Carry::from(NewArtifact {
        shown: false,
        part: deck.to_owned(),
        ..NewArtifact::new(
            ENRICHMENT,
            "art_enr_",
            read["title"].as_str().unwrap_or(deck).to_owned(),
            Content::Json(json_of(&enrichment)),
            vec![],
        )
    })
}

/// What a model said about the slides that exist, by their ids.
fn enrichment(said: Said, ids: &[&str]) -> Enrichment {
    let tags = |mut tags: Vec<String>| {
        tags.iter_mut()
            .for_each(|tag| *tag = tag.trim().to_lowercase());
        tags.retain(|tag| !tag.is_empty());
        tags.truncate(TAGS_MAX);
        tags
    };
    let slides: BTreeMap<String, SlideEnrichment> = said
        .slides
        .into_iter()
        .filter_map(|of| {
            let id = ids.get(of.slide.checked_sub(1)?)?;
            let said = SlideEnrichment {
                topic_tags: tags(of.said.topic_tags.clone()),
                enriched_by: MODEL.to_owned(),
                ..of.said
            };
            Some(((*id).to_owned(), said))
        })
        .collect();
    Enrichment {
        deck: DeckEnrichment {
            topic_tags: tags(said.deck.topic_tags.clone()),
            enriched_by: MODEL.to_owned(),
            ..said.deck
        },
        slides,
    }
}
