//! The design index of an owner: decks are put in and removed, are searched, and are voted on. The data is kept in four collections; the
//! index that is searched is made from them in memory, and is made again when they have changed.

#[cfg(test)]
pub(crate) mod curated;
mod curating;
mod held;
#[cfg(test)]
mod tests;
mod tools;
mod vectors;

use bytes::Bytes;
use palimpsest::prelude::pipeline::DocumentId;
use palimpsest::prelude::pipeline::vectors::VectorDocument;
use palimpsest::prelude::resource::{
    Changed, CollectionError, CollectionId, Collections, NewDocument,
};
use palimpsest::prelude::wire::Actor;
use serde_json::json;

use crate::designs::{
    BadDeck, DESIGN_REMARKS, DESIGN_VECTORS, DESIGN_VOTES, DESIGNS, Enrichment, Found, NewDeck,
    Signal, Vote,
};
pub(crate) use held::Designs;
pub(crate) use tools::tools;

/// The most characters of the text of a vote.
pub(crate) const CONTEXT_CHARS_MAX: usize = 500;

/// Documents that one change may remove.
const REMOVED_AT_ONCE: usize = 500;

/// Why something was not done to the index.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DesignError {
    #[error(transparent)]
    BadDeck(#[from] BadDeck),
    #[error("there is no such chunk in the design index")]
    NoChunk,
    #[error("what is said with a vote has at most {CONTEXT_CHARS_MAX} characters")]
    LongContext,
    #[error(transparent)]
    Collection(#[from] CollectionError),
}

impl From<palimpsest::prelude::wire::SendError> for DesignError {
    fn from(error: palimpsest::prelude::wire::SendError) -> Self {
        Self::Collection(error.into())
    }
}

/// The collections that the index is read from.
pub(crate) fn decks() -> CollectionId {
    CollectionId::only(DESIGNS)
}

fn votes() -> CollectionId {
    CollectionId::only(DESIGN_VOTES)
}

fn remarks() -> CollectionId {
    CollectionId::only(DESIGN_REMARKS)
}

fn vectors() -> CollectionId {
    CollectionId::only(DESIGN_VECTORS)
}

/// The opinion of a person or a run about a chunk.
#[derive(Clone, Debug)]
pub(crate) struct Feedback {
    pub(crate) chunk_id: String,
    pub(crate) signal: Signal,
    /// The session in which the opinion is given; a session has one vote for each slide.
    pub(crate) session: Option<String>,
    /// The slide as it was edited.
    pub(crate) dsl: Option<String>,
    pub(crate) context: Option<String>,
}

/// Puts a deck in, and replaces the one with the same id.
///
/// # Errors
///
/// Those of [`Collections::put`].
pub(crate) async fn ingest(
    collections: &Collections,
    owner: &str,
    deck: &NewDeck,
    client_id: &str,
    actor: Actor,
) -> Result<Changed, CollectionError> {
    let document = deck.document();
    let new = NewDocument {
        id: document.id,
        name: document.name,
        media_type: document.media_type,
        content: Bytes::from(deck.dsl.clone()),
        facts: document.facts,
    };
    collections
        .put(owner, &decks(), new, client_id, actor)
        .await
}

/// Removes a deck, with all votes and remarks about it and all vectors that were made of it.
///
/// # Errors
///
/// Those of [`Collections::remove`].
pub(crate) async fn remove(
    collections: &Collections,
    owner: &str,
    id: &DocumentId,
    client_id: &str,
    actor: Actor,
) -> Result<Changed, CollectionError> {
    let said = collections.get(owner, &votes()).await?;
    let about = crate::designs::Votes::about(&said, id);
    for (n, part) in about.chunks(REMOVED_AT_ONCE).enumerate() {
        let part_id = format!("{client_id}#votes{n}");
        let (place, part) = (votes(), part.to_vec());
        collections
            .remove(owner, &place, part, &part_id, actor.clone())
            .await?;
    }
    let made = collections.get(owner, &vectors()).await?;
    let made = made.documents.values().map(|entry| &entry.document);
    let of_deck = made.filter(|made| VectorDocument::about_of(&made.facts) == Some(id.as_str()));
    let of_deck: Vec<DocumentId> = of_deck.map(|made| made.id.clone()).collect();
    for (n, part) in of_deck.chunks(REMOVED_AT_ONCE).enumerate() {
        let part_id = format!("{client_id}#vectors{n}");
        let (place, part) = (vectors(), part.to_vec());
        collections
            .remove(owner, &place, part, &part_id, actor.clone())
            .await?;
    }
    let remarked = format!("{client_id}#remarks");
    collections
        .remove(
            owner,
            &remarks(),
            vec![id.clone()],
            &remarked,
            actor.clone(),
        )
        .await?;
    collections
        .remove(owner, &decks(), vec![id.clone()], client_id, actor)
        .await
}

/// Keeps a curator's remark about a deck, with facts for the next run.
///
/// # Errors
///
/// Those of [`Collections::put`].
pub(crate) async fn remark(
    collections: &Collections,
    owner: &str,
    deck: &DocumentId,
    said: &Enrichment,
    facts: serde_json::Value,
    client_id: &str,
) -> Result<Changed, CollectionError> {
    let new = NewDocument {
        id: deck.clone(),
        name: deck.to_string(),
        media_type: "application/json".to_owned(),
        content: Bytes::from(json!(said).to_string()),
        facts,
    };
    collections
        .put(owner, &remarks(), new, client_id, Actor::system())
        .await
}

/// Records votes on chunks. `by` is the name of the voter: there is one vote for each voter and each slide.
async fn vote(
    collections: &Collections,
    owner: &str,
    cast: Vec<Vote>,
    by: &str,
    client_id: &str,
    actor: Actor,
) -> Result<Changed, CollectionError> {
    let documents = cast.iter().map(|vote| {
        let (document, content) = vote.document(by);
        NewDocument {
            id: document.id,
            name: document.name,
            media_type: document.media_type,
            content: content.into(),
            facts: document.facts,
        }
    });
    let documents = documents.collect();
    collections
        .import(owner, &votes(), "", documents, client_id, actor)
        .await
}

impl Designs {
    /// Records an opinion about a chunk. A slide that was edited is added to the index in its new form.
    ///
    /// # Errors
    ///
    /// [`DesignError`]: there is no such chunk, or what is given is no deck.
    pub(crate) async fn feedback(
        &self,
        collections: &Collections,
        owner: &str,
        said: &Feedback,
        client_id: &str,
        actor: Actor,
    ) -> Result<Option<DocumentId>, DesignError> {
        let context = said.context.as_deref().unwrap_or_default();
        if context.chars().count() > CONTEXT_CHARS_MAX {
            return Err(DesignError::LongContext);
        }
        let index = self.index(collections, owner).await?;
        let found = index.find(&said.chunk_id).ok_or(DesignError::NoChunk)?;
        let deck = found.deck();
        let edited = match (&said.dsl, said.signal) {
            (Some(dsl), Signal::Edit) => {
                let name = match found {
                    Found::Deck(_) => deck.title.clone(),
                    Found::Slide(_, slide) => format!("{} ({})", slide.slide_name, deck.title),
                    Found::Element(_, element) => {
                        format!("{} ({})", element.semantic_summary, deck.title)
                    }
                };
                Some(NewDeck::read(dsl.as_bytes(), None, Some(&name), "")?)
            }
            (Some(_) | None, _) => None,
        };
        let voice = said.session.as_deref().unwrap_or(client_id);
        let cast = Vote {
            signal: said.signal,
            deck: DocumentId::from(deck.id.as_str()),
            chunk: said.chunk_id.clone(),
            session: said.session.clone(),
            context: said.context.clone(),
        };
        vote(
            collections,
            owner,
            vec![cast],
            voice,
            client_id,
            actor.clone(),
        )
        .await?;
        let Some(edited) = edited else {
            return Ok(None);
        };
        let part = format!("{client_id}#edited");
        ingest(collections, owner, &edited, &part, actor.clone()).await?;
        // A design that somebody edited by hand counts as kept by that person.
        let index = self.index(collections, owner).await?;
        let slides = index.find(edited.id.as_str()).map(Found::deck);
        let kept = slides.iter().flat_map(|deck| &deck.slide_chunk_ids);
        let kept = kept.map(|chunk| Vote {
            signal: Signal::Keep,
            deck: edited.id.clone(),
            chunk: chunk.clone(),
            session: said.session.clone(),
            context: None,
        });
        let (kept, part) = (kept.collect(), format!("{client_id}#kept"));
        vote(collections, owner, kept, voice, &part, actor).await?;
        Ok(Some(edited.id))
    }
}
