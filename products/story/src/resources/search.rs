//! Finds passages and entries of a story, and shows the context that a prompt would get.

use axum::Json;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::answers::{PageQuery, StoryPage};
use super::described::{ContextDoc, PassagesDoc};
use super::desk::{Desk, no_entry};
use super::limits::{CONTEXT_TOKENS, CONTEXT_TOKENS_MAX, FOUND, FOUND_MAX};
use crate::readings::context::{ContextPreview, ContextRequest, StoryBlock, context as context_of};
use crate::readings::search::{FoundPassage, SearchedBy, SourceKind, StoryFilter};
use crate::tools::books::Edition;
use crate::tools::searching::find_passages;

/// What is looked for.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct SearchQuery {
    q: String,
    /// Only these, separated by commas: `character`, `wiki_entry`, `story_block`, `item`, `place`, `plot_loop`, `relationship`.
    kinds: Option<String>,
    /// Prose of this chapter and later ones, by number.
    from_chapter: Option<usize>,
    /// Prose up to this chapter.
    to_chapter: Option<usize>,
    /// How many, at most 100; 10 where absent.
    limit: Option<usize>,
}

/// Find passages of accepted chapters and entries of the bible
#[utoipa::path(get, path = "/api/projects/{project}/search", operation_id = "search_story", tag = "stories", params(SearchQuery),
    responses(
        (status = 200, description = "a page of passages, the best first, with `by` (`full_text`, `full_text_and_vectors`) and `reason`", body = PassagesDoc),
        (status = 422, description = "no such kind", body = ErrorAnswer)))]
pub(super) async fn find(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<SearchQuery>,
) -> Result<Json<StoryPage<FoundPassage>>, ApiError> {
    let kinds = query.kinds.as_deref().unwrap_or_default();
    let kinds = kinds
        .split(',')
        .map(str::trim)
        .filter(|kind| !kind.is_empty());
    let kinds: Vec<SourceKind> = kinds.map(kind).collect::<Result<_, _>>()?;
    let filter = StoryFilter {
        kinds,
        from_chapter: query.from_chapter,
        to_chapter: query.to_chapter,
        limit: query.limit.unwrap_or(FOUND).clamp(1, FOUND_MAX),
    };
    let (story, question) = desk.ask(&id, &query.q).await?;
    let found = find_passages(story, &question, query.q, filter).await?;
    let Json(page) = PageQuery::default().of(found);
    Ok(Json(page.searched(&question)))
}

fn kind(name: &str) -> Result<SourceKind, ApiError> {
    serde_json::from_value(json!(name)).map_err(|_| {
        let message = format!(
            "`{name}` is not a kind: character, wiki_entry, story_block, item, place, plot_loop or relationship"
        );
        ApiError::unprocessable("bad_value", message)
    })
}

/// What a prompt is looked at for.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextBody {
    #[serde(default)]
    message: String,
    /// The chapter that is worked on.
    chapter_id: Option<String>,
    /// Who is in the scene.
    #[serde(default)]
    character_ids: Vec<String>,
    /// Tokens, at most 200,000; 8,000 where absent.
    budget: Option<u64>,
}

/// What a prompt would be told of the story.
#[derive(Serialize, JsonSchema)]
pub(super) struct StoryContext {
    #[serde(flatten)]
    preview: ContextPreview,
    text: String,
    by: SearchedBy,
    /// Why the search went by words alone, or what has no vector yet.
    reason: Option<String>,
}

/// Show what a prompt would be told of the story
///
/// Each part with what it costs, and what did not fit with the reason.
#[utoipa::path(post, path = "/api/projects/{project}/context", operation_id = "show_story_context", tag = "stories",
    request_body = ContextBody,
    responses(
        (status = 200, description = "the parts and the text", body = ContextDoc),
        (status = 404, description = "no such project, or no such chapter", body = ErrorAnswer)))]
pub(super) async fn context(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(body): ApiJson<ContextBody>,
) -> Result<Json<StoryContext>, ApiError> {
    let book = desk.book(&id, Edition::Accepted).await?;
    let chapter = body.chapter_id.map(EntryId::from);
    if let Some(chapter) = &chapter
        && book.project().chapter(chapter).is_none()
    {
        return Err(no_entry("chapter", chapter.as_str()));
    }
    let characters: Vec<EntryId> = body.character_ids.into_iter().map(EntryId::from).collect();
    let budget = body
        .budget
        .unwrap_or(CONTEXT_TOKENS)
        .min(CONTEXT_TOKENS_MAX);
    let (story, question) = desk.ask(&id, &body.message).await?;
    let told = tokio::task::spawn_blocking(move || {
        let found = question.passages(&story, &body.message, &StoryFilter::default());
        let told = context_of(
            &book,
            &ContextRequest {
                message: &body.message,
                chapter: chapter.as_ref(),
                characters: &characters,
                blocks: &StoryBlock::ALL,
                found: &found,
                budget,
            },
        );
        StoryContext {
            preview: told.preview(),
            text: told.text(),
            by: question.by(),
            reason: question.reason,
        }
    });
    let told = told.await;
    let told = told.map_err(|error| ApiError::internal("reading a story", error))?;
    Ok(Json(told))
}
