//! What posts ask a search engine for, and what they get.

use async_trait::async_trait;
use palimpsest::prelude::tool::{SearchError, SearchResult};
use palimpsest::prelude::trial::Search;
use palimpsest::prelude::wire::Clock;

use super::*;

/// A search engine that finds as much as is asked for, and fails when asked for `bad`.
struct Finds;

#[async_trait]
impl Search for Finds {
    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError> {
        if query == "bad" {
            return Err(SearchError::Timeout);
        }
        let result = |n: usize| SearchResult {
            title: query.to_owned(),
            url: format!("https://example.org/{n}"),
            snippet: "…".to_owned(),
            published: (n == 0).then(|| "2026-04-01".to_owned()),
            score: Some(0.5),
        };
        Ok((0..count).map(result).collect())
    }
}

async fn asked(engine: Option<Arc<dyn Search>>, input: Value) -> Value {
    match search(&Searches::new(engine, Clock::system()), &input).await {
        Ok(outcome) => outcome.output,
        Err(ToolError::Refused { code, .. }) => json!(code),
        Err(ToolError::Stop(_)) => panic!("nothing stops"),
    }
}

async fn ask(input: Value) -> Value {
    asked(Some(Arc::new(Finds)), input).await
}

#[tokio::test]
async fn a_result_is_shown_with_title_address_snippet_and_day() {
    assert_eq!(
        ask(json!({ "query": " 春游 ", "maxResults": "1" })).await,
        json!({ "query": "春游", "results": [
            { "title": "春游", "url": "https://example.org/0", "snippet": "…", "published": "2026-04-01" },
        ] })
    );
    let usual = ask(json!({ "query": "春游", "forceRefresh": true })).await;
    assert_eq!(usual["results"].as_array().map(Vec::len), Some(5));
    assert_eq!(usual["results"][1].get("published"), None);
    let most = ask(json!({ "query": "春游", "maxResults": 1_000 })).await;
    assert_eq!(most["results"].as_array().map(Vec::len), Some(20));
}

#[tokio::test]
async fn what_finds_nothing_says_why() {
    assert_eq!(ask(json!({ "query": "bad" })).await, "search_failed");
    assert_eq!(ask(json!({ "query": 7 })).await, "bad_input");
    assert_eq!(asked(None, json!({ "query": "春游" })).await, "off");
}
