//! The working draft of a chapter.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use palimpsest::error::ErrorBody;
use palimpsest::prelude::pipeline::{BlobRef, EntryId};
use palimpsest::prelude::resource::ProjectError;
use palimpsest::prelude::resource::project::{Trigger, Version};
use palimpsest::prelude::resource::project_commands::{
    ProjectCommand, ProjectRefusal, SaveVersion,
};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ErrorAnswer, rfc3339};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::answers::tagged;
use super::desk::{Desk, Found};
use super::fields::CHAPTER;
use crate::readings::prose::{merge, word_count};

/// A text that somebody wrote.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(super) struct TextRequest {
    /// Markdown, at most 1 MiB.
    pub(super) content: String,
    /// The version that was changed, 0 where nothing was written yet; `If-Match` says the same. Where neither is sent, whatever is there
    /// is replaced.
    version: Option<u32>,
    /// `MANUAL`, `AUTO_SAVE` or `AI_EDIT`; `AUTO_SAVE` where absent. One that says nothing new leaves no version.
    trigger: Option<String>,
    #[serde(default)]
    description: String,
}

/// The working draft of a chapter as an answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoryText {
    /// Another one for each version.
    id: String,
    chapter_id: String,
    content: String,
    word_count: u64,
    updated_at: String,
    version: u32,
    accepted_version: Option<u32>,
}

/// Show the working draft of a chapter
#[utoipa::path(get, path = "/api/projects/{project}/chapters/{chapter}/content", operation_id = "show_chapter_text",
    tag = "stories",
    responses((status = 200, description = "the working draft", body = StoryText)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    told(&desk, &project, &id).await
}

/// Write the working draft of a chapter
///
/// A change of an older version than the newest is refused with both texts: `{error, message, base, yours, theirs, merged, pieces}`.
/// `merged` has both changes where they do not contradict each other, and is `null` where somebody has to decide; `pieces` shows where.
#[utoipa::path(put, path = "/api/projects/{project}/chapters/{chapter}/content", operation_id = "save_chapter_text",
    tag = "stories", request_body = TextRequest,
    params(("If-Match" = Option<String>, Header, description = "the tag of the text that was changed")),
    responses(
        (status = 200, description = "the working draft", body = StoryText),
        (status = 409, description = "it was changed meanwhile, or it is locked", body = ErrorAnswer),
        (status = 413, description = "it is too long", body = ErrorAnswer)))]
pub(super) async fn save(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiJson(request): ApiJson<TextRequest>,
) -> Result<Response, ApiError> {
    desk.entry(&project, &id, CHAPTER.kind).await?;
    let of_tag = desk.seen.map(u32::try_from).transpose();
    let of_tag = of_tag.map_err(|_| ApiError::bad_request("`If-Match` names no version"))?;
    let trigger = trigger(request.trigger.as_deref(), Trigger::AutoSave)?;
    let base = request.version.or(of_tag);
    let text = written(&id, request.content, base, trigger, request.description);
    put_text(&desk, &project, &id, text).await
}

/// Makes a text the working draft, and answers with both texts if somebody else changed the same version.
pub(super) async fn put_text(
    desk: &Desk,
    project: &str,
    id: &str,
    (command, text): (ProjectCommand, Bytes),
) -> Result<Response, ApiError> {
    match desk.try_change(project, command, vec![text.clone()]).await {
        Ok(_) => told(desk, project, id).await,
        Err(ProjectError::Refused(refusal @ ProjectRefusal::StaleText { base, .. })) => {
            let yours = String::from_utf8_lossy(&text).into_owned();
            conflict(desk, project, id, base, &yours, refusal).await
        }
        Err(error) => Err(error.into()),
    }
}

/// The command that makes this text the working draft.
pub(super) fn written(
    chapter: &str,
    content: String,
    base: Option<u32>,
    trigger: Trigger,
    description: String,
) -> (ProjectCommand, Bytes) {
    let command = ProjectCommand::Save(SaveVersion {
        chapter: chapter.into(),
        base,
        text: BlobRef::of(content.as_bytes()),
        words: word_count(&content),
        trigger,
        description,
    });
    (command, Bytes::from(content))
}

/// The reason for saving a version, from its name in front ends.
pub(super) fn trigger(name: Option<&str>, otherwise: Trigger) -> Result<Trigger, ApiError> {
    let Some(name) = name else {
        return Ok(otherwise);
    };
    serde_json::from_value(json!(name)).map_err(|_| {
        let message =
            format!("`{name}` is not a trigger: MANUAL, AUTO_SAVE, AI_EDIT, RESTORE or IMPORT");
        ApiError::unprocessable("bad_value", message)
    })
}

/// The working draft of a chapter and its number; an empty text of number 0 where nothing is written yet.
pub(super) async fn draft(desk: &Desk, found: &Found) -> Result<(String, u32), ApiError> {
    let prose = found.project.prose.get(&found.kept.entry.id);
    match prose.and_then(|prose| prose.draft()) {
        None => Ok((String::new(), 0)),
        Some(draft) => {
            let text = desk.text(&found.id, &draft.text).await?;
            Ok((text.to_string(), draft.version))
        }
    }
}

/// The working draft as an answer.
pub(super) async fn told(desk: &Desk, project: &str, id: &str) -> Result<Response, ApiError> {
    let found = desk.entry(project, id, CHAPTER.kind).await?;
    let (content, version) = draft(desk, &found).await?;
    let prose = found.project.prose.get(&found.kept.entry.id);
    let draft = prose.and_then(|prose| prose.draft());
    let body = StoryText {
        id: format!("{id}:{version}"),
        chapter_id: id.to_owned(),
        content,
        word_count: draft.map_or(0, |draft| draft.words),
        updated_at: rfc3339(draft.map_or(found.kept.changed, |draft| draft.at)),
        version,
        accepted_version: prose.and_then(|prose| prose.accepted),
    };
    Ok(tagged(StatusCode::OK, u64::from(version), body))
}

/// Both texts and their differences, if two people changed the same version.
async fn conflict(
    desk: &Desk,
    project: &str,
    id: &str,
    base: u32,
    yours: &str,
    refusal: ProjectRefusal,
) -> Result<Response, ApiError> {
    let found = desk.entry(project, id, CHAPTER.kind).await?;
    let prose = found.project.prose.get(&EntryId::from(id));
    let prose = prose.ok_or_else(|| ApiError::from(refusal.clone()))?;
    let theirs = version(desk, project, prose.draft()).await?;
    let before = match base {
        0 => Some(json!({ "version": 0, "content": "" })),
        _ => match prose.version(base) {
            Some(kept) => Some(version(desk, project, Some(kept)).await?),
            None => None,
        },
    };
    let merged = before.as_ref().map(|before| {
        let text = |it: &Value| it["content"].as_str().unwrap_or_default().to_owned();
        merge(&text(before), yours, &text(&theirs))
    });
    let error: ErrorBody = ApiError::from(refusal)
        .hint("`merged` has both changes where they do not contradict each other; send it with the version of `theirs`")
        .error;
    let body = json!({
        "message": error.message,
        "error": error,
        "base": before,
        "yours": { "content": yours },
        "theirs": theirs,
        "merged": merged.as_ref().and_then(|merged| merged.text()),
        "conflicts": merged.as_ref().map(|merged| merged.conflicts()),
        "pieces": merged.as_ref().map(|merged| &merged.pieces),
    });
    Ok((StatusCode::CONFLICT, Json(body)).into_response())
}

async fn version(desk: &Desk, project: &str, version: Option<&Version>) -> Result<Value, ApiError> {
    let Some(version) = version else {
        return Ok(json!({ "version": 0, "content": "" }));
    };
    let text = desk.text(project, &version.text).await?;
    Ok(json!({
        "version": version.version,
        "content": &*text,
        "updatedAt": rfc3339(version.at),
    }))
}
