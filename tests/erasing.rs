//! A session that is erased is gone from everything that served it: the log, what was folded of it, its forks, its sockets.

use std::path::Path;

use reqwest::Method;
use runner::clock::Clock;
use serde_json::{Value, json};
use store::{Log, MasterKey, SqliteLog, SqliteOptions};

use crate::support::api::Follow;
use crate::support::course::{PAGE_1, TURNS, opening, rule, script_with};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest, run};
use crate::support::rig::{Rig, held};
use crate::support::scripted::Journal;
use crate::support::socket::Socket;

impl Rig {
    /// A run in the session `s` whose answer for page 2 is held.
    async fn at_page_2() -> Self {
        let rig = Self::with([held(2)]).await;
        rig.api.open(&opening("s")).await;
        rig.until_held(1).await;
        rig
    }

    /// Every way of asking for the session finds that it is gone.
    async fn is_gone(&self, session: &str) {
        for path in [
            "",
            "?at=1",
            "/artifacts",
            "/history",
            "/branches",
            "/events?limit=1",
            "/events?limit=1&wire=course",
            "/events?limit=1&after=v1.2.0",
        ] {
            let path = format!("/v1/sessions/{session}{path}");
            self.api.get(&path).await.refused(410, "erased");
        }
        let events = format!("/v1/sessions/{session}/events");
        let stream = [("accept", "text/event-stream")];
        self.api
            .send(Method::GET, &events, &stream, None)
            .await
            .refused(410, "erased");
        let mut socket = Socket::connect(&self.server.socket_address()).await;
        for view in ["native", "course"] {
            socket.subscribe(view, session, view, "start").await;
            let frame = socket.next().await.expect("a frame");
            assert_eq!(frame["frame"], "error", "{frame}");
            assert_eq!(frame["error"]["code"], "erased", "{frame}");
        }
        let late = json!({ "message": "one page more" });
        self.api
            .command(session, "late", "send_message", late)
            .await
            .refused(410, "erased");
    }
}

fn count(journal: &Journal, field: &str) -> usize {
    let requests = journal.requests().iter();
    requests.filter(|request| !request[field].is_null()).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_session_is_gone_from_everything_that_served_it() {
    let rig = Rig::at_page_2().await;
    // The session is folded for both wires, and a client follows it while it is erased.
    for wire in ["native", "course"] {
        assert!(!rig.api.frames("s", wire).await.is_empty());
    }
    let mut follows = Socket::connect(&rig.server.socket_address()).await;
    follows.subscribe("1", "s", "native", "now").await;
    let begun = follows.next().await.expect("a frame");
    assert_eq!(begun["frame"], "subscribed", "{begun}");
    let first = rig.api.delete("/v1/sessions/s").await.succeeded();
    assert_eq!(first["duplicate"], false, "{first}");
    rig.is_gone("s").await;
    let told = loop {
        let frame = follows.next().await.expect("a frame");
        if frame["frame"] == "closed" {
            break frame;
        }
        assert_ne!(frame["type"], "session_erased", "{frame}");
    };
    assert_eq!(told["outcome"], "erased", "{told}");
    let closed = |journal: &Journal| count(journal, "closed_by_client_us") == 1;
    let journal = rig.model.journal_when("a closed socket", closed).await;
    assert_eq!(journal.requests().len(), PAGE_1 + 2, "no other call began");
    let lines = rig.api.get("/v1/sessions").await.succeeded();
    assert_eq!(lines["sessions"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_erases_a_session_again_gets_the_first_answer() {
    let rig = Rig::at_page_2().await;
    let delete = async |key: &str| {
        let headers = [("idempotency-key", key)];
        rig.api
            .send(Method::DELETE, "/v1/sessions/s", &headers, None)
            .await
    };
    // The id of another command cannot be used for erasing: the request is refused, and nothing is erased.
    rig.api
        .command("s", "c1", "cancel", json!({}))
        .await
        .succeeded();
    delete("c1").await.refused(409, "id_reused");
    rig.api.session("s").await;

    let first = delete("d1").await.succeeded();
    let mut again = first.clone();
    again["duplicate"] = json!(true);
    assert_eq!(delete("d1").await.succeeded(), again);
    assert_eq!(delete("d2").await.succeeded(), again);
    assert_eq!(
        rig.api.delete("/v1/sessions/s").await.succeeded(),
        again,
        "without a name"
    );
    let command = rig
        .api
        .command("s", "d3", "delete_session", json!({ "forks": true }))
        .await;
    assert_eq!(command.succeeded(), again);
    rig.api
        .delete("/v1/sessions/nobody")
        .await
        .refused(404, "no_session");
}

#[tokio::test(flavor = "multi_thread")]
async fn forks_are_erased_with_their_session_and_their_work_stops() {
    let rig = Rig::at_page_2().await;
    let at = rig.api.session("s").await["version"].clone();
    // The child asks for its second page anew, and its own child asks for that page a third time.
    let again = rule(
        TURNS[PAGE_1 + 1],
        None,
        json!({ "hold_after_chunks": 1, "chunk_chars": 20 }),
    );
    rig.model.release().await;
    let mut parent = Follow::new(&rig.api, "s", "native");
    parent.end("r1", "run_completed").await;
    rig.model.play(&script_with([again])).await;
    let fork = async |of: &str, child: &str, at: &Value| {
        let payload = json!({ "at": at, "session": child });
        rig.api
            .command(of, &format!("fork {child}"), "fork", payload)
            .await
            .succeeded();
    };
    fork("s", "child", &at).await;
    rig.until_held(1).await;
    let at = rig.api.session("child").await["version"].clone();
    fork("child", "grandchild", &at).await;
    rig.until_held(2).await;
    rig.api
        .delete("/v1/sessions/child")
        .await
        .refused(409, "live_forks");

    rig.api
        .delete("/v1/sessions/s?forks=true")
        .await
        .succeeded();
    for session in ["s", "child", "grandchild"] {
        rig.is_gone(session).await;
    }
    let closed = |journal: &Journal| count(journal, "closed_by_client_us") == 2;
    let journal = rig.model.journal_when("two closed sockets", closed).await;
    assert_eq!(journal.requests().len(), 2, "no other call began");
    let Rig {
        place, mut server, ..
    } = rig;
    server.kill().await;
    run(palimpsest(&place), &["verify"]).await.with(0);
    let spool = place.file("data").join("spool");
    let left = std::fs::read_dir(spool).map_or(0, Iterator::count);
    assert_eq!(left, 0, "no answer is left in the spool");
}

/// Words that stand nowhere else, in everything that is erased.
const GONE: [&str; 8] = [
    "gonemessage",
    "gonesource",
    "gonenoteid",
    "gonetitle",
    "gonebody",
    "gonetag",
    "gonetemplate",
    "gonecontent",
];

/// The same in what stays.
const KEPT: [&str; 2] = ["keptnoteid", "kepttitle"];

/// Every byte below this folder, and every name.
fn bytes_below(folder: &Path, all: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("there") {
        let path = entry.expect("readable").path();
        let name = path.display().to_string();
        if path.is_dir() {
            bytes_below(&path, all);
            all.push((name.clone(), name.into_bytes()));
        } else {
            let mut bytes = std::fs::read(&path).expect("readable");
            bytes.extend_from_slice(name.as_bytes());
            all.push((name, bytes));
        }
    }
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes
        .windows(word.len())
        .any(|part| part == word.as_bytes())
}

/// Everything that can still be read from the log with the master key.
async fn opened(place: &TestFolder) -> String {
    let digits = std::fs::read_to_string(place.file("data").join("keys").join("master.key"));
    let digits = digits.expect("there");
    let byte = |n: usize| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).expect("digits");
    let master = MasterKey::new(std::array::from_fn(byte));
    let options = SqliteOptions::new(master, Clock::system().as_fn(), &place.file("data"));
    let log = SqliteLog::open_read_only(&place.database(), options).await;
    let log = log.expect("opens");
    let (mut text, mut after) = (String::new(), 0);
    loop {
        let page = log.read_all(after, 100).await.expect("reads");
        if page.scanned_to == after {
            log.close().await;
            return text;
        }
        after = page.scanned_to;
        text.push_str(&format!("{:?}", page.events));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_what_is_erased_can_be_read_with_the_master_key() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let mut server = Server::start(command).await;
    let api = server.api();
    let source = "# Tides\n\nThe gonesource rises twice a day.\n";
    let headers = [("content-type", "text/markdown")];
    let body = Some(source.as_bytes().to_vec());
    let uploaded = api.send(Method::POST, "/v1/files?name=a.md", &headers, body);
    let uploaded = uploaded.await.succeeded();
    let mut asked = opening("s");
    asked["message"] = json!("Explain the gonemessage");
    asked["attachments"] = json!([{ "path": "a.md", "file": uploaded["file"] }]);
    api.open(&asked).await;
    let mut follow = Follow::new(&api, "s", "native");
    follow.end("r1", "run_completed").await;
    for note in [
        json!({ "id": "gonenoteid", "title": "gonetitle", "body": "gonebody", "tags": ["gonetag"] }),
        json!({ "id": "keptnoteid", "title": "kepttitle", "body": "keptbody" }),
    ] {
        let path = "/api/notes/import?format=jsonl";
        api.post(path, &note).await.succeeded();
    }
    let found = api.get("/api/notes?query=gonebody").await.succeeded();
    assert_eq!(found["notes"].as_array().map(Vec::len), Some(1), "{found}");
    let template = json!({ "id": "t", "name": "gonetemplate", "content": "# gonecontent" });
    api.post("/api/templates", &template).await.succeeded();
    let before = opened(&place).await;
    for word in GONE.into_iter().chain(KEPT) {
        let is_content = ["gonesource", "gonebody", "gonecontent"].contains(&word);
        assert!(is_content || before.contains(word), "{word}");
    }

    for path in [
        "/v1/sessions/s",
        "/api/notes/gonenoteid",
        "/api/templates/t",
    ] {
        api.delete(path).await.succeeded();
    }
    let found = api.get("/api/notes?query=gonebody").await.succeeded();
    assert_eq!(found["notes"], json!([]));
    let found = api.get("/api/notes?query=keptbody").await.succeeded();
    assert_eq!(found["notes"][0]["id"], "keptnoteid", "{found}");
    server.signal("TERM").await;
    server.ended().await;
    let mut all = vec![];
    bytes_below(place.path(), &mut all);
    let after = opened(&place).await;
    for word in GONE {
        for (name, bytes) in &all {
            assert!(!has(bytes, word), "{word} is in {name}");
        }
        assert!(!after.contains(word), "{word} can be opened");
    }
    for word in KEPT {
        assert!(after.contains(word), "{word}");
    }
    let verified = run(palimpsest(&place), &["verify"]).await.with(0);
    assert!(verified.out.starts_with("sound: "), "{}", verified.out);
}
