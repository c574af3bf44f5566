//! Asks the API: over HTTP if another process owns the log, else within this process. Both have the same interface.

use std::convert::Infallible;
use std::future::poll_fn;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use bytes::Bytes;
use runner::ports::Secret;
use serde_json::Value;
use tower::Service;

use super::Failure;
use crate::request::in_address;

/// The largest answer that is taken: a file full of pictures has some tens of megabytes.
const ANSWER_BYTES_MAX: usize = 512 * 1024 * 1024;

/// Asks the API by paths such as `/v1/sessions`. An answer that is an error is a [`Failure`] with its message.
pub struct Client(Way);

/// Where requests are sent: to this process, or to a server.
enum Way {
    Within(Router),
    Server {
        http: reqwest::Client,
        address: String,
        key: Option<Secret>,
    },
}

/// An answer, whatever its status.
struct Answer {
    status: StatusCode,
    bytes: Bytes,
    media_type: String,
}

impl Client {
    pub(crate) fn within(router: Router) -> Self {
        Self(Way::Within(router))
    }

    pub(crate) fn server(address: &str, key: Option<Secret>) -> Result<Self, Failure> {
        // The process that owns a log in a file is on this machine, so that a proxy would not reach it.
        let http = reqwest::Client::builder().no_proxy().build();
        let http = http.map_err(|error| {
            Failure::unusable(format!("the HTTP client cannot be made: {error}"))
        })?;
        Ok(Self(Way::Server {
            http,
            address: address.trim_end_matches('/').to_owned(),
            key,
        }))
    }

    /// The address of the server that is asked.
    pub fn address(&self) -> Option<&str> {
        match &self.0 {
            Way::Within(_) => None,
            Way::Server { address, .. } => Some(address),
        }
    }

    /// What stands at a path.
    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        let answer = self
            .ask(Method::GET, path, None, "application/json")
            .await?;
        read(&answer.ok()?.bytes)
    }

    /// The same, in a language.
    pub async fn get_in(&self, path: &str, language: &str) -> Result<Value, Failure> {
        let answer = self
            .ask_in(Method::GET, path, None, "application/json", Some(language))
            .await?;
        read(&answer.ok()?.bytes)
    }

    /// The same, but `None` if there is nothing at the address.
    pub async fn find(&self, path: &str) -> Result<Option<Value>, Failure> {
        let answer = self
            .ask(Method::GET, path, None, "application/json")
            .await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        read(&answer.ok()?.bytes).map(Some)
    }

    /// A content and its media type.
    pub async fn content(&self, path: &str) -> Result<(Bytes, String), Failure> {
        let answer = self.ask(Method::GET, path, None, "").await?.ok()?;
        Ok((answer.bytes, answer.media_type))
    }

    /// Sends something to be carried out.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let body = Bytes::from(body.to_string());
        let answer = self
            .ask(Method::POST, path, Some(body), "application/json")
            .await?;
        read(&answer.ok()?.bytes)
    }

    /// Replaces what stands at a path.
    pub async fn put(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let body = Bytes::from(body.to_string());
        let answer = self
            .ask(Method::PUT, path, Some(body), "application/json")
            .await?;
        read(&answer.ok()?.bytes)
    }

    /// Uploads a file, which a message can attach.
    pub async fn upload(&self, name: &str, bytes: Bytes) -> Result<Value, Failure> {
        let path = format!("/v1/files?name={}", in_address(name));
        self.send_bytes(&path, bytes).await
    }

    /// Sends objects, one a line.
    pub async fn send_lines(&self, path: &str, lines: Bytes) -> Result<Value, Failure> {
        let answer = self
            .ask(Method::POST, path, Some(lines), "application/x-ndjson")
            .await?;
        read(&answer.ok()?.bytes)
    }

    /// A file.
    pub async fn send_bytes(&self, path: &str, bytes: Bytes) -> Result<Value, Failure> {
        let answer = self
            .ask(Method::POST, path, Some(bytes), "application/octet-stream")
            .await?;
        read(&answer.ok()?.bytes)
    }

    /// Deletes something; the answer has no body.
    pub async fn remove(&self, path: &str) -> Result<(), Failure> {
        self.ask(Method::DELETE, path, None, "").await?.ok()?;
        Ok(())
    }

    /// Deletes something; the answer says what.
    pub async fn delete(&self, path: &str) -> Result<Value, Failure> {
        let answer = self.ask(Method::DELETE, path, None, "").await?;
        read(&answer.ok()?.bytes)
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
        media_type: &str,
    ) -> Result<Answer, Failure> {
        self.ask_in(method, path, body, media_type, None).await
    }

    async fn ask_in(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
        media_type: &str,
        language: Option<&str>,
    ) -> Result<Answer, Failure> {
        match &self.0 {
            Way::Within(router) => {
                within(router.clone(), method, path, body, media_type, language).await
            }
            Way::Server { http, address, key } => {
                let mut request = http.request(method, format!("{address}{path}"));
                if let Some(language) = language {
                    request = request.header(header::ACCEPT_LANGUAGE, language);
                }
                if let Some(key) = key {
                    request = request.bearer_auth(key.reveal());
                }
                if let Some(body) = body {
                    request = request.header(header::CONTENT_TYPE, media_type).body(body);
                }
                let response = request
                    .send()
                    .await
                    .map_err(|error| unreachable(address, &error))?;
                let status = response.status();
                let media_type = media_type_of(response.headers());
                let bytes = response
                    .bytes()
                    .await
                    .map_err(|error| unreachable(address, &error))?;
                Ok(Answer {
                    status,
                    bytes,
                    media_type,
                })
            }
        }
    }
}

async fn within(
    mut router: Router,
    method: Method,
    path: &str,
    body: Option<Bytes>,
    media_type: &str,
    language: Option<&str>,
) -> Result<Answer, Failure> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "localhost");
    if let Some(language) = language {
        request = request.header(header::ACCEPT_LANGUAGE, language);
    }
    if body.is_some() {
        request = request.header(header::CONTENT_TYPE, media_type);
    }
    let request = request.body(body.map_or_else(Body::empty, Body::from));
    let request =
        request.map_err(|error| Failure::usage(format!("`{path}` is not an address: {error}")))?;
    let ready: Result<(), Infallible> =
        poll_fn(|context| Service::<Request<Body>>::poll_ready(&mut router, context)).await;
    ready.expect("a router is always ready");
    let response = match router.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let status = response.status();
    let media_type = media_type_of(response.headers());
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES_MAX).await;
    let bytes =
        bytes.map_err(|error| Failure::unusable(format!("the answer cannot be read: {error}")))?;
    Ok(Answer {
        status,
        bytes,
        media_type,
    })
}

impl Answer {
    fn ok(self) -> Result<Self, Failure> {
        if self.status.is_success() {
            return Ok(self);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let message = "the server wants a key, or another one: put it into PALIMPSEST_KEY";
            return Err(Failure::usage(message));
        }
        let error: Value = serde_json::from_slice(&self.bytes).unwrap_or_default();
        let text = |field: &str| {
            error
                .pointer(&format!("/error/{field}"))
                .and_then(Value::as_str)
        };
        let message = text("message").map_or_else(
            || format!("the server answered with {}", self.status),
            str::to_owned,
        );
        Err(Failure::of_api(self.status, &message, text("hint")))
    }
}

fn media_type_of(headers: &axum::http::HeaderMap) -> String {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned()
}

fn read(bytes: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(bytes)
        .map_err(|error| Failure::unusable(format!("the answer is not JSON: {error}")))
}

fn unreachable(address: &str, error: &reqwest::Error) -> Failure {
    Failure::unusable(format!(
        "the server at {address}, which owns the log, cannot be reached: {error}"
    ))
}
