//! The tools by which steps ask about the notes of their owner. To find nothing is an answer, not an error.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::resource::{Collection, Collections, Entry};
use palimpsest::prelude::tool::input::{in_range, number};
use palimpsest::prelude::tool::{Tool, ToolContext, ToolError};
use palimpsest::prelude::wire::SendError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::trends::{SortBy, Window, top_tags, top_titles, trend};
use super::{collection, find, lines};
use crate::notes::Facts;

/// Notes of an answer where the step does not say; the contract's number.
const NOTES_DEFAULT: u64 = 10;

/// Titles of an answer where the step does not say; the contract's number.
const TITLES_DEFAULT: u64 = 20;

/// Days that are looked at where the step does not say; the contract's number.
const DAYS_DEFAULT: u64 = 7;

/// The most notes or titles in one answer. Nobody who writes a post reads more.
const SHOWN_MAX: u64 = 50;

/// Days that may be looked at: a year, so that the same season is in it.
const DAYS_MAX: u64 = 366;

/// The constant that weakens the effect of the place in a list when two lists are combined; the value with which the method was published.
const FUSION: f64 = 60.0;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchNotes {
    #[serde(default)]
    query: String,
    #[serde(default, deserialize_with = "number")]
    theme_id: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InDays {
    #[serde(default, deserialize_with = "number")]
    theme_id: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    days: Option<u64>,
}

impl InDays {
    fn days(&self) -> u64 {
        in_range(self.days, DAYS_DEFAULT, DAYS_MAX)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TopTitles {
    #[serde(default, deserialize_with = "number")]
    theme_id: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    limit: Option<u64>,
    #[serde(default)]
    sort_by: Option<SortBy>,
}

/// One of the tools.
#[derive(Clone, Copy, Debug, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub(super) enum NoteTool {
    SearchNotes,
    AnalyzeTopTags,
    GetTopTitles,
    GetTrendReport,
}

impl NoteTool {
    pub(super) const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");
}

/// All of them.
pub(crate) fn tools() -> impl Iterator<Item = Arc<dyn Tool>> {
    let all = NoteTool::ALL.into_iter();
    all.map(|tool| Arc::new(tool) as Arc<dyn Tool>)
}

#[async_trait]
impl Tool for NoteTool {
    fn name(&self) -> &'static str {
        self.into()
    }

    fn schema(&self) -> Value {
        let count = json!({ "type": ["integer", "string", "null"] });
        let properties = match self {
            Self::SearchNotes => {
                json!({ "query": { "type": "string" }, "themeId": count, "limit": count })
            }
            Self::AnalyzeTopTags | Self::GetTrendReport => {
                json!({ "themeId": count, "days": count })
            }
            Self::GetTopTitles => {
                let sort_by = json!({ "enum": ["engagement", "likes", "collects", "comments", "recent", null] });
                json!({ "themeId": count, "limit": count, "sortBy": sort_by })
            }
        };
        json!({ "type": "object", "properties": properties })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let inquiry = Inquiry {
            collections: context.collections(),
            owner: context.owner(),
            now: context.clock().now(),
        };
        inquiry.answer(*self, input).await
    }
}

/// The owner whose notes are asked about, and the time.
pub(super) struct Inquiry<'a> {
    pub(super) collections: &'a Collections,
    pub(super) owner: &'a str,
    pub(super) now: DateTime<Utc>,
}

impl Inquiry<'_> {
    pub(super) async fn answer(
        &self,
        tool: NoteTool,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        match tool {
            NoteTool::SearchNotes => self.search_notes(input).await,
            NoteTool::AnalyzeTopTags => self.analyze_top_tags(input).await,
            NoteTool::GetTopTitles => self.get_top_titles(input).await,
            NoteTool::GetTrendReport => self.get_trend_report(input).await,
        }
    }

    async fn search_notes(&self, input: &Value) -> Result<ToolOutcome, ToolError> {
        let asked: SearchNotes = asked(input)?;
        let limit = in_range(asked.limit, NOTES_DEFAULT, SHOWN_MAX) as usize;
        let (collections, owner) = (self.collections, self.owner);
        let query = asked.query.trim();
        let (total, found) = find(collections, owner, query, asked.theme_id, 2 * limit).await?;
        let notes = lines(collections, owner, &fused(found, limit)).await?;
        let summary = format!("{total} notes for `{}`", shown(query));
        let output = json!({ "query": query, "total": total, "notes": notes });
        Ok(ToolOutcome::gave(output, summary))
    }

    async fn analyze_top_tags(&self, input: &Value) -> Result<ToolOutcome, ToolError> {
        let asked: InDays = asked(input)?;
        let days = asked.days();
        let window = Window::ending(self.now, days);
        let counted = self.count(move |all| top_tags(all, asked.theme_id, window));
        let (notes, tags) = counted.await?;
        let summary = format!("{} tags of {notes} notes in {days} days", tags.len());
        let output = json!({ "days": days, "notes": notes, "tags": tags });
        Ok(ToolOutcome::gave(output, summary))
    }

    async fn get_top_titles(&self, input: &Value) -> Result<ToolOutcome, ToolError> {
        let asked: TopTitles = asked(input)?;
        let limit = in_range(asked.limit, TITLES_DEFAULT, SHOWN_MAX) as usize;
        let sort_by = asked.sort_by.unwrap_or_default();
        let counted = self.count(move |all| top_titles(all, asked.theme_id, sort_by, limit));
        let titles = counted.await?;
        let summary = format!("{} titles", titles.len());
        let output = json!({ "sortBy": sort_by, "titles": titles });
        Ok(ToolOutcome::gave(output, summary))
    }

    async fn get_trend_report(&self, input: &Value) -> Result<ToolOutcome, ToolError> {
        let asked: InDays = asked(input)?;
        let days = asked.days();
        let window = Window::ending(self.now, days);
        let counted = self.count(move |all| trend(all, asked.theme_id, window));
        let trend = counted.await?;
        let summary = format!("{} notes in {days} days", trend.notes);
        let mut output = json!({ "days": days });
        if let (Value::Object(output), Ok(Value::Object(trend))) =
            (&mut output, serde_json::to_value(&trend))
        {
            output.extend(trend);
        }
        Ok(ToolOutcome::gave(output, summary))
    }

    /// Counts something over all notes, on a separate thread, because counting a hundred thousand takes a while.
    async fn count<T: Send + 'static>(
        &self,
        counting: impl FnOnce(&Collection) -> T + Send + 'static,
    ) -> Result<T, ToolError> {
        let all = self.collections.get(self.owner, &collection()).await?;
        let counted = tokio::task::spawn_blocking(move || counting(&all)).await;
        counted.map_err(|_| SendError::Stopped.into())
    }
}

fn asked<T: DeserializeOwned>(input: &Value) -> Result<T, ToolError> {
    T::deserialize(input).map_err(|error| ToolError::bad_input(&error))
}

/// Sorts notes by how well they fit and by what they got, with both orders combined; of two equal ones, the one that got more comes first.
/// Twice as many notes are looked at as are shown, so that a note that fits badly is not included only because it is popular.
fn fused(found: Vec<Entry>, limit: usize) -> Vec<Entry> {
    let engagement: Vec<u64> = found
        .iter()
        .map(|entry| Facts::of(entry).engagement())
        .collect();
    let more = |mine: u64| engagement.iter().filter(|other| **other > mine).count();
    let score = |place: usize| 1.0 / (FUSION + 1.0 + place as f64);
    let scores = (0..).zip(&engagement);
    let scores: Vec<f64> = scores
        .map(|(place, mine)| score(place) + score(more(*mine)))
        .collect();
    let scored = scores.into_iter().zip(engagement).zip(found);
    let mut scored: Vec<((f64, u64), Entry)> = scored.collect();
    scored.sort_by(|((one, a), _), ((other, b), _)| other.total_cmp(one).then(b.cmp(a)));
    let first = scored.into_iter().take(limit);
    first.map(|(_, entry)| entry).collect()
}

fn shown(query: &str) -> String {
    query.chars().take(80).collect()
}
