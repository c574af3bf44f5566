//! Volumes of a project.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Chapter, Entry, Kept, Project, What};
use palimpsest::prelude::resource::project_commands::{Expected, ProjectCommand};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::answers::{PageQuery, StoryPage};
use super::bible::{gone, told};
use super::described::{VolumeDoc, VolumesDoc};
use super::desk::{Desk, no_entry, put_all, remove, with_what};
use super::fields::{EntryRow, Form, VOLUME};

/// Where something is to stand.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderLine {
    pub(super) id: String,
    pub(super) order_index: u32,
}

/// How much is in a volume.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct VolumeSize {
    chapter_count: usize,
}

/// List the volumes of a project, as they are read
#[utoipa::path(get, path = "/api/projects/{project}/volumes", operation_id = "list_volumes", tag = "stories", params(PageQuery),
    responses((status = 200, description = "a page of volumes", body = VolumesDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<EntryRow<VolumeSize>>>, ApiError> {
    let project = desk.project(&id).await?;
    Ok(query.of(rows(&id, &project)))
}

/// Begin a volume behind the others
///
/// `{title, summary?, orderIndex?}`
#[utoipa::path(post, path = "/api/projects/{project}/volumes", operation_id = "create_volume", tag = "stories",
    request_body = VolumeDoc,
    responses((status = 201, description = "the volume", body = VolumeDoc)))]
pub(super) async fn create(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(mut body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let project = desk.project(&id).await?;
    if !body.contains_key("orderIndex") {
        let orders = volumes(&project).into_iter().map(|(order, _)| order);
        let behind = orders.max().map_or(1, |last| last.saturating_add(1));
        body.insert("orderIndex".to_owned(), json!(behind));
    }
    super::bible::create(&desk, VOLUME, &id, &body).await
}

/// Show a volume
#[utoipa::path(get, path = "/api/projects/{project}/volumes/{volume}", operation_id = "show_volume", tag = "stories",
    responses((status = 200, description = "the volume", body = VolumeDoc)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, VOLUME.kind).await?;
    Ok(told(StatusCode::OK, VOLUME, &found))
}

/// Change a volume
#[utoipa::path(put, path = "/api/projects/{project}/volumes/{volume}", operation_id = "change_volume", tag = "stories",
    request_body = VolumeDoc, params(("If-Match" = Option<String>, Header, description = "the tag of what is to be changed")),
    responses(
        (status = 200, description = "the volume", body = VolumeDoc),
        (status = 409, description = "it was changed meanwhile", body = ErrorAnswer)))]
pub(super) async fn change(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, VOLUME.kind).await?;
    super::bible::change(&desk, VOLUME, found, &body).await
}

/// Take a volume out
///
/// Its chapters stay, in no volume, behind those that are in none already.
#[utoipa::path(delete, path = "/api/projects/{project}/volumes/{volume}", operation_id = "delete_volume", tag = "stories",
    responses((status = 204, description = "it is gone")))]
pub(super) async fn delete(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let state = desk.project(&project).await?;
    let volume = EntryId::from(id.as_str());
    let loose = state.chapters().into_iter();
    let loose = loose.filter(|(_, chapter)| chapter.volume.is_none());
    let mut order = loose.map(|(_, chapter)| chapter.order).max().unwrap_or(0);
    let mut moved = vec![];
    for (chapter, fields) in state.chapters() {
        if fields.volume.as_ref() == Some(&volume)
            && let Some(entry) = state.entry(chapter)
        {
            order = order.saturating_add(1);
            let mut fields = fields.clone();
            (fields.volume, fields.order) = (None, order);
            moved.push(with_what(entry, What::Chapter(fields)));
        }
    }
    let moved = put_all(moved, Expected::Any);
    let command = ProjectCommand::All(vec![moved, remove(vec![volume])]);
    let is_there = state
        .entry(&id.as_str().into())
        .is_some_and(|entry| entry.what.as_volume().is_some());
    gone(&desk, &project, command, is_there, VOLUME.kind, &id).await
}

/// Put the volumes into another order
#[utoipa::path(put, path = "/api/projects/{project}/volumes/reorder", operation_id = "reorder_volumes", tag = "stories",
    request_body = Vec<OrderLine>,
    responses(
        (status = 200, description = "the volumes as they are read now", body = VolumesDoc),
        (status = 404, description = "no such project, or no such volume", body = ErrorAnswer)))]
pub(super) async fn reorder(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(lines): ApiJson<Vec<OrderLine>>,
) -> Result<Json<StoryPage<EntryRow<VolumeSize>>>, ApiError> {
    let project = reordered(&desk, &id, &lines, VOLUME).await?;
    Ok(PageQuery::default().of(rows(&id, &project)))
}

/// Moves volumes or chapters to the positions that these lines name.
pub(super) async fn reordered(
    desk: &Desk,
    id: &str,
    lines: &[OrderLine],
    form: Form,
) -> Result<Arc<Project>, ApiError> {
    let project = desk.project(id).await?;
    let mut entries: Vec<Entry> = vec![];
    for line in lines {
        let entry = project.entry(&line.id.as_str().into());
        let entry = entry.filter(|entry| entry.what.kind() == form.kind);
        let entry = entry.ok_or_else(|| no_entry(form.kind, &line.id))?;
        let body = Map::from_iter([("orderIndex".to_owned(), json!(line.order_index))]);
        entries.push(form.change(entry, &body)?);
    }
    let command = put_all(entries, Expected::Any);
    Ok(desk.change(id, command, vec![]).await?.project)
}

/// The volumes by their order.
fn volumes(project: &Project) -> Vec<(u32, &Kept)> {
    let volumes = project.entries.values().filter_map(|kept| {
        let volume = kept.entry.what.as_volume()?;
        Some((volume.order, kept))
    });
    let mut volumes: Vec<_> = volumes.collect();
    volumes.sort_by_key(|(order, kept)| (*order, &kept.entry.id));
    volumes
}

fn rows(id: &str, project: &Project) -> Vec<EntryRow<VolumeSize>> {
    let chapters = project.chapters();
    let rows = volumes(project).into_iter().map(|(_, kept)| {
        let is_own = |chapter: &Chapter| chapter.volume.as_ref() == Some(&kept.entry.id);
        let own = chapters.iter().filter(|(_, chapter)| is_own(chapter));
        EntryRow {
            entry: VOLUME.show(id, kept),
            more: VolumeSize {
                chapter_count: own.count(),
            },
        }
    });
    rows.collect()
}
