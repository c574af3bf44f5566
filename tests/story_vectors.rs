//! Stories are searched by words and by vectors: a provider on loopback that is up, down, and not there.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::support::api::{Api, Follow};
use crate::support::embeddings::{KEY, MANY, Provider, with_vectors};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::within;

/// This query shares no word with the passages that mean the same.
const QUERY: &str = "inundation";
const QUERY_IN_ADDRESS: &str = "/api/projects/fog/search?q=inundation";

fn meaning(text: &str) -> [f32; 3] {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["inundation", "water rose", "spring tide", "drowned"]) {
        [1.0, 0.0, 0.1]
    } else if says(&["lamp"]) {
        [0.0, 1.0, 0.1]
    } else {
        [0.1, 0.1, 1.0]
    }
}

/// Puts a project there with these chapters, which are accepted.
async fn project(api: &Api, chapters: &[&str]) {
    let names = ["01-lamp.md", "02-water.md", "03-more.md"];
    let mut files = vec![
        json!({ "path": "story.md", "text": "---\ntitle: Fog\nlanguage: en\n---\n" }),
        json!({ "path": "world/tide.md", "text": "---\ntitle: The spring tide\ntype: geography\n---\nTwice a year.\n" }),
        json!({ "path": "world/light.md", "text": "---\ntitle: The light\ntype: society\n---\nA lamp for all.\n" }),
        json!({ "path": "style/short.md", "text": "---\nid: short\n---\nThe village drowned quietly.\n" }),
        json!({ "path": "style/long.md", "text": "---\nid: long\n---\nHe lit the lamp, and lit it again.\n" }),
    ];
    for (name, text) in names.iter().zip(chapters) {
        files.push(json!({ "path": format!("chapters/{name}"), "text": text }));
    }
    let put = api
        .put("/v1/projects/fog/folder", &json!({ "files": files }))
        .await;
    assert_eq!(put.succeeded()["chapters"], chapters.len());
}

const LAMP: &str = "# Lamp\n\nAda lit the lamp before dusk.\n";
const WATER: &str = "# Water\n\nBy morning the water rose to the third step.\n";

async fn server(place: &TestFolder, url: &str) -> Server {
    Server::start(with_vectors(place, url)).await
}

/// What a search gives once everything has vectors.
async fn with_all_vectors(api: &Api) -> Value {
    within("the vectors of the story", async {
        loop {
            let found = api.get(QUERY_IN_ADDRESS).await.succeeded();
            if found["by"] == "full_text_and_vectors" && found["reason"].is_null() {
                return found;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

fn ids(page: &Value, field: &str) -> Vec<String> {
    let rows = page["content"].as_array().expect("a page");
    let ids = rows
        .iter()
        .map(|row| row[field].as_str().expect("an id").to_owned());
    ids.collect()
}

/// What a task of the preprocessing of a run found.
async fn prepared(api: &Api, session: &str, task: &str) -> Value {
    let view = api.session(session).await;
    let artifacts = view["artifacts"].as_array().expect("artifacts");
    for artifact in artifacts.iter().filter(|it| it["kind"] == "story_context") {
        let id = artifact["artifact"].as_str().expect("an id");
        let bytes = api.bytes(&format!("/v1/artifacts/{id}/content")).await;
        let body: Value = serde_json::from_slice(&bytes).expect("JSON");
        if body["task"] == task {
            return body["result"].clone();
        }
    }
    panic!("nothing was prepared by `{task}`: {view:#}")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_means_the_same_is_found_in_prose_in_the_world_and_in_samples() {
    let (place, provider) = (TestFolder::new(), Provider::answering(MANY, meaning));
    let url = provider.serve().await;
    let mut running = server(&place, &url).await;
    let api = running.api();
    project(&api, &[LAMP, WATER]).await;
    let found = with_all_vectors(&api).await;
    let first = &found["content"][0];
    assert!(first["similarity"].as_f64() > Some(0.9), "{found:#}");
    let sources = ids(&found, "sourceId");
    let water = sources.iter().position(|id| id == "02-water");
    let lamp = sources.iter().position(|id| id == "01-lamp");
    assert!(water < lamp, "{sources:?}");
    let paid = provider.take();
    let mut once = paid.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), paid.len(), "no text twice: {paid:#?}");

    let wiki = api
        .get("/api/wiki/project/fog/search?keyword=inundation")
        .await
        .succeeded();
    assert_eq!(wiki["by"], "full_text_and_vectors", "{wiki:#}");
    assert_eq!(ids(&wiki, "id")[0], "tide");
    let style = api
        .get("/api/projects/fog/style/samples/search?q=inundation")
        .await
        .succeeded();
    assert_eq!(
        (&style["by"], &ids(&style, "id")[0]),
        (&json!("full_text_and_vectors"), &"short".to_owned()),
        "{style:#}"
    );
    let context = json!({ "message": QUERY, "budget": 2000 });
    let context = api
        .post("/api/projects/fog/context", &context)
        .await
        .succeeded();
    assert_eq!(context["by"], "full_text_and_vectors");
    assert!(
        context["text"]
            .as_str()
            .expect("a text")
            .contains("third step"),
        "{context:#}"
    );
    // The question is known by now, and no text is asked about again.
    assert_eq!(provider.take(), [""; 0]);
    let message = "/write the inundation, as the village saw it";
    let opening = json!({
        "pipeline": "story", "message": message, "session": "s", "input": { "project": "fog" },
        "settings": { "language": "en" },
    });
    api.open(&opening).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    let search = prepared(&api, "s", "search").await;
    assert_eq!(search["by"], "full_text_and_vectors", "{search:#}");
    let told = search["text"].as_str().expect("a text");
    assert!(told.contains("third step"), "{told}");
    assert_eq!(provider.take(), [message]);
    running.kill().await;

    // Another process has the vectors; a further chapter costs its own texts alone.
    let running = server(&place, &url).await;
    let api = running.api();
    assert_eq!(api.get(QUERY_IN_ADDRESS).await.succeeded(), found);
    assert_eq!(provider.take(), [QUERY]);
    project(
        &api,
        &[LAMP, WATER, "# More\n\nThey drowned all the same.\n"],
    )
    .await;
    let more = within("the vectors of the third chapter", async {
        loop {
            let more = with_all_vectors(&api).await;
            if ids(&more, "sourceId").contains(&"03-more".to_owned()) {
                return more;
            }
        }
    })
    .await;
    assert_eq!(more["by"], "full_text_and_vectors");
    let paid = provider.take();
    assert_eq!(paid.len(), 1, "{paid:#?}");
    assert!(paid[0].contains("all the same"), "{paid:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_down_leaves_the_words_and_that_is_said() {
    let (place, provider) = (TestFolder::new(), Provider::answering(MANY, meaning));
    let url = provider.serve().await;
    let running = server(&place, &url).await;
    let api = running.api();
    project(&api, &[LAMP, WATER]).await;
    with_all_vectors(&api).await;
    provider.down.store(true, Ordering::SeqCst);
    let found = api
        .get("/api/projects/fog/search?q=third%20step")
        .await
        .succeeded();
    assert_eq!(
        (&found["by"], &ids(&found, "sourceId")[0]),
        (&json!("full_text"), &"02-water".to_owned())
    );
    let reason = found["reason"].as_str().expect("it is said");
    assert!(
        reason.contains("PALIMPSEST_EMBEDDINGS_KEY") && !reason.contains(KEY),
        "{reason}"
    );
    assert!(!running.said().contains(KEY), "{}", running.said());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_vectors_a_search_goes_by_words_and_sees_every_change() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let running = Server::start(command).await;
    let api = running.api();
    project(&api, &[LAMP]).await;
    let search = || api.get("/api/projects/fog/search?q=third%20step");
    let before = search().await.succeeded();
    assert_eq!(before["totalElements"], 0, "{before:#}");
    assert_eq!(before["by"], "full_text");
    let reason = before["reason"].as_str().expect("it is said");
    assert!(reason.contains("PALIMPSEST_EMBEDDINGS_MODEL"), "{reason}");
    project(&api, &[LAMP, WATER]).await;
    assert_eq!(ids(&search().await.succeeded(), "sourceId"), ["02-water"]);
    // An entry of the bible that is changed is found by what it says now.
    let content = json!({ "content": "It reaches the third step." });
    api.put("/api/wiki/tide?projectId=fog", &content)
        .await
        .succeeded();
    let mut found = ids(&search().await.succeeded(), "sourceId");
    found.sort();
    assert_eq!(found, ["02-water", "tide"]);
}
