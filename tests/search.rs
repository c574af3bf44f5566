//! A web search by a run: its result is there before the analysis, and the search is made once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Query;
use axum::{Json, Router, routing};
use serde_json::{Value, json};

use crate::support::api::Follow;
use crate::support::course::{TURNS, opening, rule, script};
use crate::support::rig::Rig;

#[derive(serde::Deserialize)]
struct Asked {
    q: String,
}

/// A search engine that counts how often it is asked; gives its address.
async fn engine(searches: Arc<AtomicUsize>) -> String {
    let answer = move |Query(Asked { q }): Query<Asked>| async move {
        searches.fetch_add(1, Ordering::SeqCst);
        Json(json!({ "results": [{
            "title": "How leaves work", "url": "https://example.org/leaves", "content": q,
        }] }))
    };
    let router = Router::new().route("/search", routing::get(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_search_gave_is_seen_before_the_analysis_and_kept_when_that_is_rejected() {
    let searches = Arc::new(AtomicUsize::new(0));
    let valid = script()["by_schema"]["requirement_analysis"].clone();
    let answers = json!({ "$sequence": [{ "$invalid": true }, valid] });
    let rules = [rule(TURNS[1], None, json!({ "answer": answers }))];
    let address = engine(Arc::clone(&searches)).await;
    let rig = Rig::with_settings(rules, &[("PALIMPSEST_SEARCH_URL", &address)]).await;
    let (api, model) = (&rig.api, &rig.model);
    api.open(&opening("s")).await;
    let mut follow = Follow::new(api, "s", "native");
    follow.end("r1", "run_completed").await;
    let place = |kind: &str, says: &dyn Fn(&Value) -> bool| {
        let found = |frame: &Value| frame["type"] == kind && says(&frame["data"]);
        follow.frames.iter().position(found).expect(kind)
    };
    let result = place("artifact_produced", &|e| e["kind"] == "search_result");
    let rejected = place("output_rejected", &|e| e["stage"] == "analyze_topic");
    let analysis = place("artifact_produced", &|e| {
        e["kind"] == "requirement_analysis"
    });
    assert!(
        result < rejected && rejected < analysis,
        "{result} {rejected} {analysis}"
    );
    assert_eq!(searches.load(Ordering::SeqCst), 1);
    for request in model.journal().await.asked("requirement_analysis") {
        assert!(
            request["body"]
                .to_string()
                .contains("https://example.org/leaves")
        );
    }
    // The frame about the search names the artifact in which its result can be seen.
    let frames = api.frames("s", "course").await;
    let told = frames.iter().any(|frame| {
        let frame = frame.to_string();
        frame.contains("tool:log") && frame.contains("artifactId")
    });
    assert!(told);

    // A redone analysis works from what was found before.
    let payload = json!({ "stage": "analyze_topic", "settings": { "width": 1 } });
    let answer = api.command("s", "c1", "restart_step", payload).await;
    answer.succeeded();
    let mut follow = Follow::new(api, "s", "native");
    follow.end("r2", "run_completed").await;
    assert_eq!(searches.load(Ordering::SeqCst), 1);
}
