//! What a search engine is asked, and how often.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::pipeline::Pipelines;
use store::{MasterKey, MemoryLog};

use super::*;
use crate::Parts;
use crate::clock::Clock;
use crate::ports::Search;

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

struct Desk {
    engine: Engine,
    asked: Arc<Counting>,
    minute: Arc<AtomicI64>,
}

impl Desk {
    async fn new() -> Self {
        let (asked, minute) = (Arc::new(Counting::default()), Arc::new(AtomicI64::new(0)));
        let now = Arc::clone(&minute);
        let clock = Clock::of(move || {
            DateTime::UNIX_EPOCH + TimeDelta::minutes(now.load(Ordering::SeqCst))
        });
        let log = MemoryLog::open(MasterKey::new([7; 32]), clock.as_fn()).await;
        let parts = Parts {
            clock,
            search: Some(Arc::clone(&asked) as Arc<dyn Search>),
            ..Parts::new(Arc::new(log), Pipelines::new(vec![]))
        };
        let engine = Engine::start(parts).await.expect("starts");
        Self {
            engine,
            asked,
            minute,
        }
    }

    async fn ask(&self, input: Value) -> Value {
        match for_posts(&self.engine, &input).await {
            Ok(outcome) => outcome.output,
            Err(ToolError::Refused { code, .. }) => json!(code),
            Err(ToolError::Stop(_)) => panic!("nothing stops"),
        }
    }

    fn times(&self) -> usize {
        self.asked.0.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn what_was_found_is_kept_for_half_an_hour_unless_it_is_asked_for_anew() {
    let desk = Desk::new().await;
    let first = desk
        .ask(json!({ "query": " 春游 ", "maxResults": 1 }))
        .await;
    assert_eq!(
        first,
        json!({ "query": "春游", "results": [
            { "title": "春游 0", "url": "https://example.org/0", "snippet": "…", "published": "2026-04-01" },
        ] })
    );
    desk.minute.store(29, Ordering::SeqCst);
    assert_eq!(
        desk.ask(json!({ "query": "春游", "maxResults": "1" }))
            .await,
        first
    );
    assert_eq!(desk.times(), 1);
    // The other tool asks for the same.
    let course = web_search(&desk.engine, &json!({ "query": "春游", "count": 1 })).await;
    assert_eq!(
        (desk.times(), &course.output["results"][0]["score"]),
        (1, &json!(0.5))
    );
    let anew = json!({ "query": "春游", "maxResults": 1, "forceRefresh": true });
    assert_eq!(desk.ask(anew).await["results"][0]["title"], "春游 1");
    assert_eq!(
        desk.ask(json!({ "query": "春游", "maxResults": 1 })).await["results"][0]["title"],
        "春游 1"
    );
    desk.minute.store(59, Ordering::SeqCst);
    assert_eq!(
        desk.ask(json!({ "query": "春游", "maxResults": 1 })).await["results"][0]["title"],
        "春游 2"
    );
    assert_eq!(
        desk.ask(json!({ "query": "春游" })).await["results"]
            .as_array()
            .map(Vec::len),
        Some(5)
    );
}

#[tokio::test]
async fn a_failure_is_not_kept_and_the_oldest_goes_first() {
    let desk = Desk::new().await;
    for times in 1..=2 {
        assert_eq!(desk.ask(json!({ "query": "bad" })).await, "search_failed");
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
    let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
    let parts = Parts::new(Arc::new(log), Pipelines::new(vec![]));
    let engine = Engine::start(parts).await.expect("starts");
    let refused = for_posts(&engine, &json!({ "query": "春游" })).await;
    assert!(matches!(refused, Err(ToolError::Refused { code, .. }) if code == "off"));
}
