//! Entries about the world of a story.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage};
use super::bible;
use super::bible::WithinQuery;
use super::described::{WorldDoc, WorldEntriesDoc};
use super::desk::Desk;
use super::fields::{StoryEntry, WORLD};
use super::limits::FOUND;
use crate::readings::search::{SourceKind, StoryFilter, fused};
use crate::tools::searching::find_passages;

bible::calls! {
    form: WORLD,
    doc: WorldDoc,
    at: "/api/wiki",
    operations: "wiki_entry",
    word: "entry",
    a: "an entry",
    fields: "`{projectId, title, type, content, aliases[], tags[], rules[]}`",
    taken_out: "Take an entry out",
    shown: bible::shown(WORLD),
    along: bible::alone,
}

/// List the entries of the world of a project, by name
#[utoipa::path(get, path = "/api/wiki/project/{project}", operation_id = "list_wiki_entries", tag = "stories", params(PageQuery),
    responses((status = 200, description = "a page of entries of the world", body = WorldEntriesDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<StoryEntry>>, ApiError> {
    let project = desk.project(&id).await?;
    Ok(query.of(bible::rows(&id, &project, WORLD)))
}

/// What is looked for.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct KeywordQuery {
    keyword: String,
}

/// Find entries that have a word in their title, their aliases, their tags or their content
///
/// Where a model makes vectors, also those that have to do with it in other words.
#[utoipa::path(get, path = "/api/wiki/project/{project}/search", operation_id = "search_wiki", tag = "stories",
    params(KeywordQuery),
    responses(
        (status = 200, description = "a page of entries, those that are called so first, with `by` (`full_text`, `full_text_and_vectors`) and `reason`", body = WorldEntriesDoc)))]
pub(super) async fn find(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<KeywordQuery>,
) -> Result<Json<StoryPage<StoryEntry>>, ApiError> {
    let (story, question) = desk.ask_nearness(&id, &query.keyword).await?;
    let word = query.keyword.to_lowercase();
    let has = |row: &StoryEntry, names: &[&str]| {
        let texts = names.iter().filter_map(|name| row.fields.get(*name));
        texts.into_iter().any(|text| {
            let all = text
                .as_array()
                .map_or(std::slice::from_ref(text), Vec::as_slice);
            let mut all = all.iter().filter_map(Value::as_str);
            all.any(|text| text.to_lowercase().contains(&word))
        })
    };
    let rows = bible::rows(&id, &story.project, WORLD);
    let (named, others): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| has(row, &["title", "aliases"]));
    let others = others
        .into_iter()
        .filter(|row| has(row, &["tags", "content"]));
    let by_words = named.into_iter().chain(others).map(|row| row.id.as_str());
    let near = StoryFilter {
        kinds: vec![SourceKind::WikiEntry],
        limit: FOUND,
        ..StoryFilter::default()
    };
    // With an empty query by words, this finds only what is near by vectors, and nothing if there are no vectors.
    let near = find_passages(story.clone(), &question, String::new(), near).await?;
    let near = near.iter().map(|it| it.source_id.as_str());
    let found = fused(&[by_words.collect(), near.collect()]);
    let row = |id: &str| rows.iter().find(|row| row.id.as_str() == id).cloned();
    let found = found.into_iter().filter_map(row);
    let Json(page) = PageQuery::default().of(found.collect());
    Ok(Json(page.searched(&question)))
}

/// List the entries of a type
#[utoipa::path(get, path = "/api/wiki/project/{project}/type/{type}", operation_id = "list_wiki_of_type", tag = "stories",
    params(("type" = String, Path, description = "such as `geography`"), PageQuery),
    responses(
        (status = 200, description = "a page of entries", body = WorldEntriesDoc),
        (status = 404, description = "no such project", body = ErrorAnswer)))]
pub(super) async fn of_type(
    desk: Desk,
    ApiPath((id, kind)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<StoryEntry>>, ApiError> {
    let project = desk.project(&id).await?;
    let is_kind = |row: &StoryEntry| {
        let own = row.fields.get("type").and_then(Value::as_str);
        own.is_some_and(|own| own.eq_ignore_ascii_case(&kind))
    };
    let mut rows = bible::rows(&id, &project, WORLD);
    rows.retain(is_kind);
    Ok(query.of(rows))
}
