//! How much of a story there is, how it grew, and the story in its order.

use std::collections::BTreeMap;
use std::mem::replace;

use axum::Json;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use palimpsest::prelude::resource::project::{Project, stream};
use palimpsest::prelude::wire::{ApiError, ApiPath, ApiQuery, ErrorAnswer};
use palimpsest::read::each_event;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::answers::{PageQuery, StoryPage};
use super::described::TimelineDoc;
use super::desk::Desk;
use crate::readings::progress::{ProgressCounts, progress};
use crate::readings::timeline::{TimelineChapter, timeline as timeline_of};
use crate::tools::books::Edition;

/// Count what there is of a story
#[utoipa::path(get, path = "/api/projects/{project}/progress", operation_id = "show_progress", tag = "stories",
    responses(
        (status = 200, description = "the counts", body = ProgressCounts)))]
pub(super) async fn show(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<ProgressCounts>, ApiError> {
    let project = desk.project(&id).await?;
    Ok(Json(progress(&project)))
}

/// By which spans of time counts are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct TrendsQuery {
    /// `day`, `week` or `month`; `day` where absent.
    period: Option<String>,
}

/// How the counts of a story came to be.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ProgressTrends {
    period: Period,
    points: Vec<ProgressPoint>,
}

/// The counts at the end of a span.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProgressPoint {
    #[serde(flatten)]
    counts: ProgressCounts,
    /// The first day of the span.
    date: String,
    /// How many words there are more than before.
    words_written: u64,
}

/// Show how the counts of a story came to be
///
/// The counts at the end of each span in which anything happened, in the order of time, from the log. Spans are those of UTC; a week begins
/// on Monday.
#[utoipa::path(get, path = "/api/projects/{project}/progress/trends", operation_id = "show_progress_trends", tag = "stories",
    params(TrendsQuery),
    responses(
        (status = 200, description = "the counts of each span", body = ProgressTrends),
        (status = 422, description = "no such period", body = ErrorAnswer)))]
pub(super) async fn trends(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<TrendsQuery>,
) -> Result<Json<ProgressTrends>, ApiError> {
    desk.project(&id).await?;
    let period = Period::named(query.period.as_deref().unwrap_or("day"))?;
    let stream = desk.owner.stream(&stream(&id));
    let mut project = Project::default();
    let mut ends: Vec<(NaiveDate, ProgressCounts)> = vec![];
    let mut current: Option<NaiveDate> = None;
    each_event(desk.app.engine.log().as_ref(), &stream, None, |recorded| {
        let begins = period.begin(recorded.recorded_at);
        if let Some(before) = current.filter(|before| *before != begins) {
            ends.push((before, progress(&project)));
        }
        current = Some(begins);
        project.evolve(&recorded.event);
    })
    .await?;
    ends.extend(current.map(|last| (last, progress(&project))));
    // The clocks of several processes may differ a little. All events of one span give one point.
    let points: BTreeMap<NaiveDate, ProgressCounts> = ends.into_iter().collect();
    let mut words = 0;
    let points = points.into_iter().map(|(date, counts)| ProgressPoint {
        date: date.to_string(),
        words_written: counts
            .word_count
            .saturating_sub(replace(&mut words, counts.word_count)),
        counts,
    });
    let points = points.collect();
    Ok(Json(ProgressTrends { period, points }))
}

/// A span of time.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Period {
    Day,
    Week,
    Month,
}

impl Period {
    fn named(name: &str) -> Result<Self, ApiError> {
        match name.to_ascii_lowercase().as_str() {
            "day" | "daily" => Ok(Self::Day),
            "week" | "weekly" => Ok(Self::Week),
            "month" | "monthly" => Ok(Self::Month),
            _ => Err(ApiError::unprocessable(
                "bad_value",
                format!("`{name}` is not a period: day, week or month"),
            )),
        }
    }

    /// The first day of the span that this time is in.
    fn begin(self, at: DateTime<Utc>) -> NaiveDate {
        let day = at.date_naive();
        match self {
            Self::Day => day,
            Self::Week => day.week(chrono::Weekday::Mon).first_day(),
            Self::Month => day.with_day(1).unwrap_or(day),
        }
    }
}

/// Show the story in its order
///
/// When and where each chapter plays, who is in it, and what it says that holds.
#[utoipa::path(get, path = "/api/projects/{project}/timeline", operation_id = "show_timeline", tag = "stories", params(PageQuery),
    responses((status = 200, description = "a page of chapters with their facts", body = TimelineDoc)))]
pub(super) async fn timeline(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage<TimelineChapter>>, ApiError> {
    let book = desk.book(&id, Edition::Accepted).await?;
    Ok(query.of(timeline_of(&book)))
}
