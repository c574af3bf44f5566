//! Notes that posts are written from: the operator loads them, and every owner can search them.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use palimpsest::prelude::resource::{
    AnswerSchema, Documents, Entry, EntryFilter, Kind, Page, PageRequest, Resource, declared_type,
    read_bytes, write_json,
};
use palimpsest::prelude::wire::{
    Actor, ApiError, ApiQuery, App, ErrorAnswer, Owner, fresh_id, idempotency_key, rfc3339,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::notes::{BadNotes, Facts, Format, NOTES, Published};
use crate::tools::notes::{self, NoteLine};

/// The most bytes of one import. It is read and checked as a whole, which takes a few times its size in memory for half a minute. At a
/// kilobyte a note it holds thirty thousand notes.
pub(crate) const IMPORT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The resource.
pub(crate) struct Notes;

impl Resource for Notes {
    const KIND: Kind = NOTES;
    const NAME: &'static str = "note";
    const WORDS: &'static str = "note";
    const TAG: &'static str = "notes";
    const LIST: &'static str = "List or search notes";
    const SHOW: &'static str = "A note with its body";
    /// Only a page by default, because each note is read for its excerpt.
    const LISTED: usize = 50;

    type Query = NotesQuery;
    type Row = NoteRow;
    type Whole = NoteAnswer;

    fn too_large() -> ApiError {
        let message = format!("the file is too large: at most {IMPORT_BYTES_MAX} bytes are taken");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).hint("send it in parts")
    }

    async fn list(
        notes: &Documents<'_, Self>,
        query: NotesQuery,
    ) -> Result<Page<NoteRow>, ApiError> {
        let wanted = PageRequest::of(query.limit, &query.cursor);
        match query.query.as_deref() {
            Some(words) => found(notes, words, query.theme_id, &wanted).await,
            None => all(notes, query.theme_id, &wanted).await,
        }
    }

    async fn show(notes: &Documents<'_, Self>, entry: Entry) -> Result<Bytes, ApiError> {
        let note = notes::read(notes.collections, &notes.owner.0, &entry).await?;
        let body = note.body.clone();
        write_json(&NoteAnswer {
            row: notes::line(&entry, note).into(),
            body,
            updated_at: rfc3339(entry.at),
        })
    }

    fn page(page: &Page<NoteRow>) -> Result<Bytes, ApiError> {
        write_json(&NotesAnswer {
            total: page.total,
            notes: &page.rows,
            next: page.next.as_deref(),
        })
    }

    fn page_schema() -> AnswerSchema {
        AnswerSchema::one::<NotesAnswer<'_>>()
    }

    fn uploads() -> OpenApiRouter<App> {
        let import = routes!(import).layer(DefaultBodyLimit::max(IMPORT_BYTES_MAX));
        OpenApiRouter::default().routes(import)
    }
}

async fn found(
    notes: &Documents<'_, Notes>,
    words: &str,
    theme: Option<u64>,
    wanted: &PageRequest<'_>,
) -> Result<Page<NoteRow>, ApiError> {
    let places = wanted.places::<Notes>()?;
    let (collections, owner) = (notes.collections, &notes.owner.0);
    let (from, to) = (places.start, places.end);
    let found = notes::search(collections, owner, words, theme, from, to).await?;
    let rows = found.notes.into_iter().map(NoteRow::from).collect();
    Ok(Page::found(found.total, rows, &places))
}

async fn all(
    notes: &Documents<'_, Notes>,
    theme: Option<u64>,
    wanted: &PageRequest<'_>,
) -> Result<Page<NoteRow>, ApiError> {
    let of_theme = |entry: &Entry| Facts::of(entry).theme_id == theme;
    let filter = theme.is_some().then_some(&of_theme as EntryFilter<'_>);
    let page = notes.page(wanted, filter).await?;
    let lines = notes::lines(notes.collections, &notes.owner.0, &page.rows).await?;
    Ok(page.with(lines.into_iter().map(NoteRow::from).collect()))
}

/// A note in a list.
#[serde_with::skip_serializing_none]
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NoteRow {
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
    author: Option<String>,
    /// A moment, or a day.
    #[schema(value_type = Option<String>)]
    published_at: Option<Published>,
    url: Option<String>,
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
pub(crate) struct NotesAnswer<'a> {
    /// How many there are, or were found.
    total: u64,
    notes: &'a [NoteRow],
    /// Give it as `cursor` to get what follows; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
}

/// A note, whole.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NoteAnswer {
    #[serde(flatten)]
    row: NoteRow,
    body: String,
    /// When it was loaded.
    updated_at: String,
}

/// What became of an import.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ImportAnswer {
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
pub(crate) enum FileFormat {
    Csv,
    Jsonl,
}

/// How notes are imported.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
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
pub(crate) struct NotesQuery {
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
        (status = 409, description = "too many, or the key was given to another change", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "neither CSV nor JSON Lines", body = ErrorAnswer),
        (status = 422, description = "wrong lines, which are named", body = ErrorAnswer)))]
pub(crate) async fn import(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<ImportQuery>,
    headers: HeaderMap,
    file: Result<Bytes, BytesRejection>,
) -> Result<Json<ImportAnswer>, ApiError> {
    let key = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    let format = match query.format {
        Some(FileFormat::Csv) => Format::Csv,
        Some(FileFormat::Jsonl) => Format::JsonLines,
        None => declared(&headers)?,
    };
    let file = read_bytes::<Notes>(file)?;
    // Reading tens of megabytes takes long, so that it is done on a blocking thread.
    let read = tokio::task::spawn_blocking(move || read_notes(format, &file)).await;
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

/// The notes of a file in any encoding that can be recognised.
fn read_notes(format: Format, file: &[u8]) -> Result<Vec<crate::notes::Note>, BadNotes> {
    crate::notes::read(format, intake::text(file).as_bytes())
}

fn declared(headers: &HeaderMap) -> Result<Format, ApiError> {
    match declared_type(headers).as_str() {
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
