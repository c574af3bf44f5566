//! What is said of a deck and its slides and is not written in them. A curator that asks a model says it, or else rules as far as they can.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chunks::ContentDomain;

/// The value of a field before anybody has filled it in.
pub(crate) const NOT_ENRICHED: &str = "not_enriched";

/// What is said of a deck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeckEnrichment {
    /// The story of the deck, in a few sentences.
    pub narrative_summary: String,
    /// The role of the people whom the deck is for, without a name.
    pub audience: String,
    pub purpose: String,
    /// Two to four words each, in lower case.
    #[serde(default)]
    pub topic_tags: Vec<String>,
    /// `good`, `weak`, `poor`.
    #[serde(default = "not_enriched")]
    pub storyline_quality: String,
    /// `consulting`, `corporate`, `startup`, `academic`.
    #[serde(default = "not_enriched")]
    pub consulting_style: String,
    /// `model` or `rules`; absent in what a model answers.
    #[serde(default)]
    pub enriched_by: String,
}

/// What is said of a slide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlideEnrichment {
    /// What it shows, with its numbers, in a sentence.
    pub semantic_summary: String,
    #[serde(default)]
    pub topic_tags: Vec<String>,
    #[serde(default)]
    pub content_domain: ContentDomain,
    /// `model` or `rules`.
    #[serde(default)]
    pub enriched_by: String,
}

/// What a curator says of a deck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Enrichment {
    pub deck: DeckEnrichment,
    /// By the id of the slide's chunk.
    #[serde(default)]
    pub slides: BTreeMap<String, SlideEnrichment>,
}

fn not_enriched() -> String {
    NOT_ENRICHED.to_owned()
}
