//! How much of a story there is, how it grew, and the story in its order.

use std::collections::BTreeMap;

use axum::Json;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use palimpsest::prelude::resource::project::{Project, stream};
use palimpsest::prelude::wire::{ApiError, ApiPath, ApiQuery, ErrorAnswer};
use palimpsest::read::each_event;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::answers::{PageQuery, StoryPage};
use super::desk::Desk;
use crate::readings::progress::{ProgressCounts, progress};
use crate::readings::timeline::timeline as timeline_of;
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

/// Show how the counts of a story came to be
///
/// The counts at the end of each span in which anything happened, in the order of time, from the log. Spans are those of UTC; a week begins
/// on Monday.
#[utoipa::path(get, path = "/api/projects/{project}/progress/trends", operation_id = "show_progress_trends", tag = "stories",
    params(TrendsQuery),
    responses(
        (status = 200, description = "{period, points[{date, wordsWritten, …counts}]}", body = Object),
        (status = 422, description = "no such period", body = ErrorAnswer)))]
pub(super) async fn trends(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<TrendsQuery>,
) -> Result<Json<Value>, ApiError> {
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
    let points = points.into_iter().map(|(date, counts)| {
        let mut point = json!(counts);
        point["date"] = json!(date.to_string());
        point["wordsWritten"] = json!(counts.word_count.saturating_sub(words));
        words = counts.word_count;
        point
    });
    let points: Vec<Value> = points.collect();
    Ok(Json(json!({ "period": period.name(), "points": points })))
}

#[derive(Clone, Copy)]
enum Period {
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

    fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
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
    responses((status = 200, description = "a page of chapters with their facts", body = StoryPage)))]
pub(super) async fn timeline(
    desk: Desk,
    ApiPath(id): ApiPath<String>,
    ApiQuery(query): ApiQuery<PageQuery>,
) -> Result<Json<StoryPage>, ApiError> {
    let book = desk.book(&id, Edition::Accepted).await?;
    let rows = timeline_of(&book).into_iter();
    Ok(query.of(rows.map(|row| json!(row)).collect()))
}
