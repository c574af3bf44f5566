//! Requests in the test's own process, for effects that cannot be seen from outside.

use std::sync::Arc;

use domain::pipeline::Pipelines;
use domain::vectors::{Embedding, MEDIA_TYPE, TextHash, VectorDocument};
use domain::{Actor, DocumentId};
use runner::{Engine, NewDocument, Parts, SendError};
use serde_json::{Value, json};
use tools::story::searched::vectors_of;

use crate::config::LOCAL_OWNER;
use crate::testing;
use crate::wire::story;

#[tokio::test]
async fn what_vectors_say_of_a_story_is_erased_with_it() {
    let (log, _) = testing::log().await;
    let parts = Parts::new(Arc::clone(&log), Pipelines::new(vec![]));
    let engine = Engine::start(parts).await.expect("an engine");
    let program = testing::server(story::product::add);
    let (app, _files) = testing::app(&program, engine, testing::config(&[], &[]), &[]);
    let router = testing::router(&program, app.clone());
    let ask = async |method: &str, path: &str, body: Value| {
        testing::told(testing::ask(&router, method, path, &[], Some(body)).await).await
    };
    let (_, project) = ask("POST", "/api/projects", json!({ "title": "Fog" })).await;
    let id = project["id"].as_str().expect("an id");
    let vector = Embedding::of(&[1.0, 0.5]).expect("a direction");
    let document = VectorDocument {
        name: "m-1".to_owned(),
        about: id.to_owned(),
        vectors: vec![(TextHash::of("fog"), vector)],
    };
    let new = NewDocument {
        id: DocumentId::new(document.id()),
        name: document.about.clone(),
        media_type: MEDIA_TYPE.to_owned(),
        content: document.bytes().into(),
        facts: document.facts(),
    };
    let (collections, place) = (app.engine.collections(), vectors_of(id));
    let kept = collections.put(LOCAL_OWNER, &place, new, "k", Actor::system());
    kept.await.expect("kept");
    let path = format!("/api/projects/{id}");
    let (status, _) = ask("DELETE", &path, Value::Null).await;
    assert_eq!(status, 204);
    let after = collections.get(LOCAL_OWNER, &place).await;
    assert!(matches!(after, Err(SendError::Erased)), "{after:?}");
}
