//! A client of the HTTP interface.

use domain::hash::Sha256;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::ids::without_ids;
use super::within;

/// Seconds that the server waits for something new before it answers with nothing.
const WAIT_SECONDS: u64 = 20;

#[derive(Clone)]
pub(crate) struct Api {
    http: reqwest::Client,
    pub(crate) base: String,
}

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) asked: String,
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    /// The body of an answer that has to be one.
    pub(crate) fn succeeded(self) -> Value {
        assert!(
            self.status.is_success(),
            "{}: {} {:#}",
            self.asked,
            self.status,
            self.body
        );
        self.body
    }

    /// The value of a header; empty where it is not there.
    pub(crate) fn header(&self, name: &str) -> String {
        let value = self.headers.get(name);
        let text = value.and_then(|value| value.to_str().ok());
        text.unwrap_or_default().to_owned()
    }

    /// The message of a refusal that has to be this one.
    pub(crate) fn refused(self, status: u16, code: &str) -> String {
        assert_eq!(
            (self.status.as_u16(), self.body.pointer("/error/code")),
            (status, Some(&json!(code))),
            "{}: {:#}",
            self.asked,
            self.body
        );
        self.body["error"]["message"]
            .as_str()
            .expect("a message")
            .to_owned()
    }
}

impl Api {
    pub(crate) fn new(base: String) -> Self {
        let http = reqwest::Client::builder()
            .no_proxy()
            .build()
            .expect("a client without special wishes");
        Self { http, base }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(
            Method::POST,
            path,
            &[("content-type", "application/json")],
            Some(body.to_string().into()),
        )
        .await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        let body = Some(body.to_string().into());
        self.send(Method::PUT, path, &headers, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], None).await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Answer {
        let asked = format!("{method} {path}");
        let answer = self.try_send(method, path, headers, body).await;
        answer.unwrap_or_else(|error| panic!("{asked}: {error:?}"))
    }

    /// The same, where the server may be killed meanwhile.
    pub(crate) async fn try_send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Result<Answer, reqwest::Error> {
        let asked = format!("{method} {path}");
        let mut request = self.http.request(method, format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        within(&asked, async {
            let response = request.send().await?;
            let status = response.status();
            let headers = response.headers().clone();
            let bytes = response.bytes().await?;
            let body = serde_json::from_slice(&bytes)
                .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&bytes)));
            Ok(Answer {
                asked: asked.clone(),
                status,
                headers,
                body,
            })
        })
        .await
    }

    /// The bytes at this address.
    pub(crate) async fn bytes(&self, path: &str) -> Vec<u8> {
        let response = self
            .http
            .get(format!("{}{path}", self.base))
            .send()
            .await
            .expect("an answer");
        assert!(
            response.status().is_success(),
            "{path}: {}",
            response.status()
        );
        response.bytes().await.expect("a body").into()
    }

    /// Opens a session and gives its answer.
    pub(crate) async fn open(&self, request: &Value) -> Value {
        self.post("/v1/sessions", request).await.succeeded()
    }

    pub(crate) async fn command(
        &self,
        session: &str,
        id: &str,
        kind: &str,
        payload: Value,
    ) -> Answer {
        let body = json!({ "id": id, "type": kind, "payload": payload });
        self.post(&format!("/v1/sessions/{session}/commands"), &body)
            .await
    }

    pub(crate) async fn session(&self, session: &str) -> Value {
        self.get(&format!("/v1/sessions/{session}"))
            .await
            .succeeded()
    }

    /// Every frame of a session so far.
    pub(crate) async fn frames(&self, session: &str, wire: &str) -> Vec<Value> {
        let mut follow = Follow::new(self, session, wire);
        follow.catch_up().await;
        follow.frames
    }

    /// The artifacts of a run as (kind, item, hash of the content), in order.
    pub(crate) async fn made(&self, session: &str, run: &str) -> Vec<ArtifactPrint> {
        let view = self.session(session).await;
        let runs = view["runs"].as_array().expect("runs");
        let ours = runs
            .iter()
            .find(|known| known["run"] == run)
            .expect("the run");
        let counts: Vec<&Value> = ours["artifacts"]
            .as_array()
            .expect("its artifacts")
            .iter()
            .collect();
        let mut made = vec![];
        for artifact in view["artifacts"].as_array().expect("artifacts") {
            if !counts.contains(&&artifact["artifact"]) {
                continue;
            }
            let content = self
                .bytes(artifact["content"].as_str().expect("a path"))
                .await;
            let text = |field: &str| artifact[field].as_str().expect("a text").to_owned();
            made.push(ArtifactPrint {
                kind: text("kind"),
                item: text("item"),
                sha256: match std::str::from_utf8(&content) {
                    Ok(text) => Sha256::of(without_ids(text).as_bytes()),
                    Err(_) => Sha256::of(&content),
                }
                .to_string(),
            });
        }
        made.sort();
        made
    }
}

/// The parts of an artifact that have to be the same each time that it is made again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArtifactPrint {
    pub(crate) kind: String,
    pub(crate) item: String,
    /// Hash of its content without the ids of other artifacts in it.
    pub(crate) sha256: String,
}

/// Follows a session page by page; the server holds each request until there is something new.
pub(crate) struct Follow<'a> {
    api: &'a Api,
    events: String,
    pub(crate) cursor: String,
    pub(crate) frames: Vec<Value>,
    looked_at: usize,
}

impl<'a> Follow<'a> {
    pub(crate) fn new(api: &'a Api, session: &str, wire: &str) -> Self {
        let events = format!("/v1/sessions/{session}/events?limit=1000&wire={wire}");
        Self {
            api,
            events,
            cursor: "start".to_owned(),
            frames: vec![],
            looked_at: 0,
        }
    }

    async fn page(&mut self, wait: u64) -> Value {
        let page = self
            .api
            .get(&format!(
                "{}&wait={wait}&after={}",
                self.events, self.cursor
            ))
            .await
            .succeeded();
        self.cursor = page["cursor"].as_str().expect("a cursor").to_owned();
        self.frames.extend(
            page["events"]
                .as_array()
                .expect("a page of events")
                .iter()
                .cloned(),
        );
        page
    }

    /// Everything there is now.
    pub(crate) async fn catch_up(&mut self) {
        while self.page(0).await["up_to_date"] != true {}
    }

    /// The next frame that is looked for.
    pub(crate) async fn until(&mut self, what: &str, found: impl Fn(&Value) -> bool) -> Value {
        within(what, async {
            loop {
                while let Some(frame) = self.frames.get(self.looked_at) {
                    self.looked_at += 1;
                    if found(frame) {
                        return frame.clone();
                    }
                }
                self.page(WAIT_SECONDS).await;
            }
        })
        .await
    }

    /// The end of a run, which has to be this one.
    pub(crate) async fn end(&mut self, run: &str, kind: &str) -> Value {
        let ends = ["run_completed", "run_failed", "run_cancelled"];
        let end = self
            .until(&format!("the end of {run}"), |frame| {
                frame["data"]["run"] == run && ends.iter().any(|end| frame["type"] == *end)
            })
            .await;
        assert_eq!(end["type"], kind, "{end:#}");
        end
    }
}
