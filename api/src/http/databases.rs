//! Knowledge bases of reports, as the contract's back end has them: kept by this server for whoever asks. Each is one document
//! with all its files.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use commands::collection::check_files;
use domain::collection::{CollectionId, DATABASES, Entry};
use domain::{Actor, DocumentId};
use runner::NewDocument;
use runner::clock::fresh_id;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::documents;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::request::idempotency_key;
use crate::request::{ApiJson, ApiPath};
use crate::time::rfc3339;

/// Bytes of a body with a knowledge base: the largest one, written with twice as many spaces and escapes as it is kept with.
pub(super) const BODY_BYTES_MAX: usize = 2 * DATABASES.document_bytes_max as usize + 64 * 1024;

/// The line of a knowledge base in the list.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct DatabaseRow {
    id: String,
    name: String,
    /// How many files it has.
    file_count: u64,
    /// Bytes of all of it.
    bytes: u64,
    updated_at: String,
}

impl DatabaseRow {
    fn new(entry: &Entry) -> Self {
        let document = &entry.document;
        Self {
            id: document.id.to_string(),
            name: document.name.clone(),
            file_count: document.facts["files"].as_u64().unwrap_or_default(),
            bytes: document.blob.size,
            updated_at: rfc3339(entry.at),
        }
    }
}

/// A knowledge base to keep, at most 16 MiB of JSON.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct DatabaseRequest {
    /// Takes the place of the knowledge base with this id; made where absent.
    #[serde(default)]
    id: Option<String>,
    name: String,
    /// At most 200.
    files: Vec<FileRequest>,
}

/// A file of it.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct FileRequest {
    /// Its place in the list (`f1`, `f2`) where absent.
    #[serde(default)]
    id: Option<String>,
    name: String,
    /// Whatever JSON it holds; kept as it was written.
    #[serde(default = "null")]
    #[schema(value_type = Object)]
    data: Box<RawValue>,
}

fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

/// A knowledge base as it is kept and given.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DatabaseAnswer<'a> {
    id: &'a str,
    name: &'a str,
    files: Vec<FileAnswer<'a>>,
}

/// A file of it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FileAnswer<'a> {
    id: String,
    name: &'a str,
    #[schema(value_type = Object)]
    data: &'a RawValue,
}

/// List knowledge bases, by id
#[utoipa::path(get, path = "/api/databases", operation_id = "list_databases", tag = "templates",
    responses(
        (status = 200, description = "all of them, without their files", body = Vec<DatabaseRow>),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn list(
    State(app): State<App>,
    owner: Owner,
) -> Result<Json<Vec<DatabaseRow>>, ApiError> {
    let collection = CollectionId::only(DATABASES);
    let collection = app.engine.collections().get(&owner.0, &collection).await?;
    let rows = collection.documents.values().map(DatabaseRow::new);
    Ok(Json(rows.collect()))
}

/// Keep a knowledge base
///
/// One with the id of another takes its place. With an `Idempotency-Key`, a repetition gets the first answer.
#[utoipa::path(post, path = "/api/databases", operation_id = "put_database", tag = "templates", request_body = DatabaseRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "in the place of another, or there already", body = DatabaseRow),
        (status = 201, description = "new", body = DatabaseRow),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 409, description = "too many, or the key was given to another change", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "not declared as JSON", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn put(
    State(app): State<App>,
    owner: Owner,
    headers: HeaderMap,
    request: Result<ApiJson<DatabaseRequest>, ApiError>,
) -> Result<(StatusCode, Json<DatabaseRow>), ApiError> {
    let ApiJson(request) = request.map_err(|error| documents::too_large(error, too_large))?;
    let key = idempotency_key(&headers)?;
    let id = documents::given(request.id.clone(), "db", &owner, key.as_deref());
    let document = document(&id, &request)?;
    let (collection, actor) = (CollectionId::only(DATABASES), Actor::person(&owner.0));
    let key = key.unwrap_or_else(fresh_id);
    let collections = app.engine.collections();
    let changed = collections
        .put(&owner.0, &collection, document, &key, actor)
        .await?;
    let entry = collections
        .find(&owner.0, &collection, Some(id.as_str()), None)
        .await?;
    // Another call may have removed it again.
    let entry = entry.ok_or_else(no_database)?;
    Ok((
        documents::status(changed.added),
        Json(DatabaseRow::new(&entry)),
    ))
}

/// A knowledge base with its files
#[utoipa::path(get, path = "/api/databases/{database}", operation_id = "show_database", tag = "templates",
    params(("database" = String, Path, description = "the id")),
    responses(
        (status = 200, description = "the knowledge base", body = DatabaseAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such knowledge base", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
) -> Result<impl IntoResponse, ApiError> {
    let collection = CollectionId::only(DATABASES);
    let collections = app.engine.collections();
    let entry = collections
        .find(&owner.0, &collection, Some(&id), None)
        .await?;
    let entry = entry.ok_or_else(no_database)?;
    let content = collections
        .content(&owner.0, &collection, &entry.document)
        .await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], content))
}

/// Remove a knowledge base
#[utoipa::path(delete, path = "/api/databases/{database}", operation_id = "remove_database", tag = "templates",
    params(
        ("database" = String, Path, description = "the id"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 204, description = "it is gone"),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such knowledge base", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn remove(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    documents::remove(&app, &owner, DATABASES, id, &headers, no_database).await
}

fn document(id: &DocumentId, request: &DatabaseRequest) -> Result<NewDocument, ApiError> {
    let file = |(n, file): (usize, &FileRequest)| {
        let place = || format!("f{}", n + 1);
        file.id.clone().unwrap_or_else(place)
    };
    let ids: Vec<String> = request.files.iter().enumerate().map(file).collect();
    let names = request.files.iter().map(|file| file.name.as_str());
    check_files(ids.iter().map(String::as_str).zip(names))?;
    let count = request.files.len();
    let files = ids.into_iter().zip(&request.files);
    let files = files.map(|(id, file)| FileAnswer {
        id,
        name: &file.name,
        data: &file.data,
    });
    let kept = DatabaseAnswer {
        id: id.as_str(),
        name: &request.name,
        files: files.collect(),
    };
    let content = serde_json::to_vec(&kept)
        .map_err(|cause| ApiError::internal("writing a knowledge base", cause))?;
    Ok(NewDocument {
        id: id.clone(),
        name: request.name.clone(),
        media_type: "application/json".to_owned(),
        content: content.into(),
        facts: json!({ "files": count }),
    })
}

/// The refusal of a body that is too large, in words that help here.
fn too_large() -> ApiError {
    let most = DATABASES.document_bytes_max;
    let message = format!("the knowledge base is too large: at most {most} bytes are taken");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
        .hint("split it into several knowledge bases")
}

fn no_database() -> ApiError {
    let message = "there is no such knowledge base";
    ApiError::new(StatusCode::NOT_FOUND, "no_database", message)
        .hint("GET /api/databases lists what there is")
}
