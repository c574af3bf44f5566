//! Chapters: their order, and what is planned for them. Their prose is in `text.rs`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Entry, Kept, Project, Standing, What};
use palimpsest::prelude::resource::project_commands::{AcceptVersion, Expected, ProjectCommand};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::answers::{MaybeJson, PageQuery, StoryPage, tagged};
use super::bible::gone;
use super::described::{ChapterDoc, ChaptersDoc};
use super::desk::{Desk, Found, no_entry, put, remove, with_what};
use super::fields::{CHAPTER, EntryRow, id_of};
use super::volumes::{OrderLine, reordered};

/// What has become of the prose of a chapter.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChapterProse {
    /// Counted from 1 through all volumes.
    chapter_order: Option<usize>,
    word_count: u64,
    /// 0 where nothing was written yet.
    draft_version: u32,
    accepted_version: Option<u32>,
    is_read: bool,
    /// `rules`, or the model that read it.
    read_by: Option<String>,
    /// What was not done or not taken over when it was read.
    read_remarks: Vec<String>,
}

pub(super) type ChapterRow = EntryRow<ChapterProse>;

/// List the chapters of a project, as they are read
#[utoipa::path(get, path = "/api/projects/{project}/chapters", operation_id = "list_chapters", tag = "stories", params(PageQuery),
    responses((status = 200, description = "a page of chapters", body = ChaptersDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<ChapterRow>>, ApiError> {
    let project = desk.project(&id).await?;
    Ok(query.of(rows(&id, &project, |_| true)))
}

/// List the chapters of a volume
#[utoipa::path(get, path = "/api/projects/{project}/chapters/volume/{volume}", operation_id = "list_chapters_of_volume",
    tag = "stories", params(PageQuery), responses((status = 200, description = "a page of chapters", body = ChaptersDoc)))]
pub(super) async fn of_volume(
    desk: Desk,
    ApiPath((project, volume)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<ChapterRow>>, ApiError> {
    let found = desk.entry(&project, &volume, "volume").await?;
    let volume = Some(EntryId::from(volume));
    Ok(query.of(rows(&project, &found.project, |it| it == &volume)))
}

/// Begin a chapter behind the others of its volume
///
/// `{volumeId?, title, summary?, orderIndex?, …}`
#[utoipa::path(post, path = "/api/projects/{project}/chapters", operation_id = "create_chapter", tag = "stories",
    request_body = ChapterDoc,
    responses(
        (status = 201, description = "the chapter", body = ChapterDoc),
        (status = 404, description = "no such project, or no such volume", body = ErrorAnswer),
        (status = 409, description = "there are too many entries", body = ErrorAnswer)))]
pub(super) async fn create(
    desk: Desk,
    ApiPath(project): ApiPath<String>,
    ApiJson(mut body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let state = desk.project(&project).await?;
    let volume = id_of(&body, "volumeId");
    check_volume(&state, volume.as_ref())?;
    if !body.contains_key("orderIndex") {
        body.insert(
            "orderIndex".to_owned(),
            json!(behind(&state, volume.as_ref())),
        );
    }
    body.entry("status").or_insert(json!("DRAFT"));
    let found = desk.create(&project, CHAPTER, &body).await?;
    Ok(told(StatusCode::CREATED, &found))
}

/// Show a chapter, without its text
#[utoipa::path(get, path = "/api/projects/{project}/chapters/{chapter}", operation_id = "show_chapter", tag = "stories",
    responses((status = 200, description = "the chapter", body = ChapterDoc)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    Ok(told(StatusCode::OK, &found))
}

/// Change what is planned for a chapter, and where it stands
#[utoipa::path(put, path = "/api/projects/{project}/chapters/{chapter}", operation_id = "change_chapter", tag = "stories",
    request_body = ChapterDoc, params(("If-Match" = Option<String>, Header, description = "the tag of what is to be changed")),
    responses(
        (status = 200, description = "the chapter", body = ChapterDoc),
        (status = 404, description = "no such chapter, or no such volume", body = ErrorAnswer),
        (status = 409, description = "it was changed meanwhile", body = ErrorAnswer)))]
pub(super) async fn change(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiJson(body): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let changed = desk.update(found, |project, kept| {
        check_volume(project, id_of(&body, "volumeId").as_ref())?;
        CHAPTER.change(&kept.entry, &body)
    });
    Ok(told(StatusCode::OK, &changed.await?))
}

/// Take a chapter out, with all versions of its text and what was learned from it
#[utoipa::path(delete, path = "/api/projects/{project}/chapters/{chapter}", operation_id = "delete_chapter", tag = "stories",
    responses(
        (status = 204, description = "it is gone"),
        (status = 409, description = "it is locked", body = ErrorAnswer)))]
pub(super) async fn delete(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let state = desk.project(&project).await?;
    let is_there = state.chapter(&id.as_str().into()).is_some();
    let command = remove(vec![id.as_str().into()]);
    gone(&desk, &project, command, is_there, CHAPTER.kind, &id).await
}

/// Put the chapters into another order
#[utoipa::path(put, path = "/api/projects/{project}/chapters/reorder", operation_id = "reorder_chapters", tag = "stories",
    request_body = Vec<OrderLine>,
    responses(
        (status = 200, description = "the chapters as they are read now", body = ChaptersDoc),
        (status = 404, description = "no such project, or no such chapter", body = ErrorAnswer)))]
pub(super) async fn reorder(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(lines): ApiJson<Vec<OrderLine>>,
) -> Result<Json<StoryPage<ChapterRow>>, ApiError> {
    let project = reordered(&desk, &id, &lines, CHAPTER).await?;
    Ok(PageQuery::default().of(rows(&id, &project, |_| true)))
}

/// Where in its volume a chapter is to stand.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct MoveQuery {
    /// Behind the others where absent.
    order_index: Option<u32>,
}

/// Move a chapter into a volume
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/move/{volume}", operation_id = "move_chapter",
    tag = "stories", params(MoveQuery),
    responses(
        (status = 200, description = "the chapter", body = ChapterDoc),
        (status = 404, description = "no such chapter, or no such volume", body = ErrorAnswer)))]
pub(super) async fn shift(
    desk: Desk,
    ApiPath((project, id, volume)): ApiPath<(String, String, String)>,
    ApiQuery(query): ApiQuery<MoveQuery>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let volume = Some(EntryId::from(volume));
    let changed = desk.update(found, |project, kept| {
        check_volume(project, volume.as_ref())?;
        let order = query.order_index;
        let order = order.unwrap_or_else(|| behind(project, volume.as_ref()));
        change_of(kept, &json!({ "volumeId": volume, "orderIndex": order }))
    });
    Ok(told(StatusCode::OK, &changed.await?))
}

/// The version that becomes part of the story.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(super) struct AcceptRequest {
    /// The working draft where absent.
    version: Option<u32>,
}

/// Make a version of a chapter part of the story
///
/// What it says is read then, and can be taken or refused. A chapter that an agent proposed becomes one of the story.
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/accept", operation_id = "accept_chapter", tag = "stories",
    request_body = AcceptRequest,
    responses(
        (status = 200, description = "the chapter", body = ChapterDoc),
        (status = 404, description = "no such chapter, or no such version", body = ErrorAnswer)))]
pub(super) async fn accept(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    MaybeJson(request): MaybeJson<AcceptRequest>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let fact = Entry {
        standing: Standing::Fact,
        ..found.kept.entry.clone()
    };
    let command = ProjectCommand::All(vec![
        put(vec![fact], Expected::Any),
        ProjectCommand::Accept(AcceptVersion {
            chapter: id.as_str().into(),
            version: request.version,
        }),
    ]);
    desk.change(&project, command, vec![]).await?;
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    Ok(told(StatusCode::OK, &found))
}

/// Whether a chapter is to be locked.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(super) struct LockRequest {
    locked: bool,
}

impl Default for LockRequest {
    fn default() -> Self {
        Self { locked: true }
    }
}

/// Lock a chapter, so that nobody changes its text, or unlock it
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/lock", operation_id = "lock_chapter", tag = "stories",
    request_body = LockRequest,
    responses((status = 200, description = "the chapter", body = ChapterDoc)))]
pub(super) async fn lock(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    MaybeJson(LockRequest { locked }): MaybeJson<LockRequest>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let changed = desk.update(found, |_, kept| {
        change_of(kept, &json!({ "locked": locked }))
    });
    Ok(told(StatusCode::OK, &changed.await?))
}

fn change_of(kept: &Kept, fields: &Value) -> Result<Entry, ApiError> {
    let fields = fields.as_object().cloned().unwrap_or_default();
    CHAPTER.change(&kept.entry, &fields)
}

fn check_volume(project: &Project, volume: Option<&EntryId>) -> Result<(), ApiError> {
    let Some(volume) = volume else {
        return Ok(());
    };
    let entry = project
        .entry(volume)
        .and_then(|entry| entry.what.as_volume());
    entry
        .map(|_| ())
        .ok_or_else(|| no_entry("volume", volume.as_str()))
}

/// The order of a chapter that comes after all others of a volume.
fn behind(project: &Project, volume: Option<&EntryId>) -> u32 {
    let chapters = project.chapters().into_iter();
    let own = chapters.filter(|(_, chapter)| chapter.volume.as_ref() == volume);
    let last = own.map(|(_, chapter)| chapter.order).max();
    last.map_or(1, |last| last.saturating_add(1))
}

/// The chapters after one in its volume, each moved by one position.
pub(super) fn moved_on(project: &Project, chapter: &EntryId) -> Vec<Entry> {
    let chapters = project.chapters();
    let at = chapters.iter().position(|(id, _)| *id == chapter);
    let Some((at, (_, own))) = at.and_then(|at| Some((at, chapters.get(at)?))) else {
        return vec![];
    };
    let behind = chapters[at + 1..].iter();
    let behind = behind.filter(|(_, it)| it.volume == own.volume);
    let moved = behind.filter_map(|(id, it)| {
        let mut it = (*it).clone();
        it.order = it.order.saturating_add(1);
        Some(with_what(project.entry(id)?, What::Chapter(it)))
    });
    moved.collect()
}

/// A chapter as an answer.
pub(super) fn told(status: StatusCode, found: &Found) -> Response {
    tagged(status, found.kept.version, shown(found))
}

/// A chapter in the form for front ends.
pub(super) fn shown(found: &Found) -> ChapterRow {
    let number = found.project.number(&found.kept.entry.id);
    row(&found.id, &found.project, &found.kept, number)
}

fn rows(
    id: &str,
    project: &Project,
    is_wanted: impl Fn(&Option<EntryId>) -> bool,
) -> Vec<ChapterRow> {
    let chapters = project.chapters().into_iter().zip(1..);
    let wanted = chapters.filter(|((_, chapter), _)| is_wanted(&chapter.volume));
    let rows = wanted.filter_map(|((chapter, _), number)| {
        let kept = project.entries.get(chapter)?;
        Some(row(id, project, kept, Some(number)))
    });
    rows.collect()
}

fn row(id: &str, project: &Project, kept: &Kept, number: Option<usize>) -> ChapterRow {
    let prose = project.prose.get(&kept.entry.id);
    let draft = prose.and_then(|prose| prose.draft());
    // The reading of an earlier version does not apply to this one.
    let read = prose.filter(|prose| !prose.is_unread());
    let reading = read.and_then(|prose| prose.reading.as_ref());
    EntryRow {
        entry: CHAPTER.show(id, kept),
        more: ChapterProse {
            chapter_order: number,
            word_count: draft.map_or(0, |draft| draft.words),
            draft_version: draft.map_or(0, |draft| draft.version),
            accepted_version: prose.and_then(|prose| prose.accepted),
            is_read: !prose.is_some_and(|prose| prose.is_unread()),
            read_by: reading.map(|reading| reading.by.clone()),
            read_remarks: reading.map_or(vec![], |reading| reading.remarks.clone()),
        },
    }
}
