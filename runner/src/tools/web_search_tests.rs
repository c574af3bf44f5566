//! What a search engine is asked, and how often.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use async_trait::async_trait;

use super::*;

/// A search engine that counts how often it is asked, and fails when asked for `bad`.
#[derive(Default)]
struct Counting(AtomicUsize);

#[async_trait]
impl Search for Counting {
    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError> {
        let asked = self.0.fetch_add(1, Ordering::SeqCst);
        if query == "bad" {
            return Err(SearchError::Timeout);
        }
        let result = |n: usize| SearchResult {
            title: format!("{query} {asked}"),
            url: format!("https://example.org/{n}"),
            snippet: "…".to_owned(),
            published: (n == 0).then(|| "2026-04-01".to_owned()),
            score: Some(0.5),
        };
        Ok((0..count).map(result).collect())
    }
}

struct SearchFixture {
    searches: Arc<Searches>,
    asked: Arc<Counting>,
    minute: Arc<AtomicI64>,
}

impl SearchFixture {
    fn new() -> Self {
        let (asked, minute) = (Arc::new(Counting::default()), Arc::new(AtomicI64::new(0)));
        let now = Arc::clone(&minute);
        let clock = Clock::of(move || {
            DateTime::UNIX_EPOCH + TimeDelta::minutes(now.load(Ordering::SeqCst))
        });
        let engine = Arc::clone(&asked) as Arc<dyn Search>;
        Self {
            searches: Arc::new(Searches::new(Some(engine), clock)),
            asked,
            minute,
        }
    }

    /// The title of the first result, with how many there are.
    async fn found(&self, count: usize, anew: bool) -> (String, usize) {
        let found = self.searches.search("春游", count, anew).await;
        let found = found.expect("it searches");
        (found[0].title.clone(), found.len())
    }

    async fn tool(&self, input: Value) -> ToolOutcome {
        let tool = SearchWeb::new(Arc::clone(&self.searches));
        tool.search(&input).await
    }

    fn times(&self) -> usize {
        self.asked.0.load(Ordering::SeqCst)
    }
}

fn titled(title: &str, count: usize) -> (String, usize) {
    (title.to_owned(), count)
}

#[tokio::test]
async fn what_was_found_is_kept_for_half_an_hour_unless_it_is_asked_for_anew() {
    let desk = SearchFixture::new();
    assert_eq!(desk.found(1, false).await, titled("春游 0", 1));
    desk.minute.store(29, Ordering::SeqCst);
    assert_eq!(desk.found(1, false).await, titled("春游 0", 1));
    assert_eq!(desk.times(), 1);
    // The tool asks for the same.
    let tool = desk.tool(json!({ "query": "春游", "count": 1 })).await;
    assert_eq!(
        (desk.times(), &tool.output["results"][0]["score"]),
        (1, &json!(0.5))
    );
    assert_eq!(desk.found(1, true).await, titled("春游 1", 1));
    assert_eq!(desk.found(1, false).await, titled("春游 1", 1));
    desk.minute.store(59, Ordering::SeqCst);
    assert_eq!(desk.found(1, false).await, titled("春游 2", 1));
    assert_eq!(desk.found(5, false).await, titled("春游 3", 5));
}

#[tokio::test]
async fn a_failure_is_not_kept_and_the_oldest_goes_first() {
    let desk = SearchFixture::new();
    for times in 1..=2 {
        let failed = desk.tool(json!({ "query": "bad" })).await;
        assert_eq!(
            failed.error.map(|it| it.code).as_deref(),
            Some("search_failed")
        );
        assert_eq!(failed.output["results"], json!([]));
        assert_eq!(desk.times(), times);
    }
    let cache = SearchCache::default();
    let at = |second: i64| DateTime::UNIX_EPOCH + TimeDelta::seconds(second);
    for n in 0..=KEPT {
        cache.keep(&n.to_string(), 1, at(n as i64), &Arc::default());
    }
    let now = at(KEPT as i64);
    assert!(cache.find("0", 1, now).is_none());
    assert!(cache.find("1", 1, now).is_some());
    assert_eq!(cache.kept().len(), KEPT);
}

#[tokio::test]
async fn without_a_search_engine_it_is_off() {
    let off = SearchWeb::new(Arc::new(Searches::new(None, Clock::system())));
    let refused = off.search(&json!({ "query": "春游" })).await;
    assert_eq!(refused.error.map(|it| it.code).as_deref(), Some("off"));
}
