//! What is behind the log: an event with its command, its cause and the exchange that led to it; costs, leases and verification;
//! sessions that are looked for; pages of a deck by themselves.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::{Api, Follow};
use crate::support::course::opening;
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::rig::Rig;
use crate::support::within;

const SESSION: &str = "s";

async fn made(api: &Api, session: &str) -> Vec<Value> {
    api.open(&opening(session)).await;
    let mut follow = Follow::new(api, session, "native");
    follow.end("r1", "run_completed").await;
    api.frames(session, "native").await
}

fn version(event: &Value) -> u64 {
    event["version"].as_u64().expect("a version")
}

/// The first event of a type in a stage.
fn first<'a>(events: &'a [Value], kind: &str, stage: &str) -> &'a Value {
    events
        .iter()
        .find(|event| event["type"] == kind && event["data"]["stage"] == stage)
        .unwrap_or_else(|| panic!("no {kind} of {stage}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_is_told_with_what_brought_it_about() {
    let rig = Rig::with([]).await;
    let api = &rig.api;
    let events = made(api, SESSION).await;
    let mut records = vec![];
    for event in &events {
        let path = format!("/v1/sessions/{SESSION}/events/{}", version(event));
        let record = api.get(&path).await.succeeded();
        for field in ["version", "type", "ts", "data"] {
            assert_eq!(record[field], event[field], "{field} of {path}");
        }
        let at = version(event);
        let number = |value: &Value| value.as_u64().expect("a number");
        let (from, to) = (&record["command"]["from"], &record["command"]["to"]);
        assert!(number(from) <= at && at <= number(to), "{record}");
        assert!(
            record["cause"].is_null() || number(&record["cause"]) < at,
            "{record}"
        );
        records.push(record);
    }
    let record = |event: &Value| &records[usize::try_from(version(event) - 1).expect("small")];
    let kind = |record: &Value| {
        let cause = record["cause"].as_u64().expect("a cause");
        records[usize::try_from(cause - 1).expect("small")].clone()
    };

    // The message is the person's; the run follows from it, in the same command.
    let said = &records[1];
    assert_eq!(
        (&said["type"], &said["actor"]),
        (&json!("message_received"), &json!("person:local"))
    );
    assert_eq!(said.get("cause"), None);
    let started = events.iter().find(|event| event["type"] == "run_started");
    let started = record(started.expect("a run"));
    assert_eq!(started["cause"], said["version"]);
    assert_eq!(started["command"], said["command"]);

    // What a step left follows from its request; the next stage from what it left.
    let stage = "analyze_topic";
    let artifact = record(first(&events, "artifact_produced", stage));
    assert_eq!(
        kind(artifact),
        *record(first(&events, "step_requested", stage))
    );
    let next = record(first(&events, "stage_started", "generate_course_config"));
    assert_eq!(kind(next)["type"], "step_succeeded");
    assert_eq!(next["actor"], "system");

    // The prompt and the answer behind the artifact, as they were sent.
    let call = &artifact["call"];
    let called = first(&events, "model_called", stage);
    assert_eq!(call["request"], called["data"]["request"]);
    assert_eq!(call["prompt"]["id"], "course/analyze_topic");
    let blob = |of: &str| {
        format!(
            "/v1/sessions/{SESSION}/blobs/{}",
            call[of]["sha256"].as_str().expect("a hash")
        )
    };
    let request = api.get(&blob("request")).await.succeeded();
    assert!(request["messages"][0]["content"].is_string(), "{request}");
    let answer = api.bytes(&blob("response")).await;
    assert_eq!(
        answer.len() as u64,
        call["response"]["size"].as_u64().expect("bytes")
    );

    let head = events.len();
    let path = format!("/v1/sessions/{SESSION}/events");
    for wrong in [0, head + 1] {
        api.get(&format!("{path}/{wrong}"))
            .await
            .refused(404, "no_version");
    }
    api.get("/v1/sessions/other/events/1")
        .await
        .refused(404, "no_session");
    for wrong in ["0".repeat(64), "x".to_owned()] {
        let path = format!("/v1/sessions/{SESSION}/blobs/{wrong}");
        api.get(&path).await.refused(404, "no_blob");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forks_inherited_events_have_the_commands_of_its_parent() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = &server.api();
    let events = made(api, SESSION).await;
    let at = version(first(&events, "stage_started", "generate_course_config"));
    let forked = api
        .command(SESSION, "f", "fork", json!({ "at": at, "session": "t" }))
        .await;
    forked.succeeded();
    for version in [1, at - 1, at] {
        let path = |session: &str| format!("/v1/sessions/{session}/events/{version}");
        let (parent, child) = (
            api.get(&path(SESSION)).await.succeeded(),
            api.get(&path("t")).await.succeeded(),
        );
        for field in ["event_id", "data", "cause"] {
            assert_eq!(parent[field], child[field], "{field}");
        }
        // What the parent recorded after the fork does not belong to the fork.
        assert!(child["command"]["to"].as_u64() <= Some(at), "{child}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn costs_are_those_of_the_audit_and_the_chain_can_be_verified() {
    let rig = Rig::with([]).await;
    let api = &rig.api;
    made(api, SESSION).await;
    let history = api
        .get(&format!("/v1/sessions/{SESSION}/history"))
        .await
        .succeeded();
    let sum = |rows: &Value, field: &str| -> u64 {
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| row[field].as_u64().expect("a number")).sum()
    };
    let operations = api.get("/v1/operations").await.succeeded();
    for field in ["calls", "input_tokens", "output_tokens", "cost_micros"] {
        assert_eq!(
            sum(&operations["costs"], field),
            sum(&history["ledger"], field),
            "{field}"
        );
    }
    assert!(sum(&operations["costs"], "calls") > 0);
    assert_eq!(operations["costs"][0]["pipeline"], "course");
    assert_eq!(
        operations["projections"],
        json!([{ "name": "costs", "behind": 0 }])
    );
    assert_eq!(operations["nodes"][0]["own"], true);
    assert_eq!(operations["open_steps"], json!([]));
    assert_eq!(operations.get("verified"), None);
    let list = api.get("/v1/sessions").await.succeeded();
    assert_eq!(
        list["sessions"][0]["cost_micros"].as_u64(),
        Some(sum(&history["ledger"], "cost_micros"))
    );

    let began = api
        .send(Method::POST, "/v1/operations/verify", &[], None)
        .await;
    assert_eq!(began.status.as_u16(), 202);
    let verified = within("a verification", async {
        loop {
            let operations = api.get("/v1/operations").await.succeeded();
            if operations["verified"].is_object() {
                return operations;
            }
        }
    })
    .await;
    assert_eq!(verified["verified"]["sound"], true, "{verified}");
    assert_eq!(verified["verified"]["to"], verified["head"]);
    assert_eq!(verified["verifying"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_found_by_title_name_pipeline_and_status() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = &server.api();
    for (session, message) in [
        ("one", "A deck about Tides"),
        ("two", "光合作用入门"),
        ("tide-pool", "A deck about stars"),
    ] {
        let opening = json!({ "pipeline": "course", "message": message, "session": session });
        api.open(&opening).await;
        Follow::new(api, session, "native")
            .end("r1", "run_completed")
            .await;
    }
    let found = async |query: &str| {
        let page = api.get(&format!("/v1/sessions?{query}")).await.succeeded();
        let rows = page["sessions"].as_array().expect("sessions").iter();
        let names = rows.map(|row| row["session"].as_str().expect("a name").to_owned());
        (names.collect::<Vec<_>>(), page["next"].as_u64())
    };
    assert_eq!(
        found("query=TIDE").await,
        (vec!["tide-pool".to_owned(), "one".to_owned()], None)
    );
    assert_eq!(found("query=%E5%85%89%E5%90%88").await.0, ["two"]);
    assert_eq!(found("query=nothing").await.0, Vec::<String>::new());
    assert_eq!(found("status=failed").await.0, Vec::<String>::new());
    assert_eq!(found("status=completed&pipeline=course").await.0.len(), 3);
    assert_eq!(found("pipeline=post").await.0, Vec::<String>::new());
    // Page by page.
    let (first, next) = found("query=tide&limit=1").await;
    assert_eq!(first, ["tide-pool"]);
    let next = next.expect("there is more");
    assert_eq!(
        found(&format!("query=tide&limit=1&before={next}")).await.0,
        ["one"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_deck_is_a_document_without_scripts() {
    let rig = Rig::with([]).await;
    let api = &rig.api;
    let events = made(api, SESSION).await;
    let address = |kind: &str| {
        let produced = events.iter().rfind(|event| event["data"]["kind"] == kind);
        produced.expect("made")["data"]["content"]
            .as_str()
            .expect("a path")
            .to_owned()
    };
    let deck = address("ppt_html_doc");
    for page in 1..=4 {
        let html = api.bytes(&format!("{deck}?as=html&page={page}")).await;
        let html = String::from_utf8(html).expect("text");
        assert!(
            html.starts_with("<!doctype html>") && !html.contains("<script"),
            "{page}"
        );
    }
    let one = String::from_utf8(api.bytes(&format!("{}?as=html", address("ppt_html"))).await);
    assert!(one.expect("text").starts_with("<!doctype html>"));
    for wrong in [0, 5] {
        api.get(&format!("{deck}?as=html&page={wrong}"))
            .await
            .refused(404, "no_page");
    }
    api.get(&format!("{}?as=html", address("course_config")))
        .await
        .refused(422, "not_html");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_events_names_the_next_one_and_bodies_may_be_left_out() {
    let rig = Rig::with([]).await;
    let native = made(&rig.api, SESSION).await;
    let first = format!(
        "{}/v1/sessions/{SESSION}/events?wire=lean&limit=7",
        rig.api.base
    );
    let mut next = Some(reqwest::Url::parse(&first).expect("an address"));
    let mut lean: Vec<Value> = vec![];
    while let Some(page) = next {
        let answer = reqwest::get(page.clone()).await.expect("an answer");
        let link = answer.headers().get("link").cloned();
        let link = link.as_ref().map(|link| link.to_str().expect("text"));
        next = link.map(|link| {
            let target = link.strip_prefix('<');
            let target = target.and_then(|link| link.strip_suffix(">; rel=\"next\""));
            page.join(target.expect("a link")).expect("an address")
        });
        let body: Value = answer.json().await.expect("JSON");
        assert_eq!(body["up_to_date"], next.is_none());
        lean.extend(body["events"].as_array().expect("events").clone());
    }
    let with_bodies = native.iter().filter(|it| !it["data"]["body"].is_null());
    assert!(with_bodies.count() > 0);
    let mut bare = native;
    for event in &mut bare {
        event["data"]
            .as_object_mut()
            .expect("an object")
            .remove("body");
    }
    assert_eq!(lean, bare);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_the_console_are_kept_by_browsers_and_never_mixed_with_those_of_another_version() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let base = server.api().base;
    let get = async |path: &str| reqwest::get(format!("{base}{path}")).await.expect("asked");
    let page = get("/").await.text().await.expect("text");
    let (_, rest) = page.split_once("src=\"/console/").expect("a script");
    let (tag, _) = rest.split_once('/').expect("a tag");
    let file = get(&format!("/console/{tag}/main.js")).await;
    let kept = file.headers()["cache-control"].to_str().expect("text");
    assert!(kept.contains("immutable"), "{kept}");
    let other = get("/console/0123456789abcdef/main.js").await;
    assert_eq!(other.status().as_u16(), 404);
    let told: Value = other.json().await.expect("JSON");
    assert_eq!(told["error"]["code"], "other_version");
}
