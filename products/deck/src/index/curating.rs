//! The tools of the curator, who describes the decks of an index in words that do not stand in them.

use async_trait::async_trait;
use palimpsest::prelude::pipeline::{DocumentId, ToolOutcome};
use palimpsest::prelude::resource::{Collections, Entry};
use palimpsest::prelude::tool::{Tool, ToolContext, ToolError};
use palimpsest::prelude::wire::Actor;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{decks, remark, remarks};
use crate::designs::{Enrichment, IndexedDeck};

/// Decks that one run looks at; the others are looked at after the next change.
const DECKS_MAX: usize = 100;

/// One of these tools.
#[derive(Clone, Copy, Debug)]
pub(super) enum CuratorTool {
    /// `uncuratedDesigns {}`: the decks that have no remark yet.
    Uncurated,
    /// `readDesign {deck}`: its text and the ids of its slides.
    Read,
    /// `remarkDesign {deck, said}`: keeps a remark about a deck.
    Remark,
}

#[derive(Deserialize)]
struct OfDeck {
    deck: String,
}

#[derive(Deserialize)]
struct Remarked {
    deck: String,
    said: Enrichment,
}

#[async_trait]
impl Tool for CuratorTool {
    fn name(&self) -> &'static str {
        match self {
            Self::Uncurated => "uncuratedDesigns",
            Self::Read => "readDesign",
            Self::Remark => "remarkDesign",
        }
    }

    fn schema(&self) -> Value {
        let deck = json!({ "type": "string" });
        match self {
            Self::Uncurated => json!({ "type": "object" }),
            Self::Read => {
                json!({ "type": "object", "properties": { "deck": deck }, "required": ["deck"] })
            }
            Self::Remark => json!({
                "type": "object",
                "properties": { "deck": deck, "said": { "type": "object" } },
                "required": ["deck", "said"],
            }),
        }
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let (collections, owner) = (context.collections(), context.owner());
        match self {
            Self::Uncurated => uncurated(collections, owner).await,
            Self::Read => read(collections, owner, input).await,
            Self::Remark => keep(collections, owner, input, &context.key()).await,
        }
    }
}

pub(super) async fn uncurated(
    collections: &Collections,
    owner: &str,
) -> Result<ToolOutcome, ToolError> {
    let all = collections.get(owner, &decks()).await?;
    let said = collections.get(owner, &remarks()).await?;
    // A deck that was put in again after its remark needs a new remark.
    let is_new = |id: &DocumentId, entry: &Entry| {
        let remark = said.documents.get(id);
        remark.is_none_or(|remark| remark.at < entry.at)
    };
    let new: Vec<&DocumentId> = all
        .documents
        .iter()
        .filter(|(id, entry)| is_new(id, entry))
        .map(|(id, _)| id)
        .collect();
    let summary = format!("{} of {} decks", new.len(), all.documents.len());
    let first: Vec<&&DocumentId> = new.iter().take(DECKS_MAX).collect();
    Ok(ToolOutcome::gave(
        json!({ "decks": first, "all": new.len() }),
        summary,
    ))
}

pub(super) async fn read(
    collections: &Collections,
    owner: &str,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = OfDeck::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let entry = collections
        .find(owner, &decks(), Some(&asked.deck), None)
        .await?;
    let entry = entry.ok_or_else(|| {
        ToolError::new("no_deck", "the deck is not in the index any longer", false)
    })?;
    let text = collections
        .content(owner, &decks(), &entry.document)
        .await?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let title = &entry.document.name;
    let taken = IndexedDeck::of_text(&asked.deck, title, "", &text, None);
    let ids: Vec<&String> = taken.slides.iter().map(|slide| &slide.id).collect();
    let output = json!({ "title": title, "dsl": text, "slides": ids });
    Ok(ToolOutcome::gave(
        output,
        format!("{title}, {} slides", ids.len()),
    ))
}

pub(super) async fn keep(
    collections: &Collections,
    owner: &str,
    input: &Value,
    key: &str,
) -> Result<ToolOutcome, ToolError> {
    let given = Remarked::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let deck = DocumentId::from(given.deck.as_str());
    if collections
        .find(owner, &decks(), Some(&given.deck), None)
        .await?
        .is_none()
    {
        let message = "the deck is not in the index any longer";
        return Err(ToolError::new("no_deck", message, false));
    }
    remark(collections, owner, &deck, &given.said, key, Actor::system()).await?;
    let summary = format!("{} slides", given.said.slides.len());
    Ok(ToolOutcome::gave(json!({ "kept": true }), summary))
}
