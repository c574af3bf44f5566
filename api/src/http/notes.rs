//! Notes that posts are written from: loaded by the operator, found by whoever asks.

use std::ops::Bound;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use domain::collection::NOTES;
use domain::notes::{Format, Published};
use domain::{Actor, DocumentId};
use runner::clock::fresh_id;
use runner::notes::{self, NoteLine};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::documents;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::request::idempotency_key;
use crate::request::{ApiPath, ApiQuery};
use crate::time::rfc3339;

/// Bytes of one import. It is read and checked as a whole in memory, a few times its size for half a minute; at a kilobyte a
/// note it has thirty thousand of them.
pub(crate) const IMPORT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Notes of a page where the request does not say, and at most. Each is read for its excerpt.
const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 200;

/// How far one can go through what a search found. Nobody reads on there; better words find more.
const FOUND_MAX: usize = 1_000;

/// A note in a list.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteRow {
    id: String,
    title: String,
    /// The beginning of the body.
    excerpt: String,
    tags: Vec<String>,
    likes: u64,
    collects: u64,
    comments: u64,
    /// Likes, collects and comments together.
    engagement: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    /// A moment, or a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    published_at: Option<Published>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme_id: Option<u64>,
}

impl From<NoteLine> for NoteRow {
    fn from(line: NoteLine) -> Self {
        Self {
            id: line.id,
            title: line.title,
            excerpt: line.excerpt,
            tags: line.tags,
            likes: line.likes,
            collects: line.collects,
            comments: line.comments,
            engagement: line.engagement,
            author: line.author,
            published_at: line.published_at,
            url: line.url,
            theme_id: line.theme_id,
        }
    }
}

/// A page of notes.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct NotesAnswer {
    /// How many there are, or were found.
    total: u64,
    notes: Vec<NoteRow>,
    /// Give it as `cursor` to get what follows; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A note, whole.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteAnswer {
    #[serde(flatten)]
    row: NoteRow,
    body: String,
    /// When it was loaded.
    updated_at: String,
}

/// What became of an import.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct ImportAnswer {
    /// Notes of the file; several lines with one id are one.
    notes: usize,
    /// Notes that came.
    added: usize,
    /// Notes that took the place of those with their ids.
    replaced: usize,
    /// Notes that were there as they are.
    unchanged: usize,
    /// Whether this is the answer to an earlier request with the same `Idempotency-Key`.
    repeated: bool,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FileFormat {
    Csv,
    Jsonl,
}

/// How notes are imported.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ImportQuery {
    /// `csv` or `jsonl`; wins over the declared media type.
    #[param(inline)]
    format: Option<FileFormat>,
    /// What the notes came with, for the audit; such as the name of the file.
    name: Option<String>,
}

/// Which notes.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct NotesQuery {
    /// Words to look for, best first; without it all notes, by id.
    query: Option<String>,
    /// Of this theme.
    #[serde(rename = "themeId")]
    theme_id: Option<u64>,
    /// 1 to 200; 50 where absent.
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// Load notes
///
/// A table with a line of headings (CSV) or an object a line (JSON Lines), in UTF-8. A note with the id of another takes its place;
/// without an id equal notes are the same. Nothing of a file is taken where anything in it is wrong. With an `Idempotency-Key`
/// a repetition gets the first answer.
#[utoipa::path(post, path = "/api/notes/import", tag = "notes",
    params(ImportQuery, ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    request_body(content((String = "text/csv"), (String = "application/x-ndjson"))),
    responses(
        (status = 200, description = "all of them are there", body = ImportAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 409, description = "too many, or the key was given to another change", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "neither CSV nor JSON Lines", body = ErrorAnswer),
        (status = 422, description = "wrong lines, which are named", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn import(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<ImportQuery>,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Result<Json<ImportAnswer>, ApiError> {
    let key = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    let format = match query.format {
        Some(FileFormat::Csv) => Format::Csv,
        Some(FileFormat::Jsonl) => Format::JsonLines,
        None => declared(&headers)?,
    };
    let body = body.map_err(|rejection| {
        let status = rejection.status();
        if status == StatusCode::PAYLOAD_TOO_LARGE {
            return too_large();
        }
        ApiError::new(status, "bad_body", "the body could not be read")
    })?;
    // Tens of megabytes are read at once.
    let read = tokio::task::spawn_blocking(move || domain::notes::read(format, &body)).await;
    let read = read.map_err(|error| ApiError::internal("reading notes", error))?;
    let read = read.map_err(|bad| {
        ApiError::unprocessable("bad_notes", format!("the file has mistakes: {bad}"))
            .hint("nothing of it was taken; correct it and send it again")
    })?;
    let (count, batch) = (read.len(), query.name.unwrap_or_default());
    let (collections, actor) = (app.engine.collections(), Actor::person(&owner.0));
    let done = notes::import(collections, &owner.0, &batch, read, &key, actor).await?;
    Ok(Json(ImportAnswer {
        notes: count,
        added: done.added,
        replaced: done.replaced,
        unchanged: done.unchanged,
        repeated: done.repeated,
    }))
}

/// List or search notes
#[utoipa::path(get, path = "/api/notes", operation_id = "list_notes", tag = "notes", params(NotesQuery),
    responses(
        (status = 200, description = "a page of them", body = NotesAnswer),
        (status = 400, description = "not a query", body = ErrorAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn list(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<NotesQuery>,
) -> Result<Json<NotesAnswer>, ApiError> {
    let limit = query.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX);
    let cursor = query.cursor.as_deref();
    match query.query.as_deref() {
        Some(words) => found(&app, &owner, words, query.theme_id, limit, cursor).await,
        None => all(&app, &owner, query.theme_id, limit, cursor).await,
    }
    .map(Json)
}

/// The cursor of a search is how many came before.
async fn found(
    app: &App,
    owner: &Owner,
    words: &str,
    theme: Option<u64>,
    limit: usize,
    cursor: Option<&str>,
) -> Result<NotesAnswer, ApiError> {
    let before: usize = match cursor.map(str::parse) {
        None => 0,
        Some(Ok(before)) if before < FOUND_MAX => before,
        Some(_) => {
            return Err(ApiError::bad_request(
                "the `cursor` is not that of a page before",
            ));
        }
    };
    let end = (before + limit).min(FOUND_MAX);
    let collections = app.engine.collections();
    let page = notes::search_from(collections, &owner.0, words, theme, before, end).await?;
    let more = page.total > end as u64 && end < FOUND_MAX;
    Ok(NotesAnswer {
        total: page.total,
        notes: page.notes.into_iter().map(NoteRow::from).collect(),
        next: more.then(|| end.to_string()),
    })
}

/// The cursor of a list is the last id.
async fn all(
    app: &App,
    owner: &Owner,
    theme: Option<u64>,
    limit: usize,
    cursor: Option<&str>,
) -> Result<NotesAnswer, ApiError> {
    let collections = app.engine.collections();
    let all = collections.get(&owner.0, &notes::collection()).await?;
    let of_theme = |entry: &&domain::collection::Entry| {
        theme.is_none() || domain::notes::Facts::of(entry).theme_id == theme
    };
    let total = match theme {
        None => all.documents.len(),
        Some(_) => all.documents.values().filter(of_theme).count(),
    };
    let after = match cursor {
        Some(id) => Bound::Excluded(DocumentId::new(id)),
        None => Bound::Unbounded,
    };
    let rest = all.documents.range((after, Bound::Unbounded));
    let rest = rest.map(|(_, entry)| entry).filter(of_theme);
    let mut page: Vec<_> = rest.take(limit + 1).cloned().collect();
    drop(all);
    let more = page.len() > limit;
    page.truncate(limit);
    let next = page.last().map(|entry| entry.document.id.to_string());
    let lines = notes::lines(collections, &owner.0, &page).await?;
    Ok(NotesAnswer {
        total: total as u64,
        notes: lines.into_iter().map(NoteRow::from).collect(),
        next: next.filter(|_| more),
    })
}

/// A note with its body
#[utoipa::path(get, path = "/api/notes/{note}", operation_id = "show_note", tag = "notes",
    params(("note" = String, Path, description = "the id")),
    responses(
        (status = 200, description = "the note", body = NoteAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such note", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<NoteAnswer>, ApiError> {
    let collections = app.engine.collections();
    let entry = collections
        .find(&owner.0, &notes::collection(), Some(&id), None)
        .await?;
    let entry = entry.ok_or_else(no_note)?;
    let note = notes::read(collections, &owner.0, &entry).await?;
    let body = note.body.clone();
    Ok(Json(NoteAnswer {
        row: notes::line(&entry, note).into(),
        body,
        updated_at: rfc3339(entry.at),
    }))
}

/// Remove a note
#[utoipa::path(delete, path = "/api/notes/{note}", operation_id = "remove_note", tag = "notes",
    params(
        ("note" = String, Path, description = "the id"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 204, description = "it is gone"),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such note", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn remove(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    documents::remove(&app, &owner, NOTES, id, &headers, no_note).await
}

fn declared(headers: &HeaderMap) -> Result<Format, ApiError> {
    let declared = headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|value| value.to_str().ok());
    let declared = declared.unwrap_or_default().split(';').next();
    match &*declared.unwrap_or_default().trim().to_ascii_lowercase() {
        "text/csv" | "application/csv" => Ok(Format::Csv),
        "application/x-ndjson" | "application/jsonl" | "application/x-jsonlines" => {
            Ok(Format::JsonLines)
        }
        _ => Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_media_type",
            "the body is declared as neither CSV nor JSON Lines",
        )
        .hint("send `Content-Type: text/csv` or `application/x-ndjson`, or add `?format=csv` or `?format=jsonl`")),
    }
}

fn too_large() -> ApiError {
    let message = format!("the file is too large: at most {IMPORT_BYTES_MAX} bytes are taken");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).hint("send it in parts")
}

fn no_note() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "no_note", "there is no such note")
        .hint("GET /api/notes lists what there is")
}
