//! Searching a story by words and, if a model makes vectors, by vectors: the two rankings are combined by reciprocal rank. Without vectors
//! a search uses words alone, and says why.

use palimpsest::prelude::pipeline::vectors::{Near, TextHash};
use palimpsest::prelude::resource::project::{Project, StyleSample};
use palimpsest::prelude::tool::embedding::advice;
use palimpsest::prelude::tool::{Embedder, QueryVector};
use palimpsest::prelude::wire::SendError;

use super::searched::SearchedStory;
use crate::readings::search::{FoundPassage, SearchedBy, StoryFilter, VectorQuery};

/// A question to a story, with its vector if there is one.
#[derive(Clone, Debug)]
pub(crate) struct StoryQuestion {
    vector: Option<QueryVector>,
    /// Why only words are compared, or what part of the story has no vector yet; `None` if everything has one.
    pub reason: Option<String>,
}

impl StoryQuestion {
    /// Asks for the vector of a question, if the story has vectors with which it can be compared.
    pub(crate) async fn of(
        story: &SearchedStory,
        embedder: Option<&Embedder>,
        question: &str,
    ) -> Self {
        let by_words = |reason: String| Self {
            vector: None,
            reason: Some(reason),
        };
        let Some(embedder) = embedder else {
            let why = "no model of vectors is configured (`PALIMPSEST_EMBEDDINGS_MODEL`)";
            return by_words(why.to_owned());
        };
        let name = embedder.name();
        if story.vectors.named(name).is_none() {
            let why = format!(
                "nothing of the story has a vector of `{name}` yet: the next chapter that is accepted has them made"
            );
            return by_words(why);
        }
        if question.trim().is_empty() {
            return by_words("the question is empty".to_owned());
        }
        match embedder.query(question.trim()).await {
            Ok(vector) => Self {
                vector: Some(vector),
                reason: uncovered(story, name),
            },
            Err(error) => by_words(format!(
                "the model of vectors cannot be had: {error}; {}",
                advice(error.kind)
            )),
        }
    }

    /// What a search with it compares.
    pub(crate) fn by(&self) -> SearchedBy {
        match self.vector {
            Some(_) => SearchedBy::FullTextAndVectors,
            None => SearchedBy::FullText,
        }
    }

    /// Tokens that were billed for it.
    pub(crate) fn tokens(&self) -> u64 {
        self.vector.as_ref().map_or(0, |vector| vector.tokens)
    }

    /// The passages of the story that it finds, the best first. Work for a thread of its own.
    pub(crate) fn passages(
        &self,
        story: &SearchedStory,
        words: &str,
        filter: &StoryFilter,
    ) -> Vec<FoundPassage> {
        let near = self.near();
        let vectors = near.map(|near| VectorQuery {
            near,
            vectors: &story.vectors,
        });
        story.index.search(words, vectors, filter)
    }

    /// The samples of the author's style that are closest to it, the closest first; empty if it has no vector.
    pub(crate) fn samples(&self, story: &SearchedStory) -> Vec<String> {
        let Some(near) = self.near() else {
            return vec![];
        };
        let Some(vectors) = story.vectors.named(near.name) else {
            return vec![];
        };
        let samples = samples(&story.project).filter_map(|(id, sample)| {
            let vector = vectors.get(&sample_hash(sample))?;
            let nearness = vector.nearness(near.vector).filter(|it| *it > 0.0)?;
            Some((nearness, id))
        });
        let mut samples: Vec<(f64, &str)> = samples.collect();
        samples.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        samples.into_iter().map(|(_, id)| id.to_owned()).collect()
    }

    fn near(&self) -> Option<Near<'_>> {
        self.vector.as_ref().map(QueryVector::near)
    }
}

/// How much of a story has no vector of this name yet, in words; `None` if everything has one.
fn uncovered(story: &SearchedStory, name: &str) -> Option<String> {
    let without = story.index.without_vector(&story.vectors, name);
    (without > 0).then(|| {
        let all = story.index.pieces();
        format!(
            "{without} of {all} pieces of the story have no vector of `{name}` yet and are found by their words alone"
        )
    })
}

/// The texts of a story of which vectors are made, each once: the texts that searches look through, and the samples of the style.
pub(super) fn texts(story: &SearchedStory) -> Vec<(TextHash, &str)> {
    let mut texts = story.index.texts();
    let mut known: std::collections::BTreeSet<TextHash> =
        texts.iter().map(|(hash, _)| *hash).collect();
    for (_, sample) in samples(&story.project) {
        let text = sample.text.trim();
        if !text.is_empty() && known.insert(sample_hash(sample)) {
            texts.push((sample_hash(sample), text));
        }
    }
    texts
}

fn samples(project: &Project) -> impl Iterator<Item = (&str, &StyleSample)> {
    let entries = project.entries.values();
    entries.filter_map(|kept| {
        let sample = kept.entry.what.as_style_sample()?;
        Some((kept.entry.id.as_str(), sample))
    })
}

fn sample_hash(sample: &StyleSample) -> TextHash {
    TextHash::of(sample.text.trim())
}

/// A search on a separate thread: for a long book it takes tens of milliseconds.
///
/// # Errors
///
/// [`SendError::Stopped`] where the program stops meanwhile.
pub(crate) async fn find_passages(
    story: SearchedStory,
    question: &StoryQuestion,
    words: String,
    filter: StoryFilter,
) -> Result<Vec<FoundPassage>, SendError> {
    let question = question.clone();
    let search = move || question.passages(&story, &words, &filter);
    let found = tokio::task::spawn_blocking(search).await;
    found.map_err(|_| SendError::Stopped)
}
