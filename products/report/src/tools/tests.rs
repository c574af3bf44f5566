//! Templates and knowledge bases from an owner's own collections and from back ends on loopback.

use std::sync::Arc;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect};
use axum::routing::get;
use axum::{Json, Router};
use palimpsest::prelude::pipeline::Actor;
use palimpsest::prelude::resource::{CollectionId, Kind, NewDocument};
use palimpsest::prelude::tool::{Clock, Origin};
use palimpsest::prelude::trial::{MasterKey, MemoryLog};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::*;
use crate::resources::{DATABASES, TEMPLATES};

/// A back end on loopback that is gone when the value is dropped.
struct Server {
    url: String,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(routes: Router) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let task =
            tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        Self { url, task }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn collections() -> Collections {
    let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
    Collections::new(Arc::new(log), Clock::system())
}

async fn put(collections: &Collections, owner: &str, kind: Kind, id: &str, name: &str, text: &str) {
    let document = NewDocument {
        id: id.into(),
        name: name.to_owned(),
        media_type: "text/markdown".to_owned(),
        content: text.to_owned().into(),
        facts: Value::Null,
    };
    let (place, key) = (CollectionId::only(kind), format!("{id}-{name}"));
    let put = collections.put(owner, &place, document, &key, Actor::system());
    put.await.expect("put");
}

fn with(collections: &Collections, configured: Option<&str>, allowed: &[&str]) -> OwnedResources {
    let allowed = allowed
        .iter()
        .map(|text| Origin::parse(text).expect("an origin"));
    let back_ends = BackEnds::new(configured.map(str::to_owned), allowed.collect());
    OwnedResources::new(collections.clone(), back_ends.expect("builds"))
}

fn hints(json: Value) -> Hints {
    serde_json::from_value(json).expect("hints")
}

/// A back end as the contract describes it.
async fn back_end() -> Server {
    let databases = |Path(id): Path<String>| async move {
        let files = json!([{ "id": "f1", "name": "sales.json", "data": { "q1": 3 } }]);
        match id.as_str() {
            "7" => Json(json!({ "id": 7, "name": "Sales", "files": files })).into_response(),
            "many" => {
                let files: Vec<_> = (0..201).map(|n| json!({ "id": n, "name": "f" })).collect();
                Json(json!({ "id": id, "name": "Many", "files": files })).into_response()
            }
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    };
    let many = json!([
        { "id": "t1", "name": "Weekly", "content": "# Weekly of the back end" },
        { "id": "t2", "name": "Short" },
        { "id": "t3", "name": "Page.html", "content": "<h1>Page</h1>" },
        { "id": "t4", "name": "Huge", "content": "x".repeat(1024 * 1024 + 1) },
        { "id": "Weekly", "name": "named like another's id", "content": "# By id" },
    ]);
    let routes = Router::new()
        .route("/api/templates", get(move || async move { Json(many) }))
        .route(
            "/api/templates/t2",
            get(|| async { Json(json!({ "id": "t2", "name": "Short", "content": "# Whole" })) }),
        )
        .route(
            "/api/databases",
            get(|| async {
                Json(json!([{ "id": 7, "name": "Sales" }, { "id": "many", "name": "Many" }]))
            }),
        )
        .route("/api/databases/{id}", get(databases));
    Server::start(routes).await
}

#[tokio::test]
async fn without_a_back_end_the_owners_own_are_loaded_and_only_what_was_named() {
    let collections = collections().await;
    put(&collections, "ann", TEMPLATES, "t1", "Weekly", "# Weekly").await;
    let database = json!({ "id": "d1", "name": "Sales", "files": [{ "id": "f", "name": "a.json", "data": [1, null] }] });
    put(
        &collections,
        "ann",
        DATABASES,
        "d1",
        "Sales",
        &database.to_string(),
    )
    .await;
    let resources = with(&collections, None, &[]);
    let load = |owner: &'static str, json| resources.load(owner, hints(json));

    let loaded = load(
        "ann",
        json!({ "template_name": "Weekly", "database_id": "" }),
    )
    .await;
    let template = json!({ "id": "t1", "name": "Weekly", "content": "# Weekly", "media_type": "text/markdown" });
    assert_eq!(
        loaded.map(|loaded| json!(loaded)),
        Ok(json!({ "template": template }))
    );
    let loaded = load("ann", json!({ "knowledge_base_name": "Sales" })).await;
    assert_eq!(
        loaded.map(|loaded| json!(loaded)),
        Ok(json!({ "database": database }))
    );
    assert_eq!(load("ann", json!({})).await, Ok(Loaded::default()));

    let missing = load(
        "ann",
        json!({ "template_id": "t9", "template_name": "weekly" }),
    )
    .await;
    let error = missing.expect_err("it is not there");
    assert_eq!(
        error.to_string(),
        "there is no template `weekly`; there is `Weekly`"
    );
    assert_eq!((error.code(), error.retryable()), ("no_template", false));
    // The templates of another owner are not found.
    let error = load("bob", json!({ "template_id": "t1" }))
        .await
        .expect_err("Ann's");
    assert!(
        error
            .to_string()
            .starts_with("there is no template `t1`; there is none at all"),
        "{error}"
    );
    let error = load("bob", json!({ "database_id": "d1" }))
        .await
        .expect_err("Ann's");
    assert_eq!(error.code(), "no_database");
}

#[tokio::test]
async fn at_most_ten_names_are_told_where_one_is_missing() {
    let collections = collections().await;
    for n in 10..40 {
        put(
            &collections,
            "ann",
            TEMPLATES,
            &n.to_string(),
            &format!("T{n}"),
            "#",
        )
        .await;
    }
    let resources = with(&collections, None, &[]);
    let missing = resources
        .load("ann", hints(json!({ "template_name": "none" })))
        .await;
    let text = missing.expect_err("it is not there").to_string();
    assert_eq!(text.matches("`T").count(), 10, "{text}");
}

#[tokio::test]
async fn a_named_back_end_has_both_by_id_first_and_then_by_name() {
    let (server, collections) = (back_end().await, collections().await);
    put(&collections, "ann", TEMPLATES, "t9", "Mine", "# Mine").await;
    let resources = with(&collections, None, &[&server.url]);
    let base = format!("{}/", server.url);
    let load = |mut json: Value| {
        json["api_base_url"] = base.clone().into();
        resources.load("ann", hints(json))
    };
    for (asked, content) in [
        (
            json!({ "template_name": "Weekly" }),
            "# Weekly of the back end",
        ),
        (json!({ "template_id": "Weekly" }), "# By id"),
        (
            json!({ "template_id": "none", "template_name": "Weekly" }),
            "# Weekly of the back end",
        ),
        (json!({ "template_name": "Short" }), "# Whole"),
        (json!({ "template_id": "t3" }), "<h1>Page</h1>"),
    ] {
        let loaded = load(asked.clone()).await.expect("it is there");
        let template = loaded.template.expect("it was named");
        assert_eq!(template.content, content, "{asked}");
    }
    let html = load(json!({ "template_id": "t3" }))
        .await
        .expect("it is there");
    assert_eq!(
        html.template.map(|t| t.media_type),
        Some("text/html".into())
    );
    for asked in [
        json!({ "database_id": "7" }),
        json!({ "knowledge_base_name": "Sales" }),
        json!({ "database_id": "8", "knowledge_base_name": "Sales" }),
    ] {
        let loaded = load(asked.clone()).await.expect("it is there");
        let files = json!([{ "id": "f1", "name": "sales.json", "data": { "q1": 3 } }]);
        let whole = json!({ "id": "7", "name": "Sales", "files": files });
        assert_eq!(json!(loaded)["database"], whole, "{asked}");
    }
    for (asked, code) in [
        // The owner's own templates are not looked at if a back end is named.
        (json!({ "template_name": "Mine" }), "no_template"),
        (json!({ "database_id": "8" }), "no_database"),
        (json!({ "database_id": "../templates" }), "no_database"),
        (json!({ "template_name": "Huge" }), "too_large"),
        (json!({ "database_id": "many" }), "too_large"),
    ] {
        let error = load(asked.clone()).await.expect_err("refused");
        assert_eq!(error.code(), code, "{asked}: {error}");
    }
}

#[tokio::test]
async fn a_configured_back_end_is_asked_for_what_the_owner_does_not_have() {
    let (server, collections) = (back_end().await, collections().await);
    put(&collections, "ann", TEMPLATES, "t9", "Weekly", "# Mine").await;
    let resources = with(&collections, Some(&server.url), &[&server.url]);
    let content = async |name: &str| {
        let loaded = resources
            .load("ann", hints(json!({ "template_name": name })))
            .await;
        loaded.map(|loaded| loaded.template.map(|template| template.content))
    };
    assert_eq!(content("Weekly").await, Ok(Some("# Mine".into())));
    assert_eq!(content("Short").await, Ok(Some("# Whole".into())));
    let error = content("none").await.expect_err("nobody has it");
    assert!(
        error.to_string().contains("`Weekly`, `Weekly`, `Short`"),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_back_end_is_told_precisely() {
    let routes = Router::new()
        .route(
            "/html/api/templates",
            get(|| async { Html("<p>sign in</p>") }),
        )
        .route(
            "/odd/api/templates",
            get(|| async { Json(json!({ "templates": [] })) }),
        )
        .route(
            "/sick/api/templates",
            get(|| async { StatusCode::BAD_GATEWAY }),
        )
        .route(
            "/away/api/templates",
            get(|| async { Redirect::temporary("http://127.0.0.1:1/secret") }),
        );
    let server = Server::start(routes).await;
    let gone = "http://127.0.0.1:1";
    let collections = collections().await;
    let alone = [server.url.as_str()];
    let both = [server.url.as_str(), gone];
    for (allowed, base, code, retryable, says) in [
        (
            &alone[..],
            format!("{}/html", server.url),
            "not_json",
            false,
            "text/html",
        ),
        (
            &alone[..],
            format!("{}/odd", server.url),
            "not_json",
            false,
            "a list",
        ),
        (
            &alone[..],
            format!("{}/sick", server.url),
            "back_end",
            true,
            "502",
        ),
        (
            &alone[..],
            format!("{}/away", server.url),
            "host_not_allowed",
            false,
            "TEMPLATE_API_ALLOW",
        ),
        (
            &alone[..],
            gone.to_owned(),
            "host_not_allowed",
            false,
            &server.url,
        ),
        (
            &both[..],
            gone.to_owned(),
            "unreachable",
            true,
            "127.0.0.1:1",
        ),
        (
            &alone[..],
            "http://169.254.169.254/".to_owned(),
            "host_not_allowed",
            false,
            "169.254",
        ),
        (
            &alone[..],
            "file:///etc/passwd".to_owned(),
            "back_end",
            false,
            "http",
        ),
        (
            &alone[..],
            "nonsense".to_owned(),
            "back_end",
            false,
            "http://host/path",
        ),
    ] {
        let resources = with(&collections, None, allowed);
        let asked = json!({ "template_name": "Weekly", "api_base_url": base });
        let error = resources.load("ann", hints(asked)).await.expect_err(&base);
        assert_eq!(
            (error.code(), error.retryable()),
            (code, retryable),
            "{base}: {error}"
        );
        assert!(error.to_string().contains(says), "{base}: {error}");
    }
}

#[tokio::test]
async fn the_tool_gives_what_it_loaded_and_says_why_it_did_not() {
    let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
    let collections = Collections::new(Arc::new(log), Clock::system());
    put(&collections, "ann", TEMPLATES, "t1", "Weekly", "# Weekly").await;
    let tool = LoadResources(Some(Arc::new(with(&collections, None, &[]))));
    let named = json!({ "template_name": "Weekly", "mode": "replan" });
    let outcome = tool.load("ann", &named).await;
    assert_eq!(outcome.output["template"]["content"], "# Weekly");
    assert_eq!(outcome.summary, "template `Weekly` of 8 bytes");
    assert_eq!(outcome.error, None);
    for (tool, input, code) in [
        (&tool, json!({ "template_name": "Monthly" }), "no_template"),
        (&tool, json!({ "template_name": 7 }), "bad_hints"),
        (
            &LoadResources(None),
            json!({ "template_name": "Weekly" }),
            "off",
        ),
    ] {
        let outcome = tool.load("ann", &input).await;
        assert_eq!(outcome.output["code"], code, "{input}");
        assert_eq!(outcome.error.map(|error| error.code), Some(code.to_owned()));
    }
}
