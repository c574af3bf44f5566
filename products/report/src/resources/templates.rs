//! Templates of reports, as the contract's back end has them: this server keeps them for their owner.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use palimpsest::prelude::resource::{
    DocumentId, Documents, Entry, Kind, NewDocument, Page, PageRequest, Resource, declared_type,
    read_bytes, read_json, write_json,
};
use palimpsest::prelude::wire::{
    ApiError, ApiJson, ApiPath, App, ErrorAnswer, Owner, idempotency_key, rfc3339,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::resources::TEMPLATES;
use crate::tools::template_media_type;

/// Bytes of a body with a template: the largest one with every second character escaped, and what stands around it.
const BODY_BYTES_MAX: usize = 2 * TEMPLATES.document_bytes_max as usize + 64 * 1024;

/// The most bytes of all contents in one list, which is built in memory. Usual lists are far smaller.
const LISTED_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The prefix of ids that the server makes.
const ID_PREFIX: &str = "tpl";

/// The resource.
pub(crate) struct Templates;

impl Resource for Templates {
    const KIND: Kind = TEMPLATES;
    const NAME: &'static str = "template";
    const WORDS: &'static str = "template";
    const TAG: &'static str = "templates";
    const LIST: &'static str = "List templates, by id";
    const SHOW: &'static str = "A template with its content";
    /// The contract's list is not paged.
    const LISTED: usize = TEMPLATES.documents_max;

    type Query = TemplatesQuery;
    type Row = TemplateAnswer;
    type Whole = TemplateAnswer;

    async fn list(
        templates: &Documents<'_, Self>,
        query: TemplatesQuery,
    ) -> Result<Page<TemplateAnswer>, ApiError> {
        let wanted = PageRequest::of(query.limit, &query.cursor);
        let page = templates.page(&wanted, None).await?;
        let mut room = LISTED_BYTES_MAX;
        let mut rows = Vec::with_capacity(page.rows.len());
        for entry in &page.rows {
            let size = entry.document.blob.size;
            let content = if query.content.unwrap_or(true) && size <= room {
                room -= size;
                Some(templates.content(entry).await?)
            } else {
                None
            };
            rows.push(TemplateAnswer::new(entry, content));
        }
        Ok(page.with(rows))
    }

    async fn show(templates: &Documents<'_, Self>, entry: Entry) -> Result<Bytes, ApiError> {
        let content = templates.content(&entry).await?;
        write_json(&TemplateAnswer::new(&entry, Some(content)))
    }

    fn answers() -> OpenApiRouter<App> {
        let limit = DefaultBodyLimit::max(BODY_BYTES_MAX);
        OpenApiRouter::default()
            .routes(routes!(put).layer(limit))
            .routes(routes!(put_file).layer(limit))
    }
}

/// A template.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct TemplateAnswer {
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
#[serde(deny_unknown_fields)]
pub(crate) struct TemplateRequest {
    /// Takes the place of the template with this id; made where absent.
    #[serde(default)]
    id: Option<String>,
    name: String,
    /// Markdown or HTML, at most 1 MiB. `data` is the same.
    #[serde(alias = "data")]
    content: String,
    /// `text/markdown` or `text/html`; told from name and content where absent.
    #[serde(default)]
    media_type: Option<String>,
}

/// How templates are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TemplatesQuery {
    /// Whether the contents are in the list; they are where absent.
    content: Option<bool>,
    /// 1 to 200; all of them where absent.
    limit: Option<usize>,
    /// The last id of the previous page; its header `Link` has it.
    cursor: Option<String>,
}

/// Keep a template
///
/// One with the id of another takes its place. With an `Idempotency-Key`, a repetition gets the first answer.
#[utoipa::path(post, path = "/api/templates", operation_id = "put_template", tag = "templates",
    request_body = TemplateRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "in the place of another, or there already", body = TemplateAnswer),
        (status = 201, description = "new", body = TemplateAnswer),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 409, description = "too many, or the key was given to another change", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "not declared as JSON", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)))]
pub(crate) async fn put(
    State(app): State<App>,
    owner: Owner,
    headers: HeaderMap,
    request: Result<ApiJson<TemplateRequest>, ApiError>,
) -> Result<(StatusCode, Json<TemplateAnswer>), ApiError> {
    let request = read_json::<Templates, _>(request)?;
    let templates = Documents::<Templates>::of(&app, &owner);
    let key = idempotency_key(&headers)?;
    let id = templates.new_id(request.id, ID_PREFIX, key.as_deref());
    let media_type = media_type(
        request.media_type.as_deref(),
        &request.name,
        &request.content,
    )?;
    let content = Bytes::from(request.content);
    keep(&templates, id, request.name, media_type, content, key).await
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
        (status = 409, description = "too many, or the key was given to another change", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "neither Markdown nor HTML", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)))]
pub(crate) async fn put_file(
    State(app): State<App>,
    owner: Owner,
    ApiPath(name): ApiPath<String>,
    headers: HeaderMap,
    content: Result<Bytes, BytesRejection>,
) -> Result<(StatusCode, Json<TemplateAnswer>), ApiError> {
    let media_type = match declared_type(&headers).as_str() {
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
    let content = read_bytes::<Templates>(content)?;
    if std::str::from_utf8(&content).is_err() {
        let message = "the template is not UTF-8 text";
        return Err(ApiError::unprocessable("not_text", message));
    }
    let templates = Documents::<Templates>::of(&app, &owner);
    let id = match templates.all().await?.find(None, Some(&name)) {
        Some(entry) => entry.document.id.clone(),
        None => templates.named_id(ID_PREFIX, &name),
    };
    let key = idempotency_key(&headers)?;
    keep(&templates, id, name, media_type, content, key).await
}

async fn keep(
    templates: &Documents<'_, Templates>,
    id: DocumentId,
    name: String,
    media_type: &str,
    content: Bytes,
    key: Option<String>,
) -> Result<(StatusCode, Json<TemplateAnswer>), ApiError> {
    let document = NewDocument {
        id,
        name,
        media_type: media_type.to_owned(),
        content,
        facts: Value::Null,
    };
    let (status, entry) = templates.put(document, key).await?;
    let content = templates.content(&entry).await?;
    Ok((status, Json(TemplateAnswer::new(&entry, Some(content)))))
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
