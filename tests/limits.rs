//! A stranger who reaches the port can neither stop the server nor fill it, and one owner cannot starve another. Here with low limits
//! and few clients; `tests/scripts/siege.py` does it with many, and measures.

use reqwest::Method;
use serde_json::json;

use crate::support::course::opening;
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::raw::{Raw, RawAnswer};
use crate::support::socket::Socket;
use crate::support::within;

const OPERATOR: (&str, &str) = ("authorization", "Bearer key-of-operator-0123456789");
const ANN: (&str, &str) = ("authorization", "Bearer key-of-ann-0123456789ab");
const BOB: (&str, &str) = ("authorization", "Bearer key-of-bob-0123456789ab");

/// An offline server with these limits, as lines of its configuration.
async fn limited(place: &TestFolder, limits: &str, keys: bool) -> Server {
    place.write("palimpsest.toml", &format!("[limits]\n{limits}\n"));
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    if keys {
        command.env(
            "PALIMPSEST_KEYS",
            "ann:key-of-ann-0123456789ab,bob:key-of-bob-0123456789ab",
        );
        command.env("PALIMPSEST_OPERATOR_KEY", "key-of-operator-0123456789");
    }
    Server::start(command).await
}

async fn metrics(server: &Server) -> String {
    let api = server.api();
    let answer = api.send(Method::GET, "/metrics", &[OPERATOR], None);
    let metrics = answer.await.succeeded();
    metrics.as_str().expect("a text").to_owned()
}

/// How often a limit was reached.
async fn bitten(server: &Server, limit: &str) -> u64 {
    let metrics = metrics(server).await;
    let label = format!("limit=\"{limit}\"");
    let lines = metrics
        .lines()
        .filter(|line| line.starts_with("palimpsest_limit_reached_total") && line.contains(&label));
    let counts = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    counts.sum()
}

async fn is_well(server: &Server) {
    let health = server.api().get("/healthz").await.succeeded();
    assert_eq!(health["status"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_say_half_a_request_give_way_to_those_that_say_one() {
    let place = TestFolder::new();
    let server = limited(&place, "connections_share = 40\nhead_seconds = 3600", false).await;
    let mut silent = vec![];
    for _ in 0..300 {
        let mut raw = Raw::connect(server.place()).await;
        raw.send("GET /healthz HTTP/1.1\r\nHost: loc").await;
        silent.push(raw);
    }
    is_well(&server).await;
    // The oldest connections were closed, and the others can still send the rest of their request.
    silent[0].closed().await;
    let last = silent.last_mut().expect("300 of them");
    last.send("alhost\r\n\r\n").await;
    assert_eq!(last.answer().await.map(|answer| answer.status), Some(200));
    let evicted = bitten(&server, "connections_evicted").await;
    assert!(evicted >= 260, "{evicted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_idle_connections_and_bodies_have_an_end() {
    let place = TestFolder::new();
    let limits = "head_seconds = 1\nidle_seconds = 1\nbody_seconds = 1";
    let server = limited(&place, limits, false).await;
    let mut silent = Raw::connect(server.place()).await;
    silent.send("GET /healthz HTTP/1.1\r\nHost: loc").await;
    silent.closed().await;
    let mut nothing = Raw::connect(server.place()).await;
    nothing.closed().await;
    let mut idle = Raw::connect(server.place()).await;
    idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    assert_eq!(idle.answer().await.map(|answer| answer.status), Some(200));
    idle.closed().await;
    for path in ["/v1/files?name=a.md", "/v1/sessions"] {
        let mut slow = Raw::connect(server.place()).await;
        let head =
            "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
        slow.send(format!("POST {path} HTTP/1.1\r\n{head}")).await;
        let answer = slow.answer().await.expect("an answer");
        assert_eq!(answer.status, 408, "{path}: {answer:?}");
        assert!(answer.body.contains("too_slow"), "{answer:?}");
        assert!(answer.head.contains("connection: close"), "{answer:?}");
        slow.closed().await;
    }
    for limit in ["head_seconds", "idle_seconds", "body_seconds"] {
        assert!(bitten(&server, limit).await > 0, "{limit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_that_are_too_large_are_refused() {
    let place = TestFolder::new();
    let server = limited(&place, "", false).await;
    let mut large = Raw::connect(server.place()).await;
    large
        .send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        .await;
    let sent = large.send_on(&[b'x'; 8 * 1024], 64 << 20).await;
    assert!(sent < 64 << 20, "it took everything");
    let mut many = Raw::connect(server.place()).await;
    let lines = "a: b\r\n".repeat(200);
    many.send(format!(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n"
    ))
    .await;
    let refused = many.answer().await.expect("an answer");
    assert_eq!(refused.status, 431);
    is_well(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invented_methods_and_addresses_make_no_series_of_their_own() {
    let place = TestFolder::new();
    let server = limited(&place, "", false).await;
    let mut raw = Raw::connect(server.place()).await;
    for number in 0..200 {
        let line =
            format!("INVENTED{number} /invented/{number} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        raw.send(line).await;
        assert!(raw.answer().await.is_some());
    }
    let metrics = metrics(&server).await;
    assert!(!metrics.to_lowercase().contains("invented"), "{metrics}");
    let counted = metrics.lines().find(|line| {
        line.starts_with("palimpsest_http_requests_total") && line.contains("method=\"other\"")
    });
    assert!(
        counted.is_some_and(|line| line.ends_with(" 200")),
        "{counted:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_that_nobody_reads_have_so_much_memory_and_no_more() {
    const SIZE: usize = 12 << 20;
    let place = TestFolder::new();
    let limits = format!("bytes_per_second = 0\nanswers_bytes = {}", 2 * SIZE);
    let server = limited(&place, &limits, true).await;
    let api = server.api();
    let mut addresses = vec![];
    for session in ["first", "second"] {
        let mut text = format!("# {session}\n\nRain falls.\n");
        text.push_str(&"x ".repeat((SIZE - text.len()) / 2));
        let path = "/v1/files?name=rain.md";
        let uploaded = api.send(Method::POST, path, &[ANN], Some(text.into_bytes()));
        let uploaded = uploaded.await.succeeded();
        let mut asked = opening(session);
        asked["attachments"] = json!([{ "path": "rain.md", "file": uploaded["file"] }]);
        let headers = [ANN, ("content-type", "application/json")];
        let opened = api.send(
            Method::POST,
            "/v1/sessions",
            &headers,
            Some(asked.to_string().into()),
        );
        opened.await.succeeded();
        let sha256 = uploaded["sha256"].as_str().expect("a hash").to_owned();
        addresses.push(format!("/v1/sessions/{session}/blobs/{sha256}"));
    }
    let ask = |path: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-of-ann-0123456789ab\r\n\r\n"
        )
    };
    let mut readers = vec![];
    for _ in 0..20 {
        let mut reader = Raw::with_little_room(server.place()).await;
        reader.send(ask(&addresses[0])).await;
        let begun = reader.read("HTTP/1.1 200".len()).await;
        assert_eq!(begun, b"HTTP/1.1 200");
        readers.push(reader);
    }
    // The readers share the content that they read; there is no room for another content beside it.
    let other = api.send(Method::GET, &addresses[1], &[ANN], None).await;
    other.refused(429, "too_many_answers");
    is_well(&server).await;
    drop(readers);
    within("room for the other content", async {
        while api
            .send(Method::GET, &addresses[1], &[ANN], None)
            .await
            .status
            != 200
        {}
    })
    .await;
    assert!(bitten(&server, "answers_bytes").await > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_have_yet_to_say_whose_they_are_have_few_places() {
    let place = TestFolder::new();
    let server = limited(&place, "handshakes_share = 10", true).await;
    let api = server.api();
    let begin = "/socket.io/?EIO=4&transport=polling";
    let (mut begun, mut refused) = (vec![], 0);
    for _ in 0..60 {
        let answer = api.get(begin).await;
        match answer.status.as_u16() {
            200 => begun.push(answer.body),
            503 => refused += 1,
            other => panic!("{other}: {:?}", answer.body),
        }
    }
    // The server may have given up some handshakes meanwhile, if the machine is busy.
    assert!((10..30).contains(&begun.len()), "{}", begun.len());
    assert_eq!(bitten(&server, "handshakes").await, refused);
    let upgrade = "Host: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    let mut socket = Raw::connect(server.place()).await;
    socket
        .send(format!("GET /v1/stream HTTP/1.1\r\n{upgrade}"))
        .await;
    let answer = socket.answer().await.expect("an answer");
    assert!(answer.body.contains("too_many_handshakes"), "{answer:?}");
    // A client that shows a key no longer takes the place of a handshake, so another one can begin.
    let last = begun.last().expect("some");
    let opened = last.as_str().expect("a packet").trim_start_matches('0');
    let opened: serde_json::Value = serde_json::from_str(opened).expect("JSON");
    let path = format!("{begin}&sid={}", opened["sid"].as_str().expect("an id"));
    let connect = br#"40{"token":"key-of-ann-0123456789ab"}"#.to_vec();
    api.send(Method::POST, &path, &[], Some(connect))
        .await
        .succeeded();
    within("a place", async {
        while api.get(begin).await.status != 200 {}
    })
    .await;
}

/// The head of an upload by ann, whose client waits for an interim answer before it sends the body.
fn announced(length: usize) -> String {
    format!(
        "POST /v1/files?name=a.md HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-of-ann-0123456789ab\r\n\
         Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// Begins an upload, and gives what the server says before the body.
async fn begun(server: &Server, length: usize) -> (Raw, RawAnswer) {
    let mut raw = Raw::connect(server.place()).await;
    raw.send(announced(length)).await;
    let answer = raw.answer().await.expect("an answer");
    (raw, answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_with_many_slow_uploads_leaves_places_to_others() {
    let place = TestFolder::new();
    let limits = "uploads = 12\nuploads_share = 4\nbytes_per_second = 0";
    let server = limited(&place, limits, true).await;
    let mut slow = vec![];
    for _ in 0..4 {
        let (mut raw, answer) = begun(&server, 1_000).await;
        assert_eq!(answer.status, 100, "{answer:?}");
        raw.send("abc").await;
        slow.push(raw);
    }
    for _ in 0..20 {
        let (_, answer) = begun(&server, 1_000).await;
        assert_eq!(answer.status, 429, "{answer:?}");
        assert!(answer.body.contains("too_many_uploads"), "{answer:?}");
    }
    let path = "/v1/files?name=b.md";
    let api = server.api();
    let of_bob = api.send(Method::POST, path, &[BOB], Some(b"bob".to_vec()));
    of_bob.await.succeeded();
    is_well(&server).await;
    slow[0].send(vec![b'x'; 997]).await;
    let kept = slow[0].answer().await;
    assert_eq!(kept.map(|answer| answer.status), Some(201));
    let (_, answer) = begun(&server, 1_000).await;
    assert_eq!(answer.status, 100, "its place is free");
}

#[tokio::test(flavor = "multi_thread")]
async fn room_for_uploads_is_taken_before_they_are_read() {
    const SIZE: usize = 4_000_000;
    let place = TestFolder::new();
    let room = 2 * SIZE + 100;
    let limits = format!("bytes_per_second = 0\nupload_bytes = {SIZE}\nuploads_bytes = {room}");
    let server = limited(&place, &limits, true).await;
    let mut taken = vec![];
    for number in 0..6 {
        let (raw, answer) = begun(&server, SIZE).await;
        let expected = if number < 2 { 100 } else { 413 };
        assert_eq!(answer.status, expected, "{number}: {answer:?}");
        if number < 2 {
            taken.push(raw);
        }
    }
    let api = server.api();
    let path = "/v1/files?name=b.md";
    let of_bob = api.send(Method::POST, path, &[BOB], Some(vec![b'x'; SIZE]));
    of_bob.await.succeeded();
    for (mut raw, sign) in taken.into_iter().zip([b'1', b'2']) {
        raw.send(vec![sign; SIZE]).await;
        assert_eq!(raw.answer().await.map(|answer| answer.status), Some(201));
    }
    let more = api.send(Method::POST, path, &[ANN], Some(vec![b'x'; 1_000]));
    more.await.refused(413, "too_large");
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_without_an_end_are_refused_before_they_are_kept() {
    const MOST: usize = 256 << 20;
    let place = TestFolder::new();
    let server = limited(&place, "upload_bytes = 4000000", false).await;
    let before = memory(&server);
    let cases = [
        ("no boundary at all", ""),
        ("a header line without an end", "--edge\r\nA: "),
        (
            "a field without an end",
            "--edge\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n",
        ),
        (
            "a file without an end",
            "--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n",
        ),
    ];
    for (what, start) in cases {
        let mut raw = Raw::connect(server.place()).await;
        let head = "Host: localhost\r\nTransfer-Encoding: chunked\r\nContent-Type: multipart/form-data; boundary=edge";
        raw.send(format!("POST /v1/files HTTP/1.1\r\n{head}\r\n\r\n"))
            .await;
        if !start.is_empty() {
            raw.send(format!("{:x}\r\n{start}\r\n", start.len())).await;
        }
        let mut piece = b"10000\r\n".to_vec();
        piece.extend_from_slice(&[b'x'; 0x10000]);
        piece.extend_from_slice(b"\r\n");
        let sent = raw.send_on(&piece, MOST).await;
        assert!(sent < MOST, "{what}: everything was taken");
    }
    is_well(&server).await;
    let grown = memory(&server).saturating_sub(before);
    assert!(grown < 64 << 10, "{grown} KiB");
}

/// KiB that a server has in memory.
fn memory(server: &Server) -> u64 {
    let path = format!("/proc/{}/status", server.id());
    let Ok(status) = std::fs::read_to_string(path) else {
        // Only Linux tells it like this.
        return 0;
    };
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    number.expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn one_owner_does_not_take_all_seats_for_requests() {
    let place = TestFolder::new();
    let limits = "requests = 8\nrequests_share = 4\nbytes_per_second = 0";
    let server = limited(&place, limits, true).await;
    let mut waiting = vec![];
    for _ in 0..4 {
        let mut raw = Raw::connect(server.place()).await;
        let lines = "Expect: 100-continue\r\nContent-Length: 10\r\nContent-Type: application/json";
        let head =
            format!("Host: localhost\r\nAuthorization: Bearer key-of-ann-0123456789ab\r\n{lines}");
        raw.send(format!("POST /v1/sessions HTTP/1.1\r\n{head}\r\n\r\n"))
            .await;
        assert_eq!(raw.answer().await.map(|answer| answer.status), Some(100));
        waiting.push(raw);
    }
    let api = server.api();
    let over = api.send(Method::GET, "/v1/sessions", &[ANN], None).await;
    over.refused(429, "too_many_requests");
    let of_bob = api.send(Method::GET, "/v1/sessions", &[BOB], None).await;
    of_bob.succeeded();
    is_well(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_and_streams_go_on_behind_the_limits() {
    let place = TestFolder::new();
    let server = limited(&place, "idle_seconds = 1\nhead_seconds = 1", false).await;
    let mut socket = Socket::connect(&server.socket_address()).await;
    server.api().open(&opening("s")).await;
    socket.subscribe("1", "s", "native", "start").await;
    loop {
        let frame = socket.next().await.expect("a frame");
        if frame["type"] == "run_completed" {
            break;
        }
    }
}
