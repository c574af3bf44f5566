//! Projects: what an owner works on for longer than a session. What is in them comes in by the protocols.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::ApiError;
use crate::keys::Owner;

/// The projects of an owner.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ProjectList {
    /// Newest first.
    projects: Vec<ProjectRow>,
}

/// The line of a project in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ProjectRow {
    project: String,
    title: String,
    version: u64,
    chapters: usize,
}

/// List projects
#[utoipa::path(get, path = "/v1/projects", operation_id = "list_projects", tag = "projects",
    responses(
        (status = 200, description = "newest first", body = ProjectList)))]
pub(super) async fn list(
    State(app): State<App>,
    owner: Owner,
) -> Result<Json<ProjectList>, ApiError> {
    let all = app.engine.projects();
    let mut projects = vec![];
    for project in all.list(&owner.0).await? {
        let state = all.get(&owner.0, &project).await?;
        projects.push(ProjectRow {
            project,
            title: state.description.title.clone(),
            version: state.version,
            chapters: state.chapters().len(),
        });
    }
    Ok(Json(ProjectList { projects }))
}
