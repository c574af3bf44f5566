//! Vectors of the design index by a model: a provider on loopback, asked by the program over HTTP.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::embeddings::{KEY, MANY, Provider, with_vectors};
use crate::support::folder::TestFolder;
use crate::support::program::Server;
use crate::support::within;

const RAIN: &str = "---\ntitle: Rain in the valley\n---\n# Opening\n@type: title\n## Rain\n---\n# Water levels\n@type: bullet_points\n## Rivers in the valley rose by a third in May\n- The Arve rose first\n- The Dranse rose most\n---\n# Team\n@type: bullet_points\n## Two engineers join in spring\n- One in Berlin\n";

/// This query shares no word with the slide that means the same.
const QUERY: &str = "flooding";

/// Two topics.
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
    let mut command = with_vectors(place, url);
    command.envs(more.iter().copied());
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
    let (place, provider) = (TestFolder::new(), Provider::answering(MANY, meaning));
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

    // Another process has the stored vectors, but gets no vector of a query while the provider is down.
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
    let (place, provider) = (TestFolder::new(), Provider::answering(0, meaning));
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
