//! Contradictions in a story that were found by rules, and what people decided about them. A finding is computed each time; its id is its
//! key, which stays the same as long as the rule, the entries and the sentences do.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::http::StatusCode;
use palimpsest::prelude::resource::project::{Project, Settled};
use palimpsest::prelude::resource::project_commands::{ProjectCommand, SettleFindings};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::answers::{MaybeJson, PageQuery, StoryPage};
use super::bible::WithinQuery;
use super::described::{FindingCountsDoc, FindingDoc, FindingsDoc};
use super::desk::Desk;
use crate::readings::check::{Counts, Finding, NotChecked, Report, Scope, Severity, check};
use crate::tools::books::Edition;

/// Which findings are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct FindingsQuery {
    /// `CHARACTER`, `WIKI`, `CHAPTER`, `PLOTLOOP`, `ITEM`, `PLACE`, `RELATIONSHIP` or `VOLUME`.
    entity_type: Option<String>,
    /// Such as `NAME_CONFLICT`, `MISSING_FIELD` or `TIMELINE_CONFLICT`.
    warning_type: Option<String>,
    /// `ERROR`, `WARNING` or `INFO`.
    severity: Option<String>,
    chapter_id: Option<String>,
    /// Also those that somebody dismissed or says are mended.
    #[serde(default)]
    settled: bool,
    /// In the working drafts; in the accepted versions else.
    #[serde(default)]
    drafts: bool,
    page: Option<usize>,
    size: Option<usize>,
}

/// Which text is looked at.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EditionQuery {
    /// The working drafts; the accepted versions else.
    #[serde(default)]
    drafts: bool,
}

/// How a finding was mended.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResolveRequest {
    #[serde(default)]
    resolution_method: String,
}

/// Why a finding is right as it stands.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(super) struct DismissRequest {
    #[serde(default)]
    reason: String,
}

/// Several findings of one project.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ManyRequest {
    /// At most 500.
    #[serde(alias = "warningIds")]
    ids: Vec<String>,
    #[serde(default)]
    resolution_method: String,
    #[serde(default)]
    reason: String,
}

/// A finding with what was decided about it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoryFinding {
    #[serde(flatten)]
    finding: Finding,
    id: String,
    project_id: String,
    dismissed: bool,
    resolved: bool,
    resolution_method: Option<String>,
    suggested_resolution: String,
}

/// How many findings are open, and what could not be looked at.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FindingCounts {
    #[serde(flatten)]
    counts: Counts,
    not_checked: Vec<NotChecked>,
}

/// How many findings were settled.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(super) struct SettledCount {
    settled: usize,
}

/// List what does not fit together, the worst first
#[utoipa::path(get, path = "/api/consistency/projects/{project}/warnings", operation_id = "list_findings", tag = "stories",
    params(FindingsQuery), responses((status = 200, description = "a page of findings, each with its sentences", body = FindingsDoc)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<FindingsQuery>,
) -> Result<Json<StoryPage<StoryFinding>>, ApiError> {
    let found = Findings::of(&desk, &id, query.drafts).await?;
    let is = |asked: &Option<String>, value: Value| {
        asked.as_ref().is_none_or(|asked| value == asked.as_str())
    };
    let wanted = found.all().filter(|finding| {
        let chapter = finding.said.as_ref().map(|said| &said.chapter);
        is(&query.entity_type, json!(finding.entity_type))
            && is(&query.warning_type, json!(finding.warning_type))
            && is(&query.severity, json!(finding.severity))
            && is(&query.chapter_id, json!(chapter))
            && (query.settled || !found.settled.contains_key(&finding.key))
    });
    let rows = wanted.map(|finding| found.row(finding));
    Ok(PageQuery::new(query.page, query.size).of(rows.collect()))
}

/// Count what does not fit together
#[utoipa::path(get, path = "/api/consistency/projects/{project}/warnings/count", operation_id = "count_findings", tag = "stories",
    params(EditionQuery), responses((status = 200, description = "the counts", body = FindingCountsDoc)))]
pub(super) async fn count(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<EditionQuery>,
) -> Result<Json<FindingCounts>, ApiError> {
    let found = Findings::of(&desk, &id, query.drafts).await?;
    let mut counts = Counts::default();
    let open = found.report.findings.iter();
    for finding in open.filter(|finding| !found.settled.contains_key(&finding.key)) {
        counts.total += 1;
        match finding.severity {
            Severity::Error => counts.error += 1,
            Severity::Warning => counts.warning += 1,
            Severity::Info => counts.info += 1,
        }
    }
    Ok(Json(FindingCounts {
        counts,
        not_checked: found.report.not_checked,
    }))
}

/// Show a finding
#[utoipa::path(get, path = "/api/consistency/warnings/{id}", operation_id = "show_finding", tag = "stories",
    params(("id" = String, Path, description = "the finding"), WithinQuery),
    responses(
        (status = 200, description = "the finding", body = FindingDoc),
        (status = 404, description = "no such finding any longer", body = ErrorAnswer)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(within): ApiQuery<WithinQuery>,
) -> Result<Json<StoryFinding>, ApiError> {
    let project = project_of(&desk, &within, &[&id]).await?;
    row_of(&desk, &project, &id).await.map(Json)
}

/// Say how a finding was mended
#[utoipa::path(post, path = "/api/consistency/warnings/{id}/resolve", operation_id = "resolve_finding", tag = "stories",
    request_body = ResolveRequest,
    params(("id" = String, Path, description = "the finding"), WithinQuery),
    responses(
        (status = 200, description = "the finding", body = FindingDoc),
        (status = 404, description = "no such finding any longer", body = ErrorAnswer)))]
pub(super) async fn resolve(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(within): ApiQuery<WithinQuery>,
    MaybeJson(request): MaybeJson<ResolveRequest>,
) -> Result<Json<StoryFinding>, ApiError> {
    let project = project_of(&desk, &within, &[&id]).await?;
    settle(&desk, &project, &[&id], false, &request.resolution_method).await?;
    row_of(&desk, &project, &id).await.map(Json)
}

/// Say that a finding is right as it stands
///
/// It stays dismissed through later versions, as long as its sentences stand.
#[utoipa::path(post, path = "/api/consistency/warnings/{id}/dismiss", operation_id = "dismiss_finding", tag = "stories",
    request_body = DismissRequest,
    params(("id" = String, Path, description = "the finding"), WithinQuery),
    responses(
        (status = 200, description = "the finding", body = FindingDoc),
        (status = 404, description = "no such finding any longer", body = ErrorAnswer),
        (status = 422, description = "there is no reason", body = ErrorAnswer)))]
pub(super) async fn dismiss(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(within): ApiQuery<WithinQuery>,
    MaybeJson(request): MaybeJson<DismissRequest>,
) -> Result<Json<StoryFinding>, ApiError> {
    let project = project_of(&desk, &within, &[&id]).await?;
    settle(&desk, &project, &[&id], true, &request.reason).await?;
    row_of(&desk, &project, &id).await.map(Json)
}

/// Say how several findings of a project were mended
#[utoipa::path(post, path = "/api/consistency/warnings/bulk-resolve", operation_id = "resolve_findings", tag = "stories",
    request_body = ManyRequest, params(WithinQuery),
    responses(
        (status = 200, description = "how many", body = SettledCount),
        (status = 404, description = "one of them is no finding of the project", body = ErrorAnswer)))]
pub(super) async fn resolve_many(
    desk: Desk,
    ApiQuery(within): ApiQuery<WithinQuery>,
    ApiJson(request): ApiJson<ManyRequest>,
) -> Result<Json<SettledCount>, ApiError> {
    many(
        &desk,
        &within,
        &request.ids,
        false,
        &request.resolution_method,
    )
    .await
}

/// Say that several findings of a project are right as they stand
#[utoipa::path(post, path = "/api/consistency/warnings/bulk-dismiss", operation_id = "dismiss_findings", tag = "stories",
    request_body = ManyRequest, params(WithinQuery),
    responses(
        (status = 200, description = "how many", body = SettledCount),
        (status = 404, description = "one of them is no finding of the project", body = ErrorAnswer),
        (status = 422, description = "not what is taken, or without a reason", body = ErrorAnswer)))]
pub(super) async fn dismiss_many(
    desk: Desk,
    ApiQuery(within): ApiQuery<WithinQuery>,
    ApiJson(request): ApiJson<ManyRequest>,
) -> Result<Json<SettledCount>, ApiError> {
    many(&desk, &within, &request.ids, true, &request.reason).await
}

async fn many(
    desk: &Desk,
    within: &WithinQuery,
    ids: &[String],
    waived: bool,
    reason: &str,
) -> Result<Json<SettledCount>, ApiError> {
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    if !ids.is_empty() {
        let project = project_of(desk, within, &ids).await?;
        settle(desk, &project, &ids, waived, reason).await?;
    }
    let settled = ids.len();
    Ok(Json(SettledCount { settled }))
}

async fn settle(
    desk: &Desk,
    project: &str,
    ids: &[&str],
    waived: bool,
    reason: &str,
) -> Result<(), ApiError> {
    let findings = ids.iter().map(|id| Settled {
        key: (*id).to_owned(),
        waived,
        reason: reason.to_owned(),
    });
    let command = ProjectCommand::Settle(SettleFindings {
        findings: findings.collect(),
    });
    desk.change(project, command, vec![]).await?;
    Ok(())
}

/// The findings in a project, and what was decided about them.
struct Findings {
    project: String,
    report: Report,
    settled: BTreeMap<String, Settled>,
}

impl Findings {
    async fn of(desk: &Desk, id: &str, drafts: bool) -> Result<Self, ApiError> {
        let edition = if drafts {
            Edition::Drafts
        } else {
            Edition::Accepted
        };
        let book = desk.book(id, edition).await?;
        let settled = book.project().settled.clone();
        // A long story takes a moment, so that it is checked on a blocking thread.
        let report = tokio::task::spawn_blocking(move || check(&book, &Scope::All)).await;
        Ok(Self {
            project: id.to_owned(),
            report: report.map_err(|error| ApiError::internal("checking a story", error))?,
            settled,
        })
    }

    /// All of them, also those that somebody has settled.
    fn all(&self) -> impl Iterator<Item = &Finding> {
        let waived = self.report.waived.iter().map(|waived| &waived.finding);
        self.report.findings.iter().chain(waived)
    }

    fn row(&self, finding: &Finding) -> StoryFinding {
        let settled = self.settled.get(&finding.key);
        StoryFinding {
            id: finding.key.clone(),
            project_id: self.project.clone(),
            dismissed: settled.is_some_and(|settled| settled.waived),
            resolved: settled.is_some_and(|settled| !settled.waived),
            resolution_method: settled.map(|settled| settled.reason.clone()),
            suggested_resolution: finding.suggestion.clone(),
            finding: finding.clone(),
        }
    }
}

/// The project that all these findings belong to, in its accepted versions or in its drafts.
async fn project_of(desk: &Desk, within: &WithinQuery, ids: &[&str]) -> Result<String, ApiError> {
    let candidates = match &within.project_id {
        Some(project) => {
            desk.project(project).await?;
            vec![project.clone()]
        }
        None => candidates(desk, ids).await?,
    };
    for project in candidates {
        let mut missing: BTreeSet<&str> = ids.iter().copied().collect();
        for drafts in [false, true] {
            let found = Findings::of(desk, &project, drafts).await?;
            for finding in found.all() {
                missing.remove(finding.key.as_str());
            }
            if missing.is_empty() {
                return Ok(project);
            }
        }
    }
    Err(no_finding())
}

/// The owner's projects. Those in which something was decided about these findings come first.
async fn candidates(desk: &Desk, ids: &[&str]) -> Result<Vec<String>, ApiError> {
    let mut projects = desk.projects().await?;
    let knows = |project: &Project| ids.iter().any(|id| project.settled.contains_key(*id));
    projects.sort_by_key(|(_, project)| !knows(project));
    Ok(projects.into_iter().map(|(id, _)| id).collect())
}

async fn row_of(desk: &Desk, project: &str, id: &str) -> Result<StoryFinding, ApiError> {
    for drafts in [false, true] {
        let found = Findings::of(desk, project, drafts).await?;
        if let Some(finding) = found.all().find(|finding| finding.key == id) {
            return Ok(found.row(finding));
        }
    }
    Err(no_finding())
}

fn no_finding() -> ApiError {
    let message = "there is no such finding; what was found before may have been mended";
    ApiError::new(StatusCode::NOT_FOUND, "no_finding", message)
}
