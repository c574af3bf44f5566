//! The harness finds mistakes that are made on purpose, each in the simulated tier and by the contradiction that it leads to; and
//! finds none with the seeds that once led to one.

use proof::sim;
use proof::sim::world::Bug;

/// Seeds that are tried for a mistake at most. Each takes some hundredths of a second, and the rarest mistake shows with one of three
/// hundred.
const SEEDS: u64 = 1_500;

/// Those of the first 100,000 seeds with which an answer that was paid for was missing in the log. In each case its step had been
/// cancelled, and the process that had the answer in its spool was killed.
const SETTLED: [u64; 11] = [
    3524, 11_931, 26_363, 42_395, 56_668, 69_387, 71_620, 79_830, 81_969, 83_432, 88_486,
];

#[test]
fn what_was_paid_for_a_cancelled_step_is_in_the_log_after_every_death() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in SETTLED {
        let outcome = sim::run(seed, None, folder.path());
        assert!(outcome.wrong.is_empty(), "{seed}: {:?}", outcome.wrong);
    }
}

/// A contradiction of one of these kinds shows with some seed.
fn is_found(bug: Bug, kinds: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let is_of_kind = |what: &String| kinds.iter().any(|kind| what.contains(kind));
    let mut others = vec![];
    for seed in 1..=SEEDS {
        let outcome = sim::run(seed, Some(bug), folder.path());
        let wrong: Vec<String> = outcome.wrong.into_iter().map(|(_, what)| what).collect();
        if wrong.iter().any(is_of_kind) {
            return;
        }
        others.extend(wrong);
    }
    panic!("{bug:?} was not found, but {others:?}");
}

#[test]
fn an_acknowledgement_before_the_commit_is_found() {
    is_found(
        Bug::EarlyAcknowledgement,
        &[
            "a client was told Done",
            "was acknowledged",
            "and is in the log 0 times",
        ],
    );
}

#[test]
fn a_claim_that_nobody_asks_for_is_found() {
    is_found(
        Bug::SkippedClaim,
        &["is asking for since", "whose answer is in the log"],
    );
}

#[test]
fn a_gate_that_is_answered_twice_is_found() {
    is_found(Bug::GateAnsweredTwice, &["was answered twice"]);
}

#[test]
fn a_wake_up_that_is_dropped_is_found() {
    is_found(Bug::DroppedWakeUp, &["does not end"]);
}
