use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::json;

use super::*;
use crate::ports::testing::Server;

const KEY: &str = "tvly-secret";

/// A server whose every address gives the answer of this function to (method, path with query, headers and body).
async fn serving(answer: impl Fn(String) -> Response + Clone + Send + Sync + 'static) -> Server {
    let handler = move |request: Request| async move {
        let (head, body) = request.into_parts();
        let header = |name: &str| {
            head.headers
                .get(name)
                .map_or("-", |value| value.to_str().unwrap())
                .to_owned()
        };
        let body = axum::body::to_bytes(body, 10_000).await.unwrap();
        answer(format!(
            "{} {} {} {} {}",
            head.method,
            head.uri,
            header("authorization"),
            header("x-subscription-token"),
            String::from_utf8(body.to_vec()).unwrap()
        ))
    };
    Server::start(Router::new().fallback(handler)).await
}

fn engine(kind: SearchKind, url: &str) -> WebSearch {
    WebSearch::new(SearchConfig::new(kind, url, Secret::new(KEY))).unwrap()
}

fn result(
    title: &str,
    url: &str,
    snippet: &str,
    published: Option<&str>,
    score: Option<f64>,
) -> SearchResult {
    SearchResult {
        title: title.to_owned(),
        url: url.to_owned(),
        snippet: snippet.to_owned(),
        published: published.map(str::to_owned),
        score,
    }
}

#[tokio::test]
async fn searxng_is_asked_for_json() {
    let server = serving(|asked| {
        assert_eq!(asked, format!("GET /search?q=%E5%85%89+a%26b&format=json Bearer {KEY} - "));
        axum::Json(json!({"results": [
            {"title": "One", "url": "https://a.example/1", "content": "first", "publishedDate": "2026-01-02", "score": 1.5},
            {"title": "Same", "url": "http://www.a.example/1/?utm_source=q", "content": "again"},
            {"title": "Two", "url": "https://b.example/", "content": null, "publishedDate": null}
        ]}))
        .into_response()
    })
    .await;
    let found = engine(SearchKind::Searxng, &server.url)
        .search(" 光 a&b ", 5)
        .await;
    assert_eq!(
        found,
        Ok(vec![
            result(
                "One",
                "https://a.example/1",
                "first",
                Some("2026-01-02"),
                Some(1.5)
            ),
            result("Two", "https://b.example/", "", None, None),
        ])
    );
}

#[tokio::test]
async fn tavily_gets_a_query_of_at_most_400_characters() {
    let server = serving(|asked| {
        let body = json!({"query": "光".repeat(400), "max_results": 3, "search_depth": "basic"});
        assert_eq!(asked, format!("POST /search Bearer {KEY} - {body}"));
        axum::Json(json!({"results": [{"title": "T", "url": "https://a.example", "content": "c", "score": 0.9}]}))
            .into_response()
    })
    .await;
    let found = engine(SearchKind::Tavily, &server.url)
        .search(&"光".repeat(900), 3)
        .await;
    assert_eq!(
        found,
        Ok(vec![result("T", "https://a.example", "c", None, Some(0.9))])
    );
}

#[tokio::test]
async fn brave_is_asked_for_at_most_twenty_and_may_leave_its_results_out() {
    let server = serving(|asked| {
        let expected =
            format!("GET /res/v1/web/search?q=x&count=20&text_decorations=false - {KEY} ");
        assert_eq!(asked, expected);
        axum::Json(json!({"type": "search"})).into_response()
    })
    .await;
    let found = engine(SearchKind::Brave, &server.url)
        .search("x", 100)
        .await;
    assert_eq!(found, Ok(vec![]));
}

#[tokio::test]
async fn brave_results_are_read() {
    let server = serving(|_| {
        axum::Json(json!({"web": {"results": [
            {"title": "T", "url": "https://a.example/", "description": "d", "page_age": "2025-05-05T00:00:00"}
        ]}}))
        .into_response()
    })
    .await;
    let found = engine(SearchKind::Brave, &server.url).search("x", 5).await;
    assert_eq!(
        found,
        Ok(vec![result(
            "T",
            "https://a.example/",
            "d",
            Some("2025-05-05T00:00:00"),
            None
        )])
    );
}

async fn outcome(
    answer: impl Fn(String) -> Response + Clone + Send + Sync + 'static,
) -> Result<Vec<SearchResult>, SearchError> {
    let server = serving(answer).await;
    engine(SearchKind::Searxng, &server.url)
        .search("secret words", 5)
        .await
}

#[tokio::test]
async fn finding_nothing_is_an_answer() {
    assert_eq!(
        outcome(|_| axum::Json(json!({"results": []})).into_response()).await,
        Ok(vec![])
    );
}

#[tokio::test]
async fn what_is_not_an_answer_is_told_apart() {
    let limited =
        outcome(|_| (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "3")], "").into_response())
            .await;
    assert_eq!(
        limited,
        Err(SearchError::RateLimited {
            retry_after: Some(Duration::from_secs(3))
        })
    );
    let failed = outcome(|_| StatusCode::BAD_GATEWAY.into_response()).await;
    assert_eq!(failed, Err(SearchError::Server(502)));
    let html = outcome(|_| axum::response::Html("<p>results</p>").into_response()).await;
    assert_eq!(html, Err(SearchError::NotJson("text/html".to_owned())));
    let cut =
        outcome(|_| ([(CONTENT_TYPE, "application/json")], "{\"results\":[").into_response()).await;
    assert_eq!(cut, Err(SearchError::Malformed("Eof error".to_owned())));
    let other = outcome(|_| axum::Json(json!({"hits": 1})).into_response()).await;
    assert_eq!(
        other,
        Err(SearchError::Malformed(
            "it has no list of results".to_owned()
        ))
    );
    let huge = outcome(|_| {
        (
            [(CONTENT_TYPE, "application/json")],
            "x".repeat(MAX_SEARCH_BYTES + 1),
        )
            .into_response()
    })
    .await;
    assert_eq!(huge, Err(SearchError::TooLong(MAX_SEARCH_BYTES)));
    let forbidden = outcome(|_| StatusCode::FORBIDDEN.into_response())
        .await
        .unwrap_err();
    assert!(forbidden.to_string().contains("search.formats"));
}

#[tokio::test]
async fn a_redirect_to_another_server_is_not_followed() {
    let other = serving(|_| panic!("nobody may come here")).await;
    let target = other.url.clone();
    let outcome = outcome(move |_| Redirect::temporary(&target).into_response()).await;
    assert!(matches!(
        outcome,
        Err(SearchError::Refused { status: 307, .. })
    ));
}

#[tokio::test]
async fn a_redirect_within_the_server_is_followed() {
    let found = outcome(|asked| {
        if asked.contains("/moved") {
            axum::Json(json!({"results": []})).into_response()
        } else {
            Redirect::temporary("/moved").into_response()
        }
    })
    .await;
    assert_eq!(found, Ok(vec![]));
}

#[tokio::test]
async fn a_slow_engine_is_a_timeout_and_an_absent_one_unreachable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let config = SearchConfig::new(SearchKind::Brave, &url, Secret::new(KEY));
    let slow = WebSearch::new(SearchConfig {
        limit: Duration::from_millis(20),
        ..config
    })
    .unwrap();
    // The listener takes the connection and never answers.
    assert_eq!(slow.search("x", 1).await, Err(SearchError::Timeout));
    drop(listener);
    let error = engine(SearchKind::Brave, &url)
        .search("secret words", 1)
        .await
        .unwrap_err();
    assert!(matches!(error, SearchError::Unreachable(_)));
    let shown = format!("{error} {error:?} {:?}", engine(SearchKind::Brave, &url));
    assert!(
        !shown.contains(KEY) && !shown.contains("secret words"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_search_needs_words_and_an_address() {
    let engine = engine(SearchKind::Tavily, "http://127.0.0.1:1");
    assert_eq!(engine.search("  ", 1).await, Err(SearchError::EmptyQuery));
    let bad = SearchConfig::new(SearchKind::Brave, "search.example", Secret::default());
    assert!(WebSearch::new(bad).is_err());
}
