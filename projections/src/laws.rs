//! What holds for every wire and every log. A wire of any crate is held to it.

use domain::Recorded;

use crate::trial::session;
use crate::wire::{AnyOverview, Cursor, Fold, Frame, Parting, Wire};

/// How many frames a client is supposed to have seen last, spread evenly over those of a log.
const CURSORS: usize = 6;

/// Holds a wire to the laws of all wires, on the events of one session from its first on: a prefix of the log gives a prefix of the frames;
/// folding goes on from a snapshot as if it had not stopped; a client that comes back with a cursor is sent exactly what it has not seen;
/// cursors rise and ordinals count; what a client is given when it connects is true at the cursor that it has.
///
/// # Panics
///
/// If the wire breaks one of them, with the law and the version of the event.
pub fn wire_laws<W: Wire>(log: &[Recorded]) {
    let mut fold = Fold::<W>::new(session());
    let all: Vec<_> = log.iter().flat_map(|event| fold.push(event)).collect();
    check_order::<W>(&all);
    check_steps::<W>(log, &all);
    for nth in 0..=CURSORS {
        check_tail::<W>(log, &all, all.len() * nth / CURSORS);
    }
    check_overview::<W>(log);
}

/// Ends the test where a law does not hold.
#[track_caller]
fn check<W: Wire>(holds: bool, version: u64, law: &str) {
    let wire = W::NAME;
    assert!(
        holds,
        "the wire `{wire}` breaks a law at version {version}: {law}"
    );
}

fn check_order<W: Wire>(all: &[Frame]) {
    let mut before: Option<&Frame> = None;
    for (ordinal, frame) in (0..).zip(all) {
        let version = frame.version;
        let rises = before.is_none_or(|before| before.cursor < frame.cursor);
        check::<W>(rises, version, "cursors rise");
        check::<W>(frame.ordinal == ordinal, version, "ordinals count frames");
        let names = (frame.cursor.wire_version, frame.cursor.version);
        let is_named = names == (W::VERSION, version);
        check::<W>(is_named, version, "a cursor names its wire and its event");
        let is_first = before.is_none_or(|before| before.version < version);
        let begins = (frame.cursor.sub == 0) == is_first;
        check::<W>(begins, version, "the first frame of an event has the sub 0");
        before = Some(frame);
    }
}

/// Folds the log once more, at each event by a fold and by a snapshot of it, and goes on with one or the other.
fn check_steps<W: Wire>(log: &[Recorded], all: &[Frame]) {
    let mut fold = Fold::<W>::new(session());
    let mut rest = all;
    for (index, recorded) in log.iter().enumerate() {
        let version = recorded.version;
        let mut snapshot = fold.clone();
        let frames = fold.push(recorded);
        let (here, after) = rest.split_at(frames.len().min(rest.len()));
        let law = "a prefix of a log gives a prefix of the frames";
        check::<W>(frames == here, version, law);
        rest = after;
        let law = "folding goes on from a snapshot as if it had not stopped";
        check::<W>(snapshot.push(recorded) == frames, version, law);
        let law = "what closes a session is the same from a snapshot";
        let same = said(&snapshot.partings()) == said(&fold.partings());
        check::<W>(same, version, law);
        let law = "an event that is read twice gives nothing";
        check::<W>(fold.push(recorded).is_empty(), version, law);
        let at = fold.at();
        let parts = frames.iter().all(|frame| frame.cursor <= at)
            && after.iter().all(|frame| frame.cursor > at)
            && at.version == version;
        let law = "where a fold stands separates what was from what comes";
        check::<W>(parts, version, law);
        if index % 2 == 1 {
            fold = snapshot;
        }
    }
}

fn said(partings: &[Parting]) -> Vec<(&'static str, &str)> {
    let said = partings.iter();
    said.map(|parting| (parting.name, parting.data.get()))
        .collect()
}

/// A client that has seen so many frames comes back, and the fold goes on from a snapshot before its cursor.
fn check_tail<W: Wire>(log: &[Recorded], all: &[Frame], seen: usize) {
    let last = seen.checked_sub(1).map(|last| all[last].cursor);
    let after = last.unwrap_or(Cursor::start(W::VERSION));
    let known = log.partition_point(|event| event.version < after.version);
    let mut before = Fold::<W>::new(session());
    for recorded in &log[..known] {
        before.push(recorded);
    }
    let mut snapshot = before.clone();
    let mut tail: Vec<_> = log.iter().flat_map(|event| snapshot.push(event)).collect();
    // The first event may have no frames, and then stands at the very cursor `start`.
    tail.retain(|frame| frame.cursor > after);
    let law = "a client that comes back is sent exactly what it has not seen";
    check::<W>(tail == all[seen..], after.version, law);
}

fn check_overview<W: Wire>(log: &[Recorded]) {
    let Some(mut overview) = W::overview(session()) else {
        return;
    };
    let mut fold = Fold::<W>::new(session());
    let state = |overview: &AnyOverview| overview.state().get().to_owned();
    for (index, recorded) in log.iter().enumerate() {
        let version = recorded.version;
        let mut snapshot = overview.clone();
        fold.push(recorded);
        overview.push(recorded);
        let law = "what a client is given when it connects is true at the cursor of the wire";
        check::<W>(overview.at() == fold.at(), version, law);
        // Writing it takes longer than all the rest.
        let is_written = index * CURSORS % log.len() < CURSORS;
        let written = is_written.then(|| state(&overview));
        snapshot.push(recorded);
        if let Some(written) = written {
            let law = "what a client is given when it connects is the same from a snapshot";
            check::<W>(written == state(&snapshot), version, law);
            overview.push(recorded);
            let law = "an event that is read twice changes nothing of what a client is given";
            check::<W>(written == state(&overview), version, law);
        }
        overview = snapshot;
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
