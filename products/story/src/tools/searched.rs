//! The search indexes of stories. An index is made of the whole accepted book, which takes a second for a long series, so the indexes that
//! were asked for last are kept. An index is made anew when the accepted book has changed, no matter which process changed it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use palimpsest::prelude::pipeline::vectors::{VectorDocument, Vectors};
use palimpsest::prelude::pipeline::{DocumentId, Sha256};
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::resource::{Collection, CollectionId, Collections, Projects};
use palimpsest::prelude::wire::SendError;

use super::books::{Edition, read_book};
use crate::readings::STORY_VECTORS;
use crate::readings::search::StoryIndex;

/// Stories whose index is kept: a novel of a million Chinese characters takes some sixty megabytes (its text, four thousand pieces,
/// a word for each pair of characters), its vectors four more.
pub(super) const STORIES_KEPT: usize = 8;

/// A story as it is searched.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchedStory {
    pub project: Arc<Project>,
    pub index: Arc<StoryIndex>,
    pub vectors: Arc<Vectors>,
}

/// The vectors that were made of a project's story.
pub(crate) fn vectors_of(project: &str) -> CollectionId {
    CollectionId {
        kind: STORY_VECTORS,
        name: project.to_owned(),
    }
}

/// The stories that were searched last.
#[derive(Debug, Default)]
struct SearchedStories(Mutex<BTreeMap<(String, String), Place>>);

/// The place of one story. A search waits for the task that makes the index of the same story, and for no other.
#[derive(Debug, Default)]
struct Place {
    held: Arc<tokio::sync::Mutex<Held>>,
    /// When it was asked for last, counted in questions.
    asked: u64,
}

#[derive(Debug, Default)]
struct Held {
    /// The book that the index was made of; `None` where none was made yet.
    book: Option<Sha256>,
    index: Arc<StoryIndex>,
    /// The version of the collection that the vectors are of.
    version: u64,
    documents: BTreeMap<DocumentId, Arc<VectorDocument>>,
    vectors: Arc<Vectors>,
}

impl SearchedStories {
    /// The place of a story; if there are too many, the one that was not asked for longest is dropped.
    fn place(&self, owner: &str, project: &str) -> Arc<tokio::sync::Mutex<Held>> {
        let name = (owner.to_owned(), project.to_owned());
        // Nothing is done under this lock that can panic half-way.
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = places.values().map(|place| place.asked).max().unwrap_or(0) + 1;
        let oldest = places.iter().min_by_key(|(_, place)| place.asked);
        if places.len() >= STORIES_KEPT
            && !places.contains_key(&name)
            && let Some(oldest) = oldest.map(|(name, _)| name.clone())
        {
            places.remove(&oldest);
        }
        let place = places.entry(name).or_default();
        place.asked = asked;
        Arc::clone(&place.held)
    }

    fn forget(&self, owner: &str, project: &str) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        places.remove(&(owner.to_owned(), project.to_owned()));
    }
}

/// A project as it is searched now; none where there is no such project.
///
/// # Errors
///
/// Those of [`read_book`]; a project that was erased is not kept either.
pub(crate) async fn searched_story(
    projects: &Projects,
    collections: &Collections,
    owner: &str,
    project: &str,
) -> Result<Option<SearchedStory>, SendError> {
    let stories = projects.derived::<SearchedStories>();
    let place = stories.place(owner, project);
    let mut held = place.lock().await;
    // Read while nobody else makes this index, so that it never goes back to an older state.
    let state = projects.get(owner, project).await;
    let state = match state {
        Ok(state) if state.exists() && !state.erased => state,
        Ok(_) => {
            stories.forget(owner, project);
            return Ok(None);
        }
        Err(error) => {
            stories.forget(owner, project);
            return Err(error);
        }
    };
    let book = state.accepted_hash();
    if held.book != Some(book) {
        let made = read_book(projects, owner, project, Edition::Accepted).await?;
        // Somebody may have changed it between the two readings.
        let book = made.project().accepted_hash();
        let index = tokio::task::spawn_blocking(move || StoryIndex::of(&made)).await;
        held.index = Arc::new(index.map_err(|_| SendError::Stopped)?);
        held.book = Some(book);
    }
    let place = vectors_of(project);
    let made = collections.get(owner, &place).await?;
    if held.version != made.version {
        held.take_vectors(collections, owner, &place, &made).await?;
    }
    Ok(Some(SearchedStory {
        project: state,
        index: Arc::clone(&held.index),
        vectors: Arc::clone(&held.vectors),
    }))
}

impl Held {
    /// Reads the vectors that are new, and drops those that were removed.
    async fn take_vectors(
        &mut self,
        collections: &Collections,
        owner: &str,
        place: &CollectionId,
        made: &Collection,
    ) -> Result<(), SendError> {
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
        self.vectors = Arc::new(Vectors::of(self.documents.values().map(Arc::as_ref)));
        self.version = made.version;
        Ok(())
    }
}
