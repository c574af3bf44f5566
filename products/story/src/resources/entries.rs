//! Every kind of entry of a project in one list: also items, places, relationships and the project's own archetypes.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage};
use super::bible;
use super::bible::gone;
use super::described::{EntriesDoc, EntryDoc, KindEntryDoc};
use super::desk::{ANY, Desk, Found, remove};
use super::fields::{EntryRow, Form, text_of};

/// The kind of an entry.
#[derive(Serialize, JsonSchema)]
pub(super) struct EntryKind {
    kind: &'static str,
}

/// Which entries are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EntriesQuery {
    /// `volume`, `chapter`, `character`, `relationship`, `world`, `item`, `place`, `plot_loop`, `archetype` or `style_sample`.
    kind: Option<String>,
    /// `fact` or `proposed`.
    standing: Option<String>,
    page: Option<usize>,
    size: Option<usize>,
}

/// List the entries of a project, by kind and name
#[utoipa::path(get, path = "/api/projects/{project}/entries", operation_id = "list_entries", tag = "stories", params(EntriesQuery),
    responses((status = 200, description = "a page of entries, each with its `kind`", body = EntriesDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<EntriesQuery>,
) -> Result<Json<StoryPage<EntryRow<EntryKind>>>, ApiError> {
    let project = desk.project(&id).await?;
    let is_kind = |form: &Form| query.kind.as_ref().is_none_or(|kind| kind == form.kind);
    let rows = Form::all().filter(is_kind).flat_map(|form| {
        let rows = bible::rows(&id, &project, form).into_iter();
        rows.map(move |entry| EntryRow {
            entry,
            more: EntryKind { kind: form.kind },
        })
    });
    let standing = query.standing.as_deref();
    let wanted =
        rows.filter(|row| standing.is_none_or(|standing| json!(row.entry.standing) == standing));
    Ok(PageQuery::new(query.page, query.size).of(wanted.collect()))
}

/// Begin an entry of any kind
///
/// `{kind, …}`
#[utoipa::path(post, path = "/api/projects/{project}/entries", operation_id = "create_entry", tag = "stories",
    request_body = KindEntryDoc,
    responses((status = 201, description = "the entry", body = EntryDoc)))]
pub(super) async fn create(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let form = form(text_of(&body, "kind")?)?;
    bible::create(&desk, form, &id, &body).await
}

/// Show an entry of any kind
#[utoipa::path(get, path = "/api/projects/{project}/entries/{entry}", operation_id = "show_entry", tag = "stories",
    responses((status = 200, description = "the entry", body = EntryDoc)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let (form, found) = found(&desk, &project, &id).await?;
    Ok(bible::told(StatusCode::OK, form, &found))
}

/// Change an entry of any kind
///
/// What is not sent stays; `null` empties a field. `standing` `fact` accepts what an agent proposed.
#[utoipa::path(put, path = "/api/projects/{project}/entries/{entry}", operation_id = "change_entry", tag = "stories",
    request_body = EntryDoc, params(("If-Match" = Option<String>, Header, description = "the tag of what is to be changed")),
    responses(
        (status = 200, description = "the entry", body = EntryDoc),
        (status = 409, description = "it was changed meanwhile", body = ErrorAnswer)))]
pub(super) async fn change(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let (form, found) = found(&desk, &project, &id).await?;
    bible::change(&desk, form, found, &body).await
}

/// Take an entry of any kind out
#[utoipa::path(delete, path = "/api/projects/{project}/entries/{entry}", operation_id = "delete_entry", tag = "stories",
    responses(
        (status = 204, description = "it is gone"),
        (status = 409, description = "it is a locked chapter", body = ErrorAnswer)))]
pub(super) async fn delete(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let state = desk.project(&project).await?;
    let is_there = state.entry(&id.as_str().into()).is_some();
    let command = remove(vec![id.as_str().into()]);
    gone(&desk, &project, command, is_there, ANY, &id).await
}

async fn found(desk: &Desk, project: &str, id: &str) -> Result<(Form, Found), ApiError> {
    let found = desk.entry(project, id, ANY).await?;
    Ok((form(found.kept.entry.what.kind())?, found))
}

fn form(kind: &str) -> Result<Form, ApiError> {
    Form::of(kind).ok_or_else(|| {
        let kinds: Vec<_> = Form::all().map(|form| form.kind).collect();
        let kinds = kinds.join(", ");
        ApiError::unprocessable("bad_value", format!("`{kind}` is not a kind: {kinds}"))
    })
}
