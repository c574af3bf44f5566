//! `webSearch`: web search for posts.

use std::sync::Arc;

use async_trait::async_trait;
use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::tool::input::{flag, in_range, number};
use palimpsest::prelude::tool::{SEARCH_OFF, Searches, Tool, ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

/// Results that are asked for when the step does not say; the contract's number.
const RESULTS: u64 = 5;

/// Results of one search: a page of the engines.
const RESULTS_MAX: u64 = 20;

/// `{query, maxResults, forceRefresh}` gives title, address, snippet and day.
pub(crate) struct SearchForPosts(pub(crate) Arc<Searches>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WebSearch {
    #[serde(default)]
    query: String,
    #[serde(default, deserialize_with = "number")]
    max_results: Option<u64>,
    #[serde(default, deserialize_with = "flag")]
    force_refresh: bool,
}

#[async_trait]
impl Tool for SearchForPosts {
    fn name(&self) -> &'static str {
        "webSearch"
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "maxResults": { "type": ["integer", "string", "null"] },
                "forceRefresh": { "type": ["boolean", "null"] },
            },
        })
    }

    async fn call(&self, _: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
        search(&self.0, input).await
    }

    fn asks_outside(&self) -> bool {
        true
    }
}

async fn search(searches: &Searches, input: &Value) -> Result<ToolOutcome, ToolError> {
    let asked = WebSearch::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    if !searches.is_on() {
        return Err(ToolError::new("off", SEARCH_OFF, false));
    }
    let query = asked.query.trim();
    let count = in_range(asked.max_results, RESULTS, RESULTS_MAX) as usize;
    let results = searches.search(query, count, asked.force_refresh).await;
    let results = results
        .map_err(|error| ToolError::new("search_failed", &error.to_string(), error.retryable()))?;
    let shown = results.iter().map(|result| {
        let mut shown =
            json!({ "title": result.title, "url": result.url, "snippet": result.snippet });
        if let Some(published) = &result.published {
            shown["published"] = json!(published);
        }
        shown
    });
    let shown: Vec<Value> = shown.collect();
    let summary = format!("{} results for `{query}`", shown.len());
    Ok(ToolOutcome::gave(
        json!({ "query": query, "results": shown }),
        summary,
    ))
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;
