//! The search indexes of stories. An index is made of the whole accepted book, which takes a second for a long series, so the indexes that
//! were asked for last are kept. An index is made anew when the accepted book has changed, no matter which process changed it.

use std::sync::Arc;

use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::pipeline::vectors::Vectors;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::resource::{CollectionId, Collections, Projects};
use palimpsest::prelude::tool::indexes::{KeptVectors, RecentIndexes};
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

/// The stories that were searched last, by owner and project.
type SearchedStories = RecentIndexes<(String, String), Held, STORIES_KEPT>;

#[derive(Debug, Default)]
struct Held {
    /// The book that the index was made of; `None` where none was made yet.
    book: Option<Sha256>,
    index: Arc<StoryIndex>,
    vectors: KeptVectors,
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
    let name = (owner.to_owned(), project.to_owned());
    let place = stories.place(name.clone());
    let mut held = place.lock().await;
    // Read while nobody else makes this index, so that it never goes back to an older state.
    let state = projects.get(owner, project).await;
    let state = match state {
        Ok(state) if state.exists() && !state.erased => state,
        Ok(_) => {
            stories.forget(&name);
            return Ok(None);
        }
        Err(error) => {
            stories.forget(&name);
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
    held.vectors.catch_up(collections, owner, &place).await?;
    Ok(Some(SearchedStory {
        project: state,
        index: Arc::clone(&held.index),
        vectors: Arc::clone(&held.vectors.all),
    }))
}
