//! Plot loops: what the reader waits for.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::answers::{PageQuery, StoryPage, tagged};
use super::bible;
use super::bible::WithinQuery;
use super::described::{LoopLineDoc, PlotLoopDoc, PlotLoopsDoc};
use super::desk::{Desk, Found, no_entry};
use super::fields::{EntryRow, PLOT_LOOP, object};
use crate::readings::book::Book;
use crate::readings::loops::{LoopChapter, LoopReading, line as line_of, loops};

bible::calls! {
    form: PLOT_LOOP,
    doc: PlotLoopDoc,
    at: "/api/plotloops",
    operations: "plot_loop",
    word: "plot loop",
    a: "a plot loop",
    fields: "`{projectId, title, description?, introChapterId?, dueChapterId?, keywords?}`",
    taken_out: "Take a plot loop out",
    shown: told,
    along: bible::alone,
}

/// Which plot loops are wanted, and from where one looks.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct LoopQuery {
    /// `OPEN`, `RESOLVED` or `ABANDONED`.
    status: Option<String>,
    /// Only those that are urgent or overdue.
    #[serde(default)]
    pressing: bool,
    /// The number of a chapter, from 1; the last accepted one where absent.
    chapter_order: Option<usize>,
    page: Option<usize>,
    size: Option<usize>,
}

/// List the plot loops of a project, the most pressing first
#[utoipa::path(get, path = "/api/plotloops/project/{project}", operation_id = "list_plot_loops", tag = "stories", params(LoopQuery),
    responses((status = 200, description = "a page of plot loops; `urgent` and `overdue` follow from the chapters", body = PlotLoopsDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<LoopQuery>,
) -> Result<Json<StoryPage<LoopRow>>, ApiError> {
    let project = desk.project(&id).await?;
    let readings = loops(&bible_of(&project), query.chapter_order);
    let status = query.status.as_deref();
    let wanted = readings.iter().filter(|reading| {
        let is_status = status.is_none_or(|status| json!(reading.status) == status);
        is_status && (reading.urgent || reading.overdue || !query.pressing)
    });
    let rows = wanted.filter_map(|reading| row(&id, &project, reading));
    Ok(PageQuery::new(query.page, query.size).of(rows.collect()))
}

/// Show what each chapter opens, touches and closes
#[utoipa::path(get, path = "/api/plotloops/project/{project}/line", operation_id = "show_plot_loop_line", tag = "stories",
    params(PageQuery), responses((status = 200, description = "a page of chapters", body = LoopLineDoc)))]
pub(super) async fn line(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<LoopChapter>>, ApiError> {
    let project = desk.project(&id).await?;
    Ok(query.of(line_of(&bible_of(&project))))
}

/// What becomes of a plot loop.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoopStatusRequest {
    /// `OPEN`, `RESOLVED` or `ABANDONED`.
    status: String,
    /// Of one that is resolved: where.
    resolution_chapter_id: Option<String>,
    /// Of one that is abandoned: why.
    abandon_reason: Option<String>,
}

/// Close a plot loop, give it up, or open it again
#[utoipa::path(patch, path = "/api/plotloops/{id}/status", operation_id = "change_plot_loop_status", tag = "stories",
    request_body = LoopStatusRequest,
    params(("id" = String, Path, description = "the plot loop"), WithinQuery),
    responses(
        (status = 200, description = "the plot loop", body = PlotLoopDoc),
        (status = 404, description = "no such plot loop, or no such chapter", body = ErrorAnswer),
        (status = 422, description = "no status, or given up without a reason", body = ErrorAnswer)))]
pub(super) async fn status(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(within): ApiQuery<WithinQuery>,
    ApiJson(request): ApiJson<LoopStatusRequest>,
) -> Result<Response, ApiError> {
    let found = within.find(&desk, PLOT_LOOP, &id).await?;
    let mut fields = Map::new();
    let reason = request
        .abandon_reason
        .filter(|reason| !reason.trim().is_empty());
    let (resolution, reason) = match request.status.as_str() {
        "RESOLVED" => (request.resolution_chapter_id, None),
        "ABANDONED" if reason.is_none() => {
            let message = "a plot loop is given up with a reason; say why in `abandonReason`";
            return Err(ApiError::unprocessable("no_reason", message));
        }
        "ABANDONED" => (None, reason),
        "OPEN" => (None, None),
        other => {
            let message = format!("`{other}` is not a status: OPEN, RESOLVED or ABANDONED");
            return Err(ApiError::unprocessable("bad_value", message));
        }
    };
    if let Some(chapter) = &resolution
        && found.project.chapter(&chapter.as_str().into()).is_none()
    {
        return Err(no_entry("chapter", chapter));
    }
    fields.insert("status".to_owned(), json!(request.status));
    fields.insert("resolutionChapterId".to_owned(), json!(resolution));
    fields.insert("abandonReason".to_owned(), json!(reason));
    let changed = desk.update(found, |_, kept| PLOT_LOOP.change(&kept.entry, &fields));
    told(&changed.await?)
}

/// The part of a project that plot loops are computed from: chapters and facts, which a project has even without its prose.
fn bible_of(project: &Arc<Project>) -> Book {
    Book::without_prose(Arc::clone(project))
}

/// A plot loop with what only the chapters say of it.
type LoopRow = EntryRow<Map<String, Value>>;

/// A plot loop with its state according to the chapters.
fn row(id: &str, project: &Project, reading: &LoopReading) -> Option<LoopRow> {
    let kept = project.entries.get(&reading.id)?;
    let mut entry = PLOT_LOOP.show(id, kept);
    let mut more = object(serde_json::to_value(reading));
    more.shift_remove("id");
    // The state as of the requested chapter: a loop that is closed in a later chapter may be open here.
    for (name, value) in &mut entry.fields {
        if let Some(read) = more.shift_remove(name) {
            *value = read;
        }
    }
    Some(EntryRow { entry, more })
}

fn told(found: &Found) -> Result<Response, ApiError> {
    let id = &found.kept.entry.id;
    let readings = loops(&bible_of(&found.project), None);
    let reading = readings.iter().find(|reading| reading.id == *id);
    let row = reading.and_then(|reading| row(&found.id, &found.project, reading));
    let row = row.ok_or_else(|| no_entry(PLOT_LOOP.kind, id.as_str()))?;
    Ok(tagged(StatusCode::OK, found.kept.version, row))
}
