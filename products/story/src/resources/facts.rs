//! Facts that were read in accepted chapters, to be accepted or refused.

use axum::Json;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Judged, Learned, Project, Quote, Says};
use palimpsest::prelude::resource::project_commands::{JudgeFacts, ProjectCommand};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ApiQuery, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::answers::{PageQuery, StoryPage};
use super::described::FactsDoc;
use super::desk::Desk;
use crate::readings::timeline::EntryName;

/// Which facts are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct FactsQuery {
    /// `new`, `taken` or `refused`.
    state: Option<String>,
    chapter_id: Option<String>,
    page: Option<usize>,
    size: Option<usize>,
}

/// What somebody says of facts, by their ids.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(super) struct JudgeRequest {
    #[serde(default)]
    taken: Vec<String>,
    #[serde(default)]
    refused: Vec<String>,
}

/// A fact with its sentence.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoryFact {
    id: String,
    chapter_id: EntryId,
    /// Counted from 1 through all volumes.
    chapter_order: Option<usize>,
    chapter_title: String,
    version: u32,
    /// `rules`, or the model that found it.
    by: String,
    says: Says,
    concerns: Vec<EntryName>,
    quote: Quote,
    state: Judged,
}

/// How many facts there are of each state.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(super) struct FactCounts {
    taken: usize,
    refused: usize,
    new: usize,
}

/// List what accepted chapters say, in the order in which it is read
///
/// What was not done or not taken over when a chapter was read stands in `readRemarks` of the chapter.
#[utoipa::path(get, path = "/api/projects/{project}/facts", operation_id = "list_facts", tag = "stories", params(FactsQuery),
    responses(
        (status = 200, description = "a page of facts, each with its sentence", body = FactsDoc),
        (status = 422, description = "no such state", body = ErrorAnswer)))]
pub(super) async fn list(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<FactsQuery>,
) -> Result<Json<StoryPage<StoryFact>>, ApiError> {
    let project = desk.project(&id).await?;
    let state = query.state.as_deref().map(judged).transpose()?;
    let is_wanted = |learned: &&Learned| {
        let of_chapter = query.chapter_id.as_deref();
        state.is_none_or(|state| learned.judged == state)
            && of_chapter.is_none_or(|chapter| learned.chapter.as_str() == chapter)
    };
    let chapters = project.chapters();
    let number = |learned: &Learned| {
        let at = chapters.iter().position(|(id, _)| **id == learned.chapter);
        at.map(|at| at + 1)
    };
    let wanted = project.facts.values().filter(is_wanted);
    let mut wanted: Vec<_> = wanted.map(|learned| (number(learned), learned)).collect();
    wanted.sort_by_key(|(number, learned)| (*number, learned.fact.quote.start, &learned.fact.id));
    let rows = wanted
        .into_iter()
        .map(|(number, it)| row(&project, number, it));
    Ok(PageQuery::new(query.page, query.size).of(rows.collect()))
}

/// Take facts, or refuse them
///
/// What is taken holds in the story from its chapter on. All of them or none; what was said of one before falls.
#[utoipa::path(post, path = "/api/projects/{project}/facts", operation_id = "judge_facts", tag = "stories",
    request_body = JudgeRequest,
    responses(
        (status = 200, description = "how many there are of each now", body = FactCounts),
        (status = 404, description = "no such project, or no such fact", body = ErrorAnswer),
        (status = 422, description = "one is taken and refused", body = ErrorAnswer)))]
pub(super) async fn judge(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiJson(request): ApiJson<JudgeRequest>,
) -> Result<Json<FactCounts>, ApiError> {
    desk.project(&id).await?;
    let command = ProjectCommand::Judge(JudgeFacts {
        taken: request.taken,
        refused: request.refused,
    });
    let project = desk.change(&id, command, vec![]).await?.project;
    let count = |judged: Judged| {
        let facts = project.facts.values();
        facts.filter(|learned| learned.judged == judged).count()
    };
    Ok(Json(FactCounts {
        taken: count(Judged::Taken),
        refused: count(Judged::Refused),
        new: count(Judged::New),
    }))
}

fn judged(state: &str) -> Result<Judged, ApiError> {
    serde_json::from_value(json!(state)).map_err(|_| {
        let message = format!("`{state}` is not a state: new, taken or refused");
        ApiError::unprocessable("bad_value", message)
    })
}

fn row(project: &Project, number: Option<usize>, learned: &Learned) -> StoryFact {
    let name = |id: &EntryId| {
        let entry = project.entry(id);
        entry.map_or("", |entry| entry.what.name()).to_owned()
    };
    let concerns = learned.fact.says.concerns();
    let concerns = concerns.into_iter().map(|id| EntryName {
        id: id.clone(),
        name: name(id),
    });
    StoryFact {
        id: learned.fact.id.clone(),
        chapter_id: learned.chapter.clone(),
        chapter_order: number,
        chapter_title: name(&learned.chapter),
        version: learned.version,
        by: learned.by.clone(),
        says: learned.fact.says.clone(),
        concerns: concerns.collect(),
        quote: learned.fact.quote.clone(),
        state: learned.judged,
    }
}
