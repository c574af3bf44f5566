//! `GET /api/v1/sessions/resume/{project}`: whether a project has a session that can be continued.

use axum::Json;
use axum::extract::State;
use palimpsest::prelude::pipeline::Run;
use palimpsest::prelude::wire::{ApiError, ApiPath, App, Owner, SessionId};
use palimpsest::read;
use serde::Serialize;
use utoipa::ToSchema;

use super::PIPELINE;
use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::lanes::{Lane, lanes, latest, pauses};
use super::limits::{PROMPT_CHARS, SESSIONS_LOOKED_AT, SESSIONS_PAGE};
use super::request::{default_sessions, project};
use crate::wire::out::client_session;

/// Whether there is a session, and what to say of it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeAnswer {
    has_session: bool,
    /// For people: what was going on; empty where there is no session.
    prompt: String,
    session_id: Option<String>,
    /// The choice that is waited for.
    pause: Option<String>,
}

/// Whether a project has a session to go on with
#[utoipa::path(get, path = "/api/v1/sessions/resume/{project}", operation_id = "resumable_session", tag = "stories",
    responses(
        (status = 200, description = "the session in which something was done last", body = ResumeAnswer),
        (status = 404, description = "no such project", body = StoryErrorAnswer)))]
pub(crate) async fn resumable(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
    id: Result<ApiPath<String>, ApiError>,
) -> Result<Json<ResumeAnswer>, StoryRefusal> {
    let (owner, ApiPath(id)) = (owner?, id?);
    project(&app, &owner, &id).await?;
    let Some(client) = last_session(&app, &owner, &id).await? else {
        return Ok(Json(ResumeAnswer::default()));
    };
    let lanes = lanes(&app, &owner, &client).await?;
    let pause = pauses(&lanes);
    let pause = pause
        .first()
        .map(|pause| pause.gate.opened.gate.to_string());
    let last = latest(&lanes).and_then(Lane::last_run);
    Ok(Json(ResumeAnswer {
        has_session: true,
        prompt: last
            .map(|run| prompt(run, pause.is_some()))
            .unwrap_or_default(),
        session_id: Some(client),
        pause,
    }))
}

/// The question to a person.
fn prompt(last: &Run, waits: bool) -> String {
    let said: String = last.brief.chars().take(PROMPT_CHARS).collect();
    let chinese = last.settings.language.starts_with("zh");
    match (chinese, waits) {
        (true, true) => format!("上次的「{said}」还在等待选择，是否继续？"),
        (true, false) => format!("上次说到「{said}」，是否继续？"),
        (false, true) => format!("“{said}” still waits for a choice. Go on?"),
        (false, false) => format!("Last time: “{said}”. Go on?"),
    }
}

/// The client's session with the latest message about this project.
async fn last_session(
    app: &App,
    owner: &Owner,
    project: &str,
) -> Result<Option<String>, StoryRefusal> {
    let own = default_sessions(owner, project);
    let (mut before, mut looked_at) = (None, 0);
    loop {
        let log = app.engine.log().as_ref();
        let lines = read::sessions(log, &owner.0, before, SESSIONS_PAGE).await?;
        let Some(last) = lines.last() else {
            return Ok(None);
        };
        before = Some(last.cursor);
        for line in lines.iter().filter(|line| line.pipeline == PIPELINE) {
            let client = client_session(line.session.as_str());
            if own.iter().any(|own| own == client)
                || is_of(app, owner, &line.session, project).await?
            {
                return Ok(Some(client.to_owned()));
            }
            looked_at += 1;
            if looked_at >= SESSIONS_LOOKED_AT {
                return Ok(None);
            }
        }
    }
}

/// The sessions of the log in which all runs are about this project. They are erased with it.
pub(crate) async fn sessions_about(
    app: &App,
    owner: &Owner,
    project: &str,
) -> Result<Vec<SessionId>, ApiError> {
    let mut found = vec![];
    let mut before = None;
    loop {
        let log = app.engine.log().as_ref();
        let lines = read::sessions(log, &owner.0, before, SESSIONS_PAGE).await?;
        let Some(last) = lines.last() else {
            return Ok(found);
        };
        before = Some(last.cursor);
        for line in lines.iter().filter(|line| line.pipeline == PIPELINE) {
            let state = app.engine.session(&owner.stream(&line.session)).await?;
            let mut spoken_of = state
                .runs
                .values()
                .filter_map(|run| run.input["project"].as_str())
                .peekable();
            if spoken_of.peek().is_some() && spoken_of.all(|it| it == project) {
                found.push(line.session.clone());
            }
        }
    }
}

/// Whether the last run of a session is about a project.
async fn is_of(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    project: &str,
) -> Result<bool, StoryRefusal> {
    let state = app.engine.session(&owner.stream(session)).await?;
    let last = state.runs.values().next_back();
    Ok(last.is_some_and(|run| run.input["project"].as_str() == Some(project)))
}
