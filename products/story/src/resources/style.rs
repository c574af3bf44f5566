//! Samples of how an author writes.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::tokens::shared_words;
use palimpsest::prelude::resource::project::{Kept, Project};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage, tagged};
use super::bible::gone;
use super::desk::{Desk, remove};
use super::fields::{STYLE_SAMPLE, StyleSampleDoc, text_of};
use super::limits::{FOUND, FOUND_MAX};
use crate::readings::prose::{diff, word_count};
use crate::readings::search::fused;

/// Sum up the samples of a project
#[utoipa::path(get, path = "/api/projects/{project}/style/stats", operation_id = "show_style_stats", tag = "stories",
    responses((status = 200, description = "{sampleCount, totalWords, averageWords, averageEditRatio}", body = Object)))]
pub(super) async fn stats(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<Value>, ApiError> {
    let project = desk.project(&id).await?;
    let rows = rows(&id, &project);
    let count = rows.len();
    let words: u64 = rows
        .iter()
        .filter_map(|row| row["wordCount"].as_u64())
        .sum();
    let ratios: Vec<f64> = rows
        .iter()
        .filter_map(|row| row["editRatio"].as_f64())
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "there are never 2^52 samples")]
    let average = |sum: f64, of: usize| (of > 0).then(|| sum / of as f64);
    #[expect(clippy::cast_precision_loss, reason = "there are never 2^52 words")]
    let words_mean = average(words as f64, count);
    Ok(Json(json!({
        "sampleCount": count,
        "totalWords": words,
        "averageWords": words_mean,
        "averageEditRatio": average(ratios.iter().sum(), ratios.len()),
    })))
}

/// List the samples of a project, the newest first
#[utoipa::path(get, path = "/api/projects/{project}/style/samples", operation_id = "list_style_samples", tag = "stories",
    params(PageQuery), responses((status = 200, description = "a page of samples", body = StoryPage)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage>, ApiError> {
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
        (status = 200, description = "a page of samples, the likest first, each with `sharedWords`; `by` (`full_text`, `full_text_and_vectors`) and `reason`", body = StoryPage)))]
pub(super) async fn find(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<SamplesQuery>,
) -> Result<Json<StoryPage>, ApiError> {
    let (story, question) = desk.ask_nearness(&id, &query.q).await?;
    let rows = rows(&id, &story.project).into_iter().map(|mut row| {
        let shared = shared_words(&query.q, row["userFinal"].as_str().unwrap_or_default());
        row["sharedWords"] = json!(shared);
        (
            shared,
            row["id"].as_str().unwrap_or_default().to_owned(),
            row,
        )
    });
    let rows: Vec<_> = rows.collect();
    let mut by_words: Vec<_> = rows.iter().filter(|(shared, ..)| *shared > 0).collect();
    by_words.sort_by_key(|(shared, ..)| std::cmp::Reverse(*shared));
    let by_words = by_words.into_iter().map(|(_, id, _)| id.clone());
    let mut found = fused(&[by_words.collect(), question.samples(&story)]);
    found.truncate(query.limit.unwrap_or(FOUND).clamp(1, FOUND_MAX));
    let row = |id: String| rows.iter().find(|(_, known, _)| *known == id);
    let found = found.into_iter().filter_map(row);
    let found = found.map(|(.., row)| row.clone());
    let Json(page) = PageQuery::default().of(found.collect());
    Ok(Json(page.searched(&question)))
}

fn rows(id: &str, project: &Project) -> Vec<Value> {
    let entries = project.entries.values();
    let samples = entries.filter(|kept| kept.entry.what.as_style_sample().is_some());
    let mut samples: Vec<_> = samples.collect();
    samples.sort_by_key(|kept| std::cmp::Reverse((kept.created, &kept.entry.id)));
    samples.into_iter().map(|kept| row(id, kept)).collect()
}

fn row(id: &str, kept: &Kept) -> Value {
    let mut row = STYLE_SAMPLE.show(id, kept);
    if let Some(sample) = kept.entry.what.as_style_sample() {
        let words = word_count(&sample.text);
        row.insert("wordCount".to_owned(), json!(words));
        let ratio = edit_ratio(&sample.original, &sample.text, words);
        row.insert("editRatio".to_owned(), json!(ratio));
    }
    Value::Object(row)
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
