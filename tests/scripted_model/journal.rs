//! What the scripted model was asked, what it finished, and who hung up.
//!
//! An answer is *finished* when its last byte was given to the connection and the connection took it. A client that is gone
//! before that has closed its socket early; the journal notes when, in microseconds since the server was started.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

use crate::script::Endpoint;

/// The journal; clones write into the same one.
#[derive(Debug, Clone)]
pub(crate) struct Journal {
    started: Instant,
    pages: Arc<Mutex<Pages>>,
}

#[derive(Debug, Default)]
struct Pages {
    /// Goes up when the journal is emptied, so that late notes about older requests are not written to newer ones.
    volume: u64,
    requests: Vec<Entry>,
}

/// One request.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Entry {
    /// Its number, from 1.
    pub(crate) n: usize,
    /// Its `Idempotency-Key`.
    pub(crate) key: Option<String>,
    /// SHA-256 of its body, in hex.
    pub(crate) hash: String,
    /// The name of the schema it asked for.
    pub(crate) schema: Option<String>,
    /// `chat`, `generations` or `edits`.
    pub(crate) endpoint: Endpoint,
    /// How many pictures came with it.
    pub(crate) pictures: usize,
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) started_us: u64,
    pub(crate) finished_us: Option<u64>,
    pub(crate) closed_by_client_us: Option<u64>,
    /// When the scripted model broke the connection itself.
    pub(crate) cut_us: Option<u64>,
    /// When the answer was stopped to be held, if it is or was.
    pub(crate) held_us: Option<u64>,
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// How often something was asked and answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    pub(crate) requests: u64,
    pub(crate) finished: u64,
}

/// The journal as it is shown.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    now_us: u64,
    requests: Vec<Entry>,
    by_key: BTreeMap<String, Counts>,
    by_hash: BTreeMap<String, Counts>,
}

/// What is known of a request when it comes.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) key: Option<String>,
    pub(crate) hash: String,
    pub(crate) schema: Option<String>,
    pub(crate) endpoint: Endpoint,
    pub(crate) pictures: usize,
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Journal {
    /// An empty journal whose time begins now.
    pub(crate) fn begin() -> Journal {
        Journal {
            started: Instant::now(),
            pages: Arc::default(),
        }
    }

    /// Writes down a request; the ticket writes down how it ends.
    pub(crate) fn arrive(&self, arrival: Arrival) -> Ticket {
        let started_us = self.now_us();
        let mut pages = self.pages();
        let n = pages.requests.len() + 1;
        pages.requests.push(Entry {
            n,
            key: arrival.key,
            hash: arrival.hash,
            schema: arrival.schema,
            endpoint: arrival.endpoint,
            pictures: arrival.pictures,
            model: arrival.model,
            stream: arrival.stream,
            started_us,
            finished_us: None,
            closed_by_client_us: None,
            cut_us: None,
            held_us: None,
            status: arrival.status,
            body: arrival.body,
        });
        Ticket {
            journal: self.clone(),
            volume: pages.volume,
            n,
            ended: false,
        }
    }

    /// All that was written down.
    pub(crate) fn show(&self) -> Shown {
        let requests = self.pages().requests.clone();
        let mut by_key: BTreeMap<String, Counts> = BTreeMap::new();
        let mut by_hash: BTreeMap<String, Counts> = BTreeMap::new();
        for request in &requests {
            let finished = u64::from(request.finished_us.is_some() && request.status == 200);
            let count = |counts: &mut Counts| {
                counts.requests += 1;
                counts.finished += finished;
            };
            if let Some(key) = &request.key {
                count(by_key.entry(key.clone()).or_default());
            }
            count(by_hash.entry(request.hash.clone()).or_default());
        }
        Shown {
            now_us: self.now_us(),
            requests,
            by_key,
            by_hash,
        }
    }

    /// Forgets everything; time goes on.
    pub(crate) fn reset(&self) {
        let mut pages = self.pages();
        pages.volume += 1;
        pages.requests.clear();
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages
            .lock()
            .expect("nothing panics while the journal is written")
    }
}

/// Follows one request to its end. Dropped before, it notes that the client has hung up: the connection drops the body it
/// was sending.
#[derive(Debug)]
pub(crate) struct Ticket {
    journal: Journal,
    volume: u64,
    n: usize,
    ended: bool,
}

impl Ticket {
    /// The request's number.
    pub(crate) fn number(&self) -> usize {
        self.n
    }

    /// The whole answer was sent.
    pub(crate) fn finish(&mut self) {
        self.ended = true;
        self.note(|entry, now| entry.finished_us = Some(now));
    }

    /// The scripted model breaks the connection.
    pub(crate) fn cut(&mut self) {
        self.ended = true;
        self.note(|entry, now| entry.cut_us = Some(now));
    }

    /// The answer is held.
    pub(crate) fn hold(&mut self) {
        self.note(|entry, now| entry.held_us = Some(now));
    }

    fn note(&self, write: impl FnOnce(&mut Entry, u64)) {
        let now = self.journal.now_us();
        let mut pages = self.journal.pages();
        if pages.volume == self.volume
            && let Some(entry) = pages.requests.get_mut(self.n - 1)
        {
            write(entry, now);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.ended {
            self.note(|entry, now| entry.closed_by_client_us = Some(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(key: &str) -> Arrival {
        Arrival {
            key: Some(key.to_owned()),
            hash: "h".to_owned(),
            schema: None,
            endpoint: Endpoint::Chat,
            pictures: 0,
            model: "m".to_owned(),
            stream: true,
            status: 200,
            body: Value::Null,
        }
    }

    #[test]
    fn requests_and_finished_answers_are_counted_by_key_and_by_hash() {
        let journal = Journal::begin();
        journal.arrive(arrival("a")).finish();
        drop(journal.arrive(arrival("a")));
        journal.arrive(arrival("b")).cut();
        let shown = journal.show();
        assert_eq!(
            shown.by_key["a"],
            Counts {
                requests: 2,
                finished: 1
            }
        );
        assert_eq!(
            shown.by_key["b"],
            Counts {
                requests: 1,
                finished: 0
            }
        );
        assert_eq!(
            shown.by_hash["h"],
            Counts {
                requests: 3,
                finished: 1
            }
        );
        let closed: Vec<bool> = shown
            .requests
            .iter()
            .map(|r| r.closed_by_client_us.is_some())
            .collect();
        assert_eq!(closed, [false, true, false]);
    }

    #[test]
    fn a_late_note_falls_on_nobody_after_a_reset() {
        let journal = Journal::begin();
        let late = journal.arrive(arrival("a"));
        journal.reset();
        let mut second = journal.arrive(arrival("b"));
        drop(late);
        second.finish();
        assert_eq!(journal.show().requests[0].closed_by_client_us, None);
    }
}
