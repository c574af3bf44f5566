//! What owners keep for reports, over HTTP.

use palimpsest::Server;
use palimpsest::prelude::trial::serving;
use palimpsest::prelude::wire::Engine;

#[tokio::test]
async fn the_document_describes_every_route_of_templates_and_knowledge_bases() {
    let server = Server::builder().add(crate::add).build();
    let server = server.expect("it goes together");
    let (log, clock) = serving::memory_log().await;
    let engine = Engine::start(server.parts(log, clock, None)).await;
    let files = tempfile::tempdir().expect("a folder");
    let config = serving::config(&[], &[]);
    let engine = engine.expect("an engine");
    let app = serving::app(&server, engine, config, &[], files.path());
    let router = serving::router(&server, app);
    let answer = serving::ask(&router, "GET", "/openapi.json", &[], None).await;
    let (_, document) = serving::told(answer).await;
    for route in [
        "DELETE /api/databases/{database}",
        "DELETE /api/templates/{template}",
        "GET /api/databases",
        "GET /api/databases/{database}",
        "GET /api/templates",
        "GET /api/templates/{template}",
        "POST /api/databases",
        "POST /api/templates",
        "PUT /api/templates/{template}",
    ] {
        let (method, path) = route.split_once(' ').expect("a method");
        let described = &document["paths"][path][method.to_lowercase()];
        assert!(described.is_object(), "{route} is not described");
    }
}
