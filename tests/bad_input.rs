//! What should not come in, or cannot be used, is refused in words that say what to do.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection};

use crate::support::api::{Answer, Follow};
use crate::support::course::{TURNS, opening, rule};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest, palimpsest_with_little_room, run};
use crate::support::rig::Rig;
use crate::support::socket::Socket;
use crate::support::within;

/// An address where nobody answers: the port is reserved, and nothing listens on it.
const NOBODY: &str = "http://127.0.0.1:1/v1";

async fn offline(place: &TestFolder) -> Server {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    Server::start(command).await
}

/// A log with a finished run in it that no process holds any more.
async fn finished_log() -> TestFolder {
    let place = TestFolder::new();
    let arguments = [
        "run",
        "course",
        "A deck of 4 pages about rain",
        "--model",
        "offline",
        "--session",
        "s",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    place
}

async fn sqlite(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    options.connect().await.expect("a database")
}

async fn execute(connection: &mut SqliteConnection, statement: &'static str) {
    sqlx::raw_sql(statement)
        .execute(connection)
        .await
        .expect("a statement that is right");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_not_right_is_told_what_is_wrong_with_it() {
    let place = TestFolder::new();
    let server = offline(&place).await;
    let api = server.api();
    let json_type = [("content-type", "application/json")];
    let sent = |body: &str, headers: &'static [(&str, &str)]| {
        let (api, body) = (api.clone(), body.as_bytes().to_vec());
        async move {
            api.send(Method::POST, "/v1/sessions", headers, Some(body))
                .await
        }
    };
    sent("{\"pipeline\":", &[("content-type", "application/json")])
        .await
        .refused(400, "not_json");
    sent("{}", &[("content-type", "text/plain")])
        .await
        .refused(415, "not_json");
    sent("{\"what\": 1}", &[("content-type", "application/json")])
        .await
        .refused(422, "bad_body");

    let opened = |change: Value| {
        let mut request = opening("s");
        request
            .as_object_mut()
            .expect("an object")
            .extend(change.as_object().expect("an object").clone());
        let api = api.clone();
        async move { api.post("/v1/sessions", &request).await }
    };
    let message = opened(json!({ "pipeline": "novel" }))
        .await
        .refused(422, "unknown_pipeline");
    assert!(
        message.contains("`novel`") && message.contains("course"),
        "{message}"
    );
    opened(json!({ "message": " \n" }))
        .await
        .refused(422, "empty_message");
    let message = opened(json!({ "message": "课".repeat(20_001) }))
        .await
        .refused(422, "message_too_long");
    assert!(
        message.contains("20001") && message.contains("20000"),
        "{message}"
    );
    opened(json!({ "session": "../etc" }))
        .await
        .refused(422, "bad_id");
    opened(json!({ "settings": { "width": 1000 } }))
        .await
        .refused(422, "bad_settings");
    opened(json!({ "input": { "pageCount": "many" } }))
        .await
        .refused(422, "bad_input");
    let large = json!({ "pipeline": "course", "message": "x".repeat(2 * 1024 * 1024) }).to_string();
    api.send(Method::POST, "/v1/sessions", &json_type, Some(large.into()))
        .await
        .refused(413, "too_large");

    for path in [
        "/v1/sessions/s",
        "/v1/sessions/s/artifacts",
        "/v1/sessions/s/events",
    ] {
        api.get(path).await.refused(404, "no_session");
    }
    api.command("s", "c", "cancel", json!({}))
        .await
        .refused(404, "no_session");
    api.get("/v1/artifacts/art_none")
        .await
        .refused(404, "no_artifact");
    api.get("/nothing").await.refused(404, "not_found");
    assert_eq!(
        api.get("/v1/sessions").await.succeeded()["sessions"],
        json!([]),
        "a refused request left something"
    );

    api.open(&opening("s")).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    opened(json!({})).await.refused(409, "session_exists");
    api.get("/v1/sessions/s/events?after=v9")
        .await
        .refused(400, "bad_cursor");
    api.command("s", "c", "dance", json!({}))
        .await
        .refused(422, "unknown_command");
    api.command("s", "c", "refine", json!({ "stage": "x" }))
        .await
        .refused(422, "bad_payload");
    let message = api
        .command("s", "c", "refine", json!({ "stage": "x", "feedback": "y" }))
        .await
        .refused(422, "unknown_stage");
    assert!(message.contains("generate_slides"), "{message}");
    api.command("s", "c", "resume", json!({}))
        .await
        .refused(409, "nothing_missing");
    let stale = json!({ "id": "c", "type": "refine", "payload": { "stage": "generate_slides", "feedback": "y" }, "expected_version": 3 });
    let message = api
        .post("/v1/sessions/s/commands", &stale)
        .await
        .refused(409, "stale");
    assert!(message.contains('3'), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_whose_name_could_do_harm_is_not_attached() {
    let place = TestFolder::new();
    let server = offline(&place).await;
    let api = server.api();
    let uploaded = api
        .send(
            Method::POST,
            "/v1/files?name=notes.md",
            &[],
            Some(b"# Rain\n".to_vec()),
        )
        .await
        .succeeded();
    for path in [
        "../notes.md",
        "/etc/passwd",
        "a/../../b",
        "C:\\x",
        "a//b",
        ".",
        "a\u{0}b",
        "x. ",
    ] {
        let mut request = opening("s");
        request["attachments"] = json!([{ "path": path, "file": uploaded["file"] }]);
        api.post("/v1/sessions", &request)
            .await
            .refused(422, "bad_file_name");
    }
    let mut request = opening("s");
    request["attachments"] = json!([{ "path": "notes/rain.md", "file": uploaded["file"] }]);
    api.open(&request).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    assert_eq!(api.session("s").await["files"][0]["path"], "notes/rain.md");
    request["attachments"] = json!([{ "path": "rain.md", "file": "../../keys/master.key" }]);
    request["session"] = json!("t");
    let Answer { status, body, .. } = api.post("/v1/sessions", &request).await;
    assert!(status.is_client_error(), "{status} {body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_for_a_socket_closes_it_with_the_reason() {
    let place = TestFolder::new();
    let server = offline(&place).await;
    let mut socket = Socket::connect(&server.socket_address()).await;
    socket.say(&json!({ "frame": "subscribe" })).await;
    let answer = socket.next().await.expect("an answer");
    assert_eq!(answer["frame"], "error", "{answer}");
    socket
        .say(&json!({ "frame": "ping", "padding": "x".repeat(2 * 1024 * 1024) }))
        .await;
    while socket.next().await.is_some() {}
    assert_eq!(socket.closed_with(), Some(1009));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_be_reached_ends_the_run_after_two_repeats_with_what_to_do() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command
        .env("OPENAI_BASE_URL", NOBODY)
        .env("PALIMPSEST_MODEL", "m");
    let ended = run(command, &["run", "course", "A deck of 4 pages about rain"])
        .await
        .with(1);
    assert!(
        ended.err.contains("the run failed")
            && ended.err.contains("the provider cannot be reached"),
        "{ended:#?}"
    );
    let calls = ended.err.matches("a call of the model failed").count();
    assert_eq!(calls, 3, "{ended:#?}");
    let says = |words: &str| ended.err.contains(words);
    assert!(says("check that OPENAI_BASE_URL is the provider's address"));
    assert!(says("--resume"), "{ended:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_a_provider_is_refused_by_every_command_that_would_ask_it() {
    for name in ["PALIMPSEST_MODEL", "PALIMPSEST_MODEL_WRITER"] {
        for arguments in [
            &["run", "course", "A deck of 4 pages about rain"][..],
            &["serve"],
            &["serve", "--check"],
        ] {
            let place = TestFolder::new();
            let mut command = palimpsest(&place);
            command.env(name, "m");
            let ended = run(command, arguments).await.with(2);
            let says = |words: &str| ended.err.contains(words);
            assert!(says("`m` is named without a provider"), "{ended:#?}");
            assert!(says("set OPENAI_BASE_URL"), "{ended:#?}");
            assert!(says("PALIMPSEST_MODEL=offline"), "{ended:#?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_takes_no_files_is_named_before_anything_is_made() {
    let place = TestFolder::new();
    place.write("taken", "a file");
    for out in ["taken", "taken/deeper"] {
        let brief = "A deck of 4 pages about rain";
        let arguments = ["run", "course", brief, "--model", "offline", "--out", out];
        let ended = run(palimpsest(&place), &arguments).await.with(2);
        let said = format!("{out} cannot be written: ");
        assert!(ended.err.contains(&said), "{ended:#?}");
    }
    assert!(!place.database().exists(), "no log is opened");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_never_fit_are_each_recorded_and_end_the_run() {
    let never = rule(TURNS[2], None, json!({ "answer": { "$invalid": true } }));
    let rig = Rig::with([never]).await;
    let (api, model) = (&rig.api, &rig.model);
    api.open(&opening("s")).await;
    let mut follow = Follow::new(api, "s", "native");
    let end = follow.end("r1", "run_failed").await;
    let rejected: Vec<_> = follow
        .frames
        .iter()
        .filter(|frame| frame["type"] == "output_rejected")
        .collect();
    let attempts: Vec<_> = rejected
        .iter()
        .map(|frame| (&frame["data"]["stage"], &frame["data"]["attempt"]))
        .collect();
    let stage = json!("generate_course_config");
    assert_eq!(
        attempts,
        [
            (&stage, &json!(1)),
            (&stage, &json!(2)),
            (&stage, &json!(3))
        ]
    );
    assert!(
        rejected
            .iter()
            .all(|frame| frame["data"]["violations"] != json!([]))
    );
    assert_eq!(end["data"]["code"], "stage_failed", "{end:#}");
    assert!(
        end["data"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("generate_course_config")),
        "{end:#}"
    );
    // What was made before is kept, and nothing after it was asked for.
    assert_eq!(api.made("s", "r1").await.len(), 1);
    assert_eq!(
        model.journal().await.schemas(),
        [
            "intent",
            "requirement_analysis",
            "course_config",
            "course_config",
            "course_config"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_server_on_the_same_log_is_told_where_the_first_one_is() {
    let place = TestFolder::new();
    let server = offline(&place).await;
    let ended = run(palimpsest(&place), &["serve"]).await.with(3);
    assert!(ended.err.contains(&server.address()), "{ended:#?}");
    // Commands are sent to the server that has the log instead.
    let arguments = [
        "run",
        "course",
        "A deck of 4 pages about rain",
        "--session",
        "s",
        "--out",
        "out",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    assert_eq!(
        server.api().session("s").await["runs"][0]["status"],
        "completed"
    );
    let ended = run(palimpsest(&place), &["sessions"]).await.with(0);
    assert!(ended.out.contains("completed"), "{ended:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_another_program_is_not_touched() {
    let place = TestFolder::new();
    let mut database = sqlite(&place.database()).await;
    execute(
        &mut database,
        "CREATE TABLE shopping (what TEXT); INSERT INTO shopping VALUES ('tea');",
    )
    .await;
    let ended = run(palimpsest(&place), &["serve"]).await.with(3);
    assert!(ended.err.contains("not a palimpsest log"), "{ended:#?}");
    let names: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_schema")
        .fetch_all(&mut database)
        .await
        .expect("names");
    assert_eq!(names, ["shopping"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_not_opened_with_another_key() {
    let place = finished_log().await;
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MASTER_KEY", "00".repeat(32));
    let ended = run(command, &["serve"]).await.with(3);
    assert!(ended.err.contains("master key"), "{ended:#?}");
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_DATA", place.file("elsewhere"));
    let ended = run(command, &["show", "s"]).await.with(3);
    assert!(ended.err.contains("--data"), "{ended:#?}");
    run(palimpsest(&place), &["show", "s"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_byte_in_the_log_is_found_and_its_place_is_named() {
    let place = finished_log().await;
    run(palimpsest(&place), &["verify"]).await.with(0);
    let mut database = sqlite(&place.database()).await;
    let payload: Vec<u8> = sqlx::query_scalar("SELECT payload FROM events WHERE position = 5")
        .fetch_one(&mut database)
        .await
        .expect("it");
    let mut changed = payload.clone();
    changed[20] ^= 1;
    let change = || sqlx::query("UPDATE events SET payload = ? WHERE position = 5");
    let refused = change().bind(changed.clone()).execute(&mut database).await;
    assert!(refused.is_err(), "the log let itself be changed");
    execute(&mut database, "DROP TRIGGER events_are_not_changed").await;
    change()
        .bind(changed)
        .execute(&mut database)
        .await
        .expect("nothing is in the way any longer");
    let ended = run(palimpsest(&place), &["verify"]).await.with(4);
    assert!(ended.out.contains("position 5"), "{ended:#?}");
    change()
        .bind(payload)
        .execute(&mut database)
        .await
        .expect("it can be mended");
    run(palimpsest(&place), &["verify"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_ends_the_command_and_with_room_again_the_run_goes_on() {
    const BRIEF: [&str; 7] = [
        "run",
        "course",
        "A deck of 4 pages about rain",
        "--model",
        "offline",
        "--session",
        "s",
    ];
    let place = TestFolder::new();
    let ended = run(palimpsest_with_little_room(&place, 950), &BRIEF)
        .await
        .with(3);
    assert!(
        ended.err.contains("make room on the disk") && ended.err.contains("--resume s"),
        "{ended:#?}"
    );
    run(palimpsest(&place), &["verify"]).await.with(0);
    run(
        palimpsest(&place),
        &["run", "--resume", "s", "--model", "offline", "--out", "out"],
    )
    .await
    .with(0);
    assert!(place.file("out/deck.html").is_file());
    let ended = run(palimpsest(&place), &["verify"]).await.with(0);
    assert!(ended.out.starts_with("sound"), "{ended:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_disk_is_full_says_so_and_the_next_one_goes_on() {
    let place = TestFolder::new();
    let mut command = palimpsest_with_little_room(&place, 950);
    command.env("PALIMPSEST_MODEL", "offline");
    let mut server = Server::start(command).await;
    let api = server.api();
    api.open(&opening("s")).await;
    let refused = within("a server that is not ready", async {
        loop {
            let ready = api.get("/readyz").await;
            if !ready.status.is_success() {
                return ready;
            }
        }
    })
    .await;
    assert_eq!(refused.body["error"]["retryable"], true);
    refused.refused(503, "storage");
    // What is there can still be read, and what is new is refused.
    assert_eq!(api.session("s").await["runs"][0]["status"], "running");
    let new = within("a session that is refused", async {
        // Where an append did not fit, smaller ones may for a while.
        for number in 0_u32.. {
            let session = format!("t{number}");
            let answer = api.post("/v1/sessions", &opening(&session)).await;
            if !answer.status.is_success() {
                answer.refused(503, "storage");
                return session;
            }
        }
        unreachable!("the disk is full at some time")
    })
    .await;
    let said = server.said();
    assert!(said.contains("check the disk"), "{said}");
    server.kill().await;

    let server = offline(&place).await;
    let api = server.api();
    let mut follow = Follow::new(&api, "s", "native");
    follow.end("r1", "run_completed").await;
    let versions = follow.frames.iter().filter_map(|it| it["version"].as_u64());
    let versions: Vec<u64> = versions.collect();
    assert_eq!(versions, (1..=versions.len() as u64).collect::<Vec<_>>());
    let new = format!("/v1/sessions/{new}");
    api.get(&new).await.refused(404, "no_session");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_program_holds_is_named_and_nothing_is_lost() {
    let place = finished_log().await;
    let mut database = sqlite(&place.database()).await;
    execute(&mut database, "BEGIN EXCLUSIVE").await;
    let arguments = [
        "run",
        "course",
        "A deck of 4 pages about snow",
        "--model",
        "offline",
        "--session",
        "t",
    ];
    let ended = run(palimpsest(&place), &arguments).await.with(3);
    assert!(ended.err.contains("another program"), "{ended:#?}");
    execute(&mut database, "ROLLBACK").await;
    run(palimpsest(&place), &arguments).await.with(0);
    run(palimpsest(&place), &["verify"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_is_not_right_is_refused_before_anything_starts() {
    let place = TestFolder::new();
    let config = place
        .write("wrong.toml", "widht = 3\n")
        .display()
        .to_string();
    let cases: [(&[&str], &str); 7] = [
        (&["serve", "--listen", "0.0.0.0:0"], "without keys"),
        (&["serve", "--width", "0"], "width"),
        (&["serve", "--lease-seconds", "0"], "lease-seconds"),
        (&["serve", "--drain-seconds", "3601"], "drain-seconds"),
        (&["serve", "--database", "mysql://x"], "database"),
        (&["serve", "--config", &config], "widht"),
        (
            &["run", "course", "x", "--source", "missing.md"],
            "missing.md",
        ),
    ];
    for (arguments, what) in cases {
        let ended = run(palimpsest(&place), arguments).await.with(2);
        assert!(ended.err.contains(what), "{arguments:?}: {ended:#?}");
    }
    assert!(!place.database().exists());
}
