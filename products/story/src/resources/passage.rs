//! A person accepts a text for a passage: it becomes part of the working draft.

use axum::response::Response;
use palimpsest::prelude::resource::project::Trigger;
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ErrorAnswer};
use serde::Deserialize;
use utoipa::ToSchema;

use super::desk::Desk;
use super::fields::CHAPTER;
use super::snapshots::{prose, text_of};
use super::text::{StoryText, put_text, trigger, written};
use crate::readings::passage::put_in;

/// A text and the passage that it is for, as the frame `content` of a run names them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(super) struct PassageRequest {
    /// The version of the chapter that the offsets are of.
    version: u32,
    /// Unicode characters of that version before the passage.
    from: usize,
    /// Unicode characters up to its end; the same as `from` where something is put between two characters.
    to: usize,
    /// What stands there then: a `replacement`, or what a person made of it.
    content: String,
    /// `AI_EDIT` where absent.
    trigger: Option<String>,
    /// A remark, up to 2,000 characters.
    #[serde(default)]
    description: String,
}

/// Put a text in the place of a passage
///
/// It becomes a new version of the working draft, in which nothing but the passage is another text. Where the chapter was changed since
/// that version, nothing is done, and the answer has both texts: `{error, message, base, yours, theirs, merged, pieces}`, as when a
/// whole chapter is saved.
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/passage", operation_id = "put_passage", tag = "stories",
    request_body = PassageRequest,
    responses(
        (status = 200, description = "the working draft", body = StoryText),
        (status = 404, description = "no such chapter, or no such version", body = ErrorAnswer),
        (status = 409, description = "it was changed meanwhile, or it is locked", body = ErrorAnswer),
        (status = 413, description = "it is too long", body = ErrorAnswer),
        (status = 422, description = "not what is taken, or no such place in the text", body = ErrorAnswer)))]
pub(super) async fn put(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiJson(request): ApiJson<PassageRequest>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    if request.content.trim().is_empty() {
        let message = "`content` is blank; to take a passage out, save the chapter without it";
        return Err(ApiError::unprocessable("bad_value", message));
    }
    let trigger = trigger(request.trigger.as_deref(), Trigger::AiEdit)?;
    let base = text_of(&desk, &found, &prose(&found), request.version).await?;
    let whole = put_in(&base, request.from, request.to, &request.content)
        .map_err(|error| ApiError::unprocessable("bad_selection", error.to_string()))?;
    let version = Some(request.version);
    let text = written(&id, whole, version, trigger, request.description);
    put_text(&desk, &project, &id, text).await
}
