//! The documents of a kind of collection over HTTP. Lists with pages, `ETag`, limits and removal are the same for all kinds; a [`Resource`]
//! is what a kind says about itself, and how its documents come in.

mod body;
mod describe;
mod documents;
mod page;
#[cfg(test)]
mod tests;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use domain::collection::{Entry, Kind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::openapi::HttpMethod;
use utoipa::openapi::path::{PathItem, PathsBuilder};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::contents;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::request::{ApiPath, ApiQuery};

pub use body::{declared_type, read_bytes, read_json, write_json};
pub use describe::AnswerSchema;
pub use describe::{key, refusal};
pub use documents::{Documents, EntryFilter};
pub use page::{Page, PageRequest};

/// A kind of document as a resource. Its list is at `/api/<name of the kind>`.
pub trait Resource: Sized + 'static {
    /// The kind, with its limits.
    const KIND: Kind;
    /// What one document is called in addresses and operation ids: `database`.
    const NAME: &'static str;
    /// What one document is called in sentences: `knowledge base`.
    const WORDS: &'static str;
    /// The tag of the operations in the document of the interface.
    const TAG: &'static str;
    /// The summary of the operation that lists documents.
    const LIST: &'static str;
    /// The summary of the operation that shows a document.
    const SHOW: &'static str;
    /// The number of documents in a list when the request gives no `limit`.
    const LISTED: usize;

    /// The query of a list.
    type Query: DeserializeOwned + IntoParams + Send;
    /// A document in a list.
    type Row: Serialize + ToSchema + Send + Sync;
    /// A document by itself.
    type Whole: ToSchema;

    /// The refusal when there is no document with the id.
    fn missing() -> ApiError {
        let message = format!("there is no such {}", Self::WORDS);
        let hint = format!("GET /api/{} lists what there is", Self::KIND.name);
        let mut refusal = ApiError::new(StatusCode::NOT_FOUND, "", message).hint(hint);
        refusal.error.code = format!("no_{}", Self::NAME).into();
        refusal
    }

    /// The refusal of a body that is too large.
    fn too_large() -> ApiError {
        let (name, most) = (Self::WORDS, Self::KIND.document_bytes_max);
        let message = format!("the {name} is too large: at most {most} bytes are taken");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).hint("split it")
    }

    /// A page of the list.
    fn list(
        documents: &Documents<'_, Self>,
        query: Self::Query,
    ) -> impl Future<Output = Result<Page<Self::Row>, ApiError>> + Send;

    /// A document by itself, as JSON.
    fn show(
        documents: &Documents<'_, Self>,
        entry: Entry,
    ) -> impl Future<Output = Result<Bytes, ApiError>> + Send;

    /// A page as JSON: only the rows, unless the kind puts something around them.
    fn page(page: &Page<Self::Row>) -> Result<Bytes, ApiError> {
        write_json(&page.rows)
    }

    /// The schema of a page.
    fn page_schema() -> AnswerSchema {
        AnswerSchema::many::<Self::Row>()
    }

    /// Further routes that answer within the time that a request may take, such as the one that puts a document in.
    fn answers() -> OpenApiRouter<App> {
        OpenApiRouter::default()
    }

    /// Further routes whose bodies are as large, and come as slowly, as uploads.
    fn uploads() -> OpenApiRouter<App> {
        OpenApiRouter::default()
    }
}

/// The routes of a resource, as a program registers them.
#[derive(Clone, Copy)]
pub(crate) struct ResourceRoutes {
    /// The name of the kind of its documents, which is its address.
    pub(crate) kind: &'static str,
    /// What one of its documents is called.
    pub(crate) name: &'static str,
    pub(crate) answers: fn() -> OpenApiRouter<App>,
    pub(crate) uploads: fn() -> OpenApiRouter<App>,
}

impl ResourceRoutes {
    pub(crate) fn of<R: Resource>() -> Self {
        Self {
            kind: R::KIND.name,
            name: R::NAME,
            answers: || shared::<R>().merge(R::answers()),
            uploads: R::uploads,
        }
    }
}

/// The routes that all kinds share: list, show, remove.
fn shared<R: Resource>() -> OpenApiRouter<App> {
    let (all, one) = (R::page_schema(), AnswerSchema::one::<R::Whole>());
    let list = PathItem::new(HttpMethod::Get, describe::list::<R>(&all));
    let show = PathItem::new(HttpMethod::Get, describe::show::<R>(&one));
    let remove = PathItem::new(HttpMethod::Delete, describe::remove::<R>());
    let path = format!("/api/{}", R::KIND.name);
    let paths = PathsBuilder::new().path(&*path, list).build();
    let path = format!("{path}/{{{}}}", R::NAME);
    let paths_of_one = PathsBuilder::new().path(&*path, show).path(&*path, remove);
    OpenApiRouter::default()
        .routes((all.schemas, paths, get(self::list::<R>)))
        .routes((
            one.schemas,
            paths_of_one.build(),
            get(self::show::<R>).delete(self::remove::<R>),
        ))
}

async fn list<R: Resource>(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<R::Query>,
    asked: Parts,
) -> Result<Response, ApiError> {
    let page = R::list(&Documents::of(&app, &owner), query).await?;
    let mut response = contents::json(R::page(&page)?, &asked.headers);
    if let Some(link) = page.link(asked.uri.query().unwrap_or_default()) {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

async fn show<R: Resource>(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let documents = Documents::<R>::of(&app, &owner);
    let entry = documents.find(&id).await?;
    Ok(contents::json(R::show(&documents, entry).await?, &headers))
}

async fn remove<R: Resource>(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let documents = Documents::<R>::of(&app, &owner);
    documents.remove(id, &headers).await
}
