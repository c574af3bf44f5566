//! Samples of how an author writes.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::tokens::shared_words;
use palimpsest::prelude::resource::project::{Kept, Project};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::answers::{PageQuery, StoryPage, tagged};
use super::bible::gone;
use super::described::{StyleSampleDoc, StyleSamplesDoc};
use super::desk::{Desk, no_entry, remove};
use super::fields::{EntryRow, STYLE_SAMPLE, text_of};
use super::limits::{FOUND, FOUND_MAX};
use crate::readings::prose::{diff, word_count};
use crate::readings::search::fused;

/// What follows from the texts of a sample.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SampleCounts {
    word_count: u64,
    /// The share of words that are only in one of the two texts, from 0 to 1; absent if the author wrote the text alone.
    edit_ratio: Option<f64>,
    /// Of a search: the words that it has in common with the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_words: Option<usize>,
}

type SampleRow = EntryRow<SampleCounts>;

/// All samples of a project together.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StyleStats {
    sample_count: usize,
    total_words: u64,
    /// Absent where there are no samples.
    average_words: Option<f64>,
    /// From 0 to 1, of the samples that an agent wrote first; absent where there are none.
    average_edit_ratio: Option<f64>,
}

/// Sum up the samples of a project
#[utoipa::path(get, path = "/api/projects/{project}/style/stats", operation_id = "show_style_stats", tag = "stories",
    responses((status = 200, description = "the sums", body = StyleStats)))]
pub(super) async fn stats(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<StyleStats>, ApiError> {
    let project = desk.project(&id).await?;
    let rows = rows(&id, &project);
    let count = rows.len();
    let words: u64 = rows.iter().map(|row| row.more.word_count).sum();
    let ratios: Vec<f64> = rows.iter().filter_map(|row| row.more.edit_ratio).collect();
    #[expect(clippy::cast_precision_loss, reason = "there are never 2^52 samples")]
    let average = |sum: f64, of: usize| (of > 0).then(|| sum / of as f64);
    #[expect(clippy::cast_precision_loss, reason = "there are never 2^52 words")]
    let words_mean = average(words as f64, count);
    Ok(Json(StyleStats {
        sample_count: count,
        total_words: words,
        average_words: words_mean,
        average_edit_ratio: average(ratios.iter().sum(), ratios.len()),
    }))
}

/// List the samples of a project, the newest first
#[utoipa::path(get, path = "/api/projects/{project}/style/samples", operation_id = "list_style_samples", tag = "stories",
    params(PageQuery), responses((status = 200, description = "a page of samples", body = StyleSamplesDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<SampleRow>>, ApiError> {
    let project = desk.project(&id).await?;
    Ok(query.of(rows(&id, &project)))
}

/// Keep a sample
///
/// `{userFinal, originalAi?, chapterId?}`: a passage as its author left it, and as an agent wrote it first.
#[utoipa::path(post, path = "/api/projects/{project}/style/samples", operation_id = "create_style_sample", tag = "stories",
    request_body = StyleSampleDoc,
    responses(
        (status = 201, description = "the sample", body = StyleSampleDoc),
        (status = 413, description = "it is too long", body = ErrorAnswer)))]
pub(super) async fn create(
    desk: Desk,
    ApiPath(project): ApiPath<String>,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    desk.project(&project).await?;
    text_of(&body, "userFinal")?;
    let found = desk.create(&project, STYLE_SAMPLE, &body).await?;
    let row = row(&project, &found.kept);
    let row = row.ok_or_else(|| no_entry(STYLE_SAMPLE.kind, found.kept.entry.id.as_str()))?;
    Ok(tagged(StatusCode::CREATED, found.kept.version, row))
}

/// Take a sample out
#[utoipa::path(delete, path = "/api/projects/{project}/style/samples/{sample}", operation_id = "delete_style_sample",
    tag = "stories", responses((status = 204, description = "it is gone")))]
pub(super) async fn delete(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let state = desk.project(&project).await?;
    let entry = state.entry(&id.as_str().into());
    let is_there = entry.is_some_and(|entry| entry.what.as_style_sample().is_some());
    let command = remove(vec![id.as_str().into()]);
    gone(&desk, &project, command, is_there, STYLE_SAMPLE.kind, &id).await
}

/// What samples are looked for.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SamplesQuery {
    /// A passage, or what one is about.
    q: String,
    /// How many, at most 100; 10 where absent.
    limit: Option<usize>,
}

/// Find the samples that have most words in common with a text
///
/// Where a model makes vectors, those that are near it in other words are found with them.
#[utoipa::path(get, path = "/api/projects/{project}/style/samples/search", operation_id = "search_style_samples", tag = "stories",
    params(SamplesQuery),
    responses(
        (status = 200, description = "a page of samples, the likest first, each with `sharedWords`; `by` (`full_text`, `full_text_and_vectors`) and `reason`", body = StyleSamplesDoc)))]
pub(super) async fn find(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<SamplesQuery>,
) -> Result<Json<StoryPage<SampleRow>>, ApiError> {
    let (story, question) = desk.ask_nearness(&id, &query.q).await?;
    let mut rows = rows(&id, &story.project);
    for row in &mut rows {
        let text = row.entry.fields.get("userFinal").and_then(Value::as_str);
        row.more.shared_words = Some(shared_words(&query.q, text.unwrap_or_default()));
    }
    let shares = |row: &&SampleRow| row.more.shared_words > Some(0);
    let mut by_words: Vec<_> = rows.iter().filter(shares).collect();
    by_words.sort_by_key(|row| std::cmp::Reverse(row.more.shared_words));
    let by_words = by_words.into_iter().map(|row| row.entry.id.to_string());
    let mut found = fused(&[by_words.collect(), question.samples(&story)]);
    found.truncate(query.limit.unwrap_or(FOUND).clamp(1, FOUND_MAX));
    let row = |id: String| rows.iter().find(|row| row.entry.id.as_str() == id);
    let found = found.into_iter().filter_map(row).cloned();
    let Json(page) = PageQuery::default().of(found.collect());
    Ok(Json(page.searched(&question)))
}

fn rows(id: &str, project: &Project) -> Vec<SampleRow> {
    let mut entries: Vec<_> = project.entries.values().collect();
    entries.sort_by_key(|kept| std::cmp::Reverse((kept.created, &kept.entry.id)));
    entries
        .into_iter()
        .filter_map(|kept| row(id, kept))
        .collect()
}

/// The row of a sample; `None` for an entry of another kind.
fn row(id: &str, kept: &Kept) -> Option<SampleRow> {
    let sample = kept.entry.what.as_style_sample()?;
    let word_count = word_count(&sample.text);
    Some(EntryRow {
        entry: STYLE_SAMPLE.show(id, kept),
        more: SampleCounts {
            word_count,
            edit_ratio: edit_ratio(&sample.original, &sample.text, word_count),
            shared_words: None,
        },
    })
}

/// The share of words that are only in one of the two texts, from 0 to 1; `None` if the author wrote the text alone.
fn edit_ratio(original: &str, text: &str, words: u64) -> Option<f64> {
    let before = word_count(original);
    if before == 0 {
        return None;
    }
    let changed = diff(original, text);
    #[expect(clippy::cast_precision_loss, reason = "an entry has never 2^52 words")]
    let ratio = (changed.additions + changed.deletions) as f64 / (before + words) as f64;
    Some(ratio)
}
