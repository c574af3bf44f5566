//! What templates, knowledge bases and notes have in common over HTTP: pages, and an `ETag` on every answer.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};

const KINDS: [&str; 3] = ["templates", "databases", "notes"];

/// Puts a document of this kind in, in place of the one with its id.
async fn put(api: &Api, kind: &str, id: &str, text: &str) {
    let (path, body) = match kind {
        "templates" => (
            "/api/templates",
            json!({ "id": id, "name": id, "content": text }),
        ),
        "databases" => (
            "/api/databases",
            json!({ "id": id, "name": id, "files": [{ "name": "a.json", "data": text }] }),
        ),
        _ => (
            "/api/notes/import?format=jsonl",
            json!({ "id": id, "title": id, "body": text }),
        ),
    };
    api.post(path, &body).await.succeeded();
}

async fn get(api: &Api, path: &str, known: &str) -> Answer {
    let headers = [("if-none-match", known)];
    api.send(Method::GET, path, &headers, None).await
}

/// The ids of a list. That of notes is a field of the answer.
fn ids(listed: &Value) -> Vec<String> {
    let rows = listed["notes"].as_array().or_else(|| listed.as_array());
    let ids = rows.expect("a list").iter().map(|row| &row["id"]);
    ids.map(|id| id.as_str().expect("an id").to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_sent_again_only_after_it_changed() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    for kind in KINDS {
        put(&api, kind, "a", "first").await;
        for path in [format!("/api/{kind}"), format!("/api/{kind}/a")] {
            let first = api.get(&path).await;
            let tag = first.header("etag");
            assert!(tag.starts_with('"'), "{path}: {tag}");
            assert_eq!(first.header("cache-control"), "private, no-cache");
            assert_eq!(first.header("content-type"), "application/json");
            let known = get(&api, &path, &tag).await;
            assert_eq!(known.header("etag"), tag);
            assert_eq!((known.status.as_u16(), known.body), (304, json!("")));
            put(&api, kind, "a", "second, and longer").await;
            let second = get(&api, &path, &tag).await;
            assert_ne!(second.header("etag"), tag);
            assert_eq!(second.status, 200, "{path}");
            assert_ne!(second.body, first.body);
            put(&api, kind, "a", "first").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_every_kind_cover_the_list_without_gap_or_repetition() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    let all = ["a", "b", "c", "d", "周报"];
    for kind in KINDS {
        for id in all {
            put(&api, kind, id, "text").await;
        }
        let list = format!("/api/{kind}");
        let whole = api.get(&list).await;
        assert_eq!(whole.header("link"), "", "the whole list is one page");
        assert_eq!(ids(&whole.body), all);
        let (mut path, mut pages) = (format!("{list}?limit=2"), vec![]);
        loop {
            let page = api.get(&path).await;
            pages.push(ids(&page.body));
            let link = page.header("link");
            let Some((next, _)) = link.strip_prefix('<').and_then(|link| link.split_once('>'))
            else {
                break;
            };
            path = format!("{list}{next}");
        }
        assert_eq!(pages.concat(), all);
        let lengths: Vec<_> = pages.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 2, 1]);
        // A limit that is too small is raised to 1.
        let most = api.get(&format!("{list}?limit=0")).await.succeeded();
        assert_eq!(ids(&most), ["a"]);
        let no_number = api.get(&format!("{list}?limit=x")).await;
        no_number.refused(400, "bad_query");
    }
    // The next page keeps the other parameters.
    let short = api.get("/api/templates?content=false&limit=1").await;
    assert_eq!(
        short.header("link"),
        "<?content=false&limit=1&cursor=a>; rel=\"next\""
    );
    let last = api
        .get("/api/templates?cursor=d&limit=1&content=false")
        .await;
    assert_eq!(
        (ids(&last.body), last.header("link")),
        (vec!["周报".to_owned()], String::new())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn content_and_data_are_the_same_and_another_field_is_refused_by_name() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    for (name, field) in [("one", "content"), ("two", "data")] {
        let file = json!({ "name": "a.csv", field: "x,y\n1,2" });
        let base = json!({ "id": name, "name": name, "files": [file] });
        api.post("/api/databases", &base).await.succeeded();
        let kept = api.get(&format!("/api/databases/{name}")).await.succeeded();
        assert_eq!(kept["files"][0]["data"], "x,y\n1,2", "{field}");
        let template = json!({ "id": name, "name": name, field: "# A" });
        api.post("/api/templates", &template).await.succeeded();
        let kept = api.get(&format!("/api/templates/{name}")).await.succeeded();
        assert_eq!(kept["content"], "# A", "{field}");
    }
    let base = |file: Value| json!({ "name": "a", "files": [file] });
    for (path, body, word) in [
        (
            "/api/databases",
            base(json!({ "name": "a", "dta": "x" })),
            "`dta`",
        ),
        (
            "/api/databases",
            base(json!({ "name": "a", "data": "x", "content": "y" })),
            "`data`",
        ),
        (
            "/api/databases",
            json!({ "name": "a", "files": [], "data": "x" }),
            "`data`",
        ),
        (
            "/api/templates",
            json!({ "name": "a", "content": "# A", "body": "x" }),
            "`body`",
        ),
    ] {
        let said = api.post(path, &body).await.refused(422, "bad_body");
        assert!(said.contains(word), "{said}");
    }
}
