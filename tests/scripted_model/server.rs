//! The addresses of the scripted model: the one of chat completions, and those by which a test controls it.
//!
//! - `POST /v1/chat/completions`: as OpenAI has it, streaming or not.
//! - `POST /v1/images/generations` (JSON) and `POST /v1/images/edits` (a form): pictures, see `pictures.rs`.
//! - `GET /__picture/{name}`: what an answer with an address points to.
//! - `GET /__journal`: `{now_us, requests: [{n, key, hash, schema, endpoint, pictures, …}], by_key: {key: {requests, finished}}, by_hash}`.
//! - `POST /__script`: replaces the script by the body and begins its counting anew.
//! - `POST /__release`: lets all answers go on that are held now.
//! - `POST /__reset`: empties the journal and begins the script's counting anew.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_lc_rs::digest;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use data_encoding::HEXLOWER;
use futures::stream::{self, Stream};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::answer::{Answer, answer};
use crate::journal::{Arrival, Journal, Shown, Ticket};
use crate::pictures;
use crate::play::{Choice, Play};
use crate::script::{Asked, Pace, Script, without_pictures};

/// The longest request: prompts of long runs are a few hundred kilobytes.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// How long the connection gets to send what it has before it is broken, so that a cut comes after the chunks before it.
const FLUSH: Duration = Duration::from_millis(20);

/// What all requests share.
#[derive(Clone)]
pub(crate) struct Shared {
    script: Arc<Mutex<Script>>,
    play: Arc<Mutex<Play>>,
    journal: Journal,
    /// Changes whenever held answers are released.
    released: watch::Sender<u64>,
}

/// The server's routes.
pub(crate) fn routes(script: Script) -> Router {
    let shared = Shared {
        play: Arc::new(Mutex::new(Play::of(script.clone()))),
        script: Arc::new(Mutex::new(script)),
        journal: Journal::begin(),
        released: watch::Sender::new(0),
    };
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/images/generations", post(pictures::generate))
        .route("/v1/images/edits", post(pictures::edit))
        .route("/__picture/{name}", get(pictures::file))
        .route("/__journal", get(journal))
        .route("/__script", post(replace_script))
        .route("/__release", post(release))
        .route("/__reset", post(reset))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(shared)
}

async fn journal(State(shared): State<Shared>) -> Json<Shown> {
    Json(shared.journal.show())
}

async fn replace_script(State(shared): State<Shared>, body: Bytes) -> Response {
    match serde_json::from_slice::<Script>(&body) {
        Ok(script) => {
            shared.begin(Some(script));
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => refused(
            StatusCode::BAD_REQUEST,
            None,
            &format!("the script cannot be read: {error}"),
        ),
    }
}

async fn release(State(shared): State<Shared>) -> StatusCode {
    shared.released.send_modify(|releases| *releases += 1);
    StatusCode::NO_CONTENT
}

async fn reset(State(shared): State<Shared>) -> StatusCode {
    shared.journal.reset();
    shared.begin(None);
    StatusCode::NO_CONTENT
}

impl Shared {
    /// Begins a new script, or the same one anew.
    fn begin(&self, script: Option<Script>) {
        let mut known = self
            .script
            .lock()
            .expect("nothing panics while the script is held");
        if let Some(script) = script {
            *known = script;
        }
        *self
            .play
            .lock()
            .expect("nothing panics while the play is held") = Play::of(known.clone());
    }
}

async fn complete(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let hash = hash_of(&body);
    let Ok(parsed) = serde_json::from_slice::<Value>(&body) else {
        return refused(StatusCode::BAD_REQUEST, None, "the body is not json");
    };
    let asked = Asked::of(&parsed, hash);
    let shown = without_pictures(parsed.clone(), |text| hash_of(text.as_bytes()));
    if let Some(refusal) = shared.refusal(&headers, &asked, &parsed, &shown) {
        return refusal;
    }
    shared
        .respond(&headers, asked, shown, |asked, choice| {
            let mut answer = answer(asked, choice);
            choice.modes.change(&mut answer, &parsed);
            let media_type = if asked.stream {
                "text/event-stream"
            } else {
                "application/json"
            };
            let mut pieces = pieces_of(&answer, asked.stream, choice.pace);
            choice.modes.write(&mut pieces);
            (media_type, pieces)
        })
        .await
}

/// SHA-256 in hex.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    HEXLOWER.encode(digest::digest(&digest::SHA256, bytes).as_ref())
}

impl Shared {
    /// What a habit of the provider answers in the place of the script, written down.
    fn refusal(
        &self,
        headers: &HeaderMap,
        asked: &Asked,
        body: &Value,
        shown: &Value,
    ) -> Option<Response> {
        let play = self
            .play
            .lock()
            .expect("nothing panics while the play is held");
        let refusal = play.modes().refusal(body)?;
        drop(play);
        let key = headers
            .get("idempotency-key")
            .and_then(|key| key.to_str().ok());
        let mut ticket = self.journal.arrive(Arrival {
            key: key.map(str::to_owned),
            hash: asked.hash.clone(),
            schema: asked.schema_name.clone(),
            endpoint: asked.endpoint,
            pictures: asked.pictures,
            model: asked.model.clone(),
            stream: asked.stream,
            status: refusal.status,
            body: shown.clone(),
        });
        ticket.finish();
        let status = StatusCode::from_u16(refusal.status).ok()?;
        let mut response = (status, refusal.body).into_response();
        let json = header::HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        for (name, value) in refusal.headers {
            let value = header::HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        Some(response)
    }

    /// Chooses an answer, writes the request down, and sends what the answer's pieces are, with what goes wrong on the way.
    pub(crate) async fn respond(
        &self,
        headers: &HeaderMap,
        asked: Asked,
        shown: Value,
        pieces: impl FnOnce(&Asked, &Choice) -> (&'static str, Vec<String>),
    ) -> Response {
        let key = headers
            .get("idempotency-key")
            .and_then(|key| key.to_str().ok())
            .map(str::to_owned);
        let choice = self
            .play
            .lock()
            .expect("nothing panics while the play is held")
            .choose(&asked, key.as_deref());
        let status = choice
            .rule
            .status
            .and_then(|status| StatusCode::from_u16(status).ok());
        let mut ticket = self.journal.arrive(Arrival {
            key,
            hash: asked.hash.clone(),
            schema: asked.schema_name.clone(),
            endpoint: asked.endpoint,
            pictures: asked.pictures,
            model: asked.model.clone(),
            stream: asked.stream,
            status: status.unwrap_or(StatusCode::OK).as_u16(),
            body: shown,
        });
        pause(choice.pace.latency_ms).await;
        if let Some(status) = status {
            ticket.finish();
            return refused(
                status,
                choice.rule.retry_after.as_deref(),
                "refused by the script, for `status` in its rule",
            );
        }
        let (media_type, pieces) = pieces(&asked, &choice);
        let sending = Sending::new(pieces, choice.pace)
            .cut_after(choice.rule.cut_after_chunks)
            .hold_after(choice.rule.hold_after_chunks);
        let number = ticket.number().to_string();
        let body = Body::from_stream(sending.stream(ticket, self.released.subscribe()));
        let head = [
            (header::CONTENT_TYPE, media_type.to_owned()),
            (header::HeaderName::from_static("x-request-id"), number),
        ];
        (head, body).into_response()
    }
}

fn pieces_of(answer: &Answer, streaming: bool, pace: Pace) -> Vec<String> {
    if streaming {
        let mut pieces = answer.content_events(pace.chunk_chars);
        pieces.push(answer.ending());
        pieces
    } else {
        vec![answer.document().to_string()]
    }
}

pub(crate) fn refused(status: StatusCode, retry_after: Option<&str>, message: &str) -> Response {
    let code = if status == StatusCode::TOO_MANY_REQUESTS {
        "rate_limit_exceeded"
    } else {
        "scripted"
    };
    let body = Json(
        json!({"error": {"message": message, "type": "scripted", "param": null, "code": code}}),
    );
    match retry_after {
        Some(retry_after) => (status, [(header::RETRY_AFTER, retry_after)], body).into_response(),
        None => (status, body).into_response(),
    }
}

async fn pause(milliseconds: Option<u64>) {
    if let Some(milliseconds) = milliseconds.filter(|milliseconds| *milliseconds > 0) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
}

/// What is sent, piece by piece, and what goes wrong on the way.
struct Sending {
    /// Pieces that carry content, then the end.
    pieces: Vec<String>,
    chunk_delay_ms: Option<u64>,
    cut_after: Option<usize>,
    hold_after: Option<usize>,
}

/// How far the sending is.
struct Progress {
    sending: Sending,
    next: usize,
    held: bool,
    ticket: Ticket,
    released: watch::Receiver<u64>,
}

impl Sending {
    fn new(pieces: Vec<String>, pace: Pace) -> Sending {
        Sending {
            pieces,
            chunk_delay_ms: pace.chunk_delay_ms,
            cut_after: None,
            hold_after: None,
        }
    }

    /// A cut behind the last content comes before the end: the answer is cut in any case.
    fn cut_after(mut self, chunks: Option<usize>) -> Sending {
        self.cut_after = chunks.map(|chunks| chunks.min(self.pieces.len() - 1));
        self
    }

    fn hold_after(mut self, chunks: Option<usize>) -> Sending {
        self.hold_after = chunks.map(|chunks| chunks.min(self.pieces.len() - 1));
        self
    }

    fn stream(
        self,
        ticket: Ticket,
        released: watch::Receiver<u64>,
    ) -> impl Stream<Item = std::io::Result<String>> {
        let progress = Progress {
            sending: self,
            next: 0,
            held: false,
            ticket,
            released,
        };
        stream::unfold(progress, |mut progress| async move {
            let piece = progress.piece().await?;
            Some((piece, progress))
        })
    }
}

impl Progress {
    /// The next piece, an error that breaks the connection, or the end.
    async fn piece(&mut self) -> Option<std::io::Result<String>> {
        if self.sending.hold_after == Some(self.next) && !self.held {
            self.held = true;
            self.ticket.hold();
            self.released.mark_unchanged();
            // The sender lives as long as the server; without it nobody could release anything.
            self.released.changed().await.ok()?;
        }
        if self.sending.cut_after == Some(self.next) {
            tokio::time::sleep(FLUSH).await;
            self.ticket.cut();
            return Some(Err(std::io::Error::other("cut by the script")));
        }
        if self.next > 0 && self.next < self.sending.pieces.len() {
            pause(self.sending.chunk_delay_ms).await;
        }
        let piece = self.sending.pieces.get(self.next).cloned();
        self.next += 1;
        if piece.is_none() {
            self.ticket.finish();
        }
        piece.map(Ok)
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
