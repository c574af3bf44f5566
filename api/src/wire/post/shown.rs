//! Which questions of a thread were told on one of its streams, and where its last answer was given.
//!
//! An answer that names no question is one to the question that whoever answers has seen. A confirmation that is sent twice, by a double
//! click or after a cut, finds the next question waiting that nobody has seen yet; it is no answer to that.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::GateId;
use serde_json::Value;
use store::StreamId;

use crate::feed::Start;

/// Threads that are remembered, the latest ones: some ten bytes of ids each. What is forgotten is known again once a stream of the thread is
/// read.
const THREADS_MAX: usize = 10_000;

/// Questions of a thread that are remembered; it has one at a time, mostly.
const GATES_MAX: usize = 16;

#[derive(Default)]
struct Known {
    threads: HashMap<StreamId, Told>,
    /// In the order in which they were first told of.
    order: VecDeque<StreamId>,
}

#[derive(Clone, Default)]
struct Told {
    gates: VecDeque<GateId>,
    answered_at: Option<Start>,
}

/// What was told in this process.
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

    /// A frame was written to a stream of this thread.
    pub(super) fn frame(&self, stream: &StreamId, frame: &str) {
        // Most frames are pieces of texts.
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

    /// A question is known to whoever reads this thread.
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

    /// Whether this question was told on a stream of the thread.
    pub(super) fn has(&self, stream: &StreamId, gate: &GateId) -> bool {
        let known = self.known();
        let told = known.threads.get(stream);
        told.is_some_and(|told| told.gates.contains(gate))
    }

    /// An answer was given; what follows from it begins here.
    pub(super) fn answered(&self, stream: &StreamId, from: Start) {
        self.with(stream, |told| told.answered_at = Some(from));
    }

    /// Where what followed from the last answer begins.
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
