//! Notes over HTTP and from the command line: loaded, found, listed and removed, for their owner alone, across a restart.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::Answer;
use crate::support::folder::TestFolder;
use crate::support::person::{ANN, BOB, Person, with_keys};
use crate::support::program::{Server, palimpsest, run};

/// The example of `docs/notes.md`.
const SPRING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/notes/spring.csv");

const TABLE: &str = "编号,标题,正文,标签,点赞\na,露营清单,帐篷和头灯,#露营,1.2万\nb,江边骑行,\"顺风, 二十公里\",骑行 江边,30\n";

impl Person<'_> {
    async fn import(&self, query: &str, media_type: &str, body: &str, key: &str) -> Answer {
        let mut headers = vec![("authorization", self.1), ("content-type", media_type)];
        if !key.is_empty() {
            headers.push(("idempotency-key", key));
        }
        let path = format!("/api/notes/import{query}");
        let body = Some(body.as_bytes().to_vec());
        self.0.send(Method::POST, &path, &headers, body).await
    }

    async fn remove(&self, id: &str) -> Answer {
        let headers = [("authorization", self.1)];
        let path = format!("/api/notes/{id}");
        self.0.send(Method::DELETE, &path, &headers, None).await
    }

    async fn ids(&self, query: &str) -> Vec<String> {
        let found = self.get(&format!("/api/notes{query}")).await.succeeded();
        let notes = found["notes"].as_array().expect("notes");
        let ids = notes.iter().filter_map(|note| note["id"].as_str());
        ids.map(str::to_owned).collect()
    }
}

fn counts(added: u64, replaced: u64, unchanged: u64, repeated: bool) -> Value {
    json!({
        "notes": added + replaced + unchanged, "added": added, "replaced": replaced, "unchanged": unchanged, "repeated": repeated,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_loaded_and_found_for_their_owner_alone_and_outlive_the_server() {
    let place = TestFolder::new();
    let mut server = Server::start(with_keys(&place)).await;
    let api = server.api();
    let (ann, bob) = (Person(&api, ANN), Person(&api, BOB));
    let none = ann.get("/api/notes").await.succeeded();
    assert_eq!(none, json!({ "total": 0, "notes": [] }));
    let loaded = ann.import("", "text/csv; charset=utf-8", TABLE, "k1").await;
    assert_eq!(loaded.succeeded(), counts(2, 0, 0, false));
    // A repetition gets the answer of the first request, and the key cannot be used for another request.
    let again = ann.import("", "text/csv", TABLE, "k1").await;
    assert_eq!(again.succeeded(), counts(2, 0, 0, true));
    let other = ann.import("", "text/csv", "title,body\nA,b\n", "k1").await;
    other.refused(409, "id_reused");
    let lines = "{\"id\":\"b\",\"title\":\"江边骑行\",\"body\":\"逆风\"}\n{\"title\":\"夜市\",\"desc\":\"冰粉\",\"likes\":5}\n";
    let more = ann
        .import("?format=jsonl&name=more.jsonl", "", lines, "")
        .await;
    assert_eq!(more.succeeded(), counts(1, 1, 0, false));

    let found = ann
        .get("/api/notes?query=%E9%9C%B2%E8%90%A5")
        .await
        .succeeded();
    assert_eq!(
        found,
        json!({ "total": 1, "notes": [{
            "id": "a", "title": "露营清单", "excerpt": "帐篷和头灯", "tags": ["露营"],
            "likes": 12_000, "collects": 0, "comments": 0, "engagement": 12_000,
        }] })
    );
    assert_eq!(ann.ids("?query=%E9%80%86%E9%A3%8E").await, ["b"]);
    assert_eq!(ann.ids("?query=%E9%A1%BA%E9%A3%8E").await, [""; 0]);
    assert_eq!(bob.ids("?query=%E9%9C%B2%E8%90%A5").await, [""; 0]);
    assert_eq!(bob.ids("").await, [""; 0]);
    bob.get("/api/notes/a").await.refused(404, "no_note");
    let note = ann.get("/api/notes/b").await.succeeded();
    assert_eq!(
        (&note["body"], &note["title"]),
        (&json!("逆风"), &json!("江边骑行"))
    );

    server.kill().await;
    let server = Server::start(with_keys(&place)).await;
    let api = server.api();
    let ann = Person(&api, ANN);
    assert_eq!(ann.ids("?query=%E5%86%B0%E7%B2%89").await.len(), 1);
    assert_eq!(ann.remove("a").await.status, 204);
    ann.remove("a").await.refused(404, "no_note");
    assert_eq!(ann.ids("?query=%E9%9C%B2%E8%90%A5").await, [""; 0]);
    assert_eq!(ann.ids("").await.len(), 2);
    let verified = run(palimpsest(&place), &["verify"]).await;
    verified.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_a_mistake_is_refused_as_a_whole_with_the_line() {
    let place = TestFolder::new();
    let server = Server::start(with_keys(&place)).await;
    let api = server.api();
    let ann = Person(&api, ANN);
    let table = format!("{TABLE}c,,没有标题,,\nd,标题,正文,,许多\n");
    let wrong = ann.import("", "text/csv", &table, "").await;
    let message = wrong.refused(422, "bad_notes");
    assert!(
        message.contains("line 4: the title is missing"),
        "{message}"
    );
    assert!(
        message.contains("line 5: likes `许多` is no count"),
        "{message}"
    );
    let bad_id = ann
        .import("", "text/csv", "id,title,body\na/b,A,b\n", "")
        .await;
    bad_id.refused(422, "bad_id");
    assert_eq!(ann.ids("").await, [""; 0]);
    let pdf = ann.import("", "application/pdf", "%PDF", "").await;
    pdf.refused(415, "bad_media_type");
    let large = format!("title,body\n{}", "A,b\n".repeat(8_500_000));
    let large = ann.import("", "text/csv", &large, "").await;
    large.refused(413, "too_large");
    api.get("/api/notes").await.refused(401, "unauthorized");
    let cursor = ann.get("/api/notes?query=a&cursor=x").await;
    cursor.refused(400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_loads_the_example_with_and_without_a_server() {
    let place = TestFolder::new();
    let loaded = run(palimpsest(&place), &["notes", "import", SPRING])
        .await
        .with(0);
    assert_eq!(loaded.out, "60 notes: 60 new, 0 replaced, 0 unchanged\n");
    let server = Server::start(palimpsest(&place)).await;
    let again = run(palimpsest(&place), &["notes", "import", SPRING])
        .await
        .with(0);
    assert_eq!(again.out, "60 notes: 0 new, 0 replaced, 60 unchanged\n");
    let found = run(
        palimpsest(&place),
        &["notes", "search", "露营 做饭", "--json"],
    )
    .await;
    let found = found.with(0).out;
    let first: Value = serde_json::from_str(found.lines().next().expect("a note")).expect("JSON");
    assert_eq!(first["id"], "s53");
    // Pages follow each other without a gap or a repetition.
    let mut cursor = String::new();
    let mut ids = vec![];
    loop {
        let page = server
            .api()
            .get(&format!("/api/notes?limit=25{cursor}"))
            .await;
        let page = page.succeeded();
        let notes = page["notes"].as_array().expect("notes");
        ids.extend(
            notes
                .iter()
                .filter_map(|note| note["id"].as_str())
                .map(str::to_owned),
        );
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let all: Vec<String> = (1..=60).map(|n| format!("s{n:02}")).collect();
    assert_eq!(ids, all);
    let removed = run(palimpsest(&place), &["notes", "remove", "s01", "s02"]).await;
    assert_eq!(removed.with(0).out, "2 removed\n");
    let listed = run(palimpsest(&place), &["notes", "list", "--limit", "70"])
        .await
        .with(0);
    assert_eq!(listed.out.lines().count(), 58);
    let broken = place.write("broken.csv", "标题,正文\n只有标题\n");
    let broken = broken.to_str().expect("a path");
    let refused = run(palimpsest(&place), &["notes", "import", broken])
        .await
        .with(2);
    assert!(
        refused.err.contains("line 2: the body is missing"),
        "{}",
        refused.err
    );
    let text = place.write("notes.txt", "");
    let refused = run(
        palimpsest(&place),
        &["notes", "import", text.to_str().expect("a path")],
    )
    .await;
    assert!(refused.with(2).err.contains("--format"));
}
