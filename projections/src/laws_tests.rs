//! A wire that breaks a law is found.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde_json::value::RawValue;

use super::*;
use crate::trial::{LogFixture, settings};
use crate::wire::native::Native;
use crate::wire::{FrameData, Overview, SessionRef};

/// What a broken wire says of an event: a number.
#[derive(Serialize)]
struct Number(u64);

impl FrameData for Number {
    fn name(&self) -> &'static str {
        "number"
    }

    fn is_terminal(&self) -> bool {
        false
    }
}

/// A wire that numbers its frames by this state, has this overview, and says this when a session is erased.
macro_rules! wire {
    ($name:ident, $state:ty, $count:expr, $part:expr, $overview:expr) => {
        #[derive(Clone, Debug)]
        struct $name;

        impl Wire for $name {
            const NAME: &'static str = "broken";
            const VERSION: u32 = 1;
            type State = $state;
            type Data = Number;

            fn step(state: &mut $state, _: &SessionRef, _: &Recorded, out: &mut Vec<Number>) {
                let count: fn(&mut $state) -> u64 = $count;
                out.push(Number(count(state)));
            }

            fn part(state: &$state, out: &mut Vec<Number>) {
                let part: fn(&$state) -> u64 = $part;
                out.push(Number(part(state)));
            }

            fn overview(_: SessionRef) -> Option<AnyOverview> {
                $overview
            }
        }
    };
}

/// A number that snapshots forget.
#[derive(Debug, Default)]
struct Forgotten(u64);

impl Clone for Forgotten {
    fn clone(&self) -> Self {
        Self(0)
    }
}

thread_local! {
    static EVER: Cell<u64> = const { Cell::new(0) };
}

/// Another number each time.
fn ever() -> u64 {
    EVER.replace(EVER.get() + 1)
}

fn count(state: &mut u64) -> u64 {
    *state += 1;
    *state
}

fn shared(state: &mut Arc<AtomicU64>) -> u64 {
    state.fetch_add(1, Ordering::Relaxed)
}

/// An overview with a fault.
#[derive(Clone, Debug)]
struct Faulty<const FAULT: u8> {
    fold: Fold<Sound>,
    pushed: u64,
    shared: Arc<AtomicU64>,
}

const NO_FAULT: u8 = 0;
const AT_ITS_START: u8 = 1;
const COUNTS_TWICE: u8 = 2;
const SHARES: u8 = 3;

fn faulty<const FAULT: u8>() -> Option<AnyOverview> {
    Some(AnyOverview::new(Faulty::<FAULT> {
        fold: Fold::new(session()),
        pushed: 0,
        shared: Arc::default(),
    }))
}

impl<const FAULT: u8> Overview for Faulty<FAULT> {
    fn push(&mut self, recorded: &Recorded) {
        let is_new = !self.fold.push(recorded).is_empty();
        self.pushed += u64::from(is_new || FAULT == COUNTS_TWICE);
        self.shared.fetch_add(1, Ordering::Relaxed);
    }

    fn at(&self) -> Cursor {
        if FAULT == AT_ITS_START {
            Cursor::start(1)
        } else {
            self.fold.at()
        }
    }

    fn state(&self) -> Box<RawValue> {
        let shared = self.shared.load(Ordering::Relaxed);
        let state = if FAULT == SHARES { shared } else { self.pushed };
        serde_json::value::to_raw_value(&state).expect("a number")
    }
}

wire!(Sound, u64, count, |state| *state, faulty::<NO_FAULT>());
wire!(Impure, u64, |_| ever(), |_| 0, None);
wire!(Forgets, Forgotten, |state| count(&mut state.0), |_| 0, None);
wire!(Shares, Arc<AtomicU64>, shared, |_| 0, None);
wire!(PartsImpurely, u64, count, |_| ever(), None);
wire!(Late, u64, count, |_| 0, faulty::<AT_ITS_START>());
wire!(Twice, u64, count, |_| 0, faulty::<COUNTS_TWICE>());
wire!(SharesState, u64, count, |_| 0, faulty::<SHARES>());

fn log() -> Vec<Recorded> {
    let log = LogFixture::of("haiku", "Rain").message("Rain", settings());
    log.understood().completed(None).events
}

/// The law that a wire is said to break.
fn broken<W: Wire>() -> String {
    let held = std::panic::catch_unwind(|| wire_laws::<W>(&log()));
    let said = held.expect_err("it breaks a law");
    let said = said.downcast_ref::<String>().expect("a text");
    let (_, law) = said.split_once(": ").expect("a law");
    law.to_owned()
}

#[test]
fn sound_wires_keep_the_laws() {
    wire_laws::<Sound>(&log());
    wire_laws::<Native>(&log());
    wire_laws::<Native>(&[]);
}

#[test]
fn a_wire_that_breaks_a_law_is_found() {
    let prefix = "a prefix of a log gives a prefix of the frames";
    let snapshot = "folding goes on from a snapshot as if it had not stopped";
    assert_eq!(broken::<Impure>(), prefix);
    assert_eq!(broken::<Forgets>(), snapshot);
    assert_eq!(broken::<Shares>(), snapshot);
    let parting = "what closes a session is the same from a snapshot";
    assert_eq!(broken::<PartsImpurely>(), parting);
    let given = "what a client is given when it connects is";
    let late = format!("{given} true at the cursor of the wire");
    assert_eq!(broken::<Late>(), late);
    let twice = "an event that is read twice changes nothing of what a client is given";
    assert_eq!(broken::<Twice>(), twice);
    assert_eq!(
        broken::<SharesState>(),
        format!("{given} the same from a snapshot")
    );
}

/// The law that frames break after this was done to them.
fn disorder(change: fn(&mut Vec<Frame>)) -> String {
    let mut fold = Fold::<Native>::new(session());
    let mut all: Vec<_> = log().iter().flat_map(|event| fold.push(event)).collect();
    change(&mut all);
    let held = std::panic::catch_unwind(|| check_order::<Native>(&all));
    let said = held.expect_err("they break a law");
    said.downcast_ref::<String>().expect("a text").clone()
}

#[test]
fn frames_out_of_order_are_found() {
    for (change, law) in [
        (
            (|all| all[2].cursor = all[1].cursor) as fn(&mut Vec<Frame>),
            "cursors rise",
        ),
        (|all| all[2].ordinal = 7, "ordinals count frames"),
        (
            |all| all[2].cursor.wire_version = 9,
            "a cursor names its wire and its event",
        ),
        (|all| all[2].cursor.sub = 1, "has the sub 0"),
    ] {
        let said = disorder(change);
        assert!(said.contains(law), "{said}");
    }
}

#[test]
fn a_tail_with_a_gap_or_with_something_twice_is_found() {
    let log = log();
    let mut fold = Fold::<Native>::new(session());
    let all: Vec<_> = log.iter().flat_map(|event| fold.push(event)).collect();
    check_tail::<Native>(&log, &all, 3);
    let mut gap = all.clone();
    gap.remove(4);
    let mut twice = all.clone();
    twice.insert(4, all[4].clone());
    for wrong in [gap, twice] {
        let held = std::panic::catch_unwind(|| check_tail::<Native>(&log, &wrong, 3));
        assert!(held.is_err());
    }
}
