//! What searches keep in memory: the indexes that were asked for last, and the vectors that were made of their texts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::DocumentId;
use domain::collection::CollectionId;
use domain::vectors::{VectorDocument, Vectors};

use crate::collections::Collections;
use crate::error::SendError;

/// The indexes that were asked for last, at most `KEPT` of them. A search waits for the task that makes the index that it asks for, and for
/// no other.
#[derive(Debug, Default)]
pub struct RecentIndexes<K, T, const KEPT: usize>(Mutex<BTreeMap<K, IndexPlace<T>>>);

#[derive(Debug, Default)]
struct IndexPlace<T> {
    held: Arc<tokio::sync::Mutex<T>>,
    /// When it was asked for last, counted in questions.
    asked: u64,
}

impl<K: Clone + Ord, T: Default, const KEPT: usize> RecentIndexes<K, T, KEPT> {
    /// The place of an index; if there are too many, the one that was not asked for longest is dropped.
    pub fn place(&self, name: K) -> Arc<tokio::sync::Mutex<T>> {
        let mut places = self.places();
        let asked = places.values().map(|place| place.asked).max().unwrap_or(0) + 1;
        let oldest = places.iter().min_by_key(|(_, place)| place.asked);
        if places.len() >= KEPT
            && !places.contains_key(&name)
            && let Some(oldest) = oldest.map(|(name, _)| name.clone())
        {
            places.remove(&oldest);
        }
        let place = places.entry(name).or_default();
        place.asked = asked;
        Arc::clone(&place.held)
    }

    /// Drops an index.
    pub fn forget(&self, name: &K) {
        self.places().remove(name);
    }

    fn places(&self) -> MutexGuard<'_, BTreeMap<K, IndexPlace<T>>> {
        // Nothing is done under this lock that can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The vectors of a collection, each document of which is read once.
#[derive(Clone, Debug, Default)]
pub struct KeptVectors {
    /// The version of the collection that the vectors are of.
    version: u64,
    documents: BTreeMap<DocumentId, Arc<VectorDocument>>,
    /// All of them, as they are looked up.
    pub all: Arc<Vectors>,
}

impl KeptVectors {
    /// Reads the vectors that are new, and drops those that were removed. Returns whether any were.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the collection was erased.
    pub async fn catch_up(
        &mut self,
        collections: &Collections,
        owner: &str,
        place: &CollectionId,
    ) -> Result<bool, SendError> {
        let made = collections.get(owner, place).await?;
        if self.version == made.version {
            return Ok(false);
        }
        self.documents
            .retain(|id, _| made.documents.contains_key(id));
        for (id, entry) in &made.documents {
            // The id of a document follows from its texts, so that its content does not change.
            if self.documents.contains_key(id) {
                continue;
            }
            let document = &entry.document;
            let bytes = collections.content(owner, place, document).await?;
            match VectorDocument::read(&document.facts, &bytes) {
                Some(read) => {
                    self.documents.insert(id.clone(), Arc::new(read));
                }
                None => {
                    tracing::warn!(document.id = %id, "vectors that were kept cannot be read and are left out")
                }
            }
        }
        self.all = Arc::new(Vectors::of(self.documents.values().map(Arc::as_ref)));
        self.version = made.version;
        Ok(true)
    }
}
