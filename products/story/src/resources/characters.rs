//! Characters and their relationships.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::answers::{MaybeJson, PageQuery, StoryPage};
use super::bible;
use super::bible::{WithinQuery, gone};
use super::described::{CharacterDoc, CharactersDoc, GraphDoc, RelationshipDoc, RelationshipsDoc};
use super::desk::{Desk, no_entry, remove};
use super::fields::{CHARACTER, RELATIONSHIP, StoryEntry, text_of};
use crate::readings::book::Book;
use crate::readings::graph::{RelationGraph, graph as relations, picture as drawn};

bible::calls! {
    form: CHARACTER,
    doc: CharacterDoc,
    at: "/api/characters",
    operations: "character",
    word: "character",
    a: "a character",
    fields: "`{projectId, name, role, description?, personality?, archetype?, …}`",
    taken_out: "Take a character out, with its relationships",
    shown: bible::shown(CHARACTER),
    along: along,
}

/// List the characters of a project, by name
#[utoipa::path(get, path = "/api/characters/project/{project}", operation_id = "list_characters", tag = "stories",
    params(PageQuery), responses((status = 200, description = "a page of characters", body = CharactersDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<StoryEntry>>, ApiError> {
    let project = desk.project(&id).await?;
    Ok(query.of(bible::rows(&id, &project, CHARACTER)))
}

/// List what a character is to others, and they to it
#[utoipa::path(get, path = "/api/characters/{id}/relationships", operation_id = "list_relationships", tag = "stories",
    params(("id" = String, Path, description = "the character"), WithinQuery),
    responses(
        (status = 200, description = "a page of relationships", body = RelationshipsDoc),
        (status = 404, description = "no such character", body = ErrorAnswer)))]
pub(super) async fn relationships(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(within): ApiQuery<WithinQuery>,
) -> Result<Json<StoryPage<StoryEntry>>, ApiError> {
    let found = within.find(&desk, CHARACTER, &id).await?;
    let own = along(&found.project, &id);
    let own = own.iter().filter_map(|it| found.project.entries.get(it));
    let rows = own.map(|kept| RELATIONSHIP.show(&found.id, kept));
    Ok(PageQuery::default().of(rows.collect()))
}

/// Say what a character is to another one
///
/// `{targetId, type, description?, strength?, bidirectional?, reverse?, sinceChapterId?, untilChapterId?}`. Circles are taken: whether
/// they can be is for the checks of consistency to say.
#[utoipa::path(post, path = "/api/characters/{id}/relationships", operation_id = "create_relationship", tag = "stories",
    request_body = RelationshipDoc, params(("id" = String, Path, description = "the character"), WithinQuery),
    responses(
        (status = 201, description = "the relationship", body = RelationshipDoc),
        (status = 404, description = "no such character", body = ErrorAnswer)))]
pub(super) async fn relate(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(within): ApiQuery<WithinQuery>,
    ApiJson(mut body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let found = within.find(&desk, CHARACTER, &id).await?;
    let target = text_of(&body, "targetId")?;
    let entry = found.project.entry(&target.into());
    let is_character = entry.is_some_and(|entry| entry.what.as_character().is_some());
    if !is_character {
        return Err(no_entry(CHARACTER.kind, target));
    }
    text_of(&body, "type")?;
    body.insert("sourceId".to_owned(), json!(id));
    let made = desk.create(&found.id, RELATIONSHIP, &body).await?;
    Ok(bible::told(StatusCode::CREATED, RELATIONSHIP, &made))
}

/// Take a relationship out
#[utoipa::path(delete, path = "/api/characters/{id}/relationships/{relationship}", operation_id = "delete_relationship",
    tag = "stories", params(("id" = String, Path, description = "the character"), WithinQuery),
    responses(
        (status = 204, description = "it is gone"),
        (status = 404, description = "no such character, or no such relationship of it", body = ErrorAnswer)))]
pub(super) async fn unrelate(
    desk: Desk,
    ApiPath((id, relationship)): ApiPath<(String, String)>,
    ApiQuery(within): ApiQuery<WithinQuery>,
) -> Result<StatusCode, ApiError> {
    let found = within.find(&desk, CHARACTER, &id).await?;
    let gone_id = EntryId::from(relationship.as_str());
    let is_there = along(&found.project, &id).contains(&gone_id);
    let command = remove(vec![gone_id]);
    if !is_there {
        return Err(no_entry(RELATIONSHIP.kind, &relationship));
    }
    gone(
        &desk,
        &found.id,
        command,
        true,
        RELATIONSHIP.kind,
        &relationship,
    )
    .await
}

/// As of which chapter a graph is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct GraphQuery {
    /// The number of a chapter, from 1; the whole story where absent.
    chapter_order: Option<usize>,
}

/// Show who is what to whom
#[utoipa::path(get, path = "/api/characters/project/{project}/graph", operation_id = "show_graph", tag = "stories",
    params(GraphQuery), responses((status = 200, description = "the graph", body = GraphDoc)))]
pub(super) async fn graph(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<GraphQuery>,
) -> Result<Json<RelationGraph>, ApiError> {
    graph_of(&desk, &id, query).await.map(Json)
}

/// Draw who is what to whom
#[utoipa::path(get, path = "/api/characters/project/{project}/graph.svg", operation_id = "draw_graph", tag = "stories",
    params(GraphQuery), responses((status = 200, description = "a picture", content_type = "image/svg+xml")))]
pub(super) async fn picture(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<GraphQuery>,
) -> Result<Response, ApiError> {
    let graph = graph_of(&desk, &id, query).await?;
    let drawn = tokio::task::spawn_blocking(move || drawn(&graph)).await;
    let svg = drawn.map_err(|error| ApiError::internal("drawing a graph", error))?;
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "sandbox"),
    ];
    Ok((headers, svg).into_response())
}

/// What a character is now.
#[derive(Clone, Debug, Default, Deserialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct StatusQuery {
    /// `active`, `inactive`, `dead` or the author's own word; it may be in the body as well.
    status: Option<String>,
    project_id: Option<String>,
}

/// Change the status of a character
#[utoipa::path(patch, path = "/api/characters/{id}/status", operation_id = "change_character_status", tag = "stories",
    request_body = StatusQuery,
    params(("id" = String, Path, description = "the character"), StatusQuery),
    responses(
        (status = 200, description = "the character", body = CharacterDoc),
        (status = 404, description = "no such character", body = ErrorAnswer),
        (status = 422, description = "no status", body = ErrorAnswer)))]
pub(super) async fn status(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<StatusQuery>,
    MaybeJson(body): MaybeJson<StatusQuery>,
) -> Result<Response, ApiError> {
    let status = query.status.or(body.status);
    let status = status.ok_or_else(|| {
        ApiError::unprocessable("bad_body", "neither the query nor the body has a `status`")
    })?;
    let within = WithinQuery {
        project_id: query.project_id.or(body.project_id),
    };
    let found = within.find(&desk, CHARACTER, &id).await?;
    let fields = Map::from_iter([("status".to_owned(), json!(status))]);
    bible::change(&desk, CHARACTER, found, &fields).await
}

/// The relationships that have to be removed with this character.
fn along(project: &Project, id: &str) -> Vec<EntryId> {
    let id = EntryId::from(id);
    let entries = project.entries.values().map(|kept| &kept.entry);
    let own = entries.filter(|entry| {
        let relationship = entry.what.as_relationship();
        relationship.is_some_and(|it| it.source == id || it.target == id)
    });
    own.map(|entry| entry.id.clone()).collect()
}

async fn graph_of(desk: &Desk, id: &str, query: GraphQuery) -> Result<RelationGraph, ApiError> {
    let project = desk.project(id).await?;
    // The graph is made from the bible and the facts, which a project has even without its prose.
    let book = Book::without_prose(project);
    Ok(relations(&book, query.chapter_order))
}
