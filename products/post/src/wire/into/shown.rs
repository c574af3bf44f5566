//! Which questions of a thread were shown on one of its streams, and where its last answer was given.
//!
//! An answer that names no question is meant for a question that its client has seen. If a confirmation is sent twice, by a double click or
//! after a lost connection, the second one meets the next question, which nobody has seen yet. It must not answer that one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use palimpsest::prelude::wire::{GateId, Start, StreamId};
use serde_json::Value;

/// The most threads that are remembered; each takes some ten bytes of ids. A forgotten thread is known again once one of its streams is
/// read.
const THREADS_MAX: usize = 10_000;

/// The most questions of a thread that are remembered; usually it has one at a time.
const GATES_MAX: usize = 16;

#[derive(Default)]
struct Known {
    threads: HashMap<StreamId, Told>,
    /// Threads in the order in which they were first shown.
    order: VecDeque<StreamId>,
}

#[derive(Clone, Default)]
struct Told {
    gates: VecDeque<GateId>,
    answered_at: Option<Start>,
}

/// The questions that were shown in this process.
#[derive(Clone, Default)]
pub(crate) struct Shown(Arc<Mutex<Known>>);

impl Shown {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().expect("nobody panics while remembering")
    }

    fn with(&self, stream: &StreamId, told: impl FnOnce(&mut Told)) {
        let mut known = self.known();
        if !known.threads.contains_key(stream) {
            if known.order.len() == THREADS_MAX
                && let Some(oldest) = known.order.pop_front()
            {
                known.threads.remove(&oldest);
            }
            known.order.push_back(stream.clone());
        }
        told(known.threads.entry(stream.clone()).or_default());
    }

    /// Notes a frame that was written to a stream of this thread.
    pub(super) fn frame(&self, stream: &StreamId, frame: &str) {
        // Most frames are pieces of text, so that they need not be parsed.
        if !frame.contains("\"gateId\"") {
            return;
        }
        let Ok(frame) = serde_json::from_str::<Value>(frame) else {
            return;
        };
        if let Some(gate) = frame["gateId"].as_str() {
            self.question(stream, &GateId::new(gate));
        }
    }

    /// Notes that clients of this thread know a question.
    pub(super) fn question(&self, stream: &StreamId, gate: &GateId) {
        self.with(stream, |told| {
            if !told.gates.contains(gate) {
                told.gates.push_back(gate.clone());
            }
            if told.gates.len() > GATES_MAX {
                told.gates.pop_front();
            }
        });
    }

    /// Whether this question was shown on a stream of the thread.
    pub(super) fn has(&self, stream: &StreamId, gate: &GateId) -> bool {
        let known = self.known();
        let told = known.threads.get(stream);
        told.is_some_and(|told| told.gates.contains(gate))
    }

    /// Notes where the frames begin that follow from an answer.
    pub(super) fn answered(&self, stream: &StreamId, from: Start) {
        self.with(stream, |told| told.answered_at = Some(from));
    }

    /// Where the frames begin that follow from the last answer.
    pub(super) fn last_answer(&self, stream: &StreamId) -> Option<Start> {
        let known = self.known();
        known.threads.get(stream)?.answered_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_was_seen_once_its_frame_was_written() {
        let (shown, stream) = (Shown::default(), StreamId::new("ann", "s1".into()));
        let gate = GateId::new("g1");
        shown.frame(&stream, r#"{"type":"text","chunk":"gateId"}"#);
        assert!(!shown.has(&stream, &gate));
        shown.frame(&stream, r#"{"type":"ask_user","gateId":"g1"}"#);
        assert!(shown.has(&stream, &gate));
        assert!(!shown.has(&StreamId::new("bob", "s1".into()), &gate));
    }

    #[test]
    fn only_the_latest_threads_are_remembered() {
        let shown = Shown::default();
        let stream = |n: usize| StreamId::new("ann", format!("s{n}").into());
        for n in 0..=THREADS_MAX {
            shown.frame(&stream(n), r#"{"gateId":"g"}"#);
        }
        assert!(!shown.has(&stream(0), &GateId::new("g")));
        assert!(shown.has(&stream(THREADS_MAX), &GateId::new("g")));
    }
}
