//! Large files in a store that speaks the protocol of S3: a small one, in this process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::support::api::{Api, Follow};
use crate::support::course::{TURNS, opening, script_with};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest, run};
use crate::support::scripted::Scripted;

const BUCKET: &str = "decks";

/// What the store holds, by key, and how many deletions it is going to refuse.
#[derive(Clone, Default)]
struct Bucket(Arc<Mutex<BTreeMap<String, Bytes>>>, Arc<AtomicU32>);

impl Bucket {
    fn keys(&self) -> Vec<String> {
        self.0.lock().expect("no panic").keys().cloned().collect()
    }

    fn holds(&self, text: &str) -> bool {
        let objects = self.0.lock().expect("no panic");
        objects.values().any(|object| {
            object
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        })
    }
}

async fn put_object(
    State(bucket): State<Bucket>,
    Path(key): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    assert!(headers.contains_key(header::AUTHORIZATION), "it is signed");
    bucket.0.lock().expect("no panic").insert(key, body);
    [(header::ETAG, "\"e\"")]
}

async fn get_object(State(bucket): State<Bucket>, Path(key): Path<String>) -> impl IntoResponse {
    let object = bucket.0.lock().expect("no panic").get(&key).cloned();
    let headers = [
        (header::ETAG, "\"e\""),
        (header::LAST_MODIFIED, "Tue, 03 Mar 2026 04:05:06 GMT"),
    ];
    match object {
        Some(object) => (headers, object).into_response(),
        None => (
            StatusCode::NOT_FOUND,
            "<Error><Code>NoSuchKey</Code></Error>",
        )
            .into_response(),
    }
}

async fn list(
    State(bucket): State<Bucket>,
    Query(asked): Query<BTreeMap<String, String>>,
) -> impl IntoResponse {
    let keys = bucket.keys().into_iter();
    let contents: String = keys
        .filter(|key| key.starts_with(&asked["prefix"]))
        .map(|key| {
            format!(
                "<Contents><Key>{key}</Key><Size>1</Size><ETag>e</ETag>\
                 <LastModified>2026-03-03T04:05:06.000Z</LastModified></Contents>"
            )
        })
        .collect();
    format!("<ListBucketResult>{contents}<IsTruncated>false</IsTruncated></ListBucketResult>")
}

async fn delete_object(State(bucket): State<Bucket>, Path(key): Path<String>) -> StatusCode {
    bucket.0.lock().expect("no panic").remove(&key);
    StatusCode::NO_CONTENT
}

/// Deletes the keys that a list of them names.
async fn delete(State(bucket): State<Bucket>, body: String) -> Response {
    let refuses = |left: u32| left.checked_sub(1);
    let refused = bucket
        .1
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, refuses);
    if refused.is_ok() {
        return StatusCode::FORBIDDEN.into_response();
    }
    let keys = body.split("<Key>").skip(1);
    let keys = keys.filter_map(|rest| rest.split("</Key>").next());
    let mut deleted = String::new();
    for key in keys {
        bucket.0.lock().expect("no panic").remove(key);
        deleted.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
    }
    format!("<DeleteResult>{deleted}</DeleteResult>").into_response()
}

/// The store, and its address.
async fn store() -> (Bucket, String) {
    let bucket = Bucket::default();
    let routes = Router::new()
        .route(&format!("/{BUCKET}"), get(list).post(delete))
        .route(
            &format!("/{BUCKET}/{{*key}}"),
            put(put_object).get(get_object).delete(delete_object),
        )
        .with_state(bucket.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (bucket, address)
}

async fn serve(place: &TestFolder, address: &str) -> Server {
    let mut command = with_store(place, address);
    command.env("PALIMPSEST_MODEL", "offline");
    Server::start(command).await
}

fn with_store(place: &TestFolder, address: &str) -> Command {
    let mut command = palimpsest(place);
    command
        .env("PALIMPSEST_BLOBS", format!("s3://{BUCKET}/files"))
        .env("AWS_ENDPOINT", address)
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_REGION", "here")
        .env("AWS_ACCESS_KEY_ID", "id")
        .env("AWS_SECRET_ACCESS_KEY", "secret");
    command
}

/// Starts a server with a scripted model, on a data folder of its own with this name.
async fn serve_in(
    place: &TestFolder,
    address: &str,
    model: &Scripted,
    data: &str,
    crash_at: Option<&str>,
) -> Server {
    let mut command = with_store(place, address);
    command
        .env("PALIMPSEST_DATA", place.file(data))
        .env("PALIMPSEST_MASTER_KEY", "07".repeat(32));
    model.serve_for(&mut command);
    if let Some(point) = crash_at {
        command.env("PALIMPSEST_CRASH_AT", point);
    }
    Server::start(command).await
}

/// What opens a session with a source that is too large for a row.
async fn with_a_large_source(api: &Api) -> Value {
    let fact = |n: u32| format!("- Station {n} measured {n} millimetres of rain in a year.\n");
    let text = "# Rain\n\n".to_owned() + &(1..3_000).map(fact).collect::<String>();
    assert!(text.len() > 64 * 1024);
    let headers = [("content-type", "text/markdown")];
    let uploaded = api
        .send(
            Method::POST,
            "/v1/files?name=rain.md",
            &headers,
            Some(text.into()),
        )
        .await;
    let mut asked = opening("s");
    asked["attachments"] = json!([{ "path": "rain.md", "file": uploaded.succeeded()["file"] }]);
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn large_files_are_sealed_in_a_store_of_objects_and_go_with_their_session() {
    let (bucket, address) = store().await;
    let place = TestFolder::new();
    let mut server = serve(&place, &address).await;
    let api = server.api();
    let asked = with_a_large_source(&api).await;
    api.open(&asked).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    let made = api.made("s", "r1").await;
    let keys = bucket.keys();
    assert!(
        !keys.is_empty() && keys.iter().all(|key| key.starts_with("files/")),
        "{keys:?}"
    );
    assert!(!bucket.holds("Station 7 measured"), "it is sealed");

    server.kill().await;
    let mut server = serve(&place, &address).await;
    let api = server.api();
    assert_eq!(api.made("s", "r1").await, made);
    api.delete("/v1/sessions/s").await.succeeded();
    // The signed end of the log belongs to no session, so it stays.
    let left = bucket.keys().into_iter();
    let left: Vec<_> = left.filter(|key| !key.contains("/heads/")).collect();
    assert_eq!(left, Vec::<String>::new());
    server.kill().await;
    run(palimpsest(&place), &["verify"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_that_the_store_refused_is_finished_by_its_repetition_or_by_the_next_start() {
    let (bucket, address) = store().await;
    let files = || {
        let keys = bucket.keys().into_iter();
        keys.filter(|key| !key.contains("/heads/")).count()
    };
    for is_repeated in [true, false] {
        let place = TestFolder::new();
        let mut server = serve(&place, &address).await;
        let api = server.api();
        api.open(&with_a_large_source(&api).await).await;
        Follow::new(&api, "s", "native")
            .end("r1", "run_completed")
            .await;
        assert!(files() > 0);
        bucket.1.store(1, Ordering::Relaxed);
        let answer = api.delete("/v1/sessions/s").await;
        answer.refused(503, "storage");
        api.get("/v1/sessions/s").await.refused(410, "erased");
        if is_repeated {
            let again = api.delete("/v1/sessions/s").await.succeeded();
            assert_eq!(again["duplicate"], true, "{again}");
            assert_eq!(files(), 0);
        }
        server.kill().await;
        let mut server = serve(&place, &address).await;
        while files() > 0 {
            server.api().get("/readyz").await;
        }
        server.kill().await;
        run(with_store(&place, &address), &["verify"]).await.with(0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_store_is_gone_nothing_large_is_taken_and_nothing_is_half_done() {
    let (bucket, address) = store().await;
    let place = TestFolder::new();
    let mut server = serve(&place, "http://127.0.0.1:1").await;
    let api = server.api();
    let asked = with_a_large_source(&api).await;
    api.post("/v1/sessions", &asked)
        .await
        .refused(503, "storage");
    api.get("/v1/sessions/s").await.refused(404, "no_session");
    let said = server.said();
    assert!(said.contains("the place for blobs"), "{said}");
    server.kill().await;

    let server = serve(&place, &address).await;
    let api = server.api();
    api.open(&asked).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    assert!(!bucket.keys().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_another_data_folder_finds_the_answer_that_was_paid_for() {
    let (bucket, address) = store().await;
    let place = TestFolder::new();
    let model = Scripted::start(&script_with([])).await;
    let mut one = serve_in(&place, &address, &model, "one", Some("answered:2")).await;
    one.api().open(&opening("s")).await;
    one.ended().await;
    let spooled = |key: &String| key.contains("/spool/");
    assert_eq!(bucket.keys().iter().filter(|key| spooled(key)).count(), 1);
    assert!(!bucket.holds("choices"), "it is sealed");

    let mut two = serve_in(&place, &address, &model, "two", None).await;
    let api = two.api();
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    let journal = model.journal().await;
    let paid = (journal.paid(), journal.paid_twice());
    assert_eq!(paid, (TURNS.len(), vec![]));
    assert!(!bucket.keys().iter().any(spooled), "{:?}", bucket.keys());
    two.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_was_put_back_together_with_its_data_folder_is_told_by_the_signed_heads() {
    let (bucket, address) = store().await;
    let place = TestFolder::new();
    let mut server = serve(&place, &address).await;
    let api = server.api();
    api.open(&opening("s")).await;
    let mut follow = Follow::new(&api, "s", "native");
    follow.end("r1", "run_completed").await;
    let stop = async |server: &mut Server| {
        server.signal("TERM").await;
        server.ended().await;
    };
    stop(&mut server).await;
    let heads = |key: &String| key.starts_with("files/heads/");
    assert_eq!(bucket.keys().iter().filter(|key| heads(key)).count(), 1);

    let kept = TestFolder::new();
    let files = ["log.db", "log.db-wal"];
    let copy = |from: &TestFolder, to: &TestFolder| {
        for name in files {
            let _ = std::fs::remove_file(to.file(name));
            if from.file(name).exists() {
                std::fs::copy(from.file(name), to.file(name)).expect("copied");
            }
        }
    };
    copy(&place, &kept);
    let mut server = serve(&place, &address).await;
    let api = server.api();
    api.open(&opening("t")).await;
    let mut follow = Follow::new(&api, "t", "native");
    follow.end("r1", "run_completed").await;
    stop(&mut server).await;
    run(with_store(&place, &address), &["verify"]).await.with(0);

    copy(&kept, &place);
    std::fs::remove_dir_all(place.file("data").join("heads")).expect("there");
    let verified = run(with_store(&place, &address), &["verify"]).await.with(4);
    assert!(
        verified.out.contains("before a signed head"),
        "{}",
        verified.out
    );
    run(with_store(&place, &address), &["anchor", "show"])
        .await
        .with(4);
}
