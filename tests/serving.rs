//! What a server says of itself, what can be uploaded to it, and what it clears away by itself.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection};

use crate::support::api::Follow;
use crate::support::course::opening;
use crate::support::folder::TestFolder;
use crate::support::person::{BOB, Person, with_keys};
use crate::support::program::{Server, palimpsest};
use crate::support::within;

/// A day, in the unit of the log's times.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

async fn offline(place: &TestFolder, arguments: &[&str]) -> Server {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    Server::start_with(command, arguments).await
}

/// With finished runs in these sessions.
async fn with_decks(server: &Server, sessions: &[&str]) {
    let api = server.api();
    for session in sessions {
        api.open(&opening(session)).await;
        Follow::new(&api, session, "native")
            .end("r1", "run_completed")
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_the_program_costs_an_attempt_and_is_counted() {
    for point in ["working:2", "reporting:2"] {
        let place = TestFolder::new();
        let mut command = palimpsest(&place);
        command.env("PALIMPSEST_MODEL", "offline");
        command.env("PALIMPSEST_CRASH_AT", point);
        let server = Server::start(command).await;
        with_decks(&server, &["s"]).await;
        let api = server.api();
        let frames = api.frames("s", "native").await;
        let failed = frames
            .iter()
            .filter(|frame| frame["data"]["code"] == "panic");
        let failed: Vec<_> = failed.map(|frame| &frame["data"]["message"]).collect();
        assert_eq!(failed.len(), 1, "{point}: {failed:?}");
        let message = failed[0].as_str().expect("a message");
        assert!(message.contains("on purpose"), "{point}: {message}");
        let ready = api.get("/readyz").await.succeeded();
        assert_eq!(ready["panics"], 1, "{point}");
        let metrics = api.get("/metrics").await.succeeded();
        let metrics = metrics.as_str().expect("a text");
        assert!(
            metrics.contains(r#"palimpsest_panics_total{task="step"} 1"#),
            "{point}: {metrics}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_of_all_owners_is_for_the_operator() {
    let place = TestFolder::new();
    let server = offline(&place, &[]).await;
    with_decks(&server, &["secret-plan"]).await;
    let api = server.api();
    let shown = api.get("/v1/operations").await.succeeded();
    for field in ["head", "verifying", "projections", "nodes"] {
        assert!(shown.get(field).is_some(), "{field}: {shown}");
    }
    drop(server);
    let mut command = with_keys(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    let api = server.api();
    let bob = Person(&api, BOB);
    let headers = [("authorization", BOB)];
    let verify = "/v1/operations/verify";
    let refused = api.send(Method::POST, verify, &headers, None).await;
    refused.refused(403, "operator_only");
    let shown = bob.get("/v1/operations").await.succeeded();
    for field in ["head", "verifying", "verified", "projections", "nodes"] {
        assert_eq!(shown.get(field), None, "{field}: {shown}");
    }
    assert!(!shown.to_string().contains("secret-plan"), "{shown}");
    for field in ["open_steps", "timers", "costs"] {
        assert_eq!(shown[field], json!([]), "{field}");
    }
    api.get("/v1/operations").await.refused(401, "unauthorized");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_says_how_it_is_and_what_it_can_make() {
    let place = TestFolder::new();
    let server = offline(&place, &[]).await;
    let api = server.api();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(api.get(path).await.succeeded()["status"], "ok", "{path}");
    }
    with_decks(&server, &["s"]).await;
    let metrics = api.get("/metrics").await.succeeded();
    let metrics = metrics.as_str().expect("a text");
    let events = api.session("s").await["version"].clone();
    let counted = format!("palimpsest_log_events_total {events}");
    assert!(metrics.lines().any(|line| line == counted), "{metrics}");
    assert!(
        metrics.contains("palimpsest_log_commit_seconds"),
        "{metrics}"
    );

    let described = api.get("/v1/pipelines").await.succeeded();
    let pipelines = described["pipelines"].as_array().expect("pipelines");
    let names: Vec<_> = pipelines.iter().map(|known| &known["name"]).collect();
    let served = [
        "course", "report", "post", "deck", "curator", "story", "reader",
    ];
    assert_eq!(names, served);
    let course = &pipelines[0];
    let stages = course["stages"].as_array().expect("stages").iter();
    let stages: Vec<_> = stages.map(|stage| &stage["name"]).collect();
    assert_eq!(
        stages,
        [
            "analyze_topic",
            "generate_course_config",
            "generate_video_outline",
            "generate_slide_scripts",
            "generate_presentation_theme",
            "generate_slides",
            "export_deck"
        ]
    );
    let pages = &course["input_schema"]["properties"]["pageCount"];
    assert_eq!(
        (&pages["minimum"], &pages["maximum"]),
        (&json!(3), &json!(30))
    );
    let kinds = course["artifacts"].as_array().expect("kinds").iter();
    let kinds: Vec<_> = kinds.map(|known| &known["kind"]).collect();
    assert!(kinds.contains(&&json!("pptx")), "{kinds:?}");
    assert_eq!(course["delivers"], "pptx");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_brings_the_file_that_a_message_attaches() {
    let place = TestFolder::new();
    let server = offline(&place, &[]).await;
    let api = server.api();
    let form = |head: &str, content: &str| {
        let body = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nnot a file\r\n\
             --edge\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n--edge--\r\n"
        );
        let headers = [("content-type", "multipart/form-data; boundary=edge")];
        let api = api.clone();
        async move {
            api.send(Method::POST, "/v1/files", &headers, Some(body.into()))
                .await
        }
    };
    let text = "# 雨的形成\n\n水汽遇冷凝结成云，云滴变大后落下成雨。";
    let uploaded = form("name=\"file\"; filename=\"rain.md\"", text).await;
    let uploaded = uploaded.succeeded();
    let mut asked = opening("s");
    asked["attachments"] = json!([{ "path": "rain.md", "file": uploaded["file"] }]);
    api.open(&asked).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    let files = api.session("s").await["files"].clone();
    assert_eq!(files[0]["path"], "rain.md", "{files}");
    form("name=\"file\"", "no name")
        .await
        .refused(400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_which_nothing_happens_are_erased_after_so_many_days() {
    let place = TestFolder::new();
    let mut server = offline(&place, &[]).await;
    with_decks(&server, &["quiet", "recent"]).await;
    server.kill().await;
    let options = SqliteConnectOptions::new().filename(place.database());
    let mut database: SqliteConnection = options.connect().await.expect("a database");
    let aged =
        sqlx::query("UPDATE streams SET updated_at = updated_at - ? WHERE session = 'quiet'")
            .bind(3 * DAY_MICROS)
            .execute(&mut database)
            .await
            .expect("no trigger is on what is kept beside the events");
    assert_eq!(aged.rows_affected(), 1);
    drop(database);

    let server = offline(&place, &["--retain-days", "2"]).await;
    let api = server.api();
    let erased = within("the end of the quiet session", async {
        loop {
            let answer = api.get("/v1/sessions/quiet").await;
            if !answer.status.is_success() {
                return answer;
            }
        }
    })
    .await;
    erased.refused(410, "erased");
    let recent: Value = api.session("recent").await;
    assert_eq!(recent["runs"][0]["status"], "completed");
}
