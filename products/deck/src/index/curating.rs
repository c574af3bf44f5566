//! The tools of the curator, who describes the decks of an index in words that do not stand in them.

use async_trait::async_trait;
use palimpsest::prelude::pipeline::{DocumentId, ToolOutcome};
use palimpsest::prelude::resource::{Collections, Entry};
use palimpsest::prelude::tool::{Tool, ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{decks, remark, remarks};
use crate::designs::{Enrichment, IndexedDeck};

/// Decks that one run looks at; the others are looked at after the next change.
const DECKS_MAX: usize = 100;

/// How often a model is asked about a deck whose calls fail, each time in the run after a further change of the index. An outage has mostly
/// passed by then, and a provider that refuses is not asked without end; a deck that is put in again is asked about anew.
const ASKED_MAX: u64 = 3;

/// In the facts of a remark: how often a model was asked without an answer so far. A remark without it is settled.
const ASKED: &str = "asked";

/// One of these tools.
#[derive(Clone, Copy, Debug)]
pub(super) enum CuratorTool {
    /// `uncuratedDesigns {}`: the decks about which a model is to be asked.
    Uncurated,
    /// `readDesign {deck}`: its text, the ids of its slides, and how often a model was asked about it without an answer.
    Read,
    /// `remarkDesign {deck, said?, asked?}`: keeps a remark about a deck; where nothing is said, what was said before stays. With the number
    /// `asked` the remark is about a question that has no answer yet.
    Remark,
}

#[derive(Deserialize)]
struct OfDeck {
    deck: String,
}

#[derive(Deserialize)]
struct Remarked {
    deck: String,
    #[serde(default)]
    said: Option<Enrichment>,
    #[serde(default)]
    asked: Option<u64>,
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
                "properties": {
                    "deck": deck,
                    "said": { "type": ["object", "null"] },
                    "asked": { "type": ["integer", "null"] },
                },
                "required": ["deck"],
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
    let is_new = |id: &DocumentId, entry: &Entry| {
        let asked = asked_before(entry, said.documents.get(id));
        asked.is_some_and(|asked| asked < ASKED_MAX)
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

/// How often a model was asked about a deck without an answer; `None` where nothing more is to be asked. A deck that was put in again after
/// its remark needs a new remark.
fn asked_before(deck: &Entry, remark: Option<&Entry>) -> Option<u64> {
    match remark.filter(|remark| remark.at >= deck.at) {
        Some(remark) => remark.document.facts[ASKED].as_u64(),
        None => Some(0),
    }
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
    let remark = collections
        .find(owner, &remarks(), Some(&asked.deck), None)
        .await?;
    let before = asked_before(&entry, remark.as_ref());
    let output = json!({ "title": title, "dsl": text, "slides": ids, "asked": before });
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
    let said = match given.said {
        Some(said) => said,
        None => said_before(collections, owner, &given.deck).await?,
    };
    let facts = given
        .asked
        .map_or(Value::Null, |asked| json!({ ASKED: asked }));
    remark(collections, owner, &deck, &said, facts, key).await?;
    let summary = format!("{} slides", said.slides.len());
    Ok(ToolOutcome::gave(json!({ "kept": true }), summary))
}

/// The remark that is kept about a deck; an empty one where there is none.
async fn said_before(
    collections: &Collections,
    owner: &str,
    deck: &str,
) -> Result<Enrichment, ToolError> {
    let kept = collections
        .find(owner, &remarks(), Some(deck), None)
        .await?;
    let Some(kept) = kept else {
        return Ok(Enrichment::default());
    };
    let bytes = collections
        .content(owner, &remarks(), &kept.document)
        .await?;
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}
