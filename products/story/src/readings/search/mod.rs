//! Finding passages of the story and entries of its bible. Small pieces are searched, and the larger passages around them are returned.
//! Only prose that is accepted and entries that are facts are in the index, which depends only on the book.

mod fusion;
mod index;
mod pieces;
#[cfg(test)]
mod tests;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::pipeline::vectors::{Near, Vectors};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use fusion::fused;
pub use index::StoryIndex;

/// What a passage is taken from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    Character,
    WikiEntry,
    /// The prose of a chapter.
    StoryBlock,
    Item,
    Place,
    PlotLoop,
    Relationship,
}

/// Whether a passage is a larger one, or a small piece of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChunkLevel {
    Parent,
    Child,
}

/// What is left out of an answer, and how many results it may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryFilter {
    /// Only these kinds; all kinds where it is empty.
    pub kinds: Vec<SourceKind>,
    /// Prose of this chapter and later ones. Entries of the bible belong to no chapter and are always found.
    pub from_chapter: Option<usize>,
    /// Prose up to this chapter.
    pub to_chapter: Option<usize>,
    pub limit: usize,
}

impl Default for StoryFilter {
    fn default() -> Self {
        Self {
            kinds: vec![],
            from_chapter: None,
            to_chapter: None,
            limit: 10,
        }
    }
}

/// A passage that was found, the best of its source.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundPassage {
    /// The id of the larger passage, made from its source and the place where it begins there: `c1@2048`.
    pub id: String,
    pub source_type: SourceKind,
    pub source_id: EntryId,
    /// The larger passage.
    pub content: String,
    /// How near the meaning is, from 0 to 1, where vectors found it.
    pub similarity: Option<f64>,
    /// 1 less the similarity.
    pub cosine_distance: Option<f64>,
    /// BM25 of the small piece; 0 where only vectors found it.
    pub full_text_score: f64,
    /// The score of both rankings together.
    pub rrf_score: f64,
    /// Always absent here; a caller that asks a model to rank the results again fills it in.
    pub reranker_score: Option<f64>,
    pub metadata: PassageMetadata,
    pub chunk_level: ChunkLevel,
    /// Always absent, since the larger passage itself is returned.
    pub parent_id: Option<String>,
    /// The number of the chapter; entries of the bible have none.
    pub chapter_order: Option<usize>,
    /// Which of the larger passages of its source it is, from 0.
    pub block_order: usize,
}

/// What else is known of a passage.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassageMetadata {
    /// The title of the chapter, or the name of the entry.
    pub title: String,
    /// The small piece that was found.
    pub snippet: String,
    /// Characters of the source before the larger passage.
    pub start: usize,
    /// The version of the chapter that the passage is from.
    pub version: Option<u32>,
    /// The name of what made the vectors, where vectors were used.
    pub embedding_model: Option<String>,
}

/// What a search used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SearchedBy {
    FullText,
    FullTextAndVectors,
}

/// A question as a vector, with the vectors that were made of the texts of the index.
#[derive(Clone, Copy, Debug)]
pub struct VectorQuery<'a> {
    pub near: Near<'a>,
    pub vectors: &'a Vectors,
}
