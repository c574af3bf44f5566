//! Archetypes, the roles of characters: the fifteen that every project has, and those that a project adds.

use axum::Json;
use palimpsest::prelude::resource::project::Archetype;
use palimpsest::prelude::wire::{ApiError, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage};
use super::described::{ArchetypeDoc, ArchetypesDoc};
use super::desk::{Desk, no_entry};
use super::fields::StoryArchetype;
use crate::readings::archetypes::{NamedArchetype, archetypes, built_in};
use crate::readings::book::Book;

/// Whose archetypes are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct ArchetypesQuery {
    /// With those of a project, and in its language.
    project_id: Option<String>,
    /// `zh` or `en`, where no project is named; `zh` where absent.
    language: Option<String>,
}

/// An archetype with its id.
#[derive(Serialize, JsonSchema)]
pub(super) struct StoryRole {
    #[serde(flatten, with = "StoryArchetype")]
    archetype: Archetype,
    id: String,
}

/// List the archetypes
#[utoipa::path(get, path = "/api/archetypes", operation_id = "list_archetypes", tag = "stories", params(ArchetypesQuery),
    responses(
        (status = 200, description = "a page of archetypes", body = ArchetypesDoc),
        (status = 404, description = "no such project", body = ErrorAnswer)))]
pub(super) async fn list(
    desk: Desk,
    ApiQuery(query): ApiQuery<ArchetypesQuery>,
) -> Result<Json<StoryPage<StoryRole>>, ApiError> {
    let all = known(&desk, &query).await?;
    Ok(PageQuery::default().of(all.into_iter().map(row).collect()))
}

/// Show an archetype
#[utoipa::path(get, path = "/api/archetypes/{id}", operation_id = "show_archetype", tag = "stories",
    params(("id" = String, Path, description = "the archetype"), ArchetypesQuery),
    responses(
        (status = 200, description = "the archetype", body = ArchetypeDoc),
        (status = 404, description = "no such archetype", body = ErrorAnswer)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<ArchetypesQuery>,
) -> Result<Json<StoryRole>, ApiError> {
    let all = known(&desk, &query).await?;
    let found = all.into_iter().find(|it| it.id == id);
    found
        .map(row)
        .map(Json)
        .ok_or_else(|| no_entry("archetype", &id))
}

async fn known(desk: &Desk, query: &ArchetypesQuery) -> Result<Vec<NamedArchetype>, ApiError> {
    match &query.project_id {
        Some(project) => {
            let project = desk.project(project).await?;
            Ok(archetypes(&Book::without_prose(project)))
        }
        None => {
            let language = query.language.as_deref().unwrap_or("zh");
            Ok(built_in(language.starts_with("zh")))
        }
    }
}

fn row(NamedArchetype { id, archetype }: NamedArchetype) -> StoryRole {
    StoryRole { archetype, id }
}
