//! The indexes of the owners who searched lately, in the form in which they are searched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palimpsest::prelude::pipeline::vectors::EMBEDDING;
use palimpsest::prelude::pipeline::{DocumentId, Sha256};
use palimpsest::prelude::resource::{Collection, Collections};
use palimpsest::prelude::tool::embedding::advice;
use palimpsest::prelude::tool::indexes::{KeptVectors, RecentIndexes};
use palimpsest::prelude::tool::{Embedder, QueryVector};
use palimpsest::prelude::wire::SendError;

use super::{decks, remarks, votes};
use crate::designs::{Enrichment, Filter, Hit, Index, Votes};

/// Owners whose index is kept: at 120 MB for the largest, a gigabyte; half as much again with vectors of 1,024 numbers.
const KEPT: usize = 8;

/// The design indexes of owners. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Designs {
    pub(super) owners: Arc<RecentIndexes<String, Held, KEPT>>,
}

/// The index of an owner, and what it was made from.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    index: Arc<Index>,
    /// Versions of decks, votes, remarks.
    versions: [u64; 3],
    /// The text of each deck, and the remark about it.
    decks: BTreeMap<DocumentId, (Sha256, String, Option<Sha256>)>,
    vectors: KeptVectors,
}

impl Designs {
    /// The index of an owner as of now.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or a collection was erased.
    pub(crate) async fn index(
        &self,
        collections: &Collections,
        owner: &str,
    ) -> Result<Arc<Index>, SendError> {
        let place = self.owners.place(owner.to_owned());
        let mut held = place.lock().await;
        // Read while nobody else makes this index, so that it never goes back to an older state.
        let all = collections.get(owner, &decks()).await?;
        let said = collections.get(owner, &votes()).await?;
        let remarked = collections.get(owner, &remarks()).await?;
        let versions = [all.version, said.version, remarked.version];
        if held.versions != versions {
            // If this fails nothing is kept, and the next question makes the whole index.
            let now = std::mem::take(&mut *held);
            *held = catch_up(collections, owner, now, &all, &said, &remarked).await?;
            held.versions = versions;
        }
        let Held { index, vectors, .. } = &mut *held;
        if vectors
            .catch_up(collections, owner, &super::vectors())
            .await?
        {
            Arc::make_mut(index).set_vectors(Arc::clone(&vectors.all));
        }
        Ok(Arc::clone(index))
    }

    /// The results of a query, best first.
    ///
    /// # Errors
    ///
    /// Those of [`Self::index`].
    pub(crate) async fn search(
        &self,
        collections: &Collections,
        embedder: Option<&Embedder>,
        owner: &str,
        query: String,
        filter: Filter,
    ) -> Result<DesignHits, SendError> {
        let index = self.index(collections, owner).await?;
        found(index, embedder, query, vec![filter]).await
    }
}

/// What a query found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DesignHits {
    /// Each hit says by which vectors it was scored.
    pub(crate) hits: Vec<Hit>,
    /// The name of what made the vector of the query.
    pub(crate) embedding: String,
    /// Why the configured model did not make the vector.
    pub(crate) remark: Option<String>,
    /// Tokens that were billed for the vector of the query.
    pub(crate) tokens: u64,
}

/// The results of a query in an index, for each of these filters, one after the other. If the model gives no vector of the query, the
/// search uses n-grams.
pub(super) async fn found(
    index: Arc<Index>,
    embedder: Option<&Embedder>,
    query: String,
    filters: Vec<Filter>,
) -> Result<DesignHits, SendError> {
    let (vector, remark) = match embedder {
        None => (None, None),
        // The index has no vectors with which a vector of the query could be compared.
        Some(embedder) if !index.has_vectors(embedder.name()) => (None, Some(none_yet(embedder))),
        Some(embedder) => match embedder.query(&query).await {
            Ok(vector) => (Some(vector), None),
            Err(error) => {
                let advice = advice(error.kind);
                let remark =
                    format!("searched by words, without the model of vectors: {error}; {advice}");
                (None, Some(remark))
            }
        },
    };
    let embedding = vector.as_ref().map(|vector| vector.near().name);
    let embedding = embedding.unwrap_or(EMBEDDING).to_owned();
    let tokens = vector.as_ref().map_or(0, |vector| vector.tokens);
    let search = move || {
        let near = vector.as_ref().map(QueryVector::near);
        let by_each = filters
            .iter()
            .flat_map(|filter| index.search_near(&query, near, filter));
        by_each.collect()
    };
    // Tens of thousands of chunks take tens of milliseconds.
    let found = tokio::task::spawn_blocking(search).await;
    Ok(DesignHits {
        hits: found.map_err(|_| SendError::Stopped)?,
        embedding,
        remark,
        tokens,
    })
}

fn none_yet(embedder: &Embedder) -> String {
    let name = embedder.name();
    format!(
        "searched by words: nothing of the index has a vector of `{name}` yet; the next change of the index has them made"
    )
}

/// Parses the decks that are new, and removes those that are gone.
async fn catch_up(
    collections: &Collections,
    owner: &str,
    mut held: Held,
    all: &Collection,
    said: &Collection,
    remarked: &Collection,
) -> Result<Held, SendError> {
    let mut index = Arc::unwrap_or_clone(std::mem::take(&mut held.index));
    let mut known = std::mem::take(&mut held.decks);
    let gone: BTreeSet<DocumentId> = known
        .keys()
        .filter(|id| !all.documents.contains_key(*id))
        .cloned()
        .collect();
    for id in gone {
        index.remove(id.as_str());
        known.remove(&id);
    }
    for (id, entry) in &all.documents {
        let document = &entry.document;
        let remark = remarked.documents.get(id).map(|entry| &entry.document);
        let made = (
            document.blob.sha256,
            document.name.clone(),
            remark.map(|remark| remark.blob.sha256),
        );
        if known.get(id) == Some(&made) {
            continue;
        }
        let text = collections.content(owner, &decks(), document).await?;
        let enrichment: Option<Enrichment> = match remark {
            Some(remark) => {
                let bytes = collections.content(owner, &remarks(), remark).await?;
                serde_json::from_slice(&bytes).ok()
            }
            None => None,
        };
        let source_file = document.facts["source_file"].as_str().unwrap_or_default();
        index.put_text(
            id.as_str(),
            &document.name,
            source_file,
            &text,
            enrichment.as_ref(),
        );
        known.insert(id.clone(), made);
    }
    index.set_votes(Votes::of(said));
    Ok(Held {
        index: Arc::new(index),
        decks: known,
        ..held
    })
}
