//! Projects.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::text::language_of;
use palimpsest::prelude::resource::project::{Calendar, Description, Project, stream};
use palimpsest::prelude::resource::project_commands::{
    DescribeProject, ProjectCommand, ProjectRefusal,
};
use palimpsest::prelude::resource::{ProjectError, work_session};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::Serializer;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage, tagged};
use super::described::{ProjectDoc, ProjectsDoc};
use super::desk::Desk;
use super::fields::{make_optional, object, overlaid, text_of};
use super::limits::{CHANGE_TRIES, PAGE_SIZE};
use crate::readings::progress::progress;
use crate::tools::searched::vectors_of;
use crate::wire::into::session::sessions_about;

/// List the projects of the owner, the newest first
#[utoipa::path(get, path = "/api/projects", operation_id = "list_stories", tag = "stories", params(PageQuery),
    responses(
        (status = 200, description = "a page of projects", body = ProjectsDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<StoryProject>>, ApiError> {
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
#[utoipa::path(post, path = "/api/projects", operation_id = "create_story", tag = "stories", request_body = ProjectDoc,
    responses((status = 201, description = "the project", body = ProjectDoc)))]
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
    Ok(told(StatusCode::CREATED, &id, &project))
}

/// Show a project
#[utoipa::path(get, path = "/api/projects/{project}", operation_id = "show_story", tag = "stories",
    responses(
        (status = 200, description = "the project", body = ProjectDoc),
        (status = 410, description = "it was erased", body = ErrorAnswer)))]
pub(super) async fn show(desk: Desk, ApiPath(id): ApiPath<String>) -> Result<Response, ApiError> {
    let project = desk.project(&id).await?;
    Ok(told(StatusCode::OK, &id, &project))
}

/// Change what a project is
///
/// The fields of `POST /api/projects`, and `status`: `ACTIVE` or `ARCHIVED`. What is not sent stays.
#[utoipa::path(put, path = "/api/projects/{project}", operation_id = "change_story", tag = "stories", request_body = ProjectDoc,
    params(("If-Match" = Option<String>, Header, description = "the tag of what is to be changed")),
    responses(
        (status = 200, description = "the project", body = ProjectDoc),
        (status = 409, description = "it was changed meanwhile", body = ErrorAnswer)))]
pub(super) async fn change(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let project = redescribed(&desk, &id, &body).await?;
    Ok(told(StatusCode::OK, &id, &project))
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
        (status = 200, description = "the project", body = ProjectDoc),
        (status = 422, description = "no phase", body = ErrorAnswer)))]
pub(super) async fn phase(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PhaseQuery>,
) -> Result<Response, ApiError> {
    let body = Map::from_iter([("creationPhase".to_owned(), json!(query.phase))]);
    let project = redescribed(&desk, &id, &body).await?;
    Ok(told(StatusCode::OK, &id, &project))
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

/// What a front end can change of a project.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Description", rename_all = "camelCase", default)]
pub(super) struct StoryDescription {
    title: String,
    author: String,
    description: String,
    /// The language of the prose, as a tag of BCP 47.
    language: String,
    cover_url: Option<String>,
    /// `ACTIVE` or `ARCHIVED`.
    #[serde(rename = "status", with = "status")]
    #[schemars(with = "String")]
    archived: bool,
    #[serde(rename = "creationPhase")]
    phase: String,
    calendar: Option<Calendar>,
    /// What a front end keeps with the project.
    metadata: Value,
    /// What a front end keeps of the world.
    world_settings: Value,
}

mod status {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(archived: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(if *archived { "ARCHIVED" } else { "ACTIVE" })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        Ok(String::deserialize(from)? == "ARCHIVED")
    }
}

/// A project as front ends see it. What they send may have any of the fields; an answer has all of them.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = make_optional)]
pub(super) struct StoryProject {
    id: String,
    #[serde(flatten, with = "StoryDescription")]
    description: Description,
    word_count: u64,
    /// The version in which the project was last described: its `ETag`.
    version: u64,
    created_at: String,
    updated_at: String,
}

/// The description with the changes that a front end sends.
fn described(before: &Description, body: &Map<String, Value>) -> Result<Description, ApiError> {
    let status = body.get("status").and_then(Value::as_str);
    if let Some(other) = status.filter(|it| !["ACTIVE", "ARCHIVED", ""].contains(it)) {
        let message = format!("`{other}` is not a status: ACTIVE or ARCHIVED");
        return Err(ApiError::unprocessable("bad_value", message));
    }
    let fields = object(StoryDescription::serialize(before, Serializer));
    let read = |fields| StoryDescription::deserialize(Value::Object(fields));
    let mut after = overlaid(
        before.clone(),
        fields,
        body,
        |_, _, sent| sent.clone(),
        read,
    )?;
    after.cover_url = after.cover_url.filter(|url| !url.is_empty());
    Ok(after)
}

fn told(status: StatusCode, id: &str, project: &Project) -> Response {
    tagged(status, project.described, shown(id, project))
}

/// A project in the form for front ends.
pub(super) fn shown(id: &str, project: &Project) -> StoryProject {
    let mut description = project.description.clone();
    for value in [&mut description.metadata, &mut description.world_settings] {
        if value.is_null() {
            *value = json!({});
        }
    }
    StoryProject {
        id: id.to_owned(),
        description,
        word_count: progress(project).word_count,
        version: project.described,
        created_at: rfc3339(project.created),
        updated_at: rfc3339(project.changed),
    }
}
