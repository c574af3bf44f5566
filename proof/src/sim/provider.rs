//! The provider of a simulation: it says back what it is asked, and keeps a journal.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use runner::ports::{
    AnswerSink, Model, ModelAnswer, ModelError, ModelErrorKind, ModelRequest, Usage,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::world::World;

/// The longest that an answer takes, in milliseconds.
const LATENCY_MAX: u64 = 900;

/// How many calls in a thousand the provider refuses for the moment.
const REFUSED: u64 = 40;

/// A call, as the provider has it.
#[derive(Clone, Debug)]
pub struct Call {
    pub key: String,
    pub process: usize,
    /// In microseconds of the true time.
    pub begun: i64,
    /// When its last byte was sent, and it was paid; nothing where it was refused or the caller hung up before.
    pub paid: Option<i64>,
    /// When the caller had an answer or a refusal, or hung up.
    pub ended: Option<i64>,
    /// When the caller had all of it.
    pub received: Option<i64>,
}

/// What the provider was asked by all processes.
#[derive(Default)]
pub struct Journal(Mutex<Vec<Call>>);

impl Journal {
    pub fn calls(&self) -> Vec<Call> {
        self.0
            .lock()
            .expect("nothing panics while it is held")
            .clone()
    }

    fn begin(&self, call: Call) -> usize {
        let mut calls = self.0.lock().expect("nothing panics while it is held");
        calls.push(call);
        calls.len() - 1
    }

    fn note(&self, place: usize, note: impl FnOnce(&mut Call)) {
        let mut calls = self.0.lock().expect("nothing panics while it is held");
        note(&mut calls[place]);
    }
}

/// The provider as one process reaches it.
pub struct Provider {
    pub world: Arc<World>,
    pub journal: Arc<Journal>,
    pub process: usize,
    /// Until when, in microseconds of the true time, a call that was let through before the process was frozen may still begin.
    pub unfenced_until: Arc<std::sync::atomic::AtomicI64>,
}

/// A call on its way: when it is dropped, the provider has sent everything or notices that nobody listens.
struct OnTheWay<'a> {
    provider: &'a Provider,
    place: usize,
    /// When the provider has sent everything.
    sent: Option<i64>,
}

impl Drop for OnTheWay<'_> {
    fn drop(&mut self) {
        let now = self.provider.world.now();
        self.provider
            .journal
            .note(self.place, |call| call.ended = Some(now));
        if let Some(sent) = self.sent.filter(|sent| *sent <= now) {
            self.provider
                .journal
                .note(self.place, |call| call.paid = Some(sent));
        }
    }
}

impl Provider {
    /// Two processes may ask for one turn at the same time only if the first one could not keep its lease.
    fn overlaps(&self, key: &str, now: i64) {
        let calls = self.journal.calls();
        let mut others = calls
            .iter()
            .filter(|call| call.key == key && call.process != self.process && call.ended.is_none());
        if let Some(other) = others.find(|it| !self.world.was_troubled(it.process, it.begun)) {
            self.world.wrong(format!(
                "p{} asks for turn {key:.8} at {}, which p{} is asking for since {}",
                self.process,
                seconds(now),
                other.process,
                seconds(other.begun)
            ));
        }
    }
}

#[async_trait]
impl Model for Provider {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, ModelError> {
        let now = self.world.now();
        self.world.happens();
        let key = request.idempotency_key.clone();
        let unfenced = self
            .unfenced_until
            .load(std::sync::atomic::Ordering::Relaxed);
        if let Some((_, since)) = self.world.recorded(&key)
            && now > unfenced
        {
            self.world.wrong(format!(
                "p{} begins a call for turn {key:.8} whose answer is in the log since {}",
                self.process,
                seconds(since)
            ));
        }
        if now > unfenced {
            self.overlaps(&key, now);
        }
        let (refuses, latency) = self
            .world
            .draw(|rng| (rng.chance(REFUSED), rng.between(1, LATENCY_MAX)));
        self.world
            .note(format!("p{} call {key:.8} {latency} ms", self.process));
        let latency = Duration::from_millis(latency);
        let sent = now + i64::try_from(latency.as_micros()).unwrap_or(i64::MAX);
        let mut way = OnTheWay {
            provider: self,
            place: self.journal.begin(Call {
                key,
                process: self.process,
                begun: now,
                paid: None,
                ended: None,
                received: None,
            }),
            sent: (!refuses).then_some(sent),
        };
        let cancelled = || ModelError::new(ModelErrorKind::Cancelled, "cancelled");
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        // As in the product, an answer that has arrived is taken even if the call was cancelled at the same moment.
        tokio::select! {
            biased;
            () = tokio::time::sleep(latency) => {}
            () = cancel.cancelled() => return Err(cancelled()),
        }
        self.world.happens();
        if refuses {
            return Err(ModelError::new(ModelErrorKind::Server, "not now"));
        }
        way.sent = Some(sent.min(self.world.now()));
        let text = request
            .messages
            .last()
            .map(|message| message.content.trim().to_owned());
        let text = text.unwrap_or_default();
        let raw = sse(way.place, &text);
        let kept = sink.bytes(&raw);
        kept.map_err(|error| ModelError::new(ModelErrorKind::NotKept, error.to_string()))?;
        sink.text(&text);
        let now = self.world.now();
        self.journal
            .note(way.place, |call| call.received = Some(now));
        Ok(ModelAnswer {
            text,
            model: request.model.clone(),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage::default()),
            raw,
            ..ModelAnswer::default()
        })
    }
}

/// An answer as it is sent. No two answers have the same bytes, because each has an id, as those of real providers have.
fn sse(call: usize, text: &str) -> Bytes {
    let choice = json!({ "index": 0, "delta": { "content": text }, "finish_reason": "stop" });
    let chunk = json!({ "id": format!("call-{call}"), "model": "m", "choices": [choice] });
    Bytes::from(format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

/// A time as people read it.
pub fn seconds(micros: i64) -> String {
    format!("{}.{:03} s", micros / 1_000_000, micros / 1_000 % 1_000)
}
