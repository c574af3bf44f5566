//! Sessions of the offline author, with what a person keeps in collections.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::live;
use crate::support::api::{Api, Follow};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::recorded::INVENTED_MASTER_KEY;
use crate::support::report::{TEMPLATE, ledger};
use crate::support::root;

/// Every session with the wire of its pipeline.
const SESSIONS: [(&str, &str); 5] = [
    ("course", "course"),
    ("course-live", "course"),
    ("report", "report"),
    ("report-kept", "report"),
    ("post", "post"),
];

pub(crate) async fn record(folder: &Path) {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command
        .env("PALIMPSEST_MODEL", "offline")
        .env("PALIMPSEST_WIDTH", "1")
        .env("PALIMPSEST_MASTER_KEY", INVENTED_MASTER_KEY);
    let mut server = Server::start(command).await;
    let api = server.api();
    collections(&api).await;
    courses(&api, folder).await;
    reports(&api, &server, folder).await;
    post(&api, folder).await;
    // The server is ended as a service manager does it, so that everything is brought into the database.
    server.signal("TERM").await;
    server.ended().await;
    crate::folded::keep(folder, &place, &SESSIONS).await;
}

async fn upload(api: &Api, path: &str, bytes: Vec<u8>) -> Value {
    let name = path.rsplit('/').next().expect("a name");
    let address = format!("/v1/files?name={name}");
    let uploaded = api.send(Method::POST, &address, &[], Some(bytes)).await;
    json!({ "path": path, "file": uploaded.succeeded()["file"] })
}

async fn end(api: &Api, session: &str, run: &str) {
    let mut follow = Follow::new(api, session, "native");
    follow.end(run, "run_completed").await;
}

/// Notes, a template and a knowledge base; one note is removed again.
async fn collections(api: &Api) {
    let notes = std::fs::read(root().join("examples/notes/spring.csv")).expect("an example");
    let csv = [("content-type", "text/csv")];
    api.send(Method::POST, "/api/notes/import", &csv, Some(notes))
        .await
        .succeeded();
    let listed = api.get("/api/notes").await.succeeded();
    let first = listed["notes"][0]["id"].as_str().expect("a note");
    api.delete(&format!("/api/notes/{first}")).await.succeeded();
    let template = json!({ "id": "year", "name": "The year", "content": TEMPLATE });
    api.post("/api/templates", &template).await.succeeded();
    let data: Value = serde_json::from_str(&ledger()).expect("JSON");
    let files = json!([{ "name": "sales.json", "data": data }]);
    api.post(
        "/api/databases",
        &json!({ "name": "Sales", "files": files }),
    )
    .await
    .succeeded();
}

async fn courses(api: &Api, folder: &Path) {
    let source = std::fs::read(root().join("examples/photosynthesis.md")).expect("a source");
    let attached = upload(api, "photosynthesis.md", source).await;
    let opening = json!({
        "pipeline": "course", "message": "光合作用入门，6 页", "session": "course", "attachments": [attached],
    });
    api.open(&opening).await;
    end(api, "course", "r1").await;
    let said = json!({ "message": "换成黑色主题" });
    api.command("course", "c1", "send_message", said)
        .await
        .succeeded();
    end(api, "course", "r2").await;

    let message = json!({ "message": "A deck of 4 pages about leaves", "messageId": "m1" });
    let live = live::socket_io(api, "course-live", &message).await;
    live.write(folder, "course-live.socket-io.jsonl");
}

async fn reports(api: &Api, server: &Server, folder: &Path) {
    let attached = [
        upload(api, "template/year.md", TEMPLATE.as_bytes().to_vec()).await,
        upload(api, "datasets/sales.json", ledger().into_bytes()).await,
    ];
    let opening = json!({
        "pipeline": "report", "message": "How was the year?", "session": "report", "attachments": attached,
    });
    api.open(&opening).await;
    end(api, "report", "r1").await;
    let address = server.socket_address().replace("/v1/stream", "/ws/report");
    let live = live::report(&address, "report").await;
    live.write(folder, "report.report.jsonl");

    // A template that is kept in a collection is found by its id.
    let kept = json!({
        "pipeline": "report", "message": "How was the year?", "session": "report-kept",
        "input": { "template_id": "year" },
    });
    api.open(&kept).await;
    end(api, "report-kept", "r1").await;
}

async fn post(api: &Api, folder: &Path) {
    let message = json!({
        "message": "请为年轻家庭写一篇周末去郊野公园春游野餐的种草笔记，目标是提升收藏和互动，风格轻松，直接生成，不用问",
        "threadId": "post",
    });
    let live = live::stream(api, "/api/agent/stream", &message).await;
    live.write(folder, "post.stream.txt");
}
