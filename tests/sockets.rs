//! What may be asked over a socket and by whom, and the text that only sockets carry.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api};
use crate::support::course::{PAGE_1, TURNS, opening, rule};
use crate::support::folder::TestFolder;
use crate::support::polling::Polling;
use crate::support::program::{Server, palimpsest};
use crate::support::rig::{Rig, held};
use crate::support::socket::Socket;

/// The place of page 2 among the turns.
const PAGE_2: usize = PAGE_1 + 1;

/// The text of an attempt, as one client has it.
#[derive(Default)]
struct Text(String);

impl Text {
    /// Keeps the text up to the piece's offset, and appends the piece.
    fn take(&mut self, delta: &Value) {
        let offset = delta["offset"].as_u64().expect("an offset");
        let kept = usize::try_from(offset).expect("a small number");
        assert!(kept <= self.0.chars().count(), "a gap before {delta}");
        let kept: String = self.0.chars().take(kept).collect();
        self.0 = kept + delta["text"].as_str().expect("a text");
    }
}

async fn with_deltas(server: &Server, session: &str) -> Socket {
    let mut socket = Socket::connect(&server.socket_address()).await;
    let ask = json!({ "frame": "subscribe", "sub": "1", "session": session, "after": "now", "deltas": true });
    socket.say(&ask).await;
    socket
}

/// Reads frames until one is as wanted, and adds the pieces of page 2 to `text`.
async fn hear(socket: &mut Socket, text: &mut Text, wanted: impl Fn(&Value, &Text) -> bool) {
    loop {
        let frame = socket.next().await.expect("a frame");
        if frame["frame"] == "delta" {
            assert_eq!(frame["run"], "r1", "{frame}");
            if frame["step"] == "r1/generate_slides/2" {
                text.take(&frame);
            }
        }
        if wanted(&frame, text) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn text_comes_while_it_is_made_and_whoever_comes_late_gets_it_so_far() {
    let pace = json!({ "hold_after_chunks": 3, "chunk_chars": 20 });
    let held = rule(TURNS[PAGE_2], Some(1), pace);
    let rig = Rig::with([held]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    let Rig { model, server, .. } = &rig;

    let (mut early, mut at_first) = (with_deltas(server, "s").await, Text::default());
    let (mut late, mut so_far) = (with_deltas(server, "s").await, Text::default());
    for (socket, text) in [(&mut early, &mut at_first), (&mut late, &mut so_far)] {
        hear(socket, text, |_, text| text.0.chars().count() >= 60).await;
        assert_eq!(text.0.chars().count(), 60, "three chunks: {}", text.0);
    }
    assert_eq!(at_first.0, so_far.0);
    model.release().await;
    let succeeded = |frame: &Value, _: &Text| {
        frame["type"] == "step_succeeded" && frame["data"]["step"] == "r1/generate_slides/2"
    };
    for (socket, text) in [(&mut early, &mut at_first), (&mut late, &mut so_far)] {
        hear(socket, text, succeeded).await;
    }
    // Either client may have been sent the artifact in the place of the last pieces.
    assert!(
        at_first.0.starts_with(&so_far.0) || so_far.0.starts_with(&at_first.0),
        "{}\n{}",
        at_first.0,
        so_far.0
    );
    // The artifact supersedes the text: no piece of it comes afterwards.
    let mut after = Text::default();
    hear(&mut early, &mut after, |frame, _| {
        frame["type"] == "run_completed"
    })
    .await;
    assert_eq!(after.0, "");
}

/// What a browser asks that wants a web socket.
const UPGRADE: [(&str, &str); 4] = [
    ("connection", "upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

/// Every place where a socket begins, by web socket and by polling.
const SOCKETS: [(&str, bool); 3] = [
    ("/v1/stream", true),
    ("/socket.io/?EIO=4&transport=websocket", true),
    ("/socket.io/?EIO=4&transport=polling", false),
];

async fn begin(api: &Api, path: &str, is_upgrade: bool, header: (&str, &str)) -> Answer {
    let mut headers = vec![header];
    if is_upgrade {
        headers.extend(UPGRADE);
    }
    api.send(Method::GET, path, &headers, None).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_is_for_hosts_and_pages_that_are_let_in() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_ORIGINS", "https://app.example.com");
    let server = Server::start(command).await;
    let api = server.api();
    for (path, is_upgrade) in SOCKETS {
        let begin = |header| begin(&api, path, is_upgrade, header);
        begin(("origin", "https://evil.example"))
            .await
            .refused(403, "origin_not_allowed");
        begin(("origin", "null"))
            .await
            .refused(403, "origin_not_allowed");
        begin(("host", "rebound.example"))
            .await
            .refused(421, "host_not_allowed");
        let own = server.address();
        for origin in ["https://app.example.com", own.as_str()] {
            let status = begin(("origin", origin)).await.status.as_u16();
            let expected = if is_upgrade { 101 } else { 200 };
            assert_eq!(status, expected, "{path} {origin}");
        }
    }
}

/// The server's answer to this handshake.
async fn handshake(api: &Api, auth: &Value, headers: &[(&str, &str)]) -> String {
    Polling::connect(api, auth, headers).await.next().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packet_that_is_none_or_too_large_ends_its_own_connection_alone() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    let mut other = Polling::connect(&api, &json!({}), &[]).await;
    assert!(other.next().await.starts_with("40"));
    let large = format!(
        "42{}",
        json!(["chat:send", { "message": "x".repeat(2 * 1024 * 1024) }])
    );
    for (packet, status) in [("xyz", 400), ("99", 400), (large.as_str(), 413)] {
        let mut client = Polling::connect(&api, &json!({}), &[]).await;
        assert!(client.next().await.starts_with("40"));
        // Each request has a connection of its own: a body that is too large is not read, and its connection is closed.
        let body = Some(packet.as_bytes().to_vec());
        let answer = server
            .api()
            .try_send(Method::POST, &client.path, &[], body)
            .await;
        // The connection may be closed before the answer is read.
        assert!(answer.is_ok() || packet == large, "{answer:?}");
        if let Ok(answer) = answer {
            assert_eq!(answer.status, status, "{answer:?}");
        }
        let gone = server
            .api()
            .send(Method::GET, &client.path, &[], None)
            .await;
        assert_eq!(gone.status, 400, "{gone:?}");
    }
    let answer = other.ask("chat:init", &json!({})).await;
    assert_eq!(answer["status"], "success", "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_a_session_that_is_erased_sees_its_runs_end() {
    let rig = Rig::with([held(2)]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    let api = &rig.api;
    let auth = json!({ "sessionId": "s", "after": "v2.0.0" });
    let mut client = Polling::connect(api, &auth, &[]).await;
    assert!(client.next().await.starts_with("40"));
    let mut open = vec![];
    // The second page has begun, and nothing comes after that.
    loop {
        let (name, data) = client.event().await;
        match name.as_str() {
            "tool:message:start" | "tool:start" => open.push((name.clone(), data["id"].clone())),
            "tool:message:complete" | "tool:update" => open.retain(|(_, id)| *id != data["id"]),
            _ => {}
        }
        if name == "progress" && data["status"] == "generating_slide" && data["current"] == 2 {
            break;
        }
    }
    assert_eq!(open.len(), 2, "{open:?}");
    let waits = json!({ "message": "fewer words on each page" });
    api.command("s", "waits", "send_message", waits)
        .await
        .succeeded();
    // This folds the session for all readers of this wire: once the session is erased, it can no longer be read from the log.
    assert!(!api.frames("s", "course").await.is_empty());
    api.delete("/v1/sessions/s").await.succeeded();
    let mut told = vec![];
    for _ in 0..4 {
        told.push(client.event().await);
    }
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "tool:update",
            "tool:message:complete",
            "completion",
            "completion"
        ]
    );
    for (_, data) in &told {
        assert_eq!(
            (&data["sessionId"], &data["pos"]),
            (&json!("s"), &Value::Null)
        );
    }
    for (_, data) in &told[..2] {
        assert_eq!(data["id"], open[0].1);
    }
    assert_eq!(told[0].1["status"], "failed");
    assert_eq!(told[1].1["status"], "error");
    // The run that was at work, and the run that waited for its turn.
    for ((_, data), run) in told[2..].iter().zip(["r1", "r2"]) {
        let end = json!({
            "success": false, "runId": run, "error": "cancelled", "errorCode": "erased", "sessionId": "s",
        });
        assert_eq!(*data, end);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_io_client_needs_a_key_where_there_are_keys() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env(
        "PALIMPSEST_KEYS",
        "ann:alpha-0123456789abcdef,bob:beta-0123456789abcdefg",
    );
    let server = Server::start(command).await;
    let api = server.api();
    let mut connected = vec![
        handshake(&api, &json!({ "token": "alpha-0123456789abcdef" }), &[]).await,
        handshake(&api, &json!({ "token": "beta-0123456789abcdefg" }), &[]).await,
    ];
    let header = [("authorization", "Bearer alpha-0123456789abcdef")];
    connected.push(handshake(&api, &json!({}), &header).await);
    for packet in connected {
        assert!(packet.starts_with("40{\"sid\""), "{packet}");
    }
    for auth in [
        json!({}),
        json!({ "token": "gamma" }),
        json!({ "token": "" }),
    ] {
        let packet = handshake(&api, &auth, &[]).await;
        assert!(packet.starts_with("44{\"message\""), "{packet}");
        assert!(packet.contains("key"), "{packet}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_with_control_characters_is_refused_wherever_it_is_asked_for() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    for name in ["a%00b", "%0A", "%7F"] {
        for path in ["", "/events", "/history", "/branches", "/artifacts"] {
            let path = format!("/v1/sessions/{name}{path}");
            api.get(&path).await.refused(422, "bad_id");
        }
        let path = format!("/v1/sessions/{name}");
        api.delete(&path).await.refused(422, "bad_id");
        let content = format!("/v1/artifacts/{name}/content");
        api.get(&content).await.refused(422, "bad_id");
    }
    let mut request = opening("a\0b");
    api.post("/v1/sessions", &request)
        .await
        .refused(422, "bad_id");
    request["session"] = json!("s");
    api.open(&request).await;
    let fork = json!({ "at": 1, "session": "a\u{7}b" });
    api.command("s", "f", "fork", fork)
        .await
        .refused(422, "bad_id");
    let mut socket = Socket::connect(&server.socket_address()).await;
    socket.subscribe("1", "a\0b", "native", "start").await;
    let frame = socket.next().await.expect("a frame");
    assert_eq!(frame["error"]["code"], "bad_id", "{frame}");
    let command = json!({ "frame": "command", "id": "c", "session": "a\0b", "type": "cancel" });
    socket.say(&command).await;
    let frame = socket.next().await.expect("a frame");
    assert_eq!(frame["error"]["code"], "bad_id", "{frame}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_artifact_of_a_deck_comes_whole() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    let api = server.api();
    let mut client = Polling::connect(&api, &json!({ "sessionId": "s" }), &[]).await;
    assert!(client.next().await.starts_with("40"));
    let ask = json!(["chat:send", { "message": "做一个14页的课件，介绍光合作用" }]);
    client.send(&format!("42{ask}")).await;
    let mut largest = 0;
    let mut check = |artifact: &Value| {
        assert!(!artifact["content"].is_null(), "{}", artifact["type"]);
        assert_eq!(artifact.get("url"), None);
        largest = largest.max(artifact["content"].to_string().len());
    };
    loop {
        let (name, data) = client.event().await;
        match name.as_str() {
            "tool:artifact" => check(&data["artifact"]),
            "completion" => {
                assert_eq!(data["success"], true, "{data}");
                break;
            }
            _ => {}
        }
    }
    client.send("42[\"chat:init\",{}]").await;
    let (name, data) = client.event().await;
    assert_eq!(name, "chat:init:response");
    let artifacts = data["artifacts"].as_array().expect("artifacts");
    let kinds = ["presentation_theme", "ppt_html_doc", "dsl"];
    for kind in kinds {
        assert!(artifacts.iter().any(|a| a["type"] == kind), "{kind}");
    }
    artifacts.iter().for_each(&mut check);
    assert!(largest > 32 * 1024, "{largest} bytes are no test of this");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fails_closes_its_tool_message_and_then_the_run() {
    let refused = rule(TURNS[PAGE_2], None, json!({ "status": 400 }));
    let rig = Rig::with([refused]).await;
    let api = &rig.api;
    api.open(&opening("s")).await;
    let auth = json!({ "sessionId": "s", "after": "v2.0.0" });
    let mut client = Polling::connect(api, &auth, &[]).await;
    assert!(client.next().await.starts_with("40"));
    let mut told = vec![];
    while told
        .last()
        .is_none_or(|(name, _): &(String, Value)| name != "completion")
    {
        told.push(client.event().await);
    }
    let last: Vec<_> = told[told.len() - 3..]
        .iter()
        .map(|(name, data)| (name.as_str(), &data["status"], &data["success"]))
        .collect();
    assert_eq!(
        last,
        [
            ("tool:update", &json!("failed"), &Value::Null),
            ("tool:message:complete", &json!("error"), &Value::Null),
            ("completion", &Value::Null, &json!(false)),
        ]
    );
    let count = |kind: &str| {
        told.iter()
            .filter(|(name, data)| name == "tool:artifact" && data["artifact"]["type"] == kind)
            .count()
    };
    assert_eq!(count("ppt_html"), 3, "the other pages are kept");
    let completions = told.iter().filter(|(name, _)| name == "completion");
    assert_eq!(completions.count(), 1);
}
