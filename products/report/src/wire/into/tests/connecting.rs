//! Connecting, staying connected, and disconnecting.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use palimpsest::prelude::wire::socket::MESSAGE_BYTES_MAX;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{Frame, FrameHeader};
use tower::ServiceExt as _;

use super::super::limits::{
    HEARTBEAT_EVERY, MESSAGES_BURST, PING_EVERY, PING_TIMEOUT, SESSIONS_MAX,
};
use super::*;

fn key(owner: &str, secret: &str) -> KeyEntry {
    KeyEntry {
        owner: owner.to_owned(),
        secret: Some(secret.to_owned()),
        sha256: None,
    }
}

#[tokio::test]
async fn both_addresses_greet_and_answer_whoever_wants_no_socket() {
    let server = Server::start().await;
    for uri in ["/", "/ws/report"] {
        let mut client = server.open(uri, &[]).await.expect("connected");
        let greeting = client.hear().await;
        assert_eq!(greeting["event"], "system.connected");
        let connection = &greeting["connection_id"];
        assert!(
            connection
                .as_str()
                .is_some_and(|id| id.starts_with("conn_"))
        );
        assert_eq!(&greeting["metadata"]["connection_id"], connection);
        assert_eq!(greeting["metadata"]["limits"]["sessions"], SESSIONS_MAX);
        assert_eq!(greeting.get("seq"), None);
    }
    let asked = async |method: &str, uri: &str| {
        let request = Request::builder().method(method).uri(uri);
        let request = request.header("host", "localhost").body(Body::empty());
        let answer = server.router.clone().oneshot(request.expect("a request"));
        answer.await.expect("an answer")
    };
    let page = asked("GET", "/").await;
    assert_eq!(page.status(), 200, "a browser gets the console");
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    for (method, uri, code) in [
        ("POST", "/", "not_found"),
        ("GET", "/ws/report", "no_web_socket"),
    ] {
        let answer = asked(method, uri).await;
        assert!(answer.status().is_client_error(), "{uri}");
        let body = to_bytes(answer.into_body(), 4096).await.expect("a body");
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(body["error"]["code"], code);
    }
}

#[tokio::test]
async fn a_key_comes_in_a_header_in_the_query_or_as_a_sub_protocol() {
    let keys = [key("ann", "s3cret"), key("bob", "other")];
    let server = Server::with(&[], &keys, PLENTY).await;
    for (uri, headers) in [
        ("/", &[("authorization", "Bearer s3cret")][..]),
        ("/ws/report?a=b&token=s3cret", &[]),
        (
            "/",
            &[(
                "sec-websocket-protocol",
                "palimpsest.report.v1, bearer.s3cret",
            )],
        ),
    ] {
        let mut client = server.open(uri, headers).await.expect("connected");
        assert_eq!(client.hear().await["event"], "system.connected", "{uri}");
    }
    for (uri, headers) in [
        ("/", &[][..]),
        ("/?token=wrong", &[]),
        ("/?token=", &[]),
        ("/?token=s3cret", &[("authorization", "Basic x")]),
        ("/", &[("authorization", "Bearer wrong")]),
        ("/", &[("sec-websocket-protocol", "bearer.wrong")]),
    ] {
        match server.open(uri, headers).await.map(|_| ()) {
            Err(Error::Http(answer)) => {
                assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{uri}");
            }
            other => panic!("{uri}: {other:?}"),
        }
    }
    let foreign = [
        ("authorization", "Bearer s3cret"),
        ("origin", "https://evil.example"),
    ];
    let refused = server.open("/", &foreign).await.map(|_| ());
    assert!(
        matches!(refused, Err(Error::Http(answer)) if answer.status() == StatusCode::FORBIDDEN)
    );
}

#[tokio::test]
async fn nothing_is_told_of_sessions_of_somebody_else() {
    let keys = [key("ann", "a"), key("bob", "b")];
    let server = Server::with(&[], &keys, PLENTY).await;
    let mut ann = server.open("/?token=a", &[]).await.expect("connected");
    let mut bob = server.open("/?token=b", &[]).await.expect("connected");
    let mut again = server.open("/?token=a", &[]).await.expect("connected");
    for client in [&mut ann, &mut bob, &mut again] {
        client.hear().await;
    }
    let session = ann.create().await;
    for event in ["user.message", "user.reconnect", "user.cancel", "user.ack"] {
        let message = json!({ "event": event, "session_id": session, "content": "x" });
        assert_eq!(
            bob.ask(message).await["content"],
            "Session not found",
            "{event}"
        );
    }
    let message = json!({ "event": "user.message", "session_id": session, "content": "x" });
    let refused = again.ask(message).await;
    assert_eq!(
        refused["content"],
        "Session does not belong to this connection"
    );
    ann.say(json!({ "event": "user.request_state", "session_id": session }))
        .await;
    let state = ann.hear().await["metadata"]["signed_state"].clone();
    let message = json!({ "event": "user.reconnect_with_state", "signed_state": state });
    let refused = bob.ask(message).await;
    assert_eq!(
        refused["content"],
        "Invalid state: it belongs to somebody else"
    );
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_and_the_connection_stays() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    for (message, words) in [
        (Message::text("{"), "Invalid JSON: "),
        (Message::text("[1]"), "Invalid JSON: "),
        (
            Message::binary(vec![0_u8, 159, 146, 150]),
            "Invalid JSON: binary messages are not taken",
        ),
        (
            Message::text("{}"),
            "Unknown event type or missing session_id: ",
        ),
        (
            Message::text(r#"{"event":"user.dance","session_id":"s"}"#),
            "Unknown event type or missing session_id: user.dance",
        ),
        (
            Message::text(r#"{"event":"user.message","content":"x"}"#),
            "Unknown event type or missing session_id: user.message",
        ),
        (
            Message::text(r#"{"event":"user.message","session_id":"s_1","content":"x"}"#),
            "Session not found",
        ),
        (
            Message::text(r#"{"event":"user.message","session_id":"a/../b","content":"x"}"#),
            "Session not found",
        ),
    ] {
        client.send(message).await;
        let refused = client.hear().await;
        assert_eq!(refused["event"], "agent.error");
        assert!(text(&refused["content"]).starts_with(words), "{refused}");
    }
    client.create().await;
}

#[tokio::test]
async fn a_message_that_is_too_large_closes_the_connection() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let large = "x".repeat(MESSAGE_BYTES_MAX + 1);
    client.0.feed(Message::text(large)).await.expect("fed");
    let flushed = tokio::spawn(async move {
        let _ = client.0.flush().await;
        client.closed().await
    });
    let closed = flushed.await.expect("no panic");
    assert_eq!(closed, Some((1009, "message_too_large".to_owned())));
}

#[tokio::test]
async fn what_breaks_the_protocol_is_closed_with_the_code_for_it() {
    let server = Server::start().await;
    let frame = |bytes: &'static [u8], change: fn(&mut FrameHeader)| {
        let mut frame = Frame::message(bytes, OpCode::Data(Data::Text), true);
        change(frame.header_mut());
        frame
    };
    for (frame, code, reason) in [
        (frame(b"\xff", |_| {}), 1007, "not_utf_8"),
        (frame(b"{}", |it| it.rsv1 = true), 1002, "protocol_error"),
        (
            frame(b"", |it| it.opcode = OpCode::Data(Data::Reserved(3))),
            1002,
            "protocol_error",
        ),
        (
            frame(b"", |it| it.opcode = OpCode::Data(Data::Continue)),
            1002,
            "protocol_error",
        ),
    ] {
        let mut client = server.connect().await;
        client.send(Message::Frame(frame)).await;
        assert_eq!(client.closed().await, Some((code, reason.to_owned())));
    }
}

#[tokio::test]
async fn a_close_is_answered_and_a_stopping_server_says_so() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.send(Message::Close(None)).await;
    // Only the answer to the close frame comes, and then the end of the stream.
    assert!(matches!(client.0.next().await, Some(Ok(Message::Close(_)))));
    assert!(client.0.next().await.is_none());
    let mut client = server.connect().await;
    server.app.stopping.cancel();
    assert_eq!(
        client.closed().await,
        Some((1001, "the server is stopping".to_owned()))
    );
}

#[tokio::test]
async fn an_owner_has_so_many_connections() {
    let server = Server::start().await;
    let most = server.app.config.limits.connections_per_owner;
    let places: Vec<_> = (1..most)
        .map(|_| server.app.feeds.admit(LOCAL_OWNER, most).map_err(|_| ()))
        .collect();
    assert!(places.iter().all(Result::is_ok));
    let kept = server.connect().await;
    let mut refused = server.open("/", &[]).await.expect("connected");
    assert_eq!(refused.closed().await.map(|(code, _)| code), Some(4029));
    drop(kept);
}

#[tokio::test(start_paused = true)]
async fn messages_that_come_too_fast_are_refused_until_there_is_room_again() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let message = json!({ "event": "user.ack", "session_id": "s_1" });
    for _ in 0..=MESSAGES_BURST {
        client.say(message.clone()).await;
    }
    for _ in 0..MESSAGES_BURST {
        assert_eq!(client.hear().await["content"], "Session not found");
    }
    let refused = client.hear().await;
    assert_eq!(refused["metadata"]["error_code"], "ERR_RATELIMIT_700");
    let wait = refused["metadata"]["retry_after_ms"].as_u64();
    tokio::time::sleep(Duration::from_millis(wait.expect("a time"))).await;
    assert_eq!(client.ask(message).await["content"], "Session not found");
}

#[tokio::test(start_paused = true)]
async fn a_thousand_sessions_are_refused_politely() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let first = client.create().await;
    let mut created = 1;
    for _ in 1..1_000 {
        let answer = client.ask(json!({ "event": "user.create_session" })).await;
        match answer["event"].as_str() {
            Some("agent.session_created") => created += 1,
            Some("agent.error") => {
                let wait = answer["metadata"]["retry_after_ms"].as_u64();
                tokio::time::sleep(Duration::from_millis(wait.unwrap_or(0))).await;
            }
            _ => panic!("{answer}"),
        }
    }
    assert_eq!(created, SESSIONS_MAX);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let alive = json!({ "event": "user.request_state", "session_id": first });
    assert_eq!(client.ask(alive).await["event"], "agent.state_exported");
}

#[tokio::test(start_paused = true)]
async fn heartbeats_tell_how_long_the_server_is_up_and_what_is_followed() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.create().await;
    let mut other = server.connect().await;
    for minutes in 1..=2_u64 {
        // A client that only reads still answers pings, and stays connected.
        let (heard, at_other) = tokio::join!(client.hear(), other.hear());
        for beat in [heard, at_other] {
            assert_eq!(beat["event"], "system.heartbeat");
            assert_eq!(beat["metadata"]["active_sessions"], 1);
            let uptime = beat["metadata"]["uptime"].as_u64().expect("seconds");
            let expected = minutes * HEARTBEAT_EVERY.as_secs();
            assert!((expected..expected + 5).contains(&uptime), "{uptime}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_does_not_answer_pings_is_gone() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    tokio::time::sleep(PING_EVERY + PING_TIMEOUT / 2).await;
    // It is still connected: it reads, and so answers the ping.
    let message = json!({ "event": "user.ack", "session_id": "s_1" });
    assert_eq!(client.ask(message).await["content"], "Session not found");
    // The second ping was not answered in time, and the other side still waits for the answer to its close.
    let a_second = Duration::from_secs(1);
    tokio::time::sleep(PING_EVERY + PING_TIMEOUT / 2 + a_second).await;
    assert_eq!(client.closed().await, Some((4000, "silent".to_owned())));
}
