//! Gates that opened while this process ran. Their deadlines are times in the log, by a clock that somebody may set; how long they are still
//! open is counted here, by one that nobody can.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::GateId;
use domain::event::GateOpened;
use store::StreamId;
use tokio::time::Instant;

/// Until when gates are open. After a restart, the times in the log count.
#[derive(Default)]
pub(crate) struct OpenGates(Mutex<BTreeMap<(StreamId, GateId), Instant>>);

impl OpenGates {
    /// A gate opens, for as long as it says.
    pub(crate) fn open(&self, stream: &StreamId, gate: &GateOpened) {
        let lasts = gate.deadline.map(|deadline| deadline - gate.at);
        let until = lasts.and_then(|lasts| Instant::now().checked_add(lasts.to_std().ok()?));
        if let Some(until) = until {
            let key = (stream.clone(), gate.gate.clone());
            self.gates().insert(key, until);
        }
    }

    /// Forgets the gates whose time is over, and returns how many are left. Gates that were answered are among them until then.
    pub(crate) fn forget_past(&self) -> usize {
        let (mut gates, now) = (self.gates(), Instant::now());
        gates.retain(|_, until| *until > now);
        gates.len()
    }

    /// Whether a gate opened while this process ran, and its time is not over.
    pub(crate) fn has(&self, stream: &StreamId, gate: &GateId) -> bool {
        self.gates().contains_key(&(stream.clone(), gate.clone()))
    }

    /// Ignores the poison of a panic: each change is a single one, so that none is half done.
    fn gates(&self) -> MutexGuard<'_, BTreeMap<(StreamId, GateId), Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::{DateTime, TimeDelta};
    use domain::RunId;
    use serde_json::Value;

    use super::*;

    fn gate(name: &str, seconds: Option<i64>) -> GateOpened {
        let at = DateTime::UNIX_EPOCH;
        GateOpened {
            run: RunId(1),
            gate: name.into(),
            name: "plan".to_owned(),
            subject: None,
            step: None,
            question: "as planned?".to_owned(),
            schema: Value::Null,
            options: vec![],
            deadline: seconds.map(|seconds| at + TimeDelta::seconds(seconds)),
            default: Value::Null,
            at,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_gate_is_open_for_as_long_as_it_says_whatever_clocks_show() {
        let (gates, stream) = (OpenGates::default(), StreamId::new("ann", "s".into()));
        for (name, seconds) in [("a", Some(8)), ("b", Some(20)), ("c", None)] {
            gates.open(&stream, &gate(name, seconds));
        }
        let has = || ["a", "b", "c"].map(|name| gates.has(&stream, &name.into()));
        tokio::time::advance(Duration::from_millis(7_999)).await;
        assert_eq!(gates.forget_past(), 2);
        assert_eq!(has(), [true, true, false]);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(gates.forget_past(), 1);
        assert_eq!(has(), [false, true, false]);
    }
}
