//! Searching the web, with what was found a short while ago kept: several steps of a run, and runs about the same, ask the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::carry::ToolOutcome;
use serde_json::{Value, json};

use super::{Tool, ToolContext, ToolError, refused};
use crate::clock::Clock;
use crate::ports::{Search, SearchError, SearchResult};

/// How long results are kept; the contract's number (3.8).
const KEPT_MINUTES: i64 = 30;

/// Searches whose results are kept. Eight results of two thousand characters each are 16 KB, so all of them 8 MB at most.
const KEPT: usize = 512;

/// Results that are asked for when the step does not say.
const RESULTS: u64 = 8;

/// What was found, by query and how many results were asked for.
#[derive(Default)]
struct SearchCache(Mutex<HashMap<(String, usize), CachedResults>>);

struct CachedResults {
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
        let entry = CachedResults {
            at: now,
            results: Arc::clone(results),
        };
        kept.insert((query.to_owned(), count), entry);
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<(String, usize), CachedResults>> {
        self.0
            .lock()
            .expect("nothing panics while results are kept")
    }
}

fn is_fresh(kept: &CachedResults, now: DateTime<Utc>) -> bool {
    kept.at <= now && now - kept.at < TimeDelta::minutes(KEPT_MINUTES)
}

/// The searches of a program, whoever asks: with its search engine, and what that found a short while ago.
pub struct Searches {
    engine: Option<Arc<dyn Search>>,
    clock: Clock,
    cache: SearchCache,
}

/// What a step is told where there is no search engine.
pub const SEARCH_OFF: &str = "web search is off: no endpoint is configured";

impl Searches {
    pub fn new(engine: Option<Arc<dyn Search>>, clock: Clock) -> Self {
        Self {
            engine,
            clock,
            cache: SearchCache::default(),
        }
    }

    /// Whether there is a search engine.
    pub fn is_on(&self) -> bool {
        self.engine.is_some()
    }

    /// This many results; with `anew`, results of a short while ago are not used.
    ///
    /// # Errors
    ///
    /// Where the search engine fails.
    pub async fn search(
        &self,
        query: &str,
        count: usize,
        anew: bool,
    ) -> Result<Arc<Vec<SearchResult>>, SearchError> {
        let Some(engine) = &self.engine else {
            return Ok(Arc::default());
        };
        if !anew && let Some(found) = self.cache.find(query, count, self.clock.now()) {
            return Ok(found);
        }
        let results = Arc::new(engine.search(query, count).await?);
        self.cache.keep(query, count, self.clock.now(), &results);
        Ok(results)
    }
}

/// `{query, count}` gives all that is known of each result.
pub(super) struct SearchWeb(Arc<Searches>);

impl SearchWeb {
    pub(super) fn new(searches: Arc<Searches>) -> Self {
        Self(searches)
    }

    async fn search(&self, input: &Value) -> ToolOutcome {
        let query = input.get("query").and_then(Value::as_str);
        let query = query.unwrap_or_default();
        let count = input.get("count").and_then(Value::as_u64);
        let count = count.unwrap_or(RESULTS);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if !self.0.is_on() {
            return refused("off", SEARCH_OFF, false);
        }
        match self.0.search(query, count, false).await {
            Ok(results) => {
                let summary = format!("{} results for `{query}`", results.len());
                ToolOutcome::gave(json!({ "query": query, "results": *results }), summary)
            }
            Err(error) => refused("search_failed", &error.to_string(), error.retryable()),
        }
    }
}

#[async_trait]
impl Tool for SearchWeb {
    fn name(&self) -> &'static str {
        "web_search"
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "count": { "type": "integer", "minimum": 0 },
            },
            "required": ["query"],
        })
    }

    async fn call(&self, _: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
        Ok(self.search(input).await)
    }

    fn asks_outside(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;
