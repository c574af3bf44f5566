//! Vectors of the design index by a model: a provider on loopback, asked by the program over HTTP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::{HeaderMap, StatusCode};
use axum::{Json, Router, routing};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::support::api::Api;
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::within;

const RAIN: &str = "---\ntitle: Rain in the valley\n---\n# Opening\n@type: title\n## Rain\n---\n# Water levels\n@type: bullet_points\n## Rivers in the valley rose by a third in May\n- The Arve rose first\n- The Dranse rose most\n---\n# Team\n@type: bullet_points\n## Two engineers join in spring\n- One in Berlin\n";

/// It has no word of the slide that means the same.
const QUERY: &str = "flooding";

/// More than any test asks.
const MANY: usize = 1_000;

const KEY: &str = "sk-embeddings-secret";

/// A provider that knows two topics, notes what it is asked, and can be told to fail.
#[derive(Clone)]
struct Provider {
    asked: Arc<Mutex<Vec<String>>>,
    down: Arc<AtomicBool>,
    /// How many requests may still be answered.
    leave: Arc<Semaphore>,
}

impl Provider {
    /// One that answers so many requests before it is given more leave.
    fn answering(requests: usize) -> Self {
        Self {
            asked: Arc::default(),
            down: Arc::default(),
            leave: Arc::new(Semaphore::new(requests)),
        }
    }

    /// Serves it; gives its address.
    async fn serve(&self) -> String {
        let it = self.clone();
        let answer = move |headers: HeaderMap, Json(body): Json<Value>| async move {
            it.leave.acquire().await.expect("it stays open").forget();
            it.answer(&headers, &body)
        };
        let routes = Router::new().route("/v1/embeddings", routing::post(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        tokio::spawn(async move { axum::serve(listener, routes).await });
        format!("http://{address}/v1")
    }

    fn answer(&self, headers: &HeaderMap, body: &Value) -> (StatusCode, Json<Value>) {
        assert_eq!(headers["authorization"], format!("Bearer {KEY}").as_str());
        assert_eq!(body["model"], "e-1");
        if self.down.load(Ordering::SeqCst) {
            let error = json!({ "error": { "code": "invalid_api_key", "message": format!("Incorrect API key: {KEY}") } });
            return (StatusCode::UNAUTHORIZED, Json(error));
        }
        let texts = body["input"].as_array().expect("a list of texts");
        let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
        let items = texts.iter().enumerate();
        let items: Vec<Value> = items
            .map(|(at, text)| json!({ "index": at, "embedding": meaning(text) }))
            .collect();
        let mut asked = self.asked.lock().expect("nobody panics");
        asked.extend(texts.iter().map(|text| (*text).to_owned()));
        let usage = json!({ "prompt_tokens": 7, "total_tokens": 7 });
        (
            StatusCode::OK,
            Json(json!({ "data": items, "usage": usage })),
        )
    }

    /// What was asked since the last time.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("nobody panics"))
    }
}

fn meaning(text: &str) -> [f32; 3] {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["flooding", "rose"]) {
        [1.0, 0.0, 0.1]
    } else if says(&["engineers"]) {
        [0.0, 1.0, 0.1]
    } else {
        [0.1, 0.1, 1.0]
    }
}

async fn server(place: &TestFolder, url: &str, more: &[(&str, &str)]) -> Server {
    let mut command = palimpsest(place);
    command
        .env("PALIMPSEST_MODEL", "offline")
        .env("PALIMPSEST_EMBEDDINGS_MODEL", "e-1")
        .env("PALIMPSEST_EMBEDDINGS_URL", url)
        .env("PALIMPSEST_EMBEDDINGS_KEY", KEY)
        .envs(more.iter().copied());
    Server::start_with(command, &[]).await
}

/// Asks until all decks have vectors of the model.
async fn all_have_vectors(api: &Api) {
    let ready = async {
        loop {
            let list = api.get("/api/index/decks").await.succeeded();
            assert_eq!(list["embedding"], "e-1", "{list:#}");
            if list["without_vectors"] == 0 {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    within("the vectors of the decks", ready).await;
}

async fn search(api: &Api) -> Value {
    let path = format!("/api/index/search?q={QUERY}&min_score=0");
    api.get(&path).await.succeeded()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_means_the_same_is_found_and_a_provider_that_is_down_is_said_to_be() {
    let (place, provider) = (TestFolder::new(), Provider::answering(MANY));
    let url = provider.serve().await;
    let mut running = server(&place, &url, &[]).await;
    let api = running.api();
    let deck = json!({ "dsl": RAIN, "id": "rain" });
    api.post("/api/index/decks", &deck).await.succeeded();
    all_have_vectors(&api).await;
    assert!(!provider.take().is_empty());
    let found = search(&api).await;
    let first = &found["results"][0];
    assert_eq!(
        (&found["embedding"], &first["scored_by"], &found["remark"]),
        (&json!("e-1"), &json!("e-1"), &Value::Null),
        "{found:#}"
    );
    assert!(
        first["dsl_text"]
            .as_str()
            .expect("a slide")
            .contains("Rivers"),
        "{found:#}"
    );
    assert_eq!(provider.take(), [QUERY]);
    // The same query again is known.
    assert_eq!(search(&api).await, found);
    assert_eq!(provider.take(), [""; 0]);
    running.kill().await;

    // Another process has the vectors, and none of a query when the provider is down.
    let running = server(&place, &url, &[]).await;
    let api = running.api();
    assert_eq!(search(&api).await["results"], found["results"]);
    assert_eq!(provider.take(), [QUERY]);
    provider.down.store(true, Ordering::SeqCst);
    let by_words = api
        .get("/api/index/search?q=rivers%20rose")
        .await
        .succeeded();
    assert_eq!(by_words["embedding"], "ngrams-384", "{by_words:#}");
    assert_eq!(
        by_words["results"][0]["scored_by"], "ngrams-384",
        "{by_words:#}"
    );
    let remark = by_words["remark"].as_str().expect("it is said");
    assert!(
        remark.contains("PALIMPSEST_EMBEDDINGS_KEY") && !remark.contains(KEY),
        "{remark}"
    );
    assert!(!running.said().contains(KEY), "{}", running.said());
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_that_were_paid_for_when_the_process_died_are_not_paid_for_again() {
    let (place, provider) = (TestFolder::new(), Provider::answering(0));
    let url = provider.serve().await;
    let mut dying = server(&place, &url, &[("PALIMPSEST_CRASH_AT", "answered:1")]).await;
    let deck = json!({ "dsl": RAIN, "id": "rain" });
    dying
        .api()
        .post("/api/index/decks", &deck)
        .await
        .succeeded();
    provider.leave.add_permits(MANY);
    dying.ended().await;
    let before = provider.take();
    assert!(!before.is_empty());
    let running = server(&place, &url, &[]).await;
    all_have_vectors(&running.api()).await;
    // The deck is one exchange, whose answer was in the spool.
    assert_eq!(provider.take(), [""; 0]);
}
