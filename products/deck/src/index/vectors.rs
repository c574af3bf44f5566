//! Tools of the curator: one lists the texts of the design index that have no vector, the other asks a model for vectors and keeps them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use palimpsest::prelude::pipeline::vectors::TextHash;
use palimpsest::prelude::pipeline::{DocumentId, ToolOutcome};
use palimpsest::prelude::resource::Collections;
use palimpsest::prelude::tool::embedding::{VectorsAbout, make_and_keep, prune};
use palimpsest::prelude::tool::{Embedder, Tool, ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Designs, decks, remarks, vectors};
use crate::designs::{Enrichment, texts_of};

/// Decks of one run. The rest is left to the run after the next change.
const DECKS_MAX: usize = 100;

/// Exchanges of one step, one turn each; a step may have 256 turns. The rest is left to the run after the next change.
const EXCHANGES_MAX: usize = 200;

/// One of these tools.
pub(super) enum VectorTool {
    /// `designsWithoutVectors {deck?}`: the decks that have a text without a vector; for a given deck these texts, in one list for each
    /// exchange.
    Missing(Designs),
    /// `embedDesign {deck, texts}`: asks the model for vectors of these texts of a deck, and keeps them.
    Embed,
}

#[derive(Deserialize)]
struct Missing {
    #[serde(default)]
    deck: Option<String>,
}

#[derive(Deserialize)]
struct Embed {
    deck: String,
    texts: Vec<TextHash>,
}

#[async_trait]
impl Tool for VectorTool {
    fn name(&self) -> &'static str {
        match self {
            Self::Missing(_) => "designsWithoutVectors",
            Self::Embed => "embedDesign",
        }
    }

    fn schema(&self) -> Value {
        match self {
            Self::Missing(_) => {
                json!({ "type": "object", "properties": { "deck": { "type": ["string", "null"] } } })
            }
            Self::Embed => json!({
                "type": "object",
                "properties": {
                    "deck": { "type": "string" },
                    "texts": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["deck", "texts"],
            }),
        }
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let embedder = context.embedder().ok_or_else(|| {
            let message = "no provider of vectors is configured: name a model with --embeddings-model, or search by words";
            ToolError::new("no_embeddings", message, false)
        })?;
        match self {
            Self::Missing(designs) => {
                let (collections, owner) = (context.collections(), context.owner());
                missing(designs, collections, owner, embedder, input).await
            }
            Self::Embed => embed(context, embedder, input).await,
        }
    }

    fn is_paid(&self) -> bool {
        match self {
            Self::Missing(_) => false,
            Self::Embed => true,
        }
    }
}

async fn missing(
    designs: &Designs,
    collections: &Collections,
    owner: &str,
    embedder: &Embedder,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Missing::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let index = designs.index(collections, owner).await?;
    let name = embedder.name();
    let Some(deck) = asked.deck else {
        let all = index.without_vectors(name);
        let first: Vec<&&str> = all.iter().take(DECKS_MAX).collect();
        let summary = format!("{} of {} decks", all.len(), index.sizes()[0]);
        return Ok(ToolOutcome::gave(
            json!({ "decks": first, "all": all.len() }),
            summary,
        ));
    };
    let texts = index.texts_without_vector(&deck, name);
    let exchanges = texts.chunks(embedder.port().texts_max());
    let exchanges: Vec<&[TextHash]> = exchanges.take(EXCHANGES_MAX).collect();
    let output = json!({ "embedding": name, "texts": texts.len(), "exchanges": exchanges });
    Ok(ToolOutcome::gave(output, format!("{} texts", texts.len())))
}

async fn embed(
    context: &ToolContext<'_>,
    embedder: &Embedder,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Embed::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let (collections, owner) = (context.collections(), context.owner());
    let Embed { deck, texts } = asked;
    let of_deck = OfDeck::read(collections, owner, &deck).await?;
    let texts = texts.iter();
    // A text that was changed in the meantime has another hash, and is left to the next run.
    let texts = texts.filter_map(|hash| Some((*hash, of_deck.texts.get(hash)?.clone())));
    let about = VectorsAbout {
        place: vectors(),
        about: deck.clone(),
    };
    let made = make_and_keep(context, embedder, about, texts.collect()).await?;
    if made.document.is_some() {
        // Gone are those of another model, of texts that the deck no longer has, and of decks that were removed while their vectors were
        // being made.
        let there = collections.get(owner, &decks()).await?;
        let stays = |about: &str| match there.documents.contains_key(&DocumentId::from(about)) {
            true if about == deck => None,
            is_there => Some(is_there),
        };
        let is_used = |hash: &TextHash| of_deck.texts.contains_key(hash);
        prune(context, embedder, &vectors(), stays, is_used).await?;
    }
    Ok(made.outcome)
}

/// The texts of a deck as it is now.
struct OfDeck {
    texts: BTreeMap<TextHash, String>,
}

impl OfDeck {
    async fn read(collections: &Collections, owner: &str, deck: &str) -> Result<Self, ToolError> {
        let entry = collections.find(owner, &decks(), Some(deck), None).await?;
        let entry = entry.ok_or_else(|| {
            ToolError::new("no_deck", "the deck is not in the index any longer", false)
        })?;
        let text = collections
            .content(owner, &decks(), &entry.document)
            .await?;
        let remark = collections
            .find(owner, &remarks(), Some(deck), None)
            .await?;
        let said: Option<Enrichment> = match remark {
            Some(remark) => {
                let bytes = collections
                    .content(owner, &remarks(), &remark.document)
                    .await?;
                serde_json::from_slice(&bytes).ok()
            }
            None => None,
        };
        let title = &entry.document.name;
        Ok(Self {
            texts: texts_of(deck, title, &text, said.as_ref()),
        })
    }
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;
