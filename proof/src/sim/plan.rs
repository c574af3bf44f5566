//! What a simulation is to do, which follows from its seed.

use std::fmt;

use chrono::TimeDelta;

use super::provider::seconds;
use super::world::{Bug, Rates};
use crate::program::Program;
use crate::rng::Rng;

/// The lease of a process, in milliseconds.
pub const LEASE_MS: i64 = 3_000;

/// The longest time in which faults happen, in milliseconds: a run takes some seconds.
const FAULTS_MAX_MS: u64 = 12_000;

/// How often a process is frozen so that a mistake with claims shows.
const FREEZES: usize = 4;

/// The most processes.
const PROCESSES_MAX: u64 = 3;

/// Something that happens to a process or to the log at a time.
#[derive(Clone, Debug)]
pub struct Fault {
    /// In microseconds of the true time.
    pub at: i64,
    pub is: FaultKind,
}

#[derive(Clone, Debug)]
pub enum FaultKind {
    /// The process dies at once, and is started again after this many microseconds.
    Crash { process: usize, down: i64 },
    /// The process is stopped as an operator does it, and started again.
    Stop { process: usize, down: i64 },
    /// The process does nothing for so long, and does not notice.
    Freeze { process: usize, micros: i64 },
    /// The log answers nobody for so long.
    Stall { micros: i64 },
    /// From now on so much goes wrong.
    Errors { rates: Rates },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", seconds(self.at))?;
        match &self.is {
            FaultKind::Crash { process, down } => {
                write!(
                    f,
                    "p{process} is killed, and starts again after {}",
                    seconds(*down)
                )
            }
            FaultKind::Stop { process, down } => {
                write!(
                    f,
                    "p{process} is stopped, and starts again after {}",
                    seconds(*down)
                )
            }
            FaultKind::Freeze { process, micros } => {
                write!(f, "p{process} is frozen for {}", seconds(*micros))
            }
            FaultKind::Stall { micros } => {
                write!(f, "the log stands still for {}", seconds(*micros))
            }
            FaultKind::Errors { rates } => write!(
                f,
                "of a thousand appends {} are refused, {} lose their acknowledgement, {} come late; {} reads fail",
                rates.refused, rates.lost, rates.late, rates.unread
            ),
        }
    }
}

/// What a client does with its session.
#[derive(Clone, Debug)]
pub struct Errand {
    pub session: String,
    pub program: Program,
    /// What is said next in the session, whether the first run is over or not.
    pub second: Option<Program>,
    /// When it is sent, in milliseconds.
    pub begin_ms: u64,
    /// How long after its opening a gate is answered, in milliseconds. If this is absent, a gate with a deadline is left to it.
    pub answer_after_ms: Option<u64>,
    /// Whether two people answer each gate at the same time, through different processes and with different choices.
    pub rivals: bool,
    /// When the run is cancelled, in milliseconds; mostly never.
    pub cancel_ms: Option<u64>,
    /// Whether each command is sent once more after it was answered.
    pub repeats: bool,
}

/// What a simulation is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// By how much the clock of each process is wrong.
    pub clocks: Vec<TimeDelta>,
    pub errands: Vec<Errand>,
    pub faults: Vec<Fault>,
    /// When the faults end, in microseconds.
    pub quiet_at: i64,
}

impl Plan {
    /// What follows from a seed. Where a mistake is made on purpose that shows only where a process is frozen for longer than its lease and
    /// goes on with what another one has taken over, one of several processes is frozen so again and again: it shows in one program of three
    /// hundred then, and by chance alone in one of three thousand.
    pub fn of(seed: u64, bug: Option<Bug>) -> Self {
        let mut rng = Rng::new(seed);
        let freezes = bug == Some(Bug::SkippedClaim);
        let least = if freezes { 2 } else { 1 };
        let processes = usize::try_from(rng.between(least, PROCESSES_MAX)).unwrap_or(1);
        let wrong_clocks = rng.chance(400);
        let clocks = (0..processes).map(|_| {
            let wrong = if wrong_clocks {
                *rng.pick(&[0, 1, -1, 20, -20, 3600, -3600])
            } else {
                0
            };
            TimeDelta::seconds(wrong)
        });
        let clocks = clocks.collect();
        let errands = (1..=rng.between(1, 3)).map(|number| errand(number, &mut rng));
        let errands = errands.collect();
        let quiet_ms = rng.between(500, FAULTS_MAX_MS);
        let mut faults: Vec<Fault> = (0..rng.below(6))
            .map(|_| {
                let at = micros(rng.below(quiet_ms));
                let is = fault(processes, &mut rng);
                Fault { at, is }
            })
            .collect();
        if freezes {
            faults = (0..FREEZES).map(|_| freeze(quiet_ms, &mut rng)).collect();
        }
        faults.sort_by_key(|fault| fault.at);
        Self {
            seed,
            clocks,
            errands,
            faults,
            quiet_at: micros(quiet_ms),
        }
    }
}

/// The first process does nothing for longer than its lease.
fn freeze(quiet_ms: u64, rng: &mut Rng) -> Fault {
    let lease = LEASE_MS.unsigned_abs();
    Fault {
        at: micros(rng.below(quiet_ms)),
        is: FaultKind::Freeze {
            process: 0,
            micros: micros(rng.between(lease, 2 * lease)),
        },
    }
}

/// Microseconds of so many milliseconds.
pub fn micros(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds).unwrap_or(i64::MAX / 1_000) * 1_000
}

fn errand(number: u64, rng: &mut Rng) -> Errand {
    let session = format!("session{number}");
    Errand {
        program: Program::random(session.clone(), rng),
        second: rng
            .chance(250)
            .then(|| Program::without_gates(format!("{session} again"), rng)),
        session,
        begin_ms: rng.below(2_000),
        answer_after_ms: rng.chance(700).then(|| rng.below(3_000)),
        rivals: rng.chance(300),
        cancel_ms: rng.chance(100).then(|| rng.between(500, 6_000)),
        repeats: rng.chance(200),
    }
}

fn fault(processes: usize, rng: &mut Rng) -> FaultKind {
    let process = rng.place(processes);
    match rng.below(10) {
        0..=2 => FaultKind::Crash {
            process,
            down: micros(rng.below(6_000)),
        },
        3 => FaultKind::Stop {
            process,
            down: micros(rng.below(6_000)),
        },
        4 | 5 => FaultKind::Freeze {
            process,
            micros: micros(rng.between(100, 9_000)),
        },
        6 => FaultKind::Stall {
            micros: micros(rng.between(100, 9_000)),
        },
        _ => FaultKind::Errors {
            rates: Rates {
                refused: rng.below(150),
                lost: rng.below(150),
                late: rng.below(60),
                unread: rng.below(100),
            },
        },
    }
}
