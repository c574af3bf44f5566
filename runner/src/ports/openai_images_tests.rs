use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Multipart;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures::stream;
use tokio::sync::oneshot;

use super::*;
use crate::ports::images::Reference;
use crate::ports::model::Discard;
use crate::ports::testing::{Server, picture_of};

const KEY: &str = "sk-very-secret";

#[derive(Default)]
struct RawSink(Vec<u8>);

impl AnswerSink for RawSink {
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()> {
        self.0.extend_from_slice(raw);
        Ok(())
    }

    fn text(&mut self, _: &str) {}
}

fn images_at(url: &str) -> OpenAiImages {
    OpenAiImages::new(OpenAiImagesConfig::new(
        format!("{url}/v1"),
        "painter",
        Secret::new(KEY),
    ))
    .unwrap()
}

fn request() -> ImageRequest {
    ImageRequest {
        model: "painter".to_owned(),
        prompt: "a lake".to_owned(),
        width: 30,
        height: 40,
        reference: None,
        idempotency_key: "00ff".to_owned(),
    }
}

fn base64_of(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A server that always gives the answer of this function, and how often it was asked.
async fn serving(
    answer: impl Fn(HeaderMap, Value) -> Response + Clone + Send + Sync + 'static,
) -> (Server, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let handler = move |headers: HeaderMap, body: axum::body::Bytes| async move {
        count.fetch_add(1, Ordering::SeqCst);
        answer(headers, serde_json::from_slice(&body).unwrap())
    };
    let routes = Router::new().route("/v1/images/generations", post(handler));
    (Server::start(routes).await, asked)
}

async fn draw(url: &str) -> Result<Bytes, ModelError> {
    let never = CancellationToken::new();
    images_at(url).draw(&request(), &mut Discard, &never).await
}

async fn picture(url: &str, answer: Value) -> Result<DrawnPicture, PictureFault> {
    let answer = Bytes::from(answer.to_string());
    images_at(url)
        .picture(&answer, &CancellationToken::new())
        .await
}

#[tokio::test]
async fn a_picture_is_asked_for_once_and_its_bytes_go_through() {
    let seen = Arc::new(Mutex::new(None));
    let note = seen.clone();
    let answer = json!({"data": [{"b64_json": base64_of(&picture_of(30, 40)), "revised_prompt": "a blue lake"}]});
    let text = answer.to_string();
    let (server, asked) = serving(move |headers, body| {
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        *note.lock().unwrap() = Some((header("authorization"), header("idempotency-key"), body));
        text.clone().into_response()
    })
    .await;
    let mut kept = RawSink::default();
    let images = images_at(&server.url);
    let never = CancellationToken::new();
    let raw = images.draw(&request(), &mut kept, &never).await.unwrap();
    assert_eq!(raw, answer.to_string());
    assert_eq!(kept.0, raw);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let body = json!({"model": "painter", "prompt": "a lake", "n": 1, "size": "30x40", "response_format": "b64_json"});
    let sent = seen.lock().unwrap().take();
    assert_eq!(
        sent,
        Some((format!("Bearer {KEY}"), "00ff".to_owned(), body))
    );
    let drawn = images.picture(&raw, &never).await.unwrap();
    let size = (drawn.picture.width, drawn.picture.height);
    assert_eq!((size, drawn.picture.media_type), ((30, 40), "image/png"));
    assert_eq!(drawn.revised_prompt.as_deref(), Some("a blue lake"));
}

#[tokio::test]
async fn a_reference_goes_along_as_a_file() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = seen.clone();
    let handler = move |headers: HeaderMap, mut form: Multipart| async move {
        let mut parts = vec![(
            "key".to_owned(),
            String::new(),
            headers["idempotency-key"].as_bytes().to_vec(),
        )];
        while let Some(field) = form.next_field().await.unwrap() {
            let name = field.name().unwrap().to_owned();
            let file = field.file_name().unwrap_or_default().to_owned();
            parts.push((name, file, field.bytes().await.unwrap().to_vec()));
        }
        *note.lock().unwrap() = parts;
        "{\"data\": []}"
    };
    let routes = Router::new().route("/v1/images/edits", post(handler));
    let server = Server::start(routes).await;
    let reference = picture_of(8, 8);
    let asked = ImageRequest {
        reference: Some(Reference {
            sha256: "ab".to_owned(),
            media_type: "image/png".to_owned(),
            bytes: reference.clone().into(),
        }),
        ..request()
    };
    let never = CancellationToken::new();
    let images = images_at(&server.url);
    images.draw(&asked, &mut Discard, &never).await.unwrap();
    let parts = seen.lock().unwrap().clone();
    let part = |name: &str| parts.iter().find(|part| part.0 == name).cloned().unwrap();
    assert_eq!(part("key").2, b"00ff");
    assert_eq!(part("prompt").2, b"a lake");
    assert_eq!(part("size").2, b"30x40");
    assert_eq!(
        part("image"),
        ("image".to_owned(), "reference.png".to_owned(), reference)
    );
    assert_ne!(asked.hash(), request().hash());
    assert!(!serde_json::to_string(&asked).unwrap().contains("bytes"));
}

#[tokio::test]
async fn a_picture_is_fetched_from_where_the_answer_says_if_that_may_be() {
    let routes = Router::new()
        .route(
            "/files/a",
            get(|| async { ([("content-type", "image/png")], picture_of(6, 9)) }),
        )
        .route(
            "/files/page",
            get(|| async { ([("content-type", "text/html")], "<html>") }),
        )
        .route(
            "/files/lie",
            get(|| async { ([("content-type", "image/png")], "<html>") }),
        )
        .route(
            "/files/later",
            get(|| async { StatusCode::SERVICE_UNAVAILABLE }),
        );
    let server = Server::start(routes).await;
    let at = |path: &str| json!({"data": [{"url": format!("{}/files/{path}", server.url)}]});
    let drawn = picture(&server.url, at("a")).await.unwrap();
    assert_eq!((drawn.picture.width, drawn.picture.height), (6, 9));
    let Err(PictureFault::Fetch(error)) = picture(&server.url, at("later")).await else {
        panic!("fetched")
    };
    assert_eq!(
        (error.kind, error.retryable()),
        (ModelErrorKind::Server, true)
    );
    let Err(PictureFault::Fetch(error)) = picture(&server.url, at("page")).await else {
        panic!("fetched")
    };
    assert_eq!(
        (error.kind, error.retryable()),
        (ModelErrorKind::Rejected, false)
    );
    assert!(matches!(
        picture(&server.url, at("lie")).await,
        Err(PictureFault::Answer(_))
    ));
    // Not the provider, so that nothing on this machine is asked.
    let other = Server::start(Router::new()).await;
    let inside = json!({"data": [{"url": format!("{}/files/a", other.url)}]});
    let Err(PictureFault::Fetch(error)) = picture(&server.url, inside).await else {
        panic!("fetched")
    };
    assert!(!error.retryable(), "{error}");
}

#[tokio::test]
async fn refusals_have_the_kinds_of_models() {
    for (status, code, kind, again) in [
        (
            429,
            "rate_limit_exceeded",
            ModelErrorKind::RateLimited,
            true,
        ),
        (
            429,
            "insufficient_quota",
            ModelErrorKind::OutOfCredit,
            false,
        ),
        (500, "", ModelErrorKind::Server, true),
        (401, "", ModelErrorKind::Auth, false),
        (
            400,
            "content_policy_violation",
            ModelErrorKind::Filtered,
            false,
        ),
        (400, "moderation_blocked", ModelErrorKind::Filtered, false),
    ] {
        let (server, asked) = serving(move |_, _| {
            let body = json!({"error": {"message": format!("no, {KEY}"), "code": code}});
            let status = StatusCode::from_u16(status).unwrap();
            (status, [("retry-after", "7")], axum::Json(body)).into_response()
        })
        .await;
        let error = draw(&server.url).await.unwrap_err();
        assert_eq!(
            (error.kind, error.retryable()),
            (kind, again),
            "{status} {code}"
        );
        assert_eq!(
            error.message,
            format!("the provider answered {status}: no, [secret]")
        );
        assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
        assert_eq!(
            asked.load(Ordering::SeqCst),
            1,
            "the library's own retry is off"
        );
    }
}

#[tokio::test]
async fn answers_that_hold_no_picture_are_told_apart() {
    let kind = async |answer: Value| match picture("http://127.0.0.1:1", answer).await {
        Err(PictureFault::Answer(error)) => error.kind,
        other => panic!("{other:?}"),
    };
    for malformed in [
        json!({"data": []}),
        json!({"data": [{}]}),
        json!({"data": [{"b64_json": "no base64!"}]}),
        json!({"data": [{"b64_json": base64_of(b"<svg/>")}]}),
        json!([1]),
    ] {
        assert_eq!(kind(malformed).await, ModelErrorKind::Malformed);
    }
    let refused = json!({"error": {"message": "not this"}});
    assert_eq!(kind(refused).await, ModelErrorKind::Rejected);
    let data = format!("data:image/png;base64,{}", base64_of(&picture_of(3, 4)));
    let drawn = picture("http://127.0.0.1:1", json!({"data": [{"url": data}]})).await;
    assert_eq!(drawn.unwrap().picture.height, 4);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_cut_and_one_without_end_is_refused() {
    let (server, _) = serving(|_, _| {
        let pieces = stream::iter([Ok("{\"data\": ["), Err(std::io::Error::other("gone"))]);
        Body::from_stream(pieces).into_response()
    })
    .await;
    assert_eq!(
        draw(&server.url).await.unwrap_err().kind,
        ModelErrorKind::Cut
    );
    let (server, _) = serving(|_, _| {
        let piece = Bytes::from(vec![b' '; 1024 * 1024]);
        let endless = stream::repeat_with(move || Ok::<_, std::io::Error>(piece.clone()));
        Body::from_stream(endless).into_response()
    })
    .await;
    let error = draw(&server.url).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Rejected);
    assert!(error.message.contains("longer than"), "{error}");
}

/// Says when the client is gone.
struct Silence(Option<oneshot::Sender<()>>);

impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(gone) = self.0.take() {
            // Nobody may be listening any more, which is fine.
            gone.send(()).ok();
        }
    }
}

async fn silent_server() -> (Server, oneshot::Receiver<()>, Arc<tokio::sync::Notify>) {
    let (gone, is_gone) = oneshot::channel();
    let gone = Arc::new(Mutex::new(Some(gone)));
    let asked = Arc::new(tokio::sync::Notify::new());
    let note = asked.clone();
    let (server, _) = serving(move |_, _| {
        let silence = Silence(gone.lock().unwrap().take());
        note.notify_one();
        let rest = stream::unfold(silence, |silence| async move {
            std::future::pending::<()>().await;
            Some((Ok::<_, std::io::Error>(""), silence))
        });
        Body::from_stream(rest).into_response()
    })
    .await;
    (server, is_gone, asked)
}

#[tokio::test]
async fn cancelling_closes_the_socket() {
    let (server, is_gone, asked) = silent_server().await;
    let cancel = CancellationToken::new();
    let images = images_at(&server.url);
    let request = request();
    let mut sink = Discard;
    let (outcome, ()) = tokio::join!(images.draw(&request, &mut sink, &cancel), async {
        asked.notified().await;
        cancel.cancel();
    });
    assert_eq!(outcome.unwrap_err().kind, ModelErrorKind::Cancelled);
    is_gone.await.unwrap();
}

#[tokio::test]
async fn a_provider_that_takes_too_long_is_left() {
    let (server, is_gone, _) = silent_server().await;
    let images = OpenAiImages::new(OpenAiImagesConfig {
        limit: Duration::from_millis(20),
        ..images_at(&server.url).config
    });
    let never = CancellationToken::new();
    let outcome = images.unwrap().draw(&request(), &mut Discard, &never).await;
    let error = outcome.unwrap_err();
    assert_eq!(
        (error.kind, error.retryable()),
        (ModelErrorKind::Timeout, true)
    );
    is_gone.await.unwrap();
}

#[test]
fn models_with_few_sizes_get_the_nearest_shape_and_others_what_is_wanted() {
    let sent = |model: &str, width, height| {
        let request = ImageRequest {
            model: model.to_owned(),
            width,
            height,
            ..request()
        };
        let body = body(&request);
        let size = body["size"].as_str().unwrap().to_owned();
        (size, body.get("response_format").is_some())
    };
    assert_eq!(
        sent("gpt-image-1", 1080, 1440),
        ("1024x1536".to_owned(), false)
    );
    assert_eq!(
        sent("openai/gpt-image-1", 1080, 1080),
        ("1024x1024".to_owned(), false)
    );
    assert_eq!(sent("dall-e-3", 1080, 1440), ("1024x1792".to_owned(), true));
    assert_eq!(sent("dall-e-2", 1080, 1440), ("1024x1024".to_owned(), true));
    assert_eq!(sent("seedream", 1080, 1440), ("1080x1440".to_owned(), true));
}

#[test]
fn a_provider_that_cannot_be_reached_by_its_address_or_key_is_refused() {
    let made = |url: &str, key: &str| {
        OpenAiImages::new(OpenAiImagesConfig::new(url, "painter", Secret::new(key)))
    };
    assert!(matches!(
        made("ftp://x", "k"),
        Err(OpenAiConfigError::BaseUrl)
    ));
    assert!(matches!(
        made("http://x/v1", "a\nb"),
        Err(OpenAiConfigError::ApiKey)
    ));
    assert!(made("http://x/v1", "").is_ok());
}
