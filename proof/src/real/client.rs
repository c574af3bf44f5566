//! The clients of the real tier: each opens a session, follows it, answers its gates, and keeps what it was told and when.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::program::Program;
use crate::rng::Rng;

/// How long a request may take before its client asks another server: less than a lease, so that no client waits for a frozen server.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// How long all servers together may leave a request unanswered once the faults are over: the time in which a server gives up a
/// connection that its database does not know any more, with room for a busy machine.
const SOON: Duration = Duration::from_secs(15);

/// Between two tries of a request.
const PAUSE: Duration = Duration::from_millis(100);

/// Seconds that a server holds a request for frames until there is something new.
const HOLD_SECONDS: u64 = 1;

/// What a client was told of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is in the log; the session has this version with it.
    Done(u64),
    Refused(u16, String),
}

/// A command that a client sent, with when it began and was answered at last, in milliseconds.
#[derive(Clone, Debug)]
pub struct Sent {
    pub session: String,
    pub path: String,
    pub key: Option<String>,
    pub body: Value,
    pub begun_ms: u64,
    pub answered_ms: u64,
    pub told: Told,
    /// The gate that it answers, and with what.
    pub answer: Option<(String, String)>,
}

/// A frame, with when it came, in milliseconds.
pub type Seen = (u64, Value);

/// What one client wants done.
#[derive(Clone, Debug)]
pub struct Errand {
    pub session: String,
    pub program: Program,
    pub begin_ms: u64,
    /// How long after it opened a gate is answered.
    pub answer_after_ms: u64,
    /// Whether two people answer each gate at the same time.
    pub rivals: bool,
}

/// What all clients of a schedule share.
#[derive(Clone)]
pub struct Clients {
    pub http: reqwest::Client,
    pub addresses: Arc<Vec<String>>,
    pub begin: Instant,
    pub rng: Arc<Mutex<Rng>>,
    pub sent: Arc<Mutex<Vec<Sent>>>,
    pub wrong: Arc<Mutex<Vec<String>>>,
    /// The last version of each session that anybody was told.
    pub told: Arc<Mutex<std::collections::BTreeMap<String, u64>>>,
}

impl Clients {
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub fn wrong(&self, what: impl Into<String>) {
        let what = format!("{} ms: {}", self.now_ms(), what.into());
        self.wrong
            .lock()
            .expect("nothing panics while it is held")
            .push(what);
    }

    fn any(&self) -> String {
        let mut rng = self.rng.lock().expect("nothing panics while it is held");
        rng.pick(&self.addresses).clone()
    }

    fn know(&self, session: &str, version: u64) {
        let mut told = self.told.lock().expect("nothing panics while it is held");
        let known = told.entry(session.to_owned()).or_default();
        *known = version.max(*known);
    }

    /// Asks any server once; `None` if no server says what became of the request.
    pub async fn once(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Option<(u16, Value)> {
        let mut request = self.http.request(method, format!("{}{path}", self.any()));
        request = request.timeout(PATIENCE + Duration::from_secs(HOLD_SECONDS));
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.ok()?;
        let status = answer.status().as_u16();
        let body = answer.json().await.ok()?;
        // After a fault of a server or its database the request may have been carried out all the same, and a busy server (429)
        // asks to come again: neither answer says what became of the request.
        (status < 500 && status != 429).then_some((status, body))
    }

    /// Asks any server until one says what became of it, as long as a server may need to find its database again.
    pub async fn soon(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Option<(u16, Value)> {
        let asking = async {
            loop {
                match self.once(method.clone(), path, key, body).await {
                    Some(told) => return told,
                    None => tokio::time::sleep(PAUSE).await,
                }
            }
        };
        tokio::time::timeout(SOON, asking).await.ok()
    }

    /// Sends a command until a server says what became of it.
    async fn command(
        &self,
        session: &str,
        path: String,
        key: Option<String>,
        body: Value,
        answer: Option<(String, String)>,
    ) -> Told {
        let begun_ms = self.now_ms();
        loop {
            let asked = self
                .once(Method::POST, &path, key.as_deref(), Some(&body))
                .await;
            let told = match asked {
                Some((status, said)) if status < 300 => {
                    let version = said["version"]
                        .as_u64()
                        .or(said["applied_version"].as_u64());
                    Told::Done(version.unwrap_or_default())
                }
                // A session that is being opened may be unknown for now.
                Some((status, said)) if status != 404 => Told::Refused(
                    status,
                    said["error"]["code"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                ),
                Some(_) | None => {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            if let Told::Done(version) = &told {
                self.know(session, *version);
            }
            let sent = Sent {
                session: session.to_owned(),
                path,
                key,
                body,
                begun_ms,
                answered_ms: self.now_ms(),
                told: told.clone(),
                answer,
            };
            self.sent
                .lock()
                .expect("nothing panics while it is held")
                .push(sent);
            return told;
        }
    }

    /// Carries out an errand, and gives the frames as they came. Returns when the run is over.
    pub async fn carry_out(self, errand: Errand, seen: Arc<Mutex<Vec<Seen>>>) {
        tokio::time::sleep(Duration::from_millis(errand.begin_ms)).await;
        let opening = json!({
            "pipeline": crate::pipeline::NAME,
            "message": format!("Please do {}.", errand.session),
            "session": errand.session,
            "input": errand.program.input(),
            "settings": { "attended": true },
        });
        let key = Some(format!("open-{}", errand.session));
        let told = self
            .command(
                &errand.session,
                "/v1/sessions".to_owned(),
                key,
                opening,
                None,
            )
            .await;
        if let Told::Refused(status, code) = told {
            self.wrong(format!(
                "the message of {} is refused: {status} {code}",
                errand.session
            ));
            return;
        }
        let mut cursor = "start".to_owned();
        let mut answers = vec![];
        loop {
            let path = events(&errand.session, &cursor, HOLD_SECONDS);
            let Some((200, page)) = self.once(Method::GET, &path, None, None).await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let now = self.now_ms();
            let frames = page["events"].as_array().cloned().unwrap_or_default();
            let mut is_over = false;
            for frame in &frames {
                is_over |= is_end(frame);
                if frame["type"] == "gate_opened" {
                    answers.extend(self.answers(&errand, &frame["data"]));
                }
            }
            if let Some(version) = frames.last().and_then(|last| last["version"].as_u64()) {
                self.know(&errand.session, version);
            }
            page["cursor"]
                .as_str()
                .unwrap_or("start")
                .clone_into(&mut cursor);
            let mut seen = seen.lock().expect("nothing panics while it is held");
            seen.extend(frames.into_iter().map(|frame| (now, frame)));
            if is_over {
                break;
            }
        }
        for answer in answers {
            // A client that panics has said why.
            let _ = answer.await;
        }
    }

    fn answers(&self, errand: &Errand, gate: &Value) -> Vec<tokio::task::JoinHandle<()>> {
        let choices: &[&str] = if errand.rivals {
            &["left", "right"]
        } else {
            &["left"]
        };
        let gate = gate["gate"].as_str().unwrap_or_default();
        let of_choice = |choice: &&str| {
            let (clients, session) = (self.clone(), errand.session.clone());
            let (gate, choice, after) = (
                gate.to_owned(),
                (*choice).to_owned(),
                errand.answer_after_ms,
            );
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(after)).await;
                let body = json!({
                    "id": format!("answer-{gate}-{choice}"),
                    "type": "answer_gate",
                    "payload": { "gate": gate, "answer": { "choice": choice } },
                });
                let path = format!("/v1/sessions/{session}/commands");
                clients
                    .command(&session, path, None, body, Some((gate, choice)))
                    .await;
            })
        };
        choices.iter().map(of_choice).collect()
    }

    /// Reads sessions again and again: no answer may show less than what was acknowledged before it was asked for.
    pub async fn look(self, sessions: Vec<String>) {
        loop {
            tokio::time::sleep(PAUSE).await;
            let session = {
                let mut rng = self.rng.lock().expect("nothing panics while it is held");
                rng.pick(&sessions).clone()
            };
            let known = {
                let told = self.told.lock().expect("nothing panics while it is held");
                told.get(&session).copied().unwrap_or_default()
            };
            let path = format!("/v1/sessions/{session}");
            match self.once(Method::GET, &path, None, None).await {
                Some((200, view)) => {
                    let version = view["version"].as_u64().unwrap_or_default();
                    if version < known {
                        self.wrong(format!(
                            "{session} is shown at version {version} after version {known} was acknowledged"
                        ));
                    }
                    self.know(&session, version);
                }
                Some((404, _)) if known > 0 => self.wrong(format!(
                    "{session} is not there after version {known} was acknowledged"
                )),
                Some(_) | None => {}
            }
        }
    }
}

/// Where the frames of a session are after a cursor.
pub fn events(session: &str, cursor: &str, hold_seconds: u64) -> String {
    format!(
        "/v1/sessions/{session}/events?limit=1000&wire=native&wait={hold_seconds}&after={cursor}"
    )
}

/// Whether a frame ends the run.
pub fn is_end(frame: &Value) -> bool {
    let ends = ["run_completed", "run_failed", "run_cancelled"];
    frame["type"]
        .as_str()
        .is_some_and(|kind| ends.contains(&kind))
}
