//! What all of a simulation shares: the true time, the faults that are on, and what was seen.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, TimeDelta, Utc};
use domain::event::{Event, StepEvent};
use runner::clock::Clock;
use store::{Committed, StreamId};
use tokio::sync::watch;

use crate::program::key;
use crate::rng::Rng;

/// How often, in a thousand appends or reads, something goes wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// The append is not made, and its caller is told so.
    pub refused: u64,
    /// The append is made, and its caller is told that it failed.
    pub lost: u64,
    /// Its caller is told that it failed, and it is made a little later.
    pub late: u64,
    /// A read fails.
    pub unread: u64,
}

/// When, in microseconds of the true time, and what happened.
pub type Noted = (i64, String);

/// What all of a simulation shares.
pub struct World {
    /// Microseconds since its beginning.
    now: AtomicI64,
    /// Goes up with everything that happens, so that time goes on slowly while something does.
    busy: AtomicU64,
    /// Whether the log stands still.
    pub stalled: watch::Sender<bool>,
    inner: Mutex<Inner>,
}

struct Inner {
    rng: Rng,
    rates: Rates,
    trace: Vec<Noted>,
    wrong: Vec<Noted>,
    /// Answers in the log, by the key of their turn: how many, and since when.
    recorded: BTreeMap<String, (usize, i64)>,
    /// The last version of a session that a client was told.
    told: BTreeMap<StreamId, u64>,
}

/// When a simulation begins, in seconds since 1970: any day will do.
const BEGIN: i64 = 1_750_000_000;

impl World {
    pub fn new(rng: Rng) -> Arc<Self> {
        Arc::new(Self {
            now: AtomicI64::new(0),
            busy: AtomicU64::new(0),
            stalled: watch::Sender::new(false),
            inner: Mutex::new(Inner {
                rng,
                rates: Rates::default(),
                trace: vec![],
                wrong: vec![],
                recorded: BTreeMap::new(),
                told: BTreeMap::new(),
            }),
        })
    }

    pub fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    pub fn pass(&self, micros: i64) {
        self.now.fetch_add(micros, Ordering::Relaxed);
    }

    pub fn happens(&self) {
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    pub fn happened(&self) -> u64 {
        self.busy.load(Ordering::Relaxed)
    }

    /// A clock that is wrong by this much.
    pub fn clock(self: &Arc<Self>, wrong_by: TimeDelta) -> Clock {
        let world = Arc::clone(self);
        let begin = DateTime::<Utc>::from_timestamp(BEGIN, 0).unwrap_or_default() + wrong_by;
        Clock::of(move || begin + TimeDelta::microseconds(world.now()))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics while it is held")
    }

    pub fn rates(&self) -> Rates {
        self.inner().rates
    }

    pub fn set_rates(&self, rates: Rates) {
        self.inner().rates = rates;
    }

    /// Draws from the chance of everything that goes on inside.
    pub fn draw<T>(&self, draw: impl FnOnce(&mut Rng) -> T) -> T {
        draw(&mut self.inner().rng)
    }

    pub fn note(&self, what: impl Into<String>) {
        let now = self.now();
        self.inner().trace.push((now, what.into()));
    }

    /// Something that must not be.
    pub fn wrong(&self, what: impl Into<String>) {
        let (now, what) = (self.now(), what.into());
        let mut inner = self.inner();
        inner.trace.push((now, format!("CONTRADICTION: {what}")));
        inner.wrong.push((now, what));
    }

    pub fn contradictions(&self) -> Vec<Noted> {
        self.inner().wrong.clone()
    }

    pub fn trace(&self) -> Vec<Noted> {
        self.inner().trace.clone()
    }

    /// Looks at what was committed, whoever is told of it.
    pub fn committed(&self, stream: &StreamId, committed: &Committed) {
        if committed.duplicate {
            return;
        }
        let now = self.now();
        let mut inner = self.inner();
        for recorded in &committed.recorded {
            let Event::Step(StepEvent::ModelCalled(called)) = &recorded.event else {
                continue;
            };
            if called.error.is_none() {
                let key = key(
                    &stream.owner,
                    stream.session.as_str(),
                    &called.step,
                    called.attempt,
                    called.turn,
                );
                let known = inner.recorded.entry(key).or_insert((0, now));
                known.0 += 1;
            }
        }
    }

    /// How many answers to a turn are in the log, and since when.
    pub fn recorded(&self, key: &str) -> Option<(usize, i64)> {
        self.inner().recorded.get(key).copied()
    }

    /// A client was told this version.
    pub fn told(&self, stream: &StreamId, version: u64) {
        let mut inner = self.inner();
        let known = inner.told.entry(stream.clone()).or_default();
        *known = version.max(*known);
    }

    /// The last version that a client was told.
    pub fn told_of(&self, stream: &StreamId) -> u64 {
        self.inner().told.get(stream).copied().unwrap_or_default()
    }
}
