//! What comes with a message of the course protocol (its name, a file, an address), and when it is taken.

use reqwest::Method;
use serde_json::json;

use crate::support::course::{TURNS, opening, rule};
use crate::support::folder::TestFolder;
use crate::support::polling::Polling;
use crate::support::program::{Server, palimpsest};
use crate::support::rig::Rig;

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_message_gets_the_first_answer_though_its_file_is_gone() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    let name = [("content-type", "text/markdown")];
    let text = b"# Leaves\n\nLeaves are green.".to_vec();
    let path = "/v1/files?name=leaves.md";
    let upload = api.send(Method::POST, path, &name, Some(text)).await;
    let file = upload.succeeded()["file"].clone();
    let mut client = Polling::connect(&api, &json!({ "sessionId": "s" }), &[]).await;
    assert!(client.next().await.starts_with("40"));
    // Any text of one line can name a message, up to the longest name that is allowed.
    let id = format!("a b/c?d%e#f {}", "x".repeat(116));
    assert_eq!(id.len(), 128);
    let message = json!({
        "message": "A deck of 4 pages about leaves", "messageId": id,
        "metadata": { "file": { "name": "leaves.md", "readUrl": file } },
    });
    let first = client.ask("chat:send", &message).await;
    assert_eq!(
        (&first["status"], &first["messageId"], &first["runId"]),
        (&json!("received"), &json!(id), &json!("r1")),
        "{first}"
    );
    std::fs::remove_dir_all(place.file("data").join("uploads")).expect("there are uploads");
    assert_eq!(client.ask("chat:send", &message).await, first);
    let other = json!({ "message": "the same file", "metadata": message["metadata"] });
    let refused = client.ask("chat:send", &other).await;
    assert_eq!(refused["status"], "error", "{refused}");
    let runs = api.session("s").await["runs"].as_array().map(Vec::len);
    assert_eq!(runs, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_kept_with_the_message_and_the_run_says_that_it_is_not_read() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    let mut client = Polling::connect(&api, &json!({ "sessionId": "s" }), &[]).await;
    assert!(client.next().await.starts_with("40"));
    let metadata = json!({ "url": "https://example.org/leaf", "description": "For grade 7." });
    let message = json!({ "message": "A deck of 4 pages about leaves", "metadata": metadata });
    let said = client.ask("chat:send", &message).await;
    assert_eq!(said["status"], "received", "{said}");
    let line = loop {
        let (name, data) = client.event().await;
        if name == "tool:log" {
            break data;
        }
    };
    let unread = "addresses in the message are not read: upload or paste what they say";
    let text = line["message"].as_str().expect("a text");
    assert!(text.ends_with(unread), "{text}");
    let view = api.session("s").await;
    let brief = "A deck of 4 pages about leaves\n\nFor grade 7.\n\nhttps://example.org/leaf";
    assert_eq!(view["runs"][0]["brief"], brief);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_a_busy_session_is_taken_as_the_server_is_configured() {
    let pace = json!({ "hold_after_chunks": 1, "chunk_chars": 20 });
    let held = rule(TURNS[1], Some(1), pace);
    let rig = Rig::with_settings([held], &[("PALIMPSEST_ON_BUSY", "refuse")]).await;
    let api = &rig.api;
    api.open(&opening("s")).await;
    rig.until_held(1).await;
    let mut client = Polling::connect(api, &json!({ "sessionId": "s" }), &[]).await;
    assert!(client.next().await.starts_with("40"));
    let message = json!({ "message": "one page more" });
    let refused = client.ask("chat:send", &message).await;
    assert_eq!(
        (&refused["status"], &refused["error"]["code"]),
        (&json!("error"), &json!("busy")),
        "{refused}"
    );
    // Settings of the request itself take precedence.
    let payload = json!({ "message": "one page more", "settings": { "on_busy": "enqueue" } });
    let queued = api.command("s", "m", "send_message", payload).await;
    assert_eq!(queued.succeeded()["run"], "r2");
}
