//! What all of a simulation shares: the true time, the faults that are on, and what was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::{DateTime, TimeDelta, Utc};
use domain::event::{Event, GateEvent, StepEvent};
use domain::{GateId, StepId};
use runner::clock::Clock;
use store::{Committed, StreamId};
use tokio::sync::watch;

use super::plan::LEASE_MS;
use super::provider::seconds;
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

/// A mistake that is made on purpose, to see that it is found. It is made between an engine and the log, where it looks to the engine
/// as if the log had it; the product has no switch for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Bug {
    /// Some appends are acknowledged and never made, as by a log that does not wait for its disk and loses its power.
    EarlyAcknowledgement,
    /// Nobody asks whether a claim stands.
    SkippedClaim,
    /// An answer to a gate is appended, whatever came before it.
    GateAnsweredTwice,
    /// Nobody is told of some steps that were requested, and nobody finds them later.
    DroppedWakeUp,
}

/// How often, in a thousand, a mistake is made that is not made each time.
pub const MISTAKES: u64 = 50;

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
    pub bug: Option<Bug>,
    inner: Mutex<Inner>,
}

struct Inner {
    rng: Rng,
    rates: Rates,
    trace: Vec<Noted>,
    wrong: Vec<Noted>,
    /// Answers in the log, by the key of their turn: how many, and since when.
    recorded: BTreeMap<String, (usize, i64)>,
    /// Times in which a process could not renew its lease, or not notice that the lease had ended: which process (all where absent), from
    /// when, until when.
    troubles: Vec<(Option<usize>, i64, i64)>,
    /// When a process died, and which one.
    deaths: Vec<(usize, i64)>,
    /// Until when a gate with a deadline has to stay open.
    open_until: BTreeMap<GateId, i64>,
    /// Steps that no process is told of, because of a bug.
    unseen: BTreeSet<(StreamId, StepId)>,
    /// The last version of a session that a client was told.
    told: BTreeMap<StreamId, u64>,
}

/// Who answers a gate whose time is over.
const BY_DEADLINE: &str = "deadline";

/// How much earlier than at its deadline a gate may be closed, in microseconds: what is appended was decided a little before.
const EARLY_MAX: i64 = 150_000;

/// When a simulation begins, in seconds since 1970: any day will do.
const BEGIN: i64 = 1_750_000_000;

impl World {
    pub fn new(rng: Rng, bug: Option<Bug>) -> Arc<Self> {
        Arc::new(Self {
            now: AtomicI64::new(0),
            busy: AtomicU64::new(0),
            stalled: watch::Sender::new(false),
            bug,
            inner: Mutex::new(Inner {
                rng,
                rates: Rates::default(),
                trace: vec![],
                wrong: vec![],
                recorded: BTreeMap::new(),
                troubles: vec![],
                deaths: vec![],
                open_until: BTreeMap::new(),
                unseen: BTreeSet::new(),
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

    /// A clock that is wrong by so many microseconds at a time.
    pub fn clock(self: &Arc<Self>, wrong_by: Arc<AtomicI64>) -> Clock {
        let world = Arc::clone(self);
        let begin = DateTime::<Utc>::from_timestamp(BEGIN, 0).unwrap_or_default();
        Clock::of(move || {
            let micros = world.now() + wrong_by.load(Ordering::Relaxed);
            begin + TimeDelta::microseconds(micros)
        })
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

    /// Notes what was committed, whether or not its caller is told of it. The commit was asked for at `asked_at`.
    pub fn committed(&self, stream: &StreamId, committed: &Committed, asked_at: i64) {
        if committed.duplicate {
            return;
        }
        for recorded in &committed.recorded {
            match &recorded.event {
                Event::Step(StepEvent::ModelCalled(called)) if called.error.is_none() => {
                    let (owner, session) = (&stream.owner, stream.session.as_str());
                    let key = key(owner, session, &called.step, called.attempt, called.turn);
                    let now = self.now();
                    self.inner().recorded.entry(key).or_insert((0, now)).0 += 1;
                }
                Event::Gate(GateEvent::GateOpened(opened)) => {
                    if let Some(deadline) = opened.deadline {
                        let open_for = (deadline - opened.at).num_microseconds().unwrap_or(0);
                        let until = asked_at + open_for;
                        self.inner().open_until.insert(opened.gate.clone(), until);
                    }
                }
                Event::Gate(GateEvent::AnswerGiven(given)) if given.by == BY_DEADLINE => {
                    let until = self.inner().open_until.get(&given.gate).copied();
                    let early = until.map_or(0, |until| until - self.now());
                    if early > EARLY_MAX {
                        let early = seconds(early);
                        self.wrong(format!(
                            "gate {} is closed {early} before its time",
                            given.gate
                        ));
                    }
                }
                Event::Step(_)
                | Event::Gate(_)
                | Event::Session(_)
                | Event::Run(_)
                | Event::Collection(_)
                | Event::Project(_) => {}
            }
        }
    }

    /// How many answers to a turn are in the log, and since when.
    pub fn recorded(&self, key: &str) -> Option<(usize, i64)> {
        self.inner().recorded.get(key).copied()
    }

    /// A process, or every one, is in trouble from now on for so long, and for a lease after that.
    pub fn trouble(&self, process: Option<usize>, micros: i64) {
        let now = self.now();
        let until = now.saturating_add(micros).saturating_add(LEASE_MS * 1_000);
        self.inner().troubles.push((process, now, until));
    }

    pub fn dies(&self, process: usize) {
        let now = self.now();
        self.inner().deaths.push((process, now));
    }

    /// Whether this process died between two times.
    pub fn died(&self, process: usize, from: i64, to: i64) -> bool {
        let deaths = &self.inner().deaths;
        deaths
            .iter()
            .any(|(of, at)| *of == process && (from..=to).contains(at))
    }

    /// Whether this process was in trouble at some time since then.
    pub fn was_troubled(&self, process: usize, since: i64) -> bool {
        let troubles = &self.inner().troubles;
        let mut own = troubles
            .iter()
            .filter(|(of, ..)| of.is_none_or(|of| of == process));
        own.any(|(_, _, until)| *until >= since)
    }

    /// Whether this mistake is made now.
    pub fn errs(&self, bug: Bug) -> bool {
        self.bug == Some(bug) && self.draw(|rng| rng.chance(MISTAKES))
    }

    /// From now on nobody is told of this step.
    pub fn hide(&self, stream: &StreamId, step: &StepId) {
        self.inner().unseen.insert((stream.clone(), step.clone()));
    }

    pub fn is_hidden(&self, stream: &StreamId, step: &StepId) -> bool {
        let inner = self.inner();
        !inner.unseen.is_empty() && inner.unseen.contains(&(stream.clone(), step.clone()))
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
