//! `GET /api/tasks`.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, TimeDelta, Utc};
use palimpsest::prelude::wire::{ApiError, ApiQuery, App, Owner, RunId, SessionLine};
use palimpsest::read;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::super::errors::{PostRefusal, RefusalAnswer};
use super::super::limits::{SESSIONS_LOOKED_AT, SESSIONS_PAGE, TASKS, TASKS_MAX};
use super::super::request::PIPELINE;
use super::row::{Task, TaskRow};

/// Which tasks.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    #[serde(rename = "themeId", alias = "theme_id")]
    #[param(rename = "themeId")]
    theme_id: Option<i64>,
    /// `queued`, `running`, `paused`, `completed` (or `done`), `failed`, `cancelled`.
    status: Option<String>,
    /// `7d`, `30d` or `all` (default).
    #[serde(alias = "timeRange")]
    time_range: Option<String>,
    /// 1 to 200; 50 where absent.
    limit: Option<usize>,
}

/// Tasks, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct TaskList {
    tasks: Vec<TaskRow>,
}

/// The conditions that a row has to meet.
struct TaskFilter {
    theme_id: Option<i64>,
    status: Option<&'static str>,
    since: Option<DateTime<Utc>>,
}

impl TaskFilter {
    fn of(query: &ListQuery, now: DateTime<Utc>) -> Result<Self, PostRefusal> {
        let status = match query.status.as_deref() {
            None | Some("" | "all") => None,
            Some("done" | "completed") => Some("completed"),
            Some("queued") => Some("queued"),
            Some("running") => Some("running"),
            Some("paused") => Some("paused"),
            Some("failed") => Some("failed"),
            Some("cancelled" | "aborted") => Some("cancelled"),
            Some(_) => {
                let message = "`status` is queued, running, paused, completed, failed or cancelled";
                return Err(PostRefusal::bad_request(message));
            }
        };
        let days = match query.time_range.as_deref() {
            None | Some("" | "all") => None,
            Some("7d") => Some(7),
            Some("30d") => Some(30),
            Some(_) => return Err(PostRefusal::bad_request("`time_range` is 7d, 30d or all")),
        };
        Ok(Self {
            theme_id: query.theme_id,
            status,
            since: days.map(|days| now - TimeDelta::days(days)),
        })
    }

    fn takes(&self, task: &Task<'_>) -> bool {
        let is_new = |since: DateTime<Utc>| task.created_at().is_none_or(|at| at >= since);
        self.theme_id
            .is_none_or(|theme| task.theme_id() == Some(theme))
            && self.status.is_none_or(|status| task.status() == status)
            && self.since.is_none_or(is_new)
    }
}

/// List tasks, newest first
#[utoipa::path(get, path = "/api/tasks", operation_id = "list_tasks", tag = "posts", params(ListQuery),
    responses(
        (status = 200, description = "the tasks of this owner", body = TaskList),
        (status = 400, description = "the query is not right", body = RefusalAnswer)))]
pub(crate) async fn list(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    query: Result<ApiQuery<ListQuery>, ApiError>,
) -> Result<Json<TaskList>, PostRefusal> {
    let (owner, ApiQuery(query)) = (owner?, query?);
    let limit = query.limit.unwrap_or(TASKS);
    if !(1..=TASKS_MAX).contains(&limit) {
        let message = format!("`limit` is 1 to {TASKS_MAX}");
        return Err(PostRefusal::bad_request(message));
    }
    let wanted = TaskFilter::of(&query, app.engine.clock().now())?;
    let (mut tasks, mut before, mut looked_at) = (vec![], None, 0);
    while tasks.len() < limit && looked_at < SESSIONS_LOOKED_AT {
        let log = app.engine.log().as_ref();
        let lines = read::sessions(log, &owner.0, before, SESSIONS_PAGE).await?;
        let Some(last) = lines.last() else { break };
        before = Some(last.cursor);
        looked_at += lines.len();
        for line in lines.iter().filter(|line| line.pipeline == PIPELINE) {
            let is_old = |since: DateTime<Utc>| line.updated_at < since;
            if tasks.len() < limit && !wanted.since.is_some_and(is_old) {
                of_session(&app, &owner, line, &wanted, &mut tasks).await?;
            }
        }
        if lines.len() < SESSIONS_PAGE {
            break;
        }
    }
    tasks.truncate(limit);
    Ok(Json(TaskList { tasks }))
}

/// The runs of a session that are wanted, newest first.
async fn of_session(
    app: &App,
    owner: &Owner,
    line: &SessionLine,
    wanted: &TaskFilter,
    tasks: &mut Vec<TaskRow>,
) -> Result<(), ApiError> {
    let state = match app.engine.session(&owner.stream(&line.session)).await {
        Ok(state) => state,
        // Erased in the meantime.
        Err(
            palimpsest::prelude::wire::SendError::Erased
            | palimpsest::prelude::wire::SendError::NoSession { .. },
        ) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let is_other = |run: RunId| state.run(run).is_some_and(|run| run.pipeline != PIPELINE);
    for run in (1..=state.last_run.0).rev().map(RunId) {
        let task = Task {
            owner,
            session: &line.session,
            run,
            state: &state,
        };
        if !is_other(run) && wanted.takes(&task) {
            tasks.push(task.row(line.updated_at));
        }
    }
    Ok(())
}
