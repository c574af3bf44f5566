//! What is said of a deck and its slides and is not written in them. A curator that asks a model says it, or else rules as far as they can.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chunks::ContentDomain;

/// The value of a field before anybody has filled it in.
pub(crate) const NOT_ENRICHED: &str = "not_enriched";

/// What is said of a deck.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// What a curator says of a deck. Rules fill in what is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Enrichment {
    pub deck: DeckEnrichment,
    /// By the id of the slide's chunk.
    #[serde(default)]
    pub slides: BTreeMap<String, SlideEnrichment>,
}

impl DeckEnrichment {
    /// What is said, with what rules say where nothing is.
    pub(super) fn fill_in(self, rules: Self) -> Self {
        Self {
            narrative_summary: said_or(self.narrative_summary, rules.narrative_summary),
            audience: said_or(self.audience, rules.audience),
            purpose: said_or(self.purpose, rules.purpose),
            topic_tags: self.topic_tags,
            storyline_quality: said_or(self.storyline_quality, rules.storyline_quality),
            consulting_style: said_or(self.consulting_style, rules.consulting_style),
            enriched_by: said_or(self.enriched_by, rules.enriched_by),
        }
    }
}

impl SlideEnrichment {
    /// What is said, with what rules say where nothing is.
    pub(super) fn fill_in(self, rules: Self) -> Self {
        Self {
            semantic_summary: said_or(self.semantic_summary, rules.semantic_summary),
            ..self
        }
    }
}

fn said_or(said: String, rules: String) -> String {
    if said.is_empty() { rules } else { said }
}

fn not_enriched() -> String {
    NOT_ENRICHED.to_owned()
}
