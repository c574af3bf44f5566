//! Versions of a chapter's text. Each save makes one; a snapshot that a person makes is a version with a description.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::resource::project::{Prose, Trigger, Version};
use palimpsest::prelude::resource::project_commands::{
    ProjectCommand, ProjectRefusal, RemoveVersion,
};
use palimpsest::prelude::wire::{ApiError, ApiPath, ApiQuery, ErrorAnswer, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::answers::{MaybeJson, PageQuery, StoryPage, tagged};
use super::bible::gone;
use super::described::{SnapshotDoc, SnapshotsDoc};
use super::desk::{Desk, Found};
use super::fields::CHAPTER;
use super::text::{StoryText, draft, told as told_text, trigger, written};
use crate::readings::prose::{ProseDiff, diff};

/// A snapshot that somebody makes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(super) struct SnapshotRequest {
    #[serde(default)]
    description: String,
    /// `MANUAL`, `AUTO_SAVE`, `AI_EDIT` or `RESTORE`; `MANUAL` where absent.
    trigger: Option<String>,
}

/// A version of a chapter's text.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StorySnapshot {
    id: String,
    chapter_id: String,
    version: u32,
    description: String,
    trigger: Trigger,
    word_count: u64,
    created_at: String,
    is_draft: bool,
    is_accepted: bool,
    /// Where one version is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// List the versions of a chapter, the newest first
#[utoipa::path(get, path = "/api/projects/{project}/chapters/{chapter}/snapshots", operation_id = "list_snapshots", tag = "stories",
    params(PageQuery), responses((status = 200, description = "a page of versions, without their texts", body = SnapshotsDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<StorySnapshot>>, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let prose = prose(&found);
    let versions = prose.versions.iter().rev();
    Ok(query.of(versions.map(|it| shown(&id, &prose, it)).collect()))
}

/// Keep the working draft as it is now
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/snapshots", operation_id = "create_snapshot",
    tag = "stories", request_body = SnapshotRequest,
    responses(
        (status = 201, description = "the version", body = SnapshotDoc),
        (status = 409, description = "it is locked, or somebody wrote meanwhile", body = ErrorAnswer)))]
pub(super) async fn create(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    MaybeJson(request): MaybeJson<SnapshotRequest>,
) -> Result<Response, ApiError> {
    let trigger = trigger(request.trigger.as_deref(), Trigger::Manual)?;
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let (content, version) = draft(&desk, &found).await?;
    let (command, text) = written(&id, content, Some(version), trigger, request.description);
    desk.change(&project, command, vec![text]).await?;
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let prose = prose(&found);
    let newest = version_of(&found, &prose, prose.draft().map_or(0, |it| it.version))?;
    Ok(tagged(
        StatusCode::CREATED,
        u64::from(newest.version),
        shown(&id, &prose, newest),
    ))
}

/// Show a version with its text
#[utoipa::path(get, path = "/api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}", operation_id = "show_snapshot",
    tag = "stories", params(("snapshot" = u32, Path, description = "the number of the version")),
    responses(
        (status = 200, description = "the version", body = SnapshotDoc),
        (status = 404, description = "no such version", body = ErrorAnswer)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath((project, id, snapshot)): ApiPath<(String, String, u32)>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let prose = prose(&found);
    let version = version_of(&found, &prose, snapshot)?;
    let mut body = shown(&id, &prose, version);
    body.content = Some(desk.text(&project, &version.text).await?.to_string());
    Ok(tagged(StatusCode::OK, u64::from(snapshot), body))
}

/// Take a version out
///
/// The working draft and the accepted version stay.
#[utoipa::path(delete, path = "/api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}", operation_id = "delete_snapshot",
    tag = "stories", params(("snapshot" = u32, Path, description = "the number of the version")),
    responses(
        (status = 204, description = "it is gone"),
        (status = 404, description = "no such version", body = ErrorAnswer),
        (status = 409, description = "it is the draft, or accepted", body = ErrorAnswer)))]
pub(super) async fn delete(
    desk: Desk,
    ApiPath((project, id, snapshot)): ApiPath<(String, String, u32)>,
) -> Result<StatusCode, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let is_there = prose(&found).version(snapshot).is_some();
    let command = ProjectCommand::RemoveVersion(RemoveVersion {
        chapter: id.as_str().into(),
        version: snapshot,
    });
    gone(
        &desk,
        &project,
        command,
        is_there,
        "version",
        &snapshot.to_string(),
    )
    .await
}

/// Show what the working draft changes of a version
#[utoipa::path(get, path = "/api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}/diff", operation_id = "diff_snapshot",
    tag = "stories", params(("snapshot" = u32, Path, description = "the number of the version")),
    responses(
        (status = 200, description = "the difference", body = ProseDiff),
        (status = 404, description = "no such version", body = ErrorAnswer)))]
pub(super) async fn difference(
    desk: Desk,
    ApiPath((project, id, snapshot)): ApiPath<(String, String, u32)>,
) -> Result<Json<ProseDiff>, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let prose = prose(&found);
    let old = text_of(&desk, &found, &prose, snapshot).await?;
    let new = draft(&desk, &found).await?.0;
    compared(old, new.into()).await
}

/// Which versions are compared.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CompareQuery {
    from: u32,
    to: u32,
}

/// Show what one version changes of another one
#[utoipa::path(get, path = "/api/projects/{project}/chapters/{chapter}/snapshots/compare", operation_id = "compare_snapshots",
    tag = "stories", params(CompareQuery),
    responses(
        (status = 200, description = "the difference", body = ProseDiff),
        (status = 404, description = "no such version", body = ErrorAnswer)))]
pub(super) async fn compare(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<CompareQuery>,
) -> Result<Json<ProseDiff>, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let prose = prose(&found);
    let old = text_of(&desk, &found, &prose, query.from).await?;
    let new = text_of(&desk, &found, &prose, query.to).await?;
    compared(old, new).await
}

/// Make a version the working draft again
///
/// It comes as a new version; nothing that was written since is lost.
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}/restore",
    operation_id = "restore_snapshot", tag = "stories", params(("snapshot" = u32, Path, description = "the number of the version")),
    responses(
        (status = 200, description = "the working draft", body = StoryText),
        (status = 404, description = "no such version", body = ErrorAnswer),
        (status = 409, description = "the chapter is locked", body = ErrorAnswer)))]
pub(super) async fn restore(
    desk: Desk,
    ApiPath((project, id, snapshot)): ApiPath<(String, String, u32)>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let prose = prose(&found);
    let text = text_of(&desk, &found, &prose, snapshot).await?;
    let (command, text) = written(&id, text.to_string(), None, Trigger::Restore, String::new());
    desk.change(&project, command, vec![text]).await?;
    told_text(&desk, &project, &id).await
}

pub(super) fn prose(found: &Found) -> Prose {
    let prose = found.project.prose.get(&found.kept.entry.id);
    prose.cloned().unwrap_or_default()
}

fn version_of<'a>(found: &Found, prose: &'a Prose, version: u32) -> Result<&'a Version, ApiError> {
    let chapter = found.kept.entry.id.to_string();
    let kept = prose.version(version);
    kept.ok_or_else(|| ProjectRefusal::NoVersion { chapter, version }.into())
}

pub(super) async fn text_of(
    desk: &Desk,
    found: &Found,
    prose: &Prose,
    version: u32,
) -> Result<Arc<str>, ApiError> {
    let version = version_of(found, prose, version)?;
    desk.text(&found.id, &version.text).await
}

/// Comparing long chapters takes long, so that it is done on a blocking thread.
async fn compared(old: Arc<str>, new: Arc<str>) -> Result<Json<ProseDiff>, ApiError> {
    let compared = tokio::task::spawn_blocking(move || diff(&old, &new)).await;
    let compared = compared.map_err(|error| ApiError::internal("comparing two texts", error))?;
    Ok(Json(compared))
}

fn shown(chapter: &str, prose: &Prose, version: &Version) -> StorySnapshot {
    let draft = prose.draft().map(|draft| draft.version);
    StorySnapshot {
        id: version.version.to_string(),
        chapter_id: chapter.to_owned(),
        version: version.version,
        description: version.description.clone(),
        trigger: version.trigger,
        word_count: version.words,
        created_at: rfc3339(version.at),
        is_draft: draft == Some(version.version),
        is_accepted: prose.accepted == Some(version.version),
        content: None,
    }
}
