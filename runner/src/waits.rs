//! What the steps of this process wait for just now. This stays in memory: what a step needs to go on after a restart is in the log.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use domain::StepId;
use store::StreamId;

use crate::clock::Clock;

/// Why a step does not go on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The time of its next attempt, or of its next try within an attempt.
    Retry,
    /// The end of a pause after its provider had too many calls.
    Pause,
    /// The requests or tokens that its provider takes in a minute.
    Rate,
    /// A place among the calls that its provider is sent at the same time.
    Seat,
    /// The first byte of an answer.
    FirstByte,
    /// A person who answers a gate.
    Gate,
    /// The log, which takes what the step did.
    Log,
    /// Contents beside the log, which are loaded and read, or kept.
    Blob,
}

/// What a step waits for, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepWait {
    pub reason: WaitReason,
    pub since: DateTime<Utc>,
}

/// The waits of all steps of this process.
pub(crate) struct WaitTable {
    clock: Clock,
    begun: Mutex<BegunWaits>,
}

/// Waits by the number in which they began. A step has several where one is inside of another, or where a worker that lost its claim
/// still ends.
#[derive(Default)]
struct BegunWaits {
    last: u64,
    waits: BTreeMap<u64, (StreamId, StepId, StepWait)>,
}

impl WaitTable {
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            clock,
            begun: Mutex::default(),
        }
    }

    /// The line of a step, on which it says what it waits for.
    pub(crate) fn line<'a>(&'a self, stream: &'a StreamId, step: &'a StepId) -> WaitLine<'a> {
        WaitLine {
            table: self,
            stream,
            step,
        }
    }

    /// What each step that waits waits for: of several waits the one that began last.
    pub(crate) fn all(&self) -> BTreeMap<(StreamId, StepId), StepWait> {
        let begun = self.begun();
        let waits = begun.waits.values();
        // A later wait of the same step takes the place of an earlier one.
        waits
            .map(|(stream, step, wait)| ((stream.clone(), step.clone()), *wait))
            .collect()
    }

    /// Ignores the poison of a panic: each change of the table is a single one, so that none is half done.
    fn begun(&self) -> MutexGuard<'_, BegunWaits> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The line of one step in the table of waits.
#[derive(Clone, Copy)]
pub struct WaitLine<'a> {
    table: &'a WaitTable,
    stream: &'a StreamId,
    step: &'a StepId,
}

impl<'a> WaitLine<'a> {
    /// Says that the step waits, until the guard is dropped.
    pub(crate) fn begin(self, reason: WaitReason) -> WaitGuard<'a> {
        let since = self.table.clock.now();
        let wait = StepWait { reason, since };
        let mut begun = self.table.begun();
        begun.last += 1;
        let number = begun.last;
        let entry = (self.stream.clone(), self.step.clone(), wait);
        begun.waits.insert(number, entry);
        WaitGuard {
            table: self.table,
            number,
        }
    }
}

/// A wait that goes on. A future that is given up ends its wait as well, because it drops the guard.
#[must_use = "the wait ends when this is dropped"]
pub(crate) struct WaitGuard<'a> {
    table: &'a WaitTable,
    number: u64,
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.table.begun().waits.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use domain::RunId;

    use super::*;

    fn time(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    /// A table, and the seconds that its clock shows.
    fn table() -> (Arc<AtomicI64>, WaitTable) {
        let seconds = Arc::new(AtomicI64::new(0));
        let shown = Arc::clone(&seconds);
        let clock = Clock::of(move || time(shown.load(Ordering::Relaxed)));
        (seconds, WaitTable::new(clock))
    }

    fn step(item: &str) -> StepId {
        StepId::new(RunId(1), "draft", item)
    }

    #[test]
    fn a_step_shows_its_innermost_wait_and_then_the_one_around_it() {
        let (seconds, table) = table();
        let (stream, step) = (StreamId::new("ann", "s".into()), step("1"));
        let shown = || {
            let wait = table.all().remove(&(stream.clone(), step.clone()))?;
            Some((wait.reason, wait.since.timestamp()))
        };
        let line = table.line(&stream, &step);
        assert_eq!(shown(), None);
        let outer = line.begin(WaitReason::Gate);
        seconds.store(5, Ordering::Relaxed);
        let inner = line.begin(WaitReason::Log);
        assert_eq!(shown(), Some((WaitReason::Log, 5)));
        drop(inner);
        assert_eq!(shown(), Some((WaitReason::Gate, 0)));
        drop(outer);
        assert_eq!(shown(), None);
    }

    #[test]
    fn steps_of_several_sessions_wait_side_by_side() {
        let (_, table) = table();
        let (ann, bob) = (
            StreamId::new("ann", "s".into()),
            StreamId::new("bob", "s".into()),
        );
        let (one, two) = (step("1"), step("2"));
        let guards = [
            table.line(&ann, &one).begin(WaitReason::Seat),
            table.line(&ann, &two).begin(WaitReason::Rate),
            table.line(&bob, &one).begin(WaitReason::Pause),
        ];
        let reasons: Vec<_> = table.all().values().map(|wait| wait.reason).collect();
        let expected = [WaitReason::Seat, WaitReason::Rate, WaitReason::Pause];
        assert_eq!(reasons, expected);
        drop(guards);
        assert!(table.all().is_empty());
    }

    #[test]
    fn a_panic_ends_the_waits_of_its_step() {
        let (_, table) = table();
        let (stream, step) = (StreamId::new("ann", "s".into()), step("1"));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _waiting = table.line(&stream, &step).begin(WaitReason::Blob);
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        assert!(table.all().is_empty());
    }
}
