//! Exports of a story: everything as one document, or the story as a book.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::future::try_join_all;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::wire::{ApiError, ApiPath, ApiQuery, ErrorAnswer, disposition};
use render::document::book::{docx, epub, markdown};
use serde::Deserialize;
use utoipa::IntoParams;

use super::desk::Desk;
use super::limits::READ_AT_ONCE;
use crate::readings::exchange::{VersionTexts, export as document};
use crate::readings::printed::printed;
use crate::tools::books::Edition;

/// As what a story is wanted.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportQuery {
    /// `json` for everything that there is of the project, to be imported again; `md`, `docx` or `epub` for the story as a book.
    #[serde(default = "as_json")]
    format: String,
    /// Of a book: the working drafts of all chapters; the accepted versions alone else.
    #[serde(default)]
    drafts: bool,
}

fn as_json() -> String {
    "json".to_owned()
}

/// Take a story out
#[utoipa::path(get, path = "/api/projects/{project}/export", operation_id = "export_story", tag = "stories", params(ExportQuery),
    responses(
        (status = 200, description = "the file", content_type = "application/octet-stream"),
        (status = 409, description = "no chapter is accepted", body = ErrorAnswer),
        (status = 422, description = "no such format", body = ErrorAnswer)))]
pub(super) async fn export(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<ExportQuery>,
) -> Result<Response, ApiError> {
    let project = desk.project(&id).await?;
    let (media_type, bytes) = match query.format.as_str() {
        "json" => ("application/json", whole(&desk, &id, &project).await?),
        "md" => (
            "text/markdown; charset=utf-8",
            book(&desk, &id, &query).await?,
        ),
        "docx" => (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            book(&desk, &id, &query).await?,
        ),
        "epub" => ("application/epub+zip", book(&desk, &id, &query).await?),
        other => {
            let message = format!("`{other}` is not a format: json, md, docx or epub");
            return Err(ApiError::unprocessable("bad_value", message));
        }
    };
    let name = format!("{}.{}", project.description.title.trim(), query.format);
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(
        header::CONTENT_DISPOSITION,
        disposition("attachment", &name),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    Ok(response)
}

/// The document of a project, with every version of every chapter.
async fn whole(desk: &Desk, id: &str, project: &Arc<Project>) -> Result<Vec<u8>, ApiError> {
    let versions = project.prose.iter().flat_map(|(chapter, prose)| {
        let versions = prose.versions.iter();
        versions.map(move |version| (chapter, version))
    });
    let versions: Vec<_> = versions.collect();
    let mut texts = VersionTexts::new();
    for part in versions.chunks(READ_AT_ONCE) {
        let read = part.iter().map(|(chapter, version)| async move {
            let text = desk.text(id, &version.text).await?;
            Ok::<_, ApiError>(((EntryId::clone(chapter), version.version), text))
        });
        texts.extend(try_join_all(read).await?);
    }
    let project = Arc::clone(project);
    let written = tokio::task::spawn_blocking(move || {
        let document = document(&project, &texts).map_err(|error| error.to_string())?;
        serde_json::to_vec(&document).map_err(|error| error.to_string())
    });
    let written = written.await.map_err(|error| error.to_string());
    let written = written.and_then(|written| written);
    written.map_err(|error| ApiError::internal("writing a project", error))
}

async fn book(desk: &Desk, id: &str, query: &ExportQuery) -> Result<Vec<u8>, ApiError> {
    let edition = if query.drafts {
        Edition::Drafts
    } else {
        Edition::Accepted
    };
    let book = desk.book(id, edition).await?;
    let printed = printed(&book, query.drafts);
    if printed.volumes.is_empty() {
        let message = "there is no chapter to print: nothing that is written is accepted";
        return Err(
            ApiError::new(StatusCode::CONFLICT, "nothing_to_export", message)
                .hint("accept a chapter, or ask for the drafts with `drafts=true`"),
        );
    }
    // The time of the last change, so that the same story gives the same file.
    let changed = book.project().changed;
    let modified = changed.format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let format = query.format.clone();
    let written = tokio::task::spawn_blocking(move || match format.as_str() {
        "docx" => docx(&printed),
        "epub" => epub(&printed, &modified),
        _ => markdown(&printed).map(String::into_bytes),
    });
    let written = written.await;
    let written = written.map_err(|error| ApiError::internal("printing a book", error))?;
    written.map_err(|error| ApiError::unprocessable("not_printable", error.to_string()))
}
