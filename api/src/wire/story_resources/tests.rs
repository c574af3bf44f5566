//! Requests within the test, where what they leave cannot be seen from outside.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use domain::pipeline::Pipelines;
use domain::vectors::{Embedding, MEDIA_TYPE, TextHash, VectorDocument};
use domain::{Actor, DocumentId};
use runner::clock::Clock;
use runner::{Engine, NewDocument, Parts, SendError, vectors_of};
use serde_json::{Value, json};
use store::{Log, MasterKey, MemoryLog};
use tower::ServiceExt as _;

use crate::config::{Config, Environment, Flags, LOCAL_OWNER};

/// Bytes of an answer.
const ANSWER_BYTES: usize = 64 * 1024;

#[tokio::test]
async fn what_vectors_say_of_a_story_is_erased_with_it() {
    let clock = Clock::system();
    let log = MemoryLog::open(MasterKey::new([7; 32]), clock.as_fn()).await;
    let log: Arc<dyn Log> = Arc::new(log);
    let parts = Parts::new(Arc::clone(&log), Pipelines::new(vec![]));
    let engine = Engine::start(parts).await.expect("an engine");
    let config = Config::load(&Flags::default(), &Environment::from_pairs([]), &[]);
    let (app, _files) = crate::testing::app(engine, config.expect("right"), &[]);
    let router = crate::testing::router(app.clone());
    let ask = async |method: &str, path: &str, body: Value| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()));
        let answer = router.clone().oneshot(request.expect("a request"));
        let answer = answer.await.expect("an answer");
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), ANSWER_BYTES).await;
        let bytes = bytes.expect("an answer");
        (
            status,
            serde_json::from_slice::<Value>(&bytes).unwrap_or_default(),
        )
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
    assert_eq!(status, StatusCode::NO_CONTENT);
    let after = collections.get(LOCAL_OWNER, &place).await;
    assert!(matches!(after, Err(SendError::Erased)), "{after:?}");
}
