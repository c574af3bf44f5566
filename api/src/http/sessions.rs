//! Reading sessions: the list, one session, its artifacts, its history and its branches.

use axum::Json;
use axum::extract::State;
use domain::{RunId, SessionId};
use projections::history::{CallRow, LedgerRow};
use projections::view::{self, ArtifactView, RunStatus, SessionView};
use serde::{Deserialize, Serialize};
use store::SessionLine;
use ts_rs::TS;
use utoipa::{IntoParams, ToSchema};

use super::schemas::{ArtifactViewDoc, CallRowDoc, LedgerRowDoc, SessionViewDoc};
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::Owner;
use crate::read;
use crate::request::{ApiPath, ApiQuery};
use projections::rfc3339;

/// Sessions given at a time unless asked otherwise: a screenful or two.
const PAGE: usize = 50;

/// The most sessions given at a time.
const PAGE_MAX: usize = 200;

/// Which sessions.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// `next` of the page before.
    before: Option<u64>,
    /// 1 to 200; 50 where absent.
    limit: Option<usize>,
    /// Only those with this in their title or their name, whatever the case of its letters.
    query: Option<String>,
    /// Only those that stand so: `running`, `waiting`, `completed`, `failed`, `cancelled`.
    status: Option<String>,
    /// Only those of this pipeline.
    pipeline: Option<String>,
}

/// The line of a session in the list.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
pub struct SessionRow {
    pub session: String,
    pub title: String,
    pub pipeline: String,
    /// `running`, `waiting`, `completed`, `failed`, `cancelled`.
    pub status: Option<&'static str>,
    pub version: u64,
    pub created_at: String,
    pub updated_at: String,
    pub forked_from: Option<ForkedFrom>,
    /// What it spent itself, in millionths of the currency of the prices; absent until it is added up.
    pub cost_micros: Option<u64>,
}

/// Where a fork comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, TS)]
pub struct ForkedFrom {
    pub session: String,
    /// The last version taken from it.
    pub at: u64,
}

/// A page of the list, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
pub(super) struct SessionPage {
    sessions: Vec<SessionRow>,
    /// `before` of the next page; absent on the last one. A page of what is looked for may be short, or empty, before the
    /// last: a request looks at so many sessions and no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

impl From<SessionLine> for SessionRow {
    fn from(line: SessionLine) -> Self {
        Self {
            session: line.session.to_string(),
            title: line.title,
            pipeline: line.pipeline,
            status: line.status.map(|status| status.as_str()),
            version: line.version,
            created_at: rfc3339(line.created_at),
            updated_at: rfc3339(line.updated_at),
            forked_from: line.parent.map(|(session, at)| ForkedFrom {
                session: session.to_string(),
                at,
            }),
            cost_micros: None,
        }
    }
}

/// List sessions, newest first
#[utoipa::path(get, path = "/v1/sessions", operation_id = "list_sessions", tag = "sessions", params(ListQuery),
    responses(
        (status = 200, description = "a page", body = SessionPage),
        (status = 400, description = "the query is not right", body = ErrorAnswer)))]
pub(super) async fn list(
    State(app): State<App>,
    owner: Owner,
    ApiQuery(query): ApiQuery<ListQuery>,
) -> Result<Json<SessionPage>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let wanted = read::SessionFilter {
        query: query.query.unwrap_or_default(),
        status: query.status,
        pipeline: query.pipeline,
    };
    let log = app.engine.log().as_ref();
    let found = read::find_sessions(log, &owner.0, query.before, limit, &wanted).await?;
    let is_added_up = app.operations.behind().await == 0;
    let row = |line: SessionLine| {
        let stream = owner.stream(&line.session);
        SessionRow {
            cost_micros: is_added_up.then(|| app.operations.spent(&stream)),
            ..SessionRow::from(line)
        }
    };
    Ok(Json(SessionPage {
        sessions: found.lines.into_iter().map(row).collect(),
        next: found.next,
    }))
}

/// At which version.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AtQuery {
    /// The version; the last one where absent.
    at: Option<u64>,
}

/// A session with the name it was asked for by.
#[derive(Clone, Debug, Serialize, TS)]
pub(super) struct NamedView {
    session: String,
    #[serde(flatten)]
    view: SessionView,
}

/// A session, now or as it was at a version
#[utoipa::path(get, path = "/v1/sessions/{session}", operation_id = "show_session", tag = "sessions", params(AtQuery),
    responses(
        (status = 200, description = "the session", body = SessionViewDoc),
        (status = 404, description = "no such session or version", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer)))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    ApiPath(session): ApiPath<String>,
    ApiQuery(query): ApiQuery<AtQuery>,
) -> Result<Json<NamedView>, ApiError> {
    let stream = owner.stream(&SessionId::new(session.as_str()));
    let view = match query.at {
        Some(at) => view::session(app.engine.session_at(&stream, at).await?.as_ref()),
        None => view::session(app.engine.session(&stream).await?.as_ref()),
    };
    Ok(Json(NamedView { session, view }))
}

/// The artifacts of a session.
#[derive(Clone, Debug, Serialize, ToSchema, TS)]
pub(super) struct Artifacts {
    /// The version that this is true at.
    version: u64,
    #[schema(value_type = Vec<ArtifactViewDoc>)]
    artifacts: Vec<AddressedArtifact>,
}

/// An artifact with an address that opens without a key for a while.
#[derive(Clone, Debug, Serialize, TS)]
struct AddressedArtifact {
    #[serde(flatten)]
    view: ArtifactView,
    /// Signed; expires.
    url: String,
}

/// The artifacts of a session, with where their contents are
#[utoipa::path(get, path = "/v1/sessions/{session}/artifacts", tag = "artifacts", params(AtQuery),
    responses(
        (status = 200, description = "the artifacts", body = Artifacts),
        (status = 404, description = "no such session or version", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer)))]
pub(super) async fn artifacts(
    State(app): State<App>,
    owner: Owner,
    ApiPath(session): ApiPath<String>,
    ApiQuery(query): ApiQuery<AtQuery>,
) -> Result<Json<Artifacts>, ApiError> {
    let Json(NamedView { view, .. }) = show(
        State(app.clone()),
        owner.clone(),
        ApiPath(session),
        ApiQuery(query),
    )
    .await?;
    let now = app.engine.clock().now();
    let addressed = view.artifacts.into_iter().map(|view| {
        let url = format!(
            "{}?{}",
            view.content,
            app.signer.address_query(&owner.0, &view.artifact, now)
        );
        AddressedArtifact { view, url }
    });
    Ok(Json(Artifacts {
        version: view.version,
        artifacts: addressed.collect(),
    }))
}

/// How the session's outputs came about and what they cost.
#[derive(Clone, Debug, Serialize, ToSchema, TS)]
pub(super) struct HistoryAnswer {
    /// Every turn, in the order in which they began.
    #[schema(value_type = Vec<CallRowDoc>)]
    calls: Vec<CallRow>,
    /// What each run spent on each model.
    #[schema(value_type = Vec<LedgerRowDoc>)]
    ledger: Vec<LedgerRow>,
}

/// The audit: calls of models and tools, and what they cost
#[utoipa::path(get, path = "/v1/sessions/{session}/history", tag = "sessions",
    responses(
        (status = 200, description = "the audit", body = HistoryAnswer),
        (status = 404, description = "no such session", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer)))]
pub(super) async fn history(
    State(app): State<App>,
    owner: Owner,
    ApiPath(session): ApiPath<String>,
) -> Result<Json<HistoryAnswer>, ApiError> {
    let stream = owner.stream(&SessionId::new(session));
    let history = read::history(app.engine.log().as_ref(), &stream).await?;
    Ok(Json(HistoryAnswer {
        calls: history.calls().cloned().collect(),
        ledger: history.ledger().collect(),
    }))
}

/// A run in the tree of a session.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
struct Branch {
    #[schema(value_type = String)]
    run: RunId,
    /// The run that it builds on.
    #[schema(value_type = Option<String>)]
    base_run: Option<RunId>,
    /// Runs that build on it.
    #[schema(value_type = Vec<String>)]
    children: Vec<RunId>,
    /// `running`, `waiting`, `completed`, `failed`, `cancelled`.
    #[schema(value_type = String)]
    status: RunStatus,
    pipeline: String,
    brief: String,
    /// What was to be changed.
    feedback: Option<String>,
    is_head: bool,
}

/// The runs of a session as a tree, and the sessions around it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
pub(super) struct Branches {
    version: u64,
    #[schema(value_type = Option<String>)]
    head: Option<RunId>,
    runs: Vec<Branch>,
    forked_from: Option<ForkedFrom>,
    /// Sessions that were forked from this one.
    forks: Vec<String>,
}

/// The tree of runs, and forks
#[utoipa::path(get, path = "/v1/sessions/{session}/branches", tag = "sessions",
    responses(
        (status = 200, description = "the tree", body = Branches),
        (status = 404, description = "no such session", body = ErrorAnswer),
        (status = 410, description = "the session was erased", body = ErrorAnswer)))]
pub(super) async fn branches(
    State(app): State<App>,
    owner: Owner,
    ApiPath(session): ApiPath<String>,
) -> Result<Json<Branches>, ApiError> {
    let stream = owner.stream(&SessionId::new(session));
    let view = view::session(app.engine.session(&stream).await?.as_ref());
    let forks = app.engine.log().forks_of(&stream).await?;
    let head = view.head;
    let branch = |run: view::RunView| Branch {
        is_head: head == Some(run.run),
        run: run.run,
        base_run: run.base_run,
        children: run.children,
        status: run.status,
        pipeline: run.pipeline.into(),
        brief: run.brief,
        feedback: run.feedback,
    };
    Ok(Json(Branches {
        version: view.version,
        head,
        runs: view.runs.into_iter().map(branch).collect(),
        forked_from: view.forked_from.map(|origin| ForkedFrom {
            session: origin.session,
            at: origin.at,
        }),
        forks: forks.into_iter().map(|fork| fork.to_string()).collect(),
    }))
}
