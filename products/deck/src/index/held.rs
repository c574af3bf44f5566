//! The indexes of the owners who searched lately, in the form in which they are searched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use palimpsest::prelude::pipeline::vectors::{EMBEDDING, VectorDocument, Vectors};
use palimpsest::prelude::pipeline::{DocumentId, Sha256};
use palimpsest::prelude::resource::{Collection, Collections};
use palimpsest::prelude::tool::embedding::advice;
use palimpsest::prelude::tool::{Embedder, QueryVector};
use palimpsest::prelude::wire::SendError;

use super::{decks, remarks, vectors, votes};
use crate::designs::{Enrichment, Filter, Hit, Index, Votes};

/// Owners whose index is kept: at 120 MB for the largest, a gigabyte; half as much again with vectors of 1,024 numbers.
const KEPT: usize = 8;

/// The design indexes of owners. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Designs {
    owners: Arc<Mutex<BTreeMap<String, Kept>>>,
}

/// The place of an owner's index. A search waits for the task that makes the index of the same owner, and for no other.
#[derive(Debug, Default)]
struct Kept {
    held: Arc<tokio::sync::Mutex<Held>>,
    /// When it was asked for last, counted in questions.
    asked: u64,
}

/// The index of an owner, and what it was made from.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    index: Arc<Index>,
    made_from: MadeFrom,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct MadeFrom {
    /// Versions of decks, votes, remarks, vectors.
    versions: [u64; 4],
    /// The text of each deck, and the remark about it.
    decks: BTreeMap<DocumentId, (Sha256, String, Option<Sha256>)>,
    vectors: BTreeMap<DocumentId, Arc<VectorDocument>>,
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
        let place = self.place(owner);
        let mut held = place.lock().await;
        // Read while nobody else makes this index, so that it never goes back to an older state.
        let all = collections.get(owner, &decks()).await?;
        let said = collections.get(owner, &votes()).await?;
        let remarked = collections.get(owner, &remarks()).await?;
        let made = collections.get(owner, &vectors()).await?;
        let versions = [all.version, said.version, remarked.version, made.version];
        if held.made_from.versions != versions {
            // If this fails nothing is kept, and the next question makes the whole index.
            let mut now = std::mem::take(&mut *held);
            if now.made_from.versions[..3] != versions[..3] {
                now = catch_up(collections, owner, now, &all, &said, &remarked).await?;
            }
            if now.made_from.versions[3] != versions[3] {
                now = with_vectors(collections, owner, now, &made).await?;
            }
            *held = now;
            held.made_from.versions = versions;
        }
        Ok(Arc::clone(&held.index))
    }

    /// The place of an owner's index; if there are too many, the one that was not asked for longest is dropped.
    pub(super) fn place(&self, owner: &str) -> Arc<tokio::sync::Mutex<Held>> {
        // Nothing is done under this lock that can panic half-way.
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = owners.values().map(|kept| kept.asked).max().unwrap_or(0) + 1;
        let oldest = owners.iter().min_by_key(|(_, kept)| kept.asked);
        if owners.len() >= KEPT
            && !owners.contains_key(owner)
            && let Some(oldest) = oldest.map(|(owner, _)| owner.clone())
        {
            owners.remove(&oldest);
        }
        let kept = owners.entry(owner.to_owned()).or_default();
        kept.asked = asked;
        Arc::clone(&kept.held)
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

/// Reads the vectors that are new, and drops those that were removed.
async fn with_vectors(
    collections: &Collections,
    owner: &str,
    held: Held,
    made: &Collection,
) -> Result<Held, SendError> {
    let mut known = held.made_from.vectors;
    known.retain(|id, _| made.documents.contains_key(id));
    for (id, entry) in &made.documents {
        // The id of a document follows from its texts, so that its content does not change.
        if known.contains_key(id) {
            continue;
        }
        let document = &entry.document;
        let bytes = collections.content(owner, &vectors(), document).await?;
        match VectorDocument::read(&document.facts, &bytes) {
            Some(read) => {
                known.insert(id.clone(), Arc::new(read));
            }
            None => {
                tracing::warn!(document.id = %id, "vectors that were kept cannot be read and are left out")
            }
        }
    }
    let mut index = Arc::unwrap_or_clone(held.index);
    index.set_vectors(Arc::new(Vectors::of(known.values().map(Arc::as_ref))));
    Ok(Held {
        index: Arc::new(index),
        made_from: MadeFrom {
            vectors: known,
            ..held.made_from
        },
    })
}

/// Parses the decks that are new, and removes those that are gone.
async fn catch_up(
    collections: &Collections,
    owner: &str,
    held: Held,
    all: &Collection,
    said: &Collection,
    remarked: &Collection,
) -> Result<Held, SendError> {
    let mut index = Arc::unwrap_or_clone(held.index);
    let mut known = held.made_from.decks;
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
        made_from: MadeFrom {
            versions: held.made_from.versions,
            decks: known,
            vectors: held.made_from.vectors,
        },
    })
}
