//! The search port: what the web says, from a search engine that the operator has configured.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use url::Url;

/// The most characters of a snippet that are kept: a paragraph, enough to judge a result by.
const MAX_SNIPPET_CHARS: usize = 2_000;

/// The most characters of a title that are kept.
const MAX_TITLE_CHARS: usize = 300;

/// Somewhere to search.
#[async_trait]
pub trait Search: Send + Sync {
    /// At most `count` results, best first, no page twice. That there are none is an answer, not an error.
    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError>;
}

/// One page that was found. All of it is other people's text.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    pub title: String,
    /// As the engine gave it; always http or https.
    pub url: String,
    pub snippet: String,
    /// When the page was published, in the engine's own words.
    pub published: Option<String>,
    /// How well it fits, in the engine's own measure.
    pub score: Option<f64>,
}

/// Why a search gave no answer. No message contains a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    #[error("the search engine cannot be reached: {0}")]
    Unreachable(String),
    #[error("the search engine took too long")]
    Timeout,
    #[error("the search engine wants fewer requests")]
    RateLimited { retry_after: Option<Duration> },
    #[error("the search engine refused the key or the request ({status}): {hint}")]
    Refused { status: u16, hint: String },
    #[error("the search engine failed with status {0}")]
    Server(u16),
    #[error(
        "the search engine answered with {0} instead of json: check its address and that json is enabled"
    )]
    NotJson(String),
    #[error("the search engine's answer is longer than {0} bytes")]
    TooLong(usize),
    #[error("the search engine's answer cannot be read: {0}")]
    Malformed(String),
    #[error("a search needs words")]
    EmptyQuery,
}

impl SearchError {
    /// Whether the same search may succeed when it is made again.
    pub fn retryable(&self) -> bool {
        match self {
            SearchError::Unreachable(_)
            | SearchError::Timeout
            | SearchError::RateLimited { .. }
            | SearchError::Server(_) => true,
            SearchError::Refused { .. }
            | SearchError::NotJson(_)
            | SearchError::TooLong(_)
            | SearchError::Malformed(_)
            | SearchError::EmptyQuery => false,
        }
    }

    /// How long the engine asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            SearchError::RateLimited { retry_after } => *retry_after,
            SearchError::Unreachable(_)
            | SearchError::Timeout
            | SearchError::Server(_)
            | SearchError::Refused { .. }
            | SearchError::NotJson(_)
            | SearchError::TooLong(_)
            | SearchError::Malformed(_)
            | SearchError::EmptyQuery => None,
        }
    }
}

/// The first `count` results that are pages of the web, each page once.
pub(super) fn tidy(
    results: impl IntoIterator<Item = SearchResult>,
    count: usize,
) -> Vec<SearchResult> {
    let mut seen = BTreeSet::new();
    let mut tidy = Vec::new();
    for result in results {
        if tidy.len() == count {
            break;
        }
        let Some(canonical) = canonical_url(&result.url) else {
            continue;
        };
        if seen.insert(canonical) {
            tidy.push(SearchResult {
                title: clipped(&result.title, MAX_TITLE_CHARS),
                snippet: clipped(&result.snippet, MAX_SNIPPET_CHARS),
                ..result
            });
        }
    }
    tidy
}

/// What two addresses of the same page have in common: no scheme, `www.`, fragment, tracking parameters or last slash, and
/// the other parameters in order. `None` for what is not a page of the web.
pub fn canonical_url(address: &str) -> Option<String> {
    let url = Url::parse(address.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = url.host_str()?;
    let host = host
        .strip_prefix("www.")
        .unwrap_or(host)
        .trim_end_matches('.');
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let path = url.path().trim_end_matches('/');
    let mut parameters: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !is_tracking(name))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    parameters.sort();
    let query: String = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    Some(
        format!("{host}{port}{path}?{query}")
            .trim_end_matches('?')
            .to_owned(),
    )
}

fn is_tracking(parameter: &str) -> bool {
    const NAMES: [&str; 7] = [
        "gclid", "fbclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid",
    ];
    parameter.starts_with("utm_") || NAMES.contains(&parameter)
}

fn clipped(text: &str, most: usize) -> String {
    text.trim().chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_page_are_one() {
        let page = Some("example.org/a?b=1&c=2".to_owned());
        for address in [
            "https://example.org/a?b=1&c=2",
            "http://www.Example.org:80/a/?c=2&b=1#top",
            " https://example.org/a?utm_source=x&b=1&c=2&gclid=9 ",
        ] {
            assert_eq!(canonical_url(address), page, "{address}");
        }
        assert_ne!(canonical_url("https://example.org:8443/a?b=1&c=2"), page);
        assert_eq!(
            canonical_url("https://example.org/"),
            Some("example.org".to_owned())
        );
        for address in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "not an address",
            "",
        ] {
            assert_eq!(canonical_url(address), None, "{address}");
        }
    }

    #[test]
    fn the_first_of_equal_pages_is_kept() {
        let result = |title: &str, url: &str| SearchResult {
            title: title.to_owned(),
            url: url.to_owned(),
            snippet: String::new(),
            published: None,
            score: None,
        };
        let found = [
            result("one", "https://a.example/x"),
            result("again", "http://www.a.example/x/"),
            result("not a page", "ftp://a.example/x"),
            result("two", "https://b.example/"),
            result("three", "https://c.example/"),
        ];
        let titles: Vec<String> = tidy(found, 2)
            .into_iter()
            .map(|result| result.title)
            .collect();
        assert_eq!(titles, ["one", "two"]);
    }
}
