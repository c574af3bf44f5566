//! The tools by which steps search the design index and put decks into it. To find nothing is an answer, not an error.

use std::sync::Arc;

use async_trait::async_trait;
use palimpsest::prelude::pipeline::{DocumentId, Sha256, ToolOutcome};
use palimpsest::prelude::resource::{CollectionError, Collections};
use palimpsest::prelude::tool::embedding::cost_micros;
use palimpsest::prelude::tool::input::{flag, in_range, number};
use palimpsest::prelude::tool::{Embedder, Stop, Tool, ToolContext, ToolError};
use palimpsest::prelude::wire::{Actor, SendError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::curating::CuratorTool;
use super::held::found;
use super::vectors::VectorTool;
use super::{Designs, ingest, vote};
use crate::designs::{Filter, Found, Granularity, NewDeck, Signal, Vote};

/// Chunks of each sort where the step does not say; the contract's numbers.
const SLIDES_DEFAULT: u64 = 5;
const DECKS_DEFAULT: u64 = 3;
const ELEMENTS_DEFAULT: u64 = 5;

/// Chunks of one sort.
const FOUND_MAX: u64 = 20;

/// The tools of one program, which share an index.
pub(crate) fn tools(designs: &Designs) -> [Arc<dyn Tool>; 7] {
    [
        Arc::new(SearchDesigns(designs.clone())),
        Arc::new(IngestDeck(designs.clone())),
        Arc::new(CuratorTool::Uncurated),
        Arc::new(CuratorTool::Read),
        Arc::new(CuratorTool::Remark),
        Arc::new(VectorTool::Missing(designs.clone())),
        Arc::new(VectorTool::Embed),
    ]
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
struct Search {
    query: String,
    #[serde(default, deserialize_with = "number")]
    slides: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    decks: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    elements: Option<u64>,
    #[serde(default)]
    min_score: Option<f64>,
    /// Whether the deck of this session is left out.
    #[serde(default)]
    not_of_session: bool,
    /// Whether the results will be shown in a prompt, which counts as a use.
    #[serde(default, deserialize_with = "flag")]
    is_used: bool,
}

/// `searchDesigns {query, slides?, decks?, elements?, min_score?, not_of_session?, is_used?}`.
struct SearchDesigns(Designs);

#[async_trait]
impl Tool for SearchDesigns {
    fn name(&self) -> &'static str {
        "searchDesigns"
    }

    fn schema(&self) -> Value {
        let count = json!({ "type": ["integer", "string", "null"] });
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "slides": count, "decks": count, "elements": count,
                "min_score": { "type": ["number", "null"] },
                "not_of_session": { "type": "boolean" },
                "is_used": { "type": "boolean" },
            },
            "required": ["query"],
        })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let key = context.key();
        let asking = Asking::of(&self.0, context, &key);
        let (outcome, tokens) = asking.search(input).await?;
        let cost_micros = match context.embedder() {
            Some(embedder) if tokens > 0 => {
                let session = context.session().await?;
                let run = session.run(context.step().run).ok_or(Stop::Over)?;
                cost_micros(&run.settings, embedder, tokens)
            }
            Some(_) | None => 0,
        };
        Ok(ToolOutcome {
            cost_micros,
            ..outcome
        })
    }
}

#[derive(Deserialize)]
struct Ingest {
    dsl: String,
    #[serde(default)]
    title: Option<String>,
    /// Chunks that served as models for the deck.
    #[serde(default)]
    references: Vec<String>,
    /// Whether these are also counted as used, because they were not shown in a prompt.
    #[serde(default, deserialize_with = "flag")]
    is_used: bool,
}

/// `ingestDeck {dsl, title?, references?, is_used?}`: puts the deck of a session in, and replaces its last one.
struct IngestDeck(Designs);

#[async_trait]
impl Tool for IngestDeck {
    fn name(&self) -> &'static str {
        "ingestDeck"
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "dsl": { "type": "string" },
                "title": { "type": ["string", "null"] },
                "references": { "type": "array", "items": { "type": "string" } },
                "is_used": { "type": "boolean" },
            },
            "required": ["dsl"],
        })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let key = context.key();
        Asking::of(&self.0, context, &key).ingest(input).await
    }
}

/// What a call knows about the step that asks the index.
pub(super) struct Asking<'a> {
    pub(super) designs: &'a Designs,
    pub(super) collections: &'a Collections,
    pub(super) embedder: Option<&'a Embedder>,
    pub(super) owner: &'a str,
    pub(super) session: &'a str,
    /// The name of the call, the same each time it is made.
    pub(super) key: &'a str,
}

impl<'a> Asking<'a> {
    fn of(designs: &'a Designs, context: &'a ToolContext<'_>, key: &'a str) -> Self {
        Self {
            designs,
            collections: context.collections(),
            embedder: context.embedder(),
            owner: context.owner(),
            session: context.session_id().as_str(),
            key,
        }
    }
}

impl Asking<'_> {
    /// What was found, with the tokens that were billed for it.
    pub(super) async fn search(&self, input: &Value) -> Result<(ToolOutcome, u64), ToolError> {
        let asked = Search::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
        let sorts = [
            (Granularity::Deck, asked.decks, DECKS_DEFAULT),
            (Granularity::Slide, asked.slides, SLIDES_DEFAULT),
            (Granularity::Element, asked.elements, ELEMENTS_DEFAULT),
        ];
        let filters = sorts.map(|(granularity, wanted, default)| Filter {
            granularity,
            not_of: asked
                .not_of_session
                .then(|| deck_of(self.session).to_string()),
            min_score: asked.min_score.unwrap_or(crate::designs::MIN_SCORE),
            limit: in_range(wanted, default, FOUND_MAX) as usize,
            ..Filter::default()
        });
        let index = self.designs.index(self.collections, self.owner).await?;
        let (query, filters) = (asked.query, filters.into());
        let found = found(Arc::clone(&index), self.embedder, query, filters).await?;
        let mut not_counted = None;
        if asked.is_used {
            let ids = found
                .hits
                .iter()
                .map(|hit| (hit.deck_id.as_str(), hit.chunk_id.as_str()));
            not_counted = self.vote(ids, Signal::Use).await?;
        }
        let [decks, slides, elements] = index.sizes();
        let summary = format!(
            "{} of {decks} decks, {slides} slides, {elements} elements",
            found.hits.len()
        );
        let mut output = json!({
            "embedding": found.embedding,
            "index": { "decks": decks, "slides": slides, "elements": elements },
            "results": found.hits,
            "not_counted": not_counted,
        });
        if let Some(remark) = found.remark {
            output["remark"] = json!(remark);
        }
        Ok((ToolOutcome::gave(output, summary), found.tokens))
    }

    pub(super) async fn ingest(&self, input: &Value) -> Result<ToolOutcome, ToolError> {
        let asked = Ingest::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
        let id = deck_of(self.session);
        let deck = NewDeck::read(asked.dsl.as_bytes(), Some(id), asked.title.as_deref(), "");
        let deck = deck.map_err(|bad| ToolError::new("bad_deck", &bad.to_string(), false))?;
        ingest(
            self.collections,
            self.owner,
            &deck,
            self.key,
            Actor::system(),
        )
        .await?;
        let index = self.designs.index(self.collections, self.owner).await?;
        // References that were removed from the index since they were shown are skipped.
        let known = asked.references.iter();
        let known = known.filter_map(|chunk| Some((index.find(chunk)?, chunk)));
        let known: Vec<(String, String)> = known
            .map(|(found, chunk)| (Found::deck(found).id.clone(), chunk.clone()))
            .collect();
        let each = known
            .iter()
            .map(|(deck, chunk)| (deck.as_str(), chunk.as_str()));
        let mut not_counted = self.vote(each.clone(), Signal::Keep).await?;
        if asked.is_used {
            not_counted = not_counted.or(self.vote(each, Signal::Use).await?);
        }
        let summary = format!(
            "{} slides, made after {} references",
            deck.slides,
            known.len()
        );
        let output = json!({ "deck_chunk_id": deck.id, "slides": deck.slides, "kept": known.len(), "not_counted": not_counted });
        Ok(ToolOutcome::gave(output, summary))
    }

    /// Records a vote of this session on chunks, which are given with their decks. If the vote is refused, returns the reason: the caller
    /// still gets its results.
    async fn vote(
        &self,
        chunks: impl Iterator<Item = (&str, &str)>,
        signal: Signal,
    ) -> Result<Option<String>, ToolError> {
        let votes = chunks.map(|(deck, chunk)| Vote {
            signal,
            deck: DocumentId::from(deck),
            chunk: chunk.to_owned(),
            session: Some(self.session.to_owned()),
            context: None,
        });
        let votes: Vec<Vote> = votes.collect();
        if votes.is_empty() {
            return Ok(None);
        }
        // Each call counts as a separate use.
        let (voice, part) = match signal {
            Signal::Use => (self.key, "uses"),
            Signal::Keep | Signal::Edit | Signal::Regen | Signal::Delete => (self.session, "votes"),
        };
        let id = format!("{}#{part}", self.key);
        let (collections, owner) = (self.collections, self.owner);
        match vote(collections, owner, votes, voice, &id, Actor::system()).await {
            Ok(_) => Ok(None),
            Err(CollectionError::Refused(refusal)) => Ok(Some(refusal.to_string())),
            // This same call was made before a crash, and the index has changed since: it was counted then.
            Err(CollectionError::Log(SendError::IdReused)) => Ok(None),
            Err(error @ CollectionError::Log(_)) => Err(error.into()),
        }
    }
}

/// The id of the deck of a session.
fn deck_of(session: &str) -> DocumentId {
    let hash = Sha256::of(session.as_bytes());
    DocumentId::from(format!("run_{}", &hash.hex()[..16]).as_str())
}
