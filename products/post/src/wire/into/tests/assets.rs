//! Pictures by their numbers: they are served like their artifacts, only to their owners.

use std::future::poll_fn;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use bytes::Bytes;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body as Stored, SessionOpened};
use palimpsest::prelude::pipeline::numbers::asset_number;
use palimpsest::prelude::pipeline::{ArtifactId, Pipelines, RunId};
use palimpsest::prelude::trial::Blob;
use palimpsest::prelude::trial::Parts;
use palimpsest::prelude::trial::serving;
use palimpsest::prelude::trial::{Append, CommandId};
use palimpsest::prelude::wire::{App, Engine, KeyEntry, Log, SessionId, StepId, StreamId};
use serde_json::Value;
use tower::Service;

use super::program;

const PICTURE: &str = "art_img_9f86d081884c7d659a2feaa0";
const PIXELS: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

struct PictureServer {
    app: App,
    _files: tempfile::TempDir,
}

impl PictureServer {
    /// A server with one picture of ann's; bob has a key as well.
    async fn new() -> Self {
        let (log, _) = serving::memory_log().await;
        put(log.as_ref()).await;
        let parts = Parts::new(log, Pipelines::new(vec![]));
        let engine = Engine::start(parts).await.expect("an engine");
        let config = serving::config(&[], &[]);
        let key = |owner: &str| KeyEntry {
            owner: owner.to_owned(),
            secret: Some(format!("{owner}s-key")),
            sha256: None,
        };
        let keys = [key("ann"), key("bob")];
        let files = tempfile::tempdir().expect("a folder");
        let app = serving::app(&program(), engine, config, &keys, files.path());
        Self { app, _files: files }
    }

    async fn get(&self, path: &str, headers: &[(header::HeaderName, &str)]) -> Response<Body> {
        let mut request = Request::get(path).header(header::HOST, "localhost");
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let request = request.body(Body::empty()).expect("a request");
        let mut router = serving::router(&program(), self.app.clone());
        poll_fn(|context| Service::<Request<Body>>::poll_ready(&mut router, context))
            .await
            .expect("it never fails");
        router.call(request).await.expect("it never fails")
    }

    async fn refused(&self, path: &str, headers: &[(header::HeaderName, &str)]) -> (u16, String) {
        let response = self.get(path, headers).await;
        let status = response.status().as_u16();
        let body: Value = serde_json::from_slice(&body(response).await).expect("JSON");
        let code = body["error"]["code"].as_str().unwrap_or_default();
        (status, code.to_owned())
    }
}

async fn body(response: Response<Body>) -> Bytes {
    to_bytes(response.into_body(), 1_000_000)
        .await
        .expect("a body")
}

async fn put(log: &dyn Log) {
    let stream = StreamId::new("ann", SessionId::new("s"));
    let pixels = Blob::of(PIXELS);
    let produced = ArtifactProduced {
        artifact: ArtifactId::new(PICTURE),
        kind: "image".into(),
        part: "".into(),
        number: 1,
        title: "A lake".into(),
        step: StepId::new(RunId(1), "images", "1"),
        attempt: 1,
        body: Stored::Blob {
            blob: pixels.reference().clone(),
            media_type: "image/png".to_owned(),
        },
        facts: Value::Null,
        from: vec![],
        shown: true,
    };
    let opened = SessionOpened {
        pipeline: "post".into(),
        title: "Lakes".to_owned(),
    };
    let id = CommandId::of(&stream, "1");
    let mut append = Append::new(stream, 0, id, vec![opened.into(), produced.into()]);
    append.blobs.push(pixels);
    log.append(append).await.expect("appended");
}

fn path() -> String {
    let number = asset_number(&ArtifactId::new(PICTURE)).expect("a number");
    format!("/api/assets/{number}")
}

const ANN: (header::HeaderName, &str) = (header::AUTHORIZATION, "Bearer anns-key");
const BOB: (header::HeaderName, &str) = (header::AUTHORIZATION, "Bearer bobs-key");

#[tokio::test]
async fn a_picture_is_served_by_its_number_whole_in_parts_or_not_again() {
    let place = PictureServer::new().await;
    let whole = place.get(&path(), &[ANN]).await;
    assert_eq!(whole.status(), StatusCode::OK);
    assert_eq!(whole.headers()[header::CONTENT_TYPE], "image/png");
    assert_eq!(whole.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    let etag = whole.headers()[header::ETAG]
        .to_str()
        .expect("text")
        .to_owned();
    assert_eq!(body(whole).await, PIXELS);
    let known = place
        .get(&path(), &[ANN, (header::IF_NONE_MATCH, &etag)])
        .await;
    assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
    let part = place
        .get(&path(), &[ANN, (header::RANGE, "bytes=1-3")])
        .await;
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(body(part).await, &PIXELS[1..4]);
}

#[tokio::test]
async fn a_picture_is_nobody_elses() {
    let place = PictureServer::new().await;
    let found = async |path: &str, headers: &[_]| place.refused(path, headers).await;
    let none = (404, "no_artifact".to_owned());
    assert_eq!(found(&path(), &[BOB]).await, none);
    assert_eq!(found(&path(), &[]).await.0, 401);
    for path in [
        "/api/assets/1",
        "/api/assets/x",
        "/api/assets/99999999999999999",
    ] {
        assert_eq!(found(path, &[ANN]).await, none, "{path}");
    }
}

#[tokio::test]
async fn the_signed_address_of_the_artifact_opens_the_picture_without_a_key() {
    let place = PictureServer::new().await;
    let now = place.app.engine.clock().now();
    let signed = |owner: &str, artifact: &str| {
        let artifact = ArtifactId::new(artifact);
        place.app.signer.address_query(owner, &artifact, now)
    };
    let opened = place
        .get(&format!("{}?{}", path(), signed("ann", PICTURE)), &[])
        .await;
    assert_eq!(opened.status(), StatusCode::OK);
    assert_eq!(body(opened).await, PIXELS);
    // Signatures of another picture, for another owner, or made up: the answer is the same, whether or not the picture exists.
    let bad = (403, "bad_address".to_owned());
    for query in [
        signed("ann", "art_img_0"),
        signed("bob", PICTURE),
        "exp=9999999999&sig=YW5u.AAAA".to_owned(),
        "exp=9999999999&sig=x".to_owned(),
    ] {
        assert_eq!(
            place.refused(&format!("{}?{query}", path()), &[]).await,
            bad
        );
        assert_eq!(
            place.refused(&format!("/api/assets/1?{query}"), &[]).await,
            bad
        );
    }
}
