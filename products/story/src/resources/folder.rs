//! A story comes in as a folder of text files, and the project becomes what it says.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use palimpsest::prelude::resource::check_document_id;
use palimpsest::prelude::resource::project_commands::brought_in;
use palimpsest::prelude::wire::{
    Actor, ApiError, ApiJson, ApiPath, App, ErrorAnswer, Owner, fresh_id, idempotency_key,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::desk::Desk;
use crate::readings::folder::{FolderRead, read as read_folder, write};
use crate::tools::books::Edition;

/// Bytes of a folder with everything in it: a series of twenty books in Chinese, each of half a million characters.
pub(super) const FOLDER_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A file of a folder.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FolderFile {
    /// Its path within the folder.
    path: String,
    text: String,
}

/// A folder with a story, in the form of `docs/stories.md`.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FolderRequest {
    /// What the folder is called: the title of a story without one.
    #[serde(default)]
    name: String,
    files: Vec<FolderFile>,
}

/// What became of a folder.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct FolderAnswer {
    project: String,
    /// The version of the project that has all of it.
    version: u64,
    title: String,
    chapters: usize,
    entries: usize,
    /// What was not understood, with file and line.
    #[schema(value_type = Vec<Object>)]
    remarks: Vec<crate::readings::folder::FolderRemark>,
}

/// Take a project out as a folder
///
/// The working drafts and the whole bible, in the form in which `put_project_folder` takes them; earlier versions stay behind.
#[utoipa::path(get, path = "/v1/projects/{project}/folder", operation_id = "show_project_folder", tag = "projects",
    params(("project" = String, Path, description = "the project")),
    responses(
        (status = 200, description = "the folder", body = FolderRequest),
        (status = 404, description = "no such project", body = ErrorAnswer)))]
pub(super) async fn show_folder(
    desk: Desk,
    ApiPath(project): ApiPath<String>,
) -> Result<Json<FolderRequest>, ApiError> {
    let book = desk.book(&project, Edition::Drafts).await?;
    let name = book.project().description.title.clone();
    let written = tokio::task::spawn_blocking(move || write(&book)).await;
    let written = written.map_err(|error| ApiError::internal("writing the folder", error))?;
    let files = written.into_iter();
    let files = files.map(|(path, text)| FolderFile { path, text });
    Ok(Json(FolderRequest {
        name,
        files: files.collect(),
    }))
}

/// Make a project what a folder says
///
/// What is there as it is stays; what is a fact there and not in the folder goes; what agents proposed stays.
#[utoipa::path(put, path = "/v1/projects/{project}/folder", operation_id = "put_project_folder", tag = "projects",
    request_body = FolderRequest,
    params(
        ("project" = String, Path, description = "the project; made where there is none"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "it is what the folder says", body = FolderAnswer),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 409, description = "a locked chapter would be changed, or there would be too much", body = ErrorAnswer),
        (status = 410, description = "the project was erased", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "not declared as JSON", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)))]
pub(super) async fn put_folder(
    State(app): State<App>,
    owner: Owner,
    ApiPath(project): ApiPath<String>,
    headers: HeaderMap,
    ApiJson(request): ApiJson<FolderRequest>,
) -> Result<Json<FolderAnswer>, ApiError> {
    check_document_id(&project)?;
    let key = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    let files = request.files.into_iter();
    let files: Vec<(String, String)> = files.map(|file| (file.path, file.text)).collect();
    // Long books are read on a thread of their own.
    let read = tokio::task::spawn_blocking(move || read_folder(&request.name, &files)).await;
    let FolderRead {
        description,
        entries,
        texts,
        remarks,
    } = read.map_err(|error| ApiError::internal("reading the folder", error))?;
    let projects = app.engine.projects();
    let before = projects.get(&owner.0, &project).await?;
    let why = "brought in from a folder";
    let (command, contents) = brought_in(&before, description, entries, texts, why);
    let actor = Actor::person(&owner.0);
    let changed = projects.change(&owner.0, &project, command, contents, &key, actor);
    let changed = changed.await?;
    let state = &changed.project;
    Ok(Json(FolderAnswer {
        project,
        version: changed.version,
        title: state.description.title.clone(),
        chapters: state.chapters().len(),
        entries: state.entries.len(),
        remarks,
    }))
}
