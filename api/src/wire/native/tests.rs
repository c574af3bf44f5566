//! A real socket against a server in the test's own process.

use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::http::{HeaderMap, StatusCode};
use domain::SessionId;
use futures::{SinkExt, StreamExt};
use runner::{Engine, Parts};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

use super::*;
use crate::ask::Say;
use crate::config::{Config, KeyEntry, LOCAL_OWNER};
use crate::feed::{Batch, Filter};
use crate::settings::SettingsRequest;
use crate::start::tools_in_memory;
use crate::testing;

const TERMINAL: [&str; 3] = ["run_completed", "run_failed", "run_cancelled"];

struct Server {
    app: App,
    address: String,
    pipes: mpsc::Sender<DuplexStream>,
    _files: tempfile::TempDir,
}

impl Server {
    async fn start(keys: &[KeyEntry]) -> Self {
        let (log, clock) = testing::log().await;
        let program = testing::letters();
        let config = testing::config(&[], &[]);
        let tools = tools_in_memory(&program, &config).await;
        let parts = Parts {
            prompts: program.prompts.clone(),
            tools: tools.expect("the tools can be made"),
            authors: program.authors.clone(),
            clock,
            ..Parts::new(log, program.pipelines.clone())
        };
        let engine = Engine::start(parts).await.expect("an engine");
        let (app, files) = testing::app(&program, engine, config, keys);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!(
            "ws://{}/v1/stream",
            listener.local_addr().expect("an address")
        );
        let router = NativeProtocol.sockets(&app);
        let pipes = testing::serve_pipes(router.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            app,
            address,
            pipes,
            _files: files,
        }
    }

    /// Connects by a pipe that holds at most this many bytes.
    async fn pipe(&self, bytes: usize) -> Client<DuplexStream> {
        let (ours, theirs) = tokio::io::duplex(bytes);
        self.pipes.send(theirs).await.expect("it listens");
        let connected = client_async("ws://localhost/v1/stream", ours).await;
        Client(connected.expect("connected").0)
    }

    /// A server with a session in which a run has ended in any way.
    async fn with_session(session: &str) -> Self {
        let server = Self::start(&[]).await;
        server.say(session, "m1").await;
        server
    }

    /// Sends a message, and waits for its run to end.
    async fn say(&self, session: &str, message: &str) {
        let owner = Owner(LOCAL_OWNER.to_owned());
        let say = Say {
            session: SessionId::new(session),
            message_id: Some(message.to_owned()),
            pipeline: Some("letter".to_owned()),
            text: "你好".to_owned(),
            input: Value::Null,
            settings: SettingsRequest::default(),
            attachments: vec![],
            client_id: message.to_owned(),
            content: None,
            expected_version: None,
        };
        let said = self.app.say(&owner, say).await.expect("said");
        let stream = owner.stream(&SessionId::new(session));
        let followed = self
            .app
            .feeds
            .follow(&stream, "native", Start::Beginning, Filter::All)
            .await;
        let mut follower = followed.expect("followed").expect("no cursor");
        loop {
            let Batch::Frames(frames) = follower.next().await.expect("frames") else {
                continue;
            };
            if frames
                .iter()
                .any(|frame| frame.terminal && frame.version > said.version)
            {
                return;
            }
        }
    }

    /// Every event of a session, as the protocol sends it.
    async fn events(&self, session: &str, sub: &str) -> Vec<Value> {
        let stream = Owner(LOCAL_OWNER.to_owned()).stream(&SessionId::new(session));
        let followed = self
            .app
            .feeds
            .follow(&stream, "native", Start::Beginning, Filter::All)
            .await;
        let mut follower = followed.expect("followed").expect("no cursor");
        let mut events = vec![];
        while let Batch::Frames(frames) = follower.next().await.expect("frames") {
            let texts = frames.iter().map(|frame| frames::event(frame, Some(sub)));
            events.extend(texts.map(|text| serde_json::from_str::<Value>(&text).expect("JSON")));
        }
        events
    }

    async fn connect(&self) -> Client {
        let mut client = Client(connect_async(&self.address).await.expect("connected").0);
        client
            .say(json!({ "frame": "hello", "protocol": 1, "client": "test" }))
            .await;
        assert_eq!(client.hear().await["frame"], "welcome");
        client
    }
}

struct Client<S = MaybeTlsStream<TcpStream>>(WebSocketStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    async fn say(&mut self, frame: Value) {
        self.0
            .send(Message::text(frame.to_string()))
            .await
            .expect("sent");
    }

    async fn next(&mut self) -> Option<Message> {
        loop {
            let message = self.0.next().await?.expect("a message");
            if !matches!(message, Message::Ping(_) | Message::Pong(_)) {
                return Some(message);
            }
        }
    }

    async fn hear(&mut self) -> Value {
        match self.next().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).expect("JSON"),
            other => panic!("not a text: {other:?}"),
        }
    }

    /// Reads all frames up to the first one of this kind, and this one.
    async fn hear_until(&mut self, kind: &str) -> Vec<Value> {
        let mut heard = vec![];
        loop {
            let frame = self.hear().await;
            let is_last = frame["frame"] == kind;
            heard.push(frame);
            if is_last {
                return heard;
            }
        }
    }

    async fn closed(&mut self) -> Option<(u16, String)> {
        loop {
            match self.next().await {
                Some(Message::Close(Some(CloseFrame { code, reason }))) => {
                    return Some((code.into(), reason.to_string()));
                }
                Some(Message::Close(None)) | None => return None,
                Some(_) => {}
            }
        }
    }
}

fn events_of(heard: &[Value]) -> Vec<Value> {
    heard
        .iter()
        .filter(|frame| frame["frame"] == "event")
        .cloned()
        .collect()
}

#[tokio::test]
async fn a_subscription_gives_every_event_and_a_command_tells_its_version() {
    let server = Server::with_session("s1").await;
    let mut client = server.connect().await;
    client
        .say(json!({ "frame": "subscribe", "sub": "a", "session": "s1" }))
        .await;
    let heard = client.hear_until("up_to_date").await;
    let events = server.events("s1", "a").await;
    let head = events.len() as u64;
    assert_eq!(
        heard[0],
        json!({ "frame": "subscribed", "sub": "a", "from": "v1.0.0", "head": head })
    );
    assert_eq!(events_of(&heard), events);
    assert_eq!(
        heard.last(),
        Some(&json!({ "frame": "up_to_date", "sub": "a", "cursor": format!("v1.{head}.0") }))
    );
    let command = json!({ "frame": "command", "id": "c1", "session": "s1", "type": "send_message",
        "payload": { "message": "你好" } });
    client.say(command.clone()).await;
    let (mut result, mut after) = (None, vec![]);
    while result.is_none()
        || !after
            .iter()
            .any(|event: &Value| TERMINAL.iter().any(|name| event["type"] == *name))
    {
        let frame = client.hear().await;
        match frame["frame"].as_str() {
            Some("result") => result = Some(frame),
            Some("event") => after.push(frame),
            _ => {}
        }
    }
    let first = result.expect("a result");
    assert_eq!(
        (&first["id"], &first["ok"], &first["run"]),
        (&json!("c1"), &json!(true), &json!("r2")),
        "{first}"
    );
    assert!(
        after
            .iter()
            .any(|event| event["version"] == first["applied_version"])
    );
    client.say(command).await;
    let again = client.hear_until("result").await.pop().expect("a result");
    assert_eq!(
        (&again["applied_version"], &again["duplicate"]),
        (&first["applied_version"], &json!(true))
    );
    client
        .say(json!({ "frame": "command", "id": "c2", "session": "s1", "type": "dance" }))
        .await;
    let refused = client.hear_until("result").await.pop().expect("a result");
    assert_eq!(
        (&refused["ok"], &refused["error"]["code"]),
        (&json!(false), &json!("unknown_command"))
    );
}

#[tokio::test]
async fn whoever_comes_back_to_a_cursor_sees_each_event_once() {
    let server = Server::with_session("s1").await;
    let all = server.events("s1", "a").await;
    let mut seen: Vec<Value> = vec![];
    while seen.len() < all.len() {
        let mut client = server.connect().await;
        let after = seen
            .last()
            .map_or(json!("start"), |event| event["cursor"].clone());
        client
            .say(json!({ "frame": "subscribe", "sub": "a", "session": "s1", "after": after }))
            .await;
        client.hear_until("subscribed").await;
        for _ in 0..2.min(all.len() - seen.len()) {
            seen.push(client.hear().await);
        }
        // The connection is dropped without a close frame.
        drop(client);
    }
    assert_eq!(seen, all);
}

#[tokio::test]
async fn a_cursor_that_is_of_no_use_gives_a_reset_a_snapshot_and_what_comes_after_it() {
    let server = Server::with_session("s1").await;
    let head = server.events("s1", "a").await.len();
    let mut client = server.connect().await;
    for (sub, after, reason) in [
        ("a", "v9.1.0".to_owned(), "foreign_version"),
        ("b", format!("v1.{}.0", head + 1), "ahead_of_head"),
    ] {
        client
            .say(json!({ "frame": "subscribe", "sub": sub, "session": "s1", "after": after }))
            .await;
        let heard = client.hear_until("up_to_date").await;
        let kinds: Vec<_> = heard
            .iter()
            .map(|frame| frame["frame"].as_str().unwrap_or_default())
            .collect();
        assert_eq!(kinds, ["subscribed", "reset", "snapshot", "up_to_date"]);
        let at = format!("v1.{head}.0");
        assert_eq!(
            heard[1],
            json!({ "frame": "reset", "sub": sub, "reason": reason, "at": at })
        );
        assert_eq!(heard[2]["at"], at);
    }
}

#[tokio::test]
async fn a_snapshot_and_the_tail_after_it_are_everything() {
    let server = Server::with_session("s1").await;
    for view in ["events", "tally"] {
        let mut client = server.connect().await;
        client.say(json!({ "frame": "subscribe", "sub": "a", "session": "s1", "mode": "snapshot", "view": view })).await;
        let begun = client.hear_until("up_to_date").await;
        assert_eq!(events_of(&begun), Vec::<Value>::new());
        let (from, at) = (&begun[0]["from"], &begun[1]["at"]);
        assert_eq!((begun[1]["frame"].as_str(), from), (Some("snapshot"), at));
        let version = server.events("s1", "a").await.len();
        server.say("s1", &format!("after-{view}")).await;
        let last = client.hear_until("up_to_date").await;
        assert!(
            events_of(&last)
                .iter()
                .all(|event| event["version"].as_u64() > Some(version as u64))
        );
        if view == "events" {
            let mut tail = events_of(&last);
            let all = server.events("s1", "a").await;
            while tail.len() < all.len() - version {
                tail.extend(events_of(&[client.hear().await]));
            }
            assert_eq!(tail, all[version..]);
            assert_eq!(begun[1]["state"]["version"], json!(version));
        }
    }
}

#[tokio::test]
async fn the_state_comes_whole_and_again_when_it_changed() {
    let server = Server::with_session("s1").await;
    let mut client = server.connect().await;
    client
        .say(json!({ "frame": "subscribe", "sub": "a", "session": "s1", "view": "state" }))
        .await;
    let first = client.hear_until("snapshot").await.pop().expect("a state");
    server.say("s1", "m2").await;
    let head = server.events("s1", "a").await.len();
    loop {
        let next = client.hear_until("snapshot").await.pop().expect("a state");
        assert!(next["state"]["version"].as_u64() > first["state"]["version"].as_u64());
        if next["at"] == format!("v1.{head}.0") {
            return;
        }
    }
}

#[tokio::test]
async fn what_is_not_a_frame_is_told_so_and_the_connection_stays() {
    let server = Server::with_session("s1").await;
    let mut client = server.connect().await;
    let mut refused = async |message: Message| {
        client.0.send(message).await.expect("sent");
        let error = client.hear().await;
        assert_eq!(error["frame"], "error");
        error["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(refused(Message::text("{")).await, "malformed");
    assert_eq!(
        refused(Message::text(r#"{"frame":"dance"}"#)).await,
        "malformed"
    );
    assert_eq!(
        refused(Message::text(
            r#"{"frame":"subscribe","sub":"a","session":"s1","affter":"now"}"#
        ))
        .await,
        "malformed"
    );
    assert_eq!(refused(Message::binary(vec![1, 2])).await, "malformed");
    assert_eq!(
        refused(Message::text(r#"{"frame":"hello","protocol":1}"#)).await,
        "bad_request"
    );
    assert_eq!(
        refused(Message::text(r#"{"frame":"unsubscribe","sub":"a"}"#)).await,
        "no_subscription"
    );
    assert_eq!(
        refused(Message::text(
            r#"{"frame":"subscribe","sub":"a","session":"s1","after":"12"}"#
        ))
        .await,
        "bad_cursor"
    );
    assert_eq!(
        refused(Message::text(
            r#"{"frame":"subscribe","sub":"a","session":"s1","view":"x"}"#
        ))
        .await,
        "unknown_wire"
    );
    assert_eq!(
        refused(Message::text(
            r#"{"frame":"subscribe","sub":"a","session":"nobody"}"#
        ))
        .await,
        "no_session"
    );
    client
        .say(json!({ "frame": "subscribe", "sub": "a", "session": "s1", "after": "now" }))
        .await;
    client.hear_until("up_to_date").await;
    client
        .say(json!({ "frame": "subscribe", "sub": "a", "session": "s1" }))
        .await;
    assert_eq!(client.hear().await["error"]["code"], "sub_taken");
    client
        .say(json!({ "frame": "unsubscribe", "sub": "a" }))
        .await;
    let closed =
        json!({ "frame": "closed", "sub": "a", "final": false, "outcome": "unsubscribed" });
    assert_eq!(client.hear().await, closed);
    client.say(json!({ "frame": "ping" })).await;
    assert_eq!(client.hear().await, json!({ "frame": "pong" }));
}

#[tokio::test]
async fn a_message_that_is_too_large_closes_the_connection_with_1009() {
    let server = Server::start(&[]).await;
    let mut client = server.connect().await;
    let text = format!(
        "{{\"frame\":\"{}\"}}",
        "x".repeat(crate::wire::socket::MESSAGE_BYTES_MAX)
    );
    client.0.send(Message::text(text)).await.expect("sent");
    assert_eq!(
        client.closed().await,
        Some((1009, "message_too_large".to_owned()))
    );
}

#[tokio::test]
async fn a_close_is_answered_and_the_socket_ends() {
    let server = Server::start(&[]).await;
    let mut client = server.connect().await;
    client
        .0
        .close(Some(CloseFrame {
            code: 1000.into(),
            reason: "bye".into(),
        }))
        .await
        .expect("closing");
    assert_eq!(client.closed().await.map(|(code, _)| code), Some(1000));
    assert!(client.0.next().await.is_none());
}

/// The paused clock stands still while a task can run, so that the test does not really wait.
#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_closed_with_4008() {
    let server = Server::with_session("s1").await;
    let mut client = server.pipe(1024).await;
    client.say(json!({ "frame": "hello", "protocol": 1 })).await;
    client.hear_until("welcome").await;
    client
        .say(json!({ "frame": "subscribe", "sub": "1", "session": "s1" }))
        .await;
    tokio::time::sleep(crate::wire::limits::WRITE_DEADLINE - Duration::from_millis(1)).await;
    let mut patient = server.pipe(1024).await;
    patient
        .say(json!({ "frame": "hello", "protocol": 1 }))
        .await;
    patient.hear_until("welcome").await;
    patient
        .say(json!({ "frame": "subscribe", "sub": "1", "session": "s1" }))
        .await;
    // The client that does not read is told the reason as soon as there is room; the other one, which reads again in time, gets everything.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let told = client.closed().await;
    assert_eq!(told, Some((4008, "slow_consumer".to_owned())));
    let heard = patient.hear_until("up_to_date").await;
    assert_eq!(events_of(&heard), server.events("s1", "1").await);
}

#[tokio::test]
async fn a_server_that_stops_says_so() {
    let server = Server::start(&[]).await;
    let mut client = server.connect().await;
    server.app.stopping.cancel();
    assert_eq!(
        client.closed().await,
        Some((1001, "the server is stopping".to_owned()))
    );
}

#[tokio::test]
async fn a_key_comes_by_hello_by_header_or_by_sub_protocol_and_shows_its_owners_sessions_only() {
    let key = |owner: &str| KeyEntry {
        owner: owner.to_owned(),
        secret: Some(format!("key-of-{owner}")),
        sha256: None,
    };
    let server = Server::start(&[key(LOCAL_OWNER), key("bob")]).await;
    server.say("s1", "m1").await;
    let subscribe = json!({ "frame": "subscribe", "sub": "a", "session": "s1", "after": "now" });
    let answer = async |header: Option<(&'static str, &str)>, token: Option<&str>| {
        let mut request = server
            .address
            .as_str()
            .into_client_request()
            .expect("a request");
        if let Some((name, value)) = header {
            request
                .headers_mut()
                .insert(name, value.parse().expect("a header"));
        }
        let (socket, _) = connect_async(request)
            .await
            .map_err(|error| error.to_string())?;
        let mut client = Client(socket);
        let hello = match token {
            Some(token) => json!({ "frame": "hello", "protocol": 1, "token": token }),
            None => json!({ "frame": "hello", "protocol": 1 }),
        };
        client.say(hello).await;
        let answer = client.hear().await;
        if answer["frame"] == "error" {
            let (code, _) = client.closed().await.expect("closed with a code");
            return Err(format!(
                "{} {code}",
                answer["error"]["code"].as_str().unwrap_or_default()
            ));
        }
        client.say(subscribe.clone()).await;
        let heard = client.hear().await;
        Ok(heard["error"]["code"]
            .as_str()
            .unwrap_or("subscribed")
            .to_owned())
    };
    let subscribed = Ok("subscribed".to_owned());
    assert_eq!(answer(None, Some("key-of-local")).await, subscribed);
    assert_eq!(
        answer(Some(("authorization", "Bearer key-of-local")), None).await,
        subscribed
    );
    assert_eq!(
        answer(
            Some((
                "sec-websocket-protocol",
                "palimpsest.v1, bearer.key-of-local"
            )),
            None
        )
        .await,
        subscribed
    );
    assert_eq!(
        answer(None, Some("key-of-bob")).await,
        Ok("no_session".to_owned())
    );
    assert_eq!(
        answer(None, Some("no key")).await,
        Err("unauthorized 4001".to_owned())
    );
    assert_eq!(
        answer(None, None).await,
        Err("unauthorized 4001".to_owned())
    );
    let refused = answer(Some(("authorization", "Bearer wrong")), None).await;
    assert!(
        refused.as_ref().is_err_and(|error| error.contains("401")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn an_owner_has_so_many_connections_and_a_connection_so_many_subscriptions() {
    let mut server = Server::with_session("s1").await;
    let mut config = Config::clone(&server.app.config);
    (
        config.limits.connections_per_owner,
        config.limits.subscriptions_per_connection,
    ) = (1, 1);
    server.app.config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    server.address = format!(
        "ws://{}/v1/stream",
        listener.local_addr().expect("an address")
    );
    let router = NativeProtocol.sockets(&server.app);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut first = server.connect().await;
    first
        .say(json!({ "frame": "subscribe", "sub": "a", "session": "s1", "after": "now" }))
        .await;
    first.hear_until("up_to_date").await;
    first
        .say(json!({ "frame": "subscribe", "sub": "b", "session": "s1" }))
        .await;
    assert_eq!(
        first.hear().await["error"]["code"],
        "too_many_subscriptions"
    );
    let mut second = server.connect().await;
    let message = "1 connections are open, at most 1 may be; close one first";
    assert_eq!(second.closed().await, Some((4029, message.to_owned())));
}

/// The frames of an event stream that ends, with their ids.
async fn listened(
    server: &Server,
    last_event_id: Option<&str>,
) -> (StatusCode, HeaderMap, Vec<(String, Value)>) {
    let ask = Listen {
        session: SessionId::new("s1"),
        wire: "native".to_owned(),
        last_event_id: last_event_id.map(str::to_owned),
        after: None,
        deltas: false,
        until_end: true,
    };
    let owner = Owner(LOCAL_OWNER.to_owned());
    let response = listen(server.app.clone(), owner, ask)
        .await
        .expect("a stream");
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), usize::MAX)
        .await
        .expect("a whole body");
    let text = String::from_utf8(body.to_vec()).expect("text");
    let mut frames = vec![];
    for event in text.split("\n\n") {
        let field = |name: &str| {
            event
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .map(|it| it.trim().to_owned())
        };
        if let Some(data) = field("data:") {
            frames.push((
                field("id:").unwrap_or_default(),
                serde_json::from_str(&data).expect("JSON"),
            ));
        }
    }
    (status, headers, frames)
}

#[tokio::test]
async fn an_event_stream_has_every_event_with_its_cursor_and_ends_when_nothing_is_at_work() {
    let server = Server::with_session("s1").await;
    let (status, headers, frames) = listened(&server, None).await;
    assert_eq!(status, StatusCode::OK);
    let header = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(header("content-type"), "text/event-stream");
    assert_eq!(header("cache-control"), "no-cache, no-transform");
    assert_eq!(header("x-accel-buffering"), "no");
    let mut all = server.events("s1", "").await;
    for event in &mut all {
        event
            .as_object_mut()
            .expect("an object")
            .shift_remove("sub");
    }
    let count = all.len();
    let events: Vec<_> = frames
        .iter()
        .take(count)
        .map(|(_, frame)| frame.clone())
        .collect();
    assert_eq!(events, all);
    assert!(
        frames[..=count]
            .iter()
            .all(|(id, frame)| frame["cursor"] == *id)
    );
    let rest: Vec<_> = frames[count..]
        .iter()
        .map(|(_, frame)| frame["frame"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(rest, ["up_to_date", "closed"]);
    let (_, _, tail) = listened(&server, Some(&frames[1].0)).await;
    assert_eq!(tail, frames[2..]);
    let (status, _, nothing) = listened(&server, Some(&frames[count].0)).await;
    assert_eq!((status, nothing), (StatusCode::NO_CONTENT, vec![]));
}
