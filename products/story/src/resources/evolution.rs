//! The state of a character, an item or a place at a chapter, and what changed.

use std::sync::Arc;

use axum::Json;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::wire::{ApiError, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage};
use super::described::{
    StateChangesDoc, StateComparisonDoc, StateDoc, StateSnapshotsDoc, StatesDoc,
};
use super::desk::{ANY, Desk, no_entry};
use crate::readings::book::Book;
use crate::readings::state::{EntityState, Evolution, StateChange, StateSnapshot};

/// Whom it is about.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct EntityQuery {
    /// `CHARACTER`, `ITEM` or `PLACE`; told from the id where absent.
    entity_type: Option<String>,
    entity_id: String,
    /// Needed only where several projects of the owner have an entry of this id.
    project_id: Option<String>,
    /// The number of a chapter, 0 for the beginning of the story; the last chapter where absent.
    chapter_order: Option<usize>,
}

impl EntityQuery {
    async fn entity(&self, desk: &Desk) -> Result<Entity, ApiError> {
        let (kind, project) = (self.entity_type.as_deref(), self.project_id.as_deref());
        Entity::of(desk, &self.entity_id, kind, project).await
    }
}

/// Whom it is about, and between which chapters.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct SpanQuery {
    /// `CHARACTER`, `ITEM` or `PLACE`; told from the id where absent.
    entity_type: Option<String>,
    entity_id: String,
    /// Needed only where several projects of the owner have an entry of this id.
    project_id: Option<String>,
    /// The number of the first chapter; 0, the beginning of the story, where absent.
    from_chapter_order: Option<usize>,
    /// The number of the last chapter; the last one of the story where absent.
    to_chapter_order: Option<usize>,
    /// Only this field and what is below it: `status`, `appearance`, `items`.
    field_path: Option<String>,
}

impl SpanQuery {
    async fn entity(&self, desk: &Desk) -> Result<Entity, ApiError> {
        let (kind, project) = (self.entity_type.as_deref(), self.project_id.as_deref());
        Entity::of(desk, &self.entity_id, kind, project).await
    }
}

/// A state with an id of its own.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntitySnapshot {
    #[serde(flatten)]
    snapshot: StateSnapshot,
    id: String,
    entity_id: EntryId,
}

/// What is different between the ends of two chapters.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StateComparison {
    entity_id: EntryId,
    from_chapter_order: usize,
    to_chapter_order: usize,
    changes: Vec<StateChange>,
}

/// List the chapters that change somebody or something
#[utoipa::path(get, path = "/api/evolution/snapshots", operation_id = "list_state_snapshots", tag = "stories", params(EntityQuery),
    responses(
        (status = 200, description = "a page of states, the beginning of the story first", body = StateSnapshotsDoc),
        (status = 404, description = "no such character, item or place", body = ErrorAnswer),
        (status = 409, description = "several projects have one of this id", body = ErrorAnswer)))]
pub(super) async fn snapshots(
    desk: Desk,
    ApiQuery(query): ApiQuery<EntityQuery>,
) -> Result<Json<StoryPage<EntitySnapshot>>, ApiError> {
    let entity = query.entity(&desk).await?;
    let snapshots = entity.evolution.snapshots(&entity.id).into_iter();
    let rows = snapshots.map(|snapshot| EntitySnapshot {
        id: format!("{}@{}", entity.id, snapshot.chapter_order),
        entity_id: entity.id.clone(),
        snapshot,
    });
    Ok(PageQuery::default().of(rows.collect()))
}

/// Show how somebody or something is at the end of a chapter
#[utoipa::path(get, path = "/api/evolution/state", operation_id = "show_state", tag = "stories", params(EntityQuery),
    responses(
        (status = 200, description = "the state, each value with its sentence", body = StateDoc),
        (status = 404, description = "no such character, item or place", body = ErrorAnswer),
        (status = 409, description = "several projects have one of this id", body = ErrorAnswer)))]
pub(super) async fn state(
    desk: Desk,
    ApiQuery(query): ApiQuery<EntityQuery>,
) -> Result<Json<EntityState>, ApiError> {
    let entity = query.entity(&desk).await?;
    let at = query.chapter_order.unwrap_or(entity.chapters);
    entity.state(at).map(Json)
}

/// At which chapter everybody and everything is looked at.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct StatesQuery {
    project_id: String,
    /// `CHARACTER`, `ITEM` or `PLACE`; all of them where absent.
    entity_type: Option<String>,
    /// The number of a chapter, 0 for the beginning of the story; the last chapter where absent.
    chapter_order: Option<usize>,
    page: Option<usize>,
    size: Option<usize>,
}

/// List how everybody and everything is at the end of a chapter, by name
#[utoipa::path(get, path = "/api/evolution/states", operation_id = "list_states", tag = "stories", params(StatesQuery),
    responses(
        (status = 200, description = "a page of states, each value with its sentence", body = StatesDoc),
        (status = 404, description = "no such project", body = ErrorAnswer),
        (status = 422, description = "what has no state", body = ErrorAnswer)))]
pub(super) async fn states(
    desk: Desk,
    ApiQuery(query): ApiQuery<StatesQuery>,
) -> Result<Json<StoryPage<EntityState>>, ApiError> {
    let kind = query.entity_type.as_deref().map(str::to_ascii_uppercase);
    let kind = kind.as_deref().map(kind_of).transpose()?;
    let project = desk.project(&query.project_id).await?;
    let chapter = query.chapter_order.unwrap_or(project.chapters().len());
    let evolution = evolution(project).await?;
    let states = evolution.states(kind, chapter);
    Ok(PageQuery::new(query.page, query.size).of(states))
}

/// Show how somebody or something is at the end of the story
#[utoipa::path(get, path = "/api/evolution/state/latest", operation_id = "show_latest_state", tag = "stories", params(EntityQuery),
    responses(
        (status = 200, description = "the state, each value with its sentence", body = StateDoc),
        (status = 404, description = "no such character, item or place", body = ErrorAnswer),
        (status = 409, description = "several projects have one of this id", body = ErrorAnswer)))]
pub(super) async fn latest(
    desk: Desk,
    ApiQuery(query): ApiQuery<EntityQuery>,
) -> Result<Json<EntityState>, ApiError> {
    let entity = query.entity(&desk).await?;
    entity.state(entity.chapters).map(Json)
}

/// Show what is different between the ends of two chapters
#[utoipa::path(get, path = "/api/evolution/compare", operation_id = "compare_states", tag = "stories", params(SpanQuery),
    responses(
        (status = 200, description = "the changes", body = StateComparisonDoc),
        (status = 404, description = "no such character, item or place", body = ErrorAnswer),
        (status = 409, description = "several projects have one of this id", body = ErrorAnswer)))]
pub(super) async fn compare(
    desk: Desk,
    ApiQuery(query): ApiQuery<SpanQuery>,
) -> Result<Json<StateComparison>, ApiError> {
    let entity = query.entity(&desk).await?;
    let (from, to) = entity.span(&query);
    let changes = entity.evolution.compare(&entity.id, from, to);
    let changes = changes.ok_or_else(|| no_state(&entity.id))?;
    Ok(Json(StateComparison {
        entity_id: entity.id,
        from_chapter_order: from,
        to_chapter_order: to,
        changes,
    }))
}

/// List every change between two chapters, both included
#[utoipa::path(get, path = "/api/evolution/track", operation_id = "track_states", tag = "stories", params(SpanQuery),
    responses(
        (status = 200, description = "a page of changes, each with its sentence", body = StateChangesDoc),
        (status = 404, description = "no such character, item or place", body = ErrorAnswer),
        (status = 409, description = "several projects have one of this id", body = ErrorAnswer)))]
pub(super) async fn track(
    desk: Desk,
    ApiQuery(query): ApiQuery<SpanQuery>,
) -> Result<Json<StoryPage<StateChange>>, ApiError> {
    let entity = query.entity(&desk).await?;
    let (from, to) = entity.span(&query);
    let changes = entity
        .evolution
        .track(&entity.id, query.field_path.as_deref(), from, to);
    Ok(PageQuery::default().of(changes.into_iter().cloned().collect()))
}

/// A character, an item or a place, with all its changes.
struct Entity {
    id: EntryId,
    evolution: Evolution,
    chapters: usize,
}

impl Entity {
    async fn of(
        desk: &Desk,
        id: &str,
        kind: Option<&str>,
        project: Option<&str>,
    ) -> Result<Self, ApiError> {
        let kind = kind.map(str::to_ascii_uppercase);
        let kind = kind.as_deref().map_or(Ok(ANY), kind_of)?;
        let found = desk.find(id, kind, project).await?;
        Ok(Self {
            id: found.kept.entry.id,
            chapters: found.project.chapters().len(),
            evolution: evolution(found.project).await?,
        })
    }

    fn state(&self, chapter: usize) -> Result<EntityState, ApiError> {
        let state = self.evolution.state(&self.id, chapter);
        state.ok_or_else(|| no_state(&self.id))
    }

    fn span(&self, query: &SpanQuery) -> (usize, usize) {
        (
            query.from_chapter_order.unwrap_or(0),
            query.to_chapter_order.unwrap_or(self.chapters),
        )
    }
}

/// The kind of the entries of a type that has states.
fn kind_of(entity_type: &str) -> Result<&'static str, ApiError> {
    match entity_type {
        "CHARACTER" => Ok("character"),
        "ITEM" => Ok("item"),
        "PLACE" => Ok("place"),
        other => {
            let message = format!("`{other}` has no state: CHARACTER, ITEM and PLACE have one");
            Err(ApiError::unprocessable("bad_value", message))
        }
    }
}

/// States follow from the bible and the facts, which a project has even without its prose.
async fn evolution(project: Arc<Project>) -> Result<Evolution, ApiError> {
    let book = Book::without_prose(project);
    let evolution = tokio::task::spawn_blocking(move || Evolution::of(&book)).await;
    evolution.map_err(|error| ApiError::internal("reading a story", error))
}

fn no_state(id: &EntryId) -> ApiError {
    no_entry("character, item or place that is a fact", id.as_str())
}
