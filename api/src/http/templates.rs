//! Templates of reports, as the contract's back end has them: kept by this server for whoever asks.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use domain::collection::{Collection, CollectionId, Entry, TEMPLATES};
use domain::{Actor, DocumentId};
use runner::NewDocument;
use runner::clock::fresh_id;
use runner::resources::template_media_type;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::documents;
use crate::app::App;
use crate::ask::derived;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::request::idempotency_key;
use crate::request::{ApiJson, ApiPath, ApiQuery};
use crate::time::rfc3339;

/// Bytes of a body with a template: the largest one with every second character escaped, and what stands around it.
pub(super) const BODY_BYTES_MAX: usize = 2 * TEMPLATES.document_bytes_max as usize + 64 * 1024;

/// Bytes of all contents in one list, which is made in memory. Lists of the sizes that people keep are far below.
const LISTED_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// A template.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct TemplateAnswer {
    id: String,
    name: String,
    /// `text/markdown` or `text/html`.
    media_type: String,
    /// Bytes of the content.
    bytes: u64,
    updated_at: String,
    /// Left out where a list was asked for without, and beyond 32 MiB of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

impl TemplateAnswer {
    fn new(entry: &Entry, content: Option<Bytes>) -> Self {
        let document = &entry.document;
        Self {
            id: document.id.to_string(),
            name: document.name.clone(),
            media_type: document.media_type.clone(),
            bytes: document.blob.size,
            updated_at: rfc3339(entry.at),
            content: content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

/// A template to keep.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct TemplateRequest {
    /// Takes the place of the template with this id; made where absent.
    #[serde(default)]
    id: Option<String>,
    name: String,
    /// Markdown or HTML, at most 1 MiB.
    content: String,
    /// `text/markdown` or `text/html`; told from name and content where absent.
    #[serde(default)]
    media_type: Option<String>,
}

/// How templates are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TemplatesQuery {
    /// Whether the contents are in the list; they are where absent.
    content: Option<bool>,
}

/// List templates, by id
#[utoipa::path(get, path = "/api/templates", operation_id = "list_templates", tag = "templates", params(TemplatesQuery),
    responses(
        (status = 200, description = "all of them", body = Vec<TemplateAnswer>),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn list(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<TemplatesQuery>,
) -> Result<Json<Vec<TemplateAnswer>>, ApiError> {
    let collection = all(&app, &owner).await?;
    let mut room = LISTED_BYTES_MAX;
    let mut listed = Vec::with_capacity(collection.documents.len());
    for entry in collection.documents.values() {
        let size = entry.document.blob.size;
        let content = if query.content.unwrap_or(true) && size <= room {
            room -= size;
            Some(content(&app, &owner, entry).await?)
        } else {
            None
        };
        listed.push(TemplateAnswer::new(entry, content));
    }
    Ok(Json(listed))
}

/// Keep a template
///
/// One with the id of another takes its place. With an `Idempotency-Key`, a repetition gets the first answer.
#[utoipa::path(post, path = "/api/templates", operation_id = "put_template", tag = "templates", request_body = TemplateRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "in the place of another, or there already", body = TemplateAnswer),
        (status = 201, description = "new", body = TemplateAnswer),
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
    request: Result<ApiJson<TemplateRequest>, ApiError>,
) -> Result<(StatusCode, Json<TemplateAnswer>), ApiError> {
    let ApiJson(request) = request.map_err(|error| documents::too_large(error, too_large))?;
    let key = idempotency_key(&headers)?;
    let id = documents::given(request.id, "tpl", &owner, key.as_deref());
    let media_type = media_type(
        request.media_type.as_deref(),
        &request.name,
        &request.content,
    )?;
    let content = Bytes::from(request.content);
    keep(&app, &owner, id, request.name, media_type, content, key).await
}

/// Keep a template that is sent as it is
///
/// Its name is in the address; one with this name takes the place of the one before.
#[utoipa::path(put, path = "/api/templates/{template}", tag = "templates",
    params(
        ("template" = String, Path, description = "the name"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    request_body(content((String = "text/markdown"), (String = "text/html"))),
    responses(
        (status = 200, description = "in the place of another, or there already", body = TemplateAnswer),
        (status = 201, description = "new", body = TemplateAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 409, description = "too many, or the key was given to another change", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "neither Markdown nor HTML", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn put_file(
    State(app): State<App>,
    owner: Owner,
    ApiPath(name): ApiPath<String>,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Result<(StatusCode, Json<TemplateAnswer>), ApiError> {
    let declared = headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|value| value.to_str().ok());
    let declared = declared.unwrap_or_default().split(';').next();
    let declared = declared.unwrap_or_default().trim().to_ascii_lowercase();
    let media_type = match declared.as_str() {
        "text/html" => "text/html",
        "text/markdown" | "text/plain" => "text/markdown",
        _ => {
            return Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "bad_media_type",
                "the body is declared as neither Markdown nor HTML",
            )
            .hint("send `Content-Type: text/markdown` or `text/html`"));
        }
    };
    let content = body.map_err(|rejection| {
        let status = rejection.status();
        if status == StatusCode::PAYLOAD_TOO_LARGE {
            return too_large();
        }
        ApiError::new(status, "bad_body", "the body could not be read")
    })?;
    if std::str::from_utf8(&content).is_err() {
        let message = "the template is not UTF-8 text";
        return Err(ApiError::unprocessable("not_text", message));
    }
    let known = all(&app, &owner).await?;
    let id = match known.find(None, Some(&name)) {
        Some(entry) => entry.document.id.clone(),
        // Two who send the same name at the same time mean the same template.
        None => DocumentId::new(derived("tpl", &[&owner.0, "named", &name])),
    };
    let key = idempotency_key(&headers)?;
    keep(&app, &owner, id, name, media_type, content, key).await
}

/// A template with its content
#[utoipa::path(get, path = "/api/templates/{template}", operation_id = "show_template", tag = "templates",
    params(("template" = String, Path, description = "the id")),
    responses(
        (status = 200, description = "the template", body = TemplateAnswer),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such template", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<TemplateAnswer>, ApiError> {
    let collection = all(&app, &owner).await?;
    let entry = collection.find(Some(&id), None).ok_or_else(no_template)?;
    let content = content(&app, &owner, entry).await?;
    Ok(Json(TemplateAnswer::new(entry, Some(content))))
}

/// Remove a template
#[utoipa::path(delete, path = "/api/templates/{template}", operation_id = "remove_template", tag = "templates",
    params(
        ("template" = String, Path, description = "the id"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 204, description = "it is gone"),
        (status = 401, description = "no key, or an unknown one", body = ErrorAnswer),
        (status = 404, description = "no such template", body = ErrorAnswer)),
    security(("key" = [])))]
pub(super) async fn remove(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    documents::remove(&app, &owner, TEMPLATES, id, &headers, no_template).await
}

async fn keep(
    app: &App,
    owner: &Owner,
    id: DocumentId,
    name: String,
    media_type: &str,
    content: Bytes,
    key: Option<String>,
) -> Result<(StatusCode, Json<TemplateAnswer>), ApiError> {
    let document = NewDocument {
        id: id.clone(),
        name,
        media_type: media_type.to_owned(),
        content,
        facts: Value::Null,
    };
    let (collection, actor) = (CollectionId::only(TEMPLATES), Actor::person(&owner.0));
    let key = key.unwrap_or_else(fresh_id);
    let collections = app.engine.collections();
    let changed = collections
        .put(&owner.0, &collection, document, &key, actor)
        .await?;
    let entry = all(app, owner)
        .await?
        .find(Some(id.as_str()), None)
        .cloned();
    // Another call may have removed it again.
    let entry = entry.ok_or_else(no_template)?;
    let content = self::content(app, owner, &entry).await?;
    Ok((
        documents::status(changed.added),
        Json(TemplateAnswer::new(&entry, Some(content))),
    ))
}

async fn all(app: &App, owner: &Owner) -> Result<std::sync::Arc<Collection>, ApiError> {
    let collection = CollectionId::only(TEMPLATES);
    Ok(app.engine.collections().get(&owner.0, &collection).await?)
}

async fn content(app: &App, owner: &Owner, entry: &Entry) -> Result<Bytes, ApiError> {
    let collection = CollectionId::only(TEMPLATES);
    let collections = app.engine.collections();
    Ok(collections
        .content(&owner.0, &collection, &entry.document)
        .await?)
}

fn media_type(declared: Option<&str>, name: &str, content: &str) -> Result<&'static str, ApiError> {
    match declared {
        None => Ok(template_media_type(name, content)),
        Some("text/markdown") => Ok("text/markdown"),
        Some("text/html") => Ok("text/html"),
        Some(_) => Err(ApiError::unprocessable(
            "bad_media_type",
            "`media_type` is neither text/markdown nor text/html",
        )),
    }
}

/// The refusal of a body that is too large, in words that help here.
fn too_large() -> ApiError {
    let most = TEMPLATES.document_bytes_max;
    let message = format!("the template is too large: at most {most} bytes are taken");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).hint("split it")
}

fn no_template() -> ApiError {
    let message = "there is no such template";
    ApiError::new(StatusCode::NOT_FOUND, "no_template", message)
        .hint("GET /api/templates?content=false lists what there is")
}
