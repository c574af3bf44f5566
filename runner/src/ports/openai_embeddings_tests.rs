use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;

use super::*;
use crate::ports::model::Discard;
use crate::ports::testing::Server;

const KEY: &str = "sk-very-secret";

fn embeddings_at(url: &str) -> OpenAiEmbeddings {
    embeddings(OpenAiEmbeddingsConfig::new(
        format!("{url}/v1"),
        "e-1",
        Secret::new(KEY),
    ))
}

fn embeddings(config: OpenAiEmbeddingsConfig) -> OpenAiEmbeddings {
    OpenAiEmbeddings::new(config).expect("it is right")
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
    let routes = Router::new().route("/v1/embeddings", post(handler));
    (Server::start(routes).await, asked)
}

/// A vector for each text, which begins with its length.
fn by_length(body: &Value) -> Value {
    let texts = body["input"].as_array().unwrap();
    let item = |(at, text): (usize, &Value)| json!({ "index": at, "embedding": [text.as_str().unwrap().chars().count(), 1] });
    let items: Vec<Value> = texts.iter().enumerate().map(item).collect();
    json!({ "data": items, "usage": { "prompt_tokens": 5, "total_tokens": 5 } })
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn request(named: &[&str]) -> EmbeddingRequest {
    EmbeddingRequest::new("e-1", &texts(named), "00ff".to_owned())
}

fn vector(numbers: &[f32]) -> Embedding {
    Embedding::of(numbers).expect("a direction")
}

async fn embed(url: &str, named: &[&str]) -> Result<Embedded, ModelError> {
    let never = CancellationToken::new();
    embeddings_at(url).embed(&texts(named), &never).await
}

#[tokio::test]
async fn texts_are_asked_for_once_with_the_key_and_the_name_of_the_turn() {
    let seen = Arc::new(Mutex::new(None));
    let note = seen.clone();
    let (server, asked) = serving(move |headers, body| {
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        let answer = by_length(&body).to_string();
        *note.lock().unwrap() = Some((header("authorization"), header("idempotency-key"), body));
        answer.into_response()
    })
    .await;
    let embeddings = embeddings_at(&server.url);
    let (request, never) = (request(&["one", "three"]), CancellationToken::new());
    let raw = embeddings
        .ask(&request, &mut Discard, &never)
        .await
        .unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let body = json!({ "model": "e-1", "input": ["one", "three"] });
    let sent = seen.lock().unwrap().take();
    assert_eq!(
        sent,
        Some((format!("Bearer {KEY}"), "00ff".to_owned(), body))
    );
    let embedded = embeddings.read(&request, &raw).unwrap();
    assert_eq!(embedded.vectors, [vector(&[3.0, 1.0]), vector(&[5.0, 1.0])]);
    assert_eq!(embedded.tokens, 5);
}

#[tokio::test]
async fn many_texts_go_in_several_exchanges_and_come_back_in_order() {
    let (server, asked) = serving(|_, body| by_length(&body).to_string().into_response()).await;
    let config = OpenAiEmbeddingsConfig {
        texts: 2,
        chars: 4,
        dimensions: Some(2),
        ..OpenAiEmbeddingsConfig::new(format!("{}/v1/", server.url), "e-1", Secret::default())
    };
    let embeddings = embeddings(config);
    assert_eq!(embeddings.name(), "e-1-2");
    let all = texts(&["a", "bb", "ccc", "dddd", "too long a text"]);
    let never = CancellationToken::new();
    let embedded = embeddings.embed(&all, &never).await.unwrap();
    let lengths = [1.0, 2.0, 3.0, 4.0, 4.0];
    let wanted: Vec<Embedding> = lengths.iter().map(|long| vector(&[*long, 1.0])).collect();
    assert_eq!(embedded.vectors, wanted);
    assert_eq!((embedded.tokens, asked.load(Ordering::SeqCst)), (15, 3));
    let mut too_many = request(&["a", "b", "c"]);
    let refused = embeddings.ask(&too_many, &mut Discard, &never).await;
    assert_eq!(refused.unwrap_err().kind, ModelErrorKind::Rejected);
    too_many.texts = texts(&["a", " "]);
    let refused = embeddings.ask(&too_many, &mut Discard, &never).await;
    assert_eq!(refused.unwrap_err().kind, ModelErrorKind::Rejected);
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn an_answer_without_a_vector_for_each_text_is_malformed() {
    let item = |at: usize, numbers: Value| json!({ "index": at, "embedding": numbers });
    let (one, nought) = (json!([1.0, 0.5]), json!([0.0, 0.0]));
    for (data, why) in [
        (json!([item(0, one.clone())]), "holds 1 vectors, and 2"),
        (
            json!([item(1, one.clone()), item(1, one.clone())]),
            "a second vector 1",
        ),
        (
            json!([item(0, one.clone()), item(2, one.clone())]),
            "vector 2",
        ),
        (
            json!([item(0, one.clone()), item(1, nought)]),
            "says no direction",
        ),
        (
            json!([item(0, one.clone()), item(1, json!([1.0]))]),
            "differ in length",
        ),
        (
            json!([item(0, one.clone()), { "index": 1 }]),
            "cannot be read",
        ),
    ] {
        let answer = json!({ "data": data }).to_string();
        let (server, _) = serving(move |_, _| answer.clone().into_response()).await;
        let error = embed(&server.url, &["a", "b"]).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Malformed, "{error}");
        assert!(error.message.contains(why), "{error}");
    }
}

#[tokio::test]
async fn places_may_be_left_out_or_mixed_and_tokens_are_estimated() {
    for (data, first) in [
        (
            json!([{ "embedding": [1, 0] }, { "embedding": [0, 1] }]),
            [1.0, 0.0],
        ),
        (
            json!([{ "index": 1, "embedding": [1, 0] }, { "index": 0, "embedding": [0, 1] }]),
            [0.0, 1.0],
        ),
    ] {
        let answer = json!({ "data": data }).to_string();
        let (server, _) = serving(move |_, _| answer.clone().into_response()).await;
        let embedded = embed(&server.url, &["abcd", "云"]).await.unwrap();
        assert_eq!(embedded.vectors[0], vector(&first));
        assert_eq!(embedded.tokens, 2);
    }
}

#[tokio::test]
async fn a_refusal_means_what_it_means_for_a_model_and_never_quotes_the_key() {
    let error = |code: &str| json!({ "error": { "code": code, "message": format!("no: {KEY}") } });
    for (status, body, kind) in [
        (401, error("invalid_api_key"), ModelErrorKind::Auth),
        (
            429,
            error("insufficient_quota"),
            ModelErrorKind::OutOfCredit,
        ),
        (429, error("x"), ModelErrorKind::RateLimited),
        (404, error("model_not_found"), ModelErrorKind::NoModel),
        (413, error("x"), ModelErrorKind::TooLong),
        (503, error("x"), ModelErrorKind::Server),
        (200, error("invalid_api_key"), ModelErrorKind::Auth),
    ] {
        let (server, asked) = serving(move |_, _| {
            let status = StatusCode::from_u16(status).unwrap();
            (status, body.to_string()).into_response()
        })
        .await;
        let refused = embed(&server.url, &["a"]).await.unwrap_err();
        assert_eq!(refused.kind, kind, "{refused}");
        let shown = format!("{refused:?}");
        assert!(
            !shown.contains(KEY) && shown.contains("[secret]"),
            "{shown}"
        );
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }
    let gone = embed("http://127.0.0.1:1", &["a"]).await.unwrap_err();
    assert_eq!(gone.kind, ModelErrorKind::Unreachable);
}

#[tokio::test]
async fn what_takes_too_long_or_is_cancelled_ends() {
    let waiting = || async { std::future::pending::<()>().await };
    let server = Server::start(Router::new().route("/v1/embeddings", post(waiting))).await;
    let config = OpenAiEmbeddingsConfig {
        limit: Duration::from_millis(20),
        ..OpenAiEmbeddingsConfig::new(format!("{}/v1", server.url), "e-1", Secret::default())
    };
    let (hasty, never) = (embeddings(config), CancellationToken::new());
    let slow = hasty.ask(&request(&["a"]), &mut Discard, &never).await;
    assert_eq!(slow.unwrap_err().kind, ModelErrorKind::Timeout);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let ended = embeddings_at(&server.url);
    let ended = ended.ask(&request(&["a"]), &mut Discard, &cancelled).await;
    assert_eq!(ended.unwrap_err().kind, ModelErrorKind::Cancelled);
}
