//! Knowledge bases of reports, as the contract's back end has them: this server keeps them for their owner. Each is one document with all
//! its files.

use std::collections::BTreeSet;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use palimpsest::prelude::resource::{
    CollectionRefusal, DocumentId, Documents, Entry, Kind, NewDocument, Page, PageRequest,
    Resource, check_document_id, check_document_name, read_json,
};
use palimpsest::prelude::wire::{
    ApiError, ApiJson, App, ErrorAnswer, Owner, idempotency_key, rfc3339,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::resources::{DATABASE_FILES_MAX, DATABASES};

/// The most bytes of a body with a knowledge base: the largest one, if spaces and escapes make it twice as long as it is kept.
const BODY_BYTES_MAX: usize = 2 * DATABASES.document_bytes_max as usize + 64 * 1024;

/// The prefix of ids that the server makes.
const ID_PREFIX: &str = "db";

/// The resource.
pub(crate) struct Databases;

impl Resource for Databases {
    const KIND: Kind = DATABASES;
    const NAME: &'static str = "database";
    const WORDS: &'static str = "knowledge base";
    const TAG: &'static str = "templates";
    const LIST: &'static str = "List knowledge bases, by id";
    const SHOW: &'static str = "A knowledge base with its files";
    /// The contract's list is not paged.
    const LISTED: usize = DATABASES.documents_max;

    type Query = DatabasesQuery;
    type Row = DatabaseRow;
    type Whole = DatabaseAnswer<'static>;

    async fn list(
        databases: &Documents<'_, Self>,
        query: DatabasesQuery,
    ) -> Result<Page<DatabaseRow>, ApiError> {
        let wanted = PageRequest::of(query.limit, &query.cursor);
        let page = databases.page(&wanted, None).await?;
        let rows = page.rows.iter().map(DatabaseRow::new).collect();
        Ok(page.with(rows))
    }

    /// A knowledge base is answered as it was given.
    async fn show(databases: &Documents<'_, Self>, entry: Entry) -> Result<Bytes, ApiError> {
        databases.content(&entry).await
    }

    fn uploads() -> OpenApiRouter<App> {
        let put = routes!(put).layer(DefaultBodyLimit::max(BODY_BYTES_MAX));
        OpenApiRouter::default().routes(put)
    }
}

/// The line of a knowledge base in the list.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct DatabaseRow {
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
#[serde(deny_unknown_fields)]
pub(crate) struct DatabaseRequest {
    /// Takes the place of the knowledge base with this id; made where absent.
    #[serde(default)]
    id: Option<String>,
    name: String,
    /// At most 200.
    files: Vec<FileRequest>,
}

/// A file of it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileRequest {
    /// Its place in the list (`f1`, `f2`) where absent.
    #[serde(default)]
    id: Option<String>,
    name: String,
    /// Whatever JSON it holds, or a text; kept as it was written. `null` where absent.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Object)]
    data: Option<Box<RawValue>>,
    /// The same as `data`; one of the two at most is given.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Object)]
    content: Option<Box<RawValue>>,
}

/// Reads a field that may be `null`; only an absent field gives `None`.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(deserializer).map(Some)
}

impl FileRequest {
    fn data(&self) -> Result<&RawValue, ApiError> {
        match (&self.data, &self.content) {
            (Some(one), None) | (None, Some(one)) => Ok(one),
            (None, None) => Ok(RawValue::NULL),
            (Some(_), Some(_)) => {
                let message = format!(
                    "the body is not right: the file `{}` has both `data` and `content`: leave one of them out",
                    self.name
                );
                Err(ApiError::unprocessable("bad_body", message))
            }
        }
    }
}

/// A knowledge base as it is kept and given.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DatabaseAnswer<'a> {
    id: &'a str,
    name: &'a str,
    files: Vec<FileAnswer<'a>>,
}

/// A file of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileAnswer<'a> {
    id: String,
    name: &'a str,
    #[schema(value_type = Object)]
    data: &'a RawValue,
}

/// How knowledge bases are listed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DatabasesQuery {
    /// 1 to 200; all of them where absent.
    limit: Option<usize>,
    /// The last id of the previous page; its header `Link` has it.
    cursor: Option<String>,
}

/// Keep a knowledge base
///
/// One with the id of another takes its place. With an `Idempotency-Key`, a repetition gets the first answer.
#[utoipa::path(post, path = "/api/databases", operation_id = "put_database", tag = "templates",
    request_body = DatabaseRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "in the place of another, or there already", body = DatabaseRow),
        (status = 201, description = "new", body = DatabaseRow),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 409, description = "too many, or the key was given to another change", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 415, description = "not declared as JSON", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)))]
pub(crate) async fn put(
    State(app): State<App>,
    owner: Owner,
    headers: HeaderMap,
    request: Result<ApiJson<DatabaseRequest>, ApiError>,
) -> Result<(StatusCode, Json<DatabaseRow>), ApiError> {
    let request = read_json::<Databases, _>(request)?;
    let databases = Documents::<Databases>::of(&app, &owner);
    let key = idempotency_key(&headers)?;
    let id = databases.new_id(request.id.clone(), ID_PREFIX, key.as_deref());
    let (status, entry) = databases.put(document(&id, &request)?, key).await?;
    Ok((status, Json(DatabaseRow::new(&entry))))
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
    let files = files.map(|(id, file)| {
        Ok(FileAnswer {
            id,
            name: &file.name,
            data: file.data()?,
        })
    });
    let kept = DatabaseAnswer {
        id: id.as_str(),
        name: &request.name,
        files: files.collect::<Result<_, ApiError>>()?,
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

/// Whether a knowledge base may have files with these ids and names.
fn check_files<'a>(
    files: impl ExactSizeIterator<Item = (&'a str, &'a str)>,
) -> Result<(), ApiError> {
    let (count, most) = (files.len(), DATABASE_FILES_MAX);
    if count > most {
        let message = format!(
            "{count} files are in the knowledge base, at most {most} may; put some together"
        );
        return Err(ApiError::unprocessable("too_many_files", message));
    }
    let mut ids = BTreeSet::new();
    for (id, name) in files {
        check_document_id(id)?;
        check_document_name(name)?;
        if !ids.insert(id) {
            return Err(CollectionRefusal::Twice { id: id.to_owned() }.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_knowledge_base_have_ids_of_their_own() {
        let check = |files: &[(&str, &str)]| {
            check_files(files.iter().copied()).map_err(|refusal| refusal.error.code)
        };
        assert_eq!(check(&[("1", "sales.json"), ("2", "sales.json")]), Ok(()));
        assert_eq!(check(&[("1", "a"), ("1", "b")]), Err("id_twice".into()));
        assert_eq!(check(&[("1", "")]), Err("bad_name".into()));
        assert_eq!(check(&[("a b", "a")]), Err("bad_id".into()));
        let many: Vec<_> = (0..=DATABASE_FILES_MAX).map(|n| n.to_string()).collect();
        let many: Vec<_> = many.iter().map(|n| (n.as_str(), "a")).collect();
        assert_eq!(check(&many), Err("too_many_files".into()));
    }
}
