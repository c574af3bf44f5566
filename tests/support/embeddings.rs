//! A provider of vectors on loopback, asked by the program over HTTP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::{HeaderMap, StatusCode};
use axum::{Json, Router, routing};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::folder::TestFolder;
use super::program::palimpsest;

/// More requests than any test asks.
pub(crate) const MANY: usize = 1_000;

pub(crate) const KEY: &str = "sk-embeddings-secret";

/// A provider that notes what it is asked, and can be told to fail.
#[derive(Clone)]
pub(crate) struct Provider {
    /// What a text means.
    meaning: fn(&str) -> [f32; 3],
    asked: Arc<Mutex<Vec<String>>>,
    pub(crate) down: Arc<AtomicBool>,
    /// How many requests may still be answered.
    pub(crate) leave: Arc<Semaphore>,
}

impl Provider {
    /// A provider that answers so many requests, and further ones once `leave` is given more permits.
    pub(crate) fn answering(requests: usize, meaning: fn(&str) -> [f32; 3]) -> Self {
        Self {
            meaning,
            asked: Arc::default(),
            down: Arc::default(),
            leave: Arc::new(Semaphore::new(requests)),
        }
    }

    /// Serves it; gives its address.
    pub(crate) async fn serve(&self) -> String {
        let it = self.clone();
        let answer = move |headers: HeaderMap, Json(body): Json<Value>| async move {
            it.leave.acquire().await.expect("it stays open").forget();
            it.answer(&headers, &body)
        };
        let routes = Router::new().route("/v1/embeddings", routing::post(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        tokio::spawn(async move { axum::serve(listener, routes).await });
        format!("http://{address}/v1")
    }

    fn answer(&self, headers: &HeaderMap, body: &Value) -> (StatusCode, Json<Value>) {
        assert_eq!(headers["authorization"], format!("Bearer {KEY}").as_str());
        assert_eq!(body["model"], "e-1");
        if self.down.load(Ordering::SeqCst) {
            let error = json!({ "error": { "code": "invalid_api_key", "message": format!("Incorrect API key: {KEY}") } });
            return (StatusCode::UNAUTHORIZED, Json(error));
        }
        let texts = body["input"].as_array().expect("a list of texts");
        let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
        let items = texts.iter().enumerate();
        let items: Vec<Value> = items
            .map(|(at, text)| json!({ "index": at, "embedding": (self.meaning)(text) }))
            .collect();
        let mut asked = self.asked.lock().expect("nobody panics");
        asked.extend(texts.iter().map(|text| (*text).to_owned()));
        let usage = json!({ "prompt_tokens": 7, "total_tokens": 7 });
        (
            StatusCode::OK,
            Json(json!({ "data": items, "usage": usage })),
        )
    }

    /// What was asked since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("nobody panics"))
    }
}

/// A program that asks the provider at this address for vectors, and has no model that writes.
pub(crate) fn with_vectors(place: &TestFolder, url: &str) -> tokio::process::Command {
    let mut command = palimpsest(place);
    command
        .env("PALIMPSEST_MODEL", "offline")
        .env("PALIMPSEST_EMBEDDINGS_MODEL", "e-1")
        .env("PALIMPSEST_EMBEDDINGS_URL", url)
        .env("PALIMPSEST_EMBEDDINGS_KEY", KEY);
    command
}
