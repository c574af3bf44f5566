//! The search port over SearXNG, Tavily and Brave.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use domain::shown;
use futures::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::exchange::{deepest_cause, retry_after};
use super::search::{Search, SearchError, SearchResult, tidy};
use super::secret::Secret;

/// How long a search may take. Engines that ask others need up to ten seconds.
pub const SEARCH_LIMIT: Duration = Duration::from_secs(20);

/// The most bytes of an answer, counted after decompression. Twenty results with long excerpts are under 1 MB.
pub const MAX_SEARCH_BYTES: usize = 4 * 1024 * 1024;

/// The longest query that Tavily takes, in characters; Brave documents the same number.
pub const MAX_QUERY_CHARS: usize = 400;

/// The most results that Tavily and Brave return.
pub const MAX_RESULTS: usize = 20;

/// How many redirects within the configured host are followed: one for the scheme, one for a slash, one to spare.
const MAX_REDIRECTS: usize = 3;

/// Which engine answers at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    Searxng,
    Tavily,
    Brave,
}

/// An engine that the operator has configured. Its address is trusted; it may well be on this machine.
#[derive(Clone)]
pub struct SearchConfig {
    pub kind: SearchKind,
    /// The engine's address; without a path the engine's own one is added.
    pub url: String,
    /// Empty for engines that want none.
    pub key: Secret,
    pub limit: Duration,
}

impl fmt::Debug for SearchConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchConfig")
            .field("kind", &self.kind)
            .field("url", &shown::address(&self.url))
            .finish_non_exhaustive()
    }
}

impl SearchConfig {
    /// An engine with the default time limit.
    pub fn new(kind: SearchKind, url: impl Into<String>, key: Secret) -> SearchConfig {
        SearchConfig {
            kind,
            url: url.into(),
            key,
            limit: SEARCH_LIMIT,
        }
    }
}

/// Why an engine cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SearchConfigError {
    #[error("the search address is not an http or https address: give it with scheme and host")]
    Address,
    #[error("the http client cannot be built: {0}")]
    Http(String),
}

/// Web search through one engine.
#[derive(Clone)]
pub struct WebSearch {
    config: SearchConfig,
    endpoint: Url,
    http: reqwest::Client,
}

impl fmt::Debug for WebSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WebSearch").field(&self.config).finish()
    }
}

impl WebSearch {
    /// Checks the configuration; nothing is sent yet.
    pub fn new(config: SearchConfig) -> Result<WebSearch, SearchConfigError> {
        let mut endpoint = Url::parse(&config.url).map_err(|_| SearchConfigError::Address)?;
        if !matches!(endpoint.scheme(), "http" | "https") || endpoint.host().is_none() {
            return Err(SearchConfigError::Address);
        }
        let path = match config.kind {
            SearchKind::Searxng | SearchKind::Tavily => "/search",
            SearchKind::Brave => "/res/v1/web/search",
        };
        if endpoint.path() == "/" {
            endpoint.set_path(path);
        }
        let http = reqwest::Client::builder()
            .timeout(config.limit)
            .no_proxy()
            .redirect(same_host_only())
            .build()
            .map_err(|error| SearchConfigError::Http(error.to_string()))?;
        Ok(WebSearch {
            config,
            endpoint,
            http,
        })
    }

    fn request(&self, query: &str, count: usize) -> RequestBuilder {
        let key = self.config.key.reveal();
        match self.config.kind {
            SearchKind::Searxng => {
                // It has no parameter for the number of results.
                let url = with_query(&self.endpoint, &[("q", query), ("format", "json")]);
                let request = self.http.get(url);
                if key.is_empty() {
                    request
                } else {
                    request.bearer_auth(key)
                }
            }
            SearchKind::Tavily => self
                .http
                .post(self.endpoint.clone())
                .bearer_auth(key)
                .json(&json!({"query": query, "max_results": count, "search_depth": "basic"})),
            SearchKind::Brave => {
                let count = count.to_string();
                let parameters = [
                    ("q", query),
                    ("count", &count),
                    ("text_decorations", "false"),
                ];
                self.http
                    .get(with_query(&self.endpoint, &parameters))
                    .header("X-Subscription-Token", key)
            }
        }
    }
}

#[async_trait]
impl Search for WebSearch {
    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError> {
        let query: String = query.trim().chars().take(MAX_QUERY_CHARS).collect();
        if query.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let count = count.clamp(1, MAX_RESULTS);
        let request = self
            .request(&query, count)
            .header(ACCEPT, "application/json");
        let response = request.send().await.map_err(transport_error)?;
        let body = checked_body(response, self.config.kind).await?;
        let answer: Value = serde_json::from_slice(&body)
            .map_err(|error| SearchError::Malformed(format!("{:?} error", error.classify())))?;
        let results = match self.config.kind {
            SearchKind::Searxng => results_of(&answer["results"], "content", "publishedDate"),
            SearchKind::Tavily => results_of(&answer["results"], "content", "published_date"),
            // Brave leaves `web` out when nothing was found.
            SearchKind::Brave if answer["web"].is_null() => Some(Vec::new()),
            SearchKind::Brave => results_of(&answer["web"]["results"], "description", "page_age"),
        };
        let results = results
            .ok_or_else(|| SearchError::Malformed("it has no list of results".to_owned()))?;
        Ok(tidy(results, count))
    }
}

/// Redirects may not carry the key or the query to another server.
fn same_host_only() -> Policy {
    Policy::custom(|attempt| {
        let first = &attempt.previous()[0];
        let same = first.host() == attempt.url().host()
            && first.port_or_known_default() == attempt.url().port_or_known_default()
            && first.scheme() == attempt.url().scheme();
        if same && attempt.previous().len() <= MAX_REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

fn with_query(endpoint: &Url, parameters: &[(&str, &str)]) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut().extend_pairs(parameters);
    url
}

/// The body of a good answer, as long as it is JSON and not too long.
async fn checked_body(response: Response, kind: SearchKind) -> Result<Vec<u8>, SearchError> {
    let status = response.status().as_u16();
    match status {
        200..=299 => {}
        429 => {
            return Err(SearchError::RateLimited {
                retry_after: retry_after(response.headers()),
            });
        }
        500..=599 => return Err(SearchError::Server(status)),
        _ => {
            return Err(SearchError::Refused {
                status,
                hint: hint(status, kind).to_owned(),
            });
        }
    }
    let media_type = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media_type = media_type
        .unwrap_or("no content type")
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    if media_type != "application/json" && !media_type.ends_with("+json") {
        return Err(SearchError::NotJson(media_type.to_owned()));
    }
    let mut pieces = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.map_err(transport_error)?);
        if body.len() > MAX_SEARCH_BYTES {
            return Err(SearchError::TooLong(MAX_SEARCH_BYTES));
        }
    }
    Ok(body)
}

fn hint(status: u16, kind: SearchKind) -> &'static str {
    match (kind, status) {
        (SearchKind::Searxng, 403) => "enable json under search.formats in the settings of searxng",
        (_, 300..=399) => "it redirects to another server, configure that address instead",
        (_, 401 | 403) => "check the search key",
        (_, 402 | 432 | 433) => "the account has no credit left",
        (_, 404) => "check the search address",
        (_, _) => "check the search address and kind",
    }
}

/// An error of the connection, without the address: it contains the query.
fn transport_error(error: reqwest::Error) -> SearchError {
    if error.is_timeout() {
        return SearchError::Timeout;
    }
    SearchError::Unreachable(deepest_cause(&error))
}

/// The results of a list; `None` if it is none. A result without an address is dropped.
fn results_of(list: &Value, snippet: &str, published: &str) -> Option<Vec<SearchResult>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let results = list.as_array()?.iter().map(|result| SearchResult {
        title: text(&result["title"]),
        url: text(&result["url"]),
        snippet: text(&result[snippet]),
        published: result[published]
            .as_str()
            .filter(|date| !date.is_empty())
            .map(str::to_owned),
        score: result["score"].as_f64(),
    });
    Some(results.collect())
}

#[cfg(test)]
#[path = "search_engines_tests.rs"]
mod tests;
