//! Searching the web, with what was found a short while ago kept: several steps of a run, and runs about the same, ask the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, TimeDelta, Utc};
use domain::carry::ToolOutcome;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::ports::{SearchError, SearchResult};
use crate::tools::{ToolError, flag, in_range, number, refused};

/// How long results are kept; the contract's number (3.8).
const KEPT_MINUTES: i64 = 30;

/// Searches whose results are kept. Eight results of two thousand characters each are 16 KB, so all of them 8 MB at most.
const KEPT: usize = 512;

/// Results that `web_search` asks for when the step does not say.
const SEARCH_RESULTS: u64 = 8;

/// Results that `webSearch` asks for when the step does not say; the contract's number.
const WEB_RESULTS: u64 = 5;

/// Results of one search: a page of the engines.
const RESULTS_MAX: u64 = 20;

/// What was found, by query and how many results were asked for.
#[derive(Default)]
pub(crate) struct SearchCache(Mutex<HashMap<(String, usize), Kept>>);

struct Kept {
    at: DateTime<Utc>,
    results: Arc<Vec<SearchResult>>,
}

impl SearchCache {
    fn find(
        &self,
        query: &str,
        count: usize,
        now: DateTime<Utc>,
    ) -> Option<Arc<Vec<SearchResult>>> {
        let kept = self.kept();
        let found = kept.get(&(query.to_owned(), count))?;
        is_fresh(found, now).then(|| Arc::clone(&found.results))
    }

    fn keep(
        &self,
        query: &str,
        count: usize,
        now: DateTime<Utc>,
        results: &Arc<Vec<SearchResult>>,
    ) {
        let mut kept = self.kept();
        if kept.len() >= KEPT {
            kept.retain(|_, entry| is_fresh(entry, now));
        }
        if kept.len() >= KEPT {
            let oldest = kept.iter().min_by_key(|(_, entry)| entry.at);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                kept.remove(&oldest);
            }
        }
        let entry = Kept {
            at: now,
            results: Arc::clone(results),
        };
        kept.insert((query.to_owned(), count), entry);
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<(String, usize), Kept>> {
        self.0
            .lock()
            .expect("nothing panics while results are kept")
    }
}

fn is_fresh(kept: &Kept, now: DateTime<Utc>) -> bool {
    kept.at <= now && now - kept.at < TimeDelta::minutes(KEPT_MINUTES)
}

/// As the course asks: `{query, count}` gives all that is known of each result.
pub(crate) async fn web_search(engine: &Engine, input: &Value) -> ToolOutcome {
    let query = input.get("query").and_then(Value::as_str);
    let query = query.unwrap_or_default();
    let count = input.get("count").and_then(Value::as_u64);
    let count = count.unwrap_or(SEARCH_RESULTS);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if engine.0.parts.search.is_none() {
        return refused("off", OFF, false);
    }
    match search(engine, query, count, false).await {
        Ok(results) => {
            let summary = format!("{} results for `{query}`", results.len());
            ToolOutcome::gave(json!({ "query": query, "results": *results }), summary)
        }
        Err(error) => refused("search_failed", &error.to_string(), error.retryable()),
    }
}

const OFF: &str = "web search is off: no endpoint is configured";

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

/// As posts ask: `{query, maxResults, forceRefresh}` gives title, address, snippet and day.
pub(crate) async fn for_posts(engine: &Engine, input: &Value) -> Result<ToolOutcome, ToolError> {
    let asked = WebSearch::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    if engine.0.parts.search.is_none() {
        return Err(ToolError::new("off", OFF, false));
    }
    let query = asked.query.trim();
    let count = in_range(asked.max_results, WEB_RESULTS, RESULTS_MAX) as usize;
    let results = search(engine, query, count, asked.force_refresh).await;
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

async fn search(
    engine: &Engine,
    query: &str,
    count: usize,
    anew: bool,
) -> Result<Arc<Vec<SearchResult>>, SearchError> {
    let Some(search) = &engine.0.parts.search else {
        return Ok(Arc::default());
    };
    let (cache, clock) = (&engine.0.searched, &engine.0.parts.clock);
    if !anew && let Some(found) = cache.find(query, count, clock.now()) {
        return Ok(found);
    }
    let results = Arc::new(search.search(query, count).await?);
    cache.keep(query, count, clock.now(), &results);
    Ok(results)
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;
