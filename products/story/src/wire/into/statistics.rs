//! `GET /api/v2/agent/tools/stats`: how long the latest calls of tools took, according to the log.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use palimpsest::prelude::pipeline::event::{Event, StepEvent};
use palimpsest::prelude::wire::{ApiError, App, Owner};
use palimpsest::read::{self, each_event};
use serde::Serialize;
use utoipa::ToSchema;

use super::PIPELINE;
use super::errors::{StoryErrorAnswer, StoryRefusal};
use super::limits::{CALLS_COUNTED, SESSIONS_LOOKED_AT, SESSIONS_PAGE};

/// The calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolStatistics {
    tool: String,
    calls: u64,
    errors: u64,
    /// Milliseconds, rounded down.
    average_latency_ms: u64,
    max_latency_ms: u64,
}

/// The last calls of tools in stories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatisticsAnswer {
    /// Calls that are counted, at most 1,000.
    total_calls: u64,
    tools: Vec<ToolStatistics>,
}

/// A call that has ended.
struct Call {
    tool: String,
    latency_ms: u64,
    failed: bool,
}

/// What the last calls of tools took
///
/// Of the last fifty sessions of the owner, and of these the last 1,000 calls.
#[utoipa::path(get, path = "/api/v2/agent/tools/stats", operation_id = "agent_tool_statistics", tag = "stories",
    responses(
        (status = 200, description = "by tool", body = StatisticsAnswer),
        (status = 401, description = "no key, or an unknown one", body = StoryErrorAnswer)))]
pub(crate) async fn statistics(
    State(app): State<App>,
    owner: Result<Owner, ApiError>,
) -> Result<Json<StatisticsAnswer>, StoryRefusal> {
    let owner = owner?;
    let mut calls = vec![];
    let (mut before, mut looked_at) = (None, 0);
    let log = app.engine.log().as_ref();
    'sessions: loop {
        let lines = read::sessions(log, &owner.0, before, SESSIONS_PAGE).await?;
        let Some(last) = lines.last() else { break };
        before = Some(last.cursor);
        for line in lines.iter().filter(|line| line.pipeline == PIPELINE) {
            let mut of_session = calls_of(&app, &owner, line).await?;
            // The latest calls first, as with the sessions.
            of_session.reverse();
            calls.extend(of_session);
            looked_at += 1;
            if looked_at >= SESSIONS_LOOKED_AT || calls.len() >= CALLS_COUNTED {
                break 'sessions;
            }
        }
    }
    calls.truncate(CALLS_COUNTED);
    Ok(Json(summed(&calls)))
}

/// The calls that a session made itself, without those that it inherited.
async fn calls_of(
    app: &App,
    owner: &Owner,
    line: &palimpsest::prelude::wire::SessionLine,
) -> Result<Vec<Call>, StoryRefusal> {
    let inherited = line.parent.as_ref().map_or(0, |(_, at)| *at);
    let stream = owner.stream(&line.session);
    let mut calls = vec![];
    each_event(app.engine.log().as_ref(), &stream, None, |recorded| {
        if let Event::Step(StepEvent::ToolReturned(e)) = &recorded.event
            && recorded.version > inherited
        {
            calls.push(Call {
                tool: e.tool.to_string(),
                latency_ms: e.latency_ms,
                failed: e.error.is_some(),
            });
        }
    })
    .await?;
    Ok(calls)
}

fn summed(calls: &[Call]) -> StatisticsAnswer {
    let mut by_tool: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        by_tool.entry(call.tool.as_str()).or_default().push(call);
    }
    let tools = by_tool.into_iter().map(|(tool, calls)| {
        let count = calls.len() as u64;
        let sum: u64 = calls.iter().map(|call| call.latency_ms).sum();
        ToolStatistics {
            tool: tool.to_owned(),
            calls: count,
            errors: calls.iter().filter(|call| call.failed).count() as u64,
            average_latency_ms: sum / count.max(1),
            max_latency_ms: calls.iter().map(|call| call.latency_ms).max().unwrap_or(0),
        }
    });
    StatisticsAnswer {
        total_calls: calls.len() as u64,
        tools: tools.collect(),
    }
}
