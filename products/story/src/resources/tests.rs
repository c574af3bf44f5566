//! Requests in the test's own process, for effects that cannot be seen from outside.

use std::sync::Arc;

use palimpsest::prelude::pipeline::vectors::{Embedding, MEDIA_TYPE, TextHash, VectorDocument};
use palimpsest::prelude::pipeline::{DocumentId, Pipelines};
use palimpsest::prelude::resource::NewDocument;
use palimpsest::prelude::trial::Parts;
use palimpsest::prelude::trial::serving::{self, memory_log};
use palimpsest::prelude::wire::{Actor, Engine, LOCAL_OWNER, SendError};
use serde_json::{Value, json};

use crate::tools::searched::vectors_of;
use crate::wire::into::tests::{app, program};

#[tokio::test]
async fn what_vectors_say_of_a_story_is_erased_with_it() {
    let (log, _) = memory_log().await;
    let parts = Parts::new(Arc::clone(&log), Pipelines::new(vec![]));
    let engine = Engine::start(parts).await.expect("an engine");
    let (app, _files) = app(engine, serving::config(&[], &[]), &[]);
    let router = serving::router(&program(), app.clone());
    let ask = async |method: &str, path: &str, body: Value| {
        serving::told(serving::ask(&router, method, path, &[], Some(body)).await).await
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
