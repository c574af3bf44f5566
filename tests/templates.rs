//! Templates and knowledge bases over HTTP: kept, given, listed and removed, for their owner alone, across a restart.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::Answer;
use crate::support::folder::TestFolder;
use crate::support::person::{ANN, BOB, Person, with_keys};
use crate::support::program::{Server, palimpsest, run};

impl Person<'_> {
    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        self.ask_keyed(method, path, body, "").await
    }

    async fn ask_keyed(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        key: &str,
    ) -> Answer {
        let mut headers = vec![
            ("authorization", self.1),
            ("content-type", "application/json"),
        ];
        if !key.is_empty() {
            headers.push(("idempotency-key", key));
        }
        let body = body.map(|body| body.to_string().into_bytes());
        self.0.send(method, path, &headers, body).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask(Method::POST, path, Some(body)).await
    }

    async fn upload(&self, path: &str, media_type: &str, body: &str) -> Answer {
        let headers = [("authorization", self.1), ("content-type", media_type)];
        let body = Some(body.as_bytes().to_vec());
        self.0.send(Method::PUT, path, &headers, body).await
    }
}

/// What an answer has under these names.
fn fields(answer: &Value, names: &[&str]) -> Value {
    let field = |name: &&str| ((*name).to_owned(), answer[*name].clone());
    Value::Object(names.iter().map(field).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_kept_for_its_owner_alone_and_outlives_the_server() {
    let place = TestFolder::new();
    let mut server = Server::start(with_keys(&place)).await;
    let api = server.api();
    let (ann, bob) = (Person(&api, ANN), Person(&api, BOB));
    let health = api.get("/api/health").await.succeeded();
    assert_eq!(health, json!({ "ok": true, "service": "palimpsest" }));
    assert_eq!(ann.get("/api/templates").await.succeeded(), json!([]));

    let weekly = json!({ "id": "weekly", "name": "周报", "content": "# 周报\n## 一、进展\n" });
    let kept = ann.post("/api/templates", &weekly).await;
    assert_eq!(kept.status, 201);
    assert_eq!(
        fields(
            &kept.body,
            &["id", "name", "content", "media_type", "bytes"]
        ),
        json!({ "id": "weekly", "name": "周报", "content": "# 周报\n## 一、进展\n", "media_type": "text/markdown", "bytes": 25 })
    );
    let longer = json!({ "id": "weekly", "name": "周报", "content": "<html>".repeat(30_000) });
    let kept = ann.post("/api/templates", &longer).await;
    assert_eq!(
        (kept.status.as_u16(), &kept.body["media_type"]),
        (200, &json!("text/html"))
    );
    let page = ann
        .upload(
            "/api/templates/page.md",
            "text/markdown; charset=utf-8",
            "# Page",
        )
        .await;
    assert_eq!(page.status, 201);
    let page = page.body["id"].as_str().expect("an id").to_owned();
    let again = ann
        .upload("/api/templates/page.md", "text/html", "<h1>Page")
        .await;
    assert_eq!(
        (again.status.as_u16(), &again.body["id"]),
        (200, &json!(page))
    );

    // A repetition gets the answer of the first request, and makes no second template.
    let unnamed = json!({ "name": "Monthly", "content": "# Monthly" });
    let first = ann
        .ask_keyed(Method::POST, "/api/templates", Some(&unnamed), "k1")
        .await;
    let second = ann
        .ask_keyed(Method::POST, "/api/templates", Some(&unnamed), "k1")
        .await;
    assert_eq!(
        (first.status.as_u16(), &first.body["id"]),
        (201, &second.body["id"])
    );
    let other = json!({ "name": "Yearly", "content": "# Yearly" });
    let reused = ann
        .ask_keyed(Method::POST, "/api/templates", Some(&other), "k1")
        .await;
    reused.refused(409, "id_reused");

    let listed = ann.get("/api/templates").await.succeeded();
    let names: Vec<_> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|t| &t["name"])
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        listed
            .as_array()
            .expect("a list")
            .iter()
            .all(|t| t["content"].is_string())
    );
    let without = ann.get("/api/templates?content=false").await.succeeded();
    assert!(
        without
            .as_array()
            .expect("a list")
            .iter()
            .all(|t| t.get("content").is_none())
    );

    // Other owners do not see the template, and no list of sessions shows it.
    assert_eq!(bob.get("/api/templates").await.succeeded(), json!([]));
    bob.get("/api/templates/weekly")
        .await
        .refused(404, "no_template");
    bob.ask(Method::DELETE, "/api/templates/weekly", None)
        .await
        .refused(404, "no_template");
    assert_eq!(
        ann.get("/v1/sessions").await.succeeded()["sessions"],
        json!([])
    );

    server.kill().await;
    let server = Server::start(with_keys(&place)).await;
    let api = server.api();
    let ann = Person(&api, ANN);
    let kept = ann.get("/api/templates/weekly").await.succeeded();
    assert_eq!(kept["content"], longer["content"]);
    let gone = ann.ask(Method::DELETE, "/api/templates/weekly", None).await;
    assert_eq!(gone.status, 204);
    ann.get("/api/templates/weekly")
        .await
        .refused(404, "no_template");
    let left = ann.get("/api/templates?content=false").await.succeeded();
    assert_eq!(left.as_array().map(Vec::len), Some(2));
    run(palimpsest(&place), &["verify"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_knowledge_base_comes_back_as_it_was_written() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let api = server.api();
    let files = json!([
        { "id": "s", "name": "sales.json", "data": { "z": 1.50, "a": ["长".repeat(50_000), null] } },
        { "name": "notes.json" },
    ]);
    let sales = json!({ "name": "Sales", "files": files });
    let kept = api.post("/api/databases", &sales).await;
    assert_eq!(kept.status, 201);
    assert_eq!(
        (&kept.body["name"], &kept.body["file_count"]),
        (&json!("Sales"), &json!(2))
    );
    let id = kept.body["id"].as_str().expect("an id").to_owned();
    let mut whole = json!({ "id": id, "name": "Sales", "files": files });
    whole["files"][1] = json!({ "id": "f2", "name": "notes.json", "data": null });
    let path = format!("/api/databases/{id}");
    assert_eq!(api.get(&path).await.succeeded(), whole);
    let listed = api.get("/api/databases").await.succeeded();
    assert_eq!(listed, json!([kept.body]));
    // The same again changes nothing.
    let again = api.post("/api/databases", &whole).await;
    assert_eq!((again.status.as_u16(), again.body), (200, kept.body));
    assert_eq!(api.delete(&path).await.status, 204);
    api.get(&path).await.refused(404, "no_database");
    api.delete(&path).await.refused(404, "no_database");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_taken_is_refused_with_what_to_do() {
    let place = TestFolder::new();
    let server = Server::start(with_keys(&place)).await;
    let api = server.api();
    let ann = Person(&api, ANN);
    let template =
        |id: &str, name: &str, content: &str| json!({ "id": id, "name": name, "content": content });
    for (body, status, code) in [
        (json!({ "name": "no content" }), 422, "bad_body"),
        (template("a/b", "A", "#"), 422, "bad_id"),
        (template("a", " ", "#"), 422, "bad_name"),
        (
            json!({ "name": "A", "content": "#", "media_type": "text/x" }),
            422,
            "bad_media_type",
        ),
        (
            template("a", "A", &"x".repeat(1024 * 1024 + 1)),
            413,
            "document_too_large",
        ),
        (
            template("a", "A", &"x".repeat(3 * 1024 * 1024)),
            413,
            "too_large",
        ),
    ] {
        ann.post("/api/templates", &body)
            .await
            .refused(status, code);
    }
    // A template of a megabyte is accepted, although a message may have no more than a megabyte with everything around it.
    let most = template("most", "Most", &"\"".repeat(1024 * 1024));
    assert_eq!(ann.post("/api/templates", &most).await.status, 201);
    ann.upload("/api/templates/a", "application/pdf", "%PDF")
        .await
        .refused(415, "bad_media_type");
    let database = |files: Value| json!({ "id": "d", "name": "D", "files": files });
    let many: Vec<Value> = (0..201).map(|n| json!({ "name": n.to_string() })).collect();
    for (body, status, code) in [
        (json!({ "name": "no files" }), 422, "bad_body"),
        (database(json!(many)), 422, "too_many_files"),
        (
            database(json!([{ "id": "a", "name": "a" }, { "id": "a", "name": "b" }])),
            422,
            "id_twice",
        ),
        (
            database(json!([{ "name": "a", "data": "x".repeat(17 * 1024 * 1024) }])),
            413,
            "document_too_large",
        ),
    ] {
        ann.post("/api/databases", &body)
            .await
            .refused(status, code);
    }
    let key = [("authorization", ANN), ("content-type", "application/json")];
    let broken = Some(b"{".to_vec());
    api.send(Method::POST, "/api/templates", &key, broken)
        .await
        .refused(400, "not_json");
    api.get("/api/templates").await.refused(401, "unauthorized");
    let foreign = [("authorization", ANN), ("origin", "https://evil.example")];
    api.send(Method::GET, "/api/templates", &foreign, None)
        .await
        .refused(403, "origin_not_allowed");

    // What is kept is no session, whatever a client calls one.
    let open =
        json!({ "pipeline": "course", "message": "Tides", "session": "collection:templates" });
    ann.post("/v1/sessions", &open).await.refused(422, "bad_id");
    for path in ["", "/artifacts", "/history", "/branches", "/events"] {
        let path = format!("/v1/sessions/collection:templates{path}");
        ann.get(&path).await.refused(404, "no_session");
    }
    let path = "/v1/sessions/collection:templates";
    ann.ask(Method::DELETE, path, None)
        .await
        .refused(404, "no_session");
    assert_eq!(ann.get("/api/templates/most").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_effective_settings_name_the_back_ends() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.envs([
        ("BACKEND_BASE_URL", "http://backend.example:8787/v2"),
        ("TEMPLATE_API_ALLOW", "https://other.example"),
    ]);
    let shown = run(command, &["serve", "--check"]).await.with(0).out;
    for line in [
        "back_end.base_url = http://backend.example:8787/v2",
        "back_end.allowed = http://backend.example:8787, https://other.example",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let mut command = palimpsest(&place);
    command.env(
        "TEMPLATE_API_BASE_URL",
        "http://me:topsecret@backend.example",
    );
    let refused = run(command, &["serve", "--check"]).await.with(2);
    assert!(
        refused.err.contains("TEMPLATE_API_BASE_URL") && !refused.err.contains("topsecret"),
        "{}",
        refused.err
    );
}
