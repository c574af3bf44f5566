//! Projects.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::text::language_of;
use palimpsest::prelude::resource::project::{Description, Project, stream};
use palimpsest::prelude::resource::project_commands::{
    DescribeProject, ProjectCommand, ProjectRefusal,
};
use palimpsest::prelude::resource::{ProjectError, work_session};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer, rfc3339};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage, tagged};
use super::desk::Desk;
use super::fields::text_of;
use super::limits::{CHANGE_TRIES, PAGE_SIZE};
use crate::readings::progress::progress;
use crate::tools::searched::vectors_of;
use crate::wire::into::session::sessions_about;

/// List the projects of the owner, the newest first
#[utoipa::path(get, path = "/api/projects", operation_id = "list_stories", tag = "stories", params(PageQuery),
    responses(
        (status = 200, description = "a page of projects", body = StoryPage)))]
pub(super) async fn list(
    desk: Desk,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage>, ApiError> {
    let all = desk.projects().await?;
    let (from, size) = query.window(PAGE_SIZE);
    let page = all.iter().skip(from).take(size);
    let page = page.map(|(id, project)| shown(id, project));
    Ok(query.of_window(page.collect(), PAGE_SIZE, all.len()))
}

/// Begin a project
///
/// `{title, description?, author?, language?, coverUrl?, creationPhase?, metadata?, worldSettings?}`. The language is that of the title
/// and the description where none is named.
#[utoipa::path(post, path = "/api/projects", operation_id = "create_story", tag = "stories", request_body = Object,
    responses((status = 201, description = "the project", body = Object)))]
pub(super) async fn create(
    desk: Desk,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    text_of(&body, "title")?;
    let begun = Description {
        phase: "IDEA".to_owned(),
        ..Description::default()
    };
    let mut description = described(&begun, &body)?;
    if description.language.is_empty() {
        let said = format!("{} {}", description.title, description.description);
        description.language = language_of(&said).unwrap_or("zh").to_owned();
    }
    let id = desk.new_id("project");
    let command = ProjectCommand::Describe(Box::new(DescribeProject {
        description,
        expected: None,
        why: String::new(),
    }));
    let project = desk.change(&id, command, vec![]).await?.project;
    Ok(tagged(
        StatusCode::CREATED,
        project.described,
        shown(&id, &project),
    ))
}

/// Show a project
#[utoipa::path(get, path = "/api/projects/{project}", operation_id = "show_story", tag = "stories",
    responses(
        (status = 200, description = "the project", body = Object),
        (status = 410, description = "it was erased", body = ErrorAnswer)))]
pub(super) async fn show(desk: Desk, ApiPath(id): ApiPath<String>) -> Result<Response, ApiError> {
    let project = desk.project(&id).await?;
    Ok(told(&id, &project))
}

/// Change what a project is
///
/// The fields of `POST /api/projects`, and `status`: `ACTIVE` or `ARCHIVED`. What is not sent stays.
#[utoipa::path(put, path = "/api/projects/{project}", operation_id = "change_story", tag = "stories", request_body = Object,
    params(("If-Match" = Option<String>, Header, description = "the tag of what is to be changed")),
    responses(
        (status = 200, description = "the project", body = Object),
        (status = 409, description = "it was changed meanwhile", body = ErrorAnswer)))]
pub(super) async fn change(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let project = redescribed(&desk, &id, &body).await?;
    Ok(told(&id, &project))
}

/// The phase that a project is to be in.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PhaseQuery {
    /// `IDEA`, `WORLDBUILDING`, `CHARACTER`, `OUTLINE`, `WRITING`, `REVISION` or `COMPLETED`.
    phase: String,
}

/// Put a project into a phase
#[utoipa::path(patch, path = "/api/projects/{project}/phase", operation_id = "change_story_phase", tag = "stories",
    params(PhaseQuery),
    responses(
        (status = 200, description = "the project", body = Object),
        (status = 422, description = "no phase", body = ErrorAnswer)))]
pub(super) async fn phase(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PhaseQuery>,
) -> Result<Response, ApiError> {
    let mut body = Map::new();
    body.insert("creationPhase".to_owned(), json!(query.phase));
    let project = redescribed(&desk, &id, &body).await?;
    Ok(told(&id, &project))
}

/// Erase a project for good
///
/// With everything that was ever in it, what was worked out about it, and the conversations in which no other project was spoken of.
#[utoipa::path(delete, path = "/api/projects/{project}", operation_id = "delete_story", tag = "stories",
    responses(
        (status = 204, description = "it is erased"),
        (status = 410, description = "it was erased before", body = ErrorAnswer)))]
pub(super) async fn delete(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    desk.project(&id).await?;
    let of_project = stream(&id);
    let log = desk.app.engine.log();
    let work = desk.owner.stream(&work_session(&of_project));
    if log.version(&work).await?.is_some() {
        let id = desk.new_id("erase work");
        desk.app.erase(&desk.owner, &work, true, &id).await?;
    }
    for session in sessions_about(&desk.app, &desk.owner, &id).await? {
        let chat = desk.owner.stream(&session);
        let key = desk.new_id("erase chat");
        desk.app.erase(&desk.owner, &chat, true, &key).await?;
    }
    // The vectors of the project's texts are erased with it.
    let vectors = desk.owner.stream(&vectors_of(&id).stream());
    if log.version(&vectors).await?.is_some() {
        let id = desk.new_id("erase vectors");
        desk.app.erase(&desk.owner, &vectors, true, &id).await?;
    }
    let of_project = desk.owner.stream(&of_project);
    let key = desk.new_id("erase");
    desk.app.erase(&desk.owner, &of_project, true, &key).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes the description. If somebody else changed it first, it is tried again, unless the caller said which version it has seen.
async fn redescribed(
    desk: &Desk,
    id: &str,
    body: &Map<String, Value>,
) -> Result<Arc<Project>, ApiError> {
    for _ in 0..CHANGE_TRIES {
        let project = desk.project(id).await?;
        let command = ProjectCommand::Describe(Box::new(DescribeProject {
            description: described(&project.description, body)?,
            expected: Some(desk.seen.unwrap_or(project.described)),
            why: String::new(),
        }));
        match desk.try_change(id, command, vec![]).await {
            Ok(changed) => return Ok(changed.project),
            Err(ProjectError::Refused(ProjectRefusal::Changed { .. })) if desk.seen.is_none() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(ApiError::busy())
}

/// The description with the changes that a front end sends.
fn described(before: &Description, body: &Map<String, Value>) -> Result<Description, ApiError> {
    let mut after = before.clone();
    for (name, value) in body {
        let text = || -> Result<String, ApiError> {
            match value {
                Value::Null => Ok(String::new()),
                Value::String(text) => Ok(text.clone()),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Err(
                    ApiError::unprocessable("bad_body", format!("`{name}` is no text")),
                ),
            }
        };
        match name.as_str() {
            "title" => after.title = text()?,
            "author" => after.author = text()?,
            "description" => after.description = text()?,
            "language" => after.language = text()?,
            "coverUrl" => after.cover_url = Some(text()?).filter(|url| !url.is_empty()),
            "creationPhase" => after.phase = text()?,
            "status" => after.archived = is_archived(&text()?)?,
            "metadata" => after.metadata = value.clone(),
            "worldSettings" => after.world_settings = value.clone(),
            "calendar" => {
                let calendar = serde_json::from_value(value.clone());
                after.calendar = calendar.map_err(|error| {
                    ApiError::unprocessable("bad_body", format!("`calendar` is not right: {error}"))
                })?;
            }
            // Other fields are ignored: front ends send back all fields that they received.
            _ => {}
        }
    }
    Ok(after)
}

fn is_archived(status: &str) -> Result<bool, ApiError> {
    match status {
        "ARCHIVED" => Ok(true),
        "ACTIVE" | "" => Ok(false),
        other => Err(ApiError::unprocessable(
            "bad_value",
            format!("`{other}` is not a status: ACTIVE or ARCHIVED"),
        )),
    }
}

fn told(id: &str, project: &Project) -> Response {
    tagged(StatusCode::OK, project.described, shown(id, project))
}

/// A project in the form for front ends.
pub(super) fn shown(id: &str, project: &Project) -> Value {
    let description = &project.description;
    let object = |value: &Value| {
        if value.is_null() {
            json!({})
        } else {
            value.clone()
        }
    };
    json!({
        "id": id,
        "title": description.title,
        "author": description.author,
        "description": description.description,
        "language": description.language,
        "coverUrl": description.cover_url,
        "status": if description.archived { "ARCHIVED" } else { "ACTIVE" },
        "creationPhase": description.phase,
        "calendar": description.calendar,
        "metadata": object(&description.metadata),
        "worldSettings": object(&description.world_settings),
        "wordCount": progress(project).word_count,
        "version": project.described,
        "createdAt": rfc3339(project.created),
        "updatedAt": rfc3339(project.changed),
    })
}
