//! What a schedule of the real tier does, which follows from its seed.

use std::fmt;

use super::client::Errand;
use crate::program::Program;
use crate::rng::Rng;

/// The lease of a server, in seconds: the least that can be set with room for a busy machine.
pub const LEASE_SECONDS: u64 = 2;

/// The longest time in which faults happen, in milliseconds.
const FAULTS_MS: u64 = 5_000;

/// Blocks of 512 bytes that the files on a disk that is full soon may have: 300 KB.
const FEW_BLOCKS: u64 = 600;

/// Which database the servers work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

/// Something that happens at a time.
#[derive(Clone, Debug)]
pub struct Fault {
    pub at_ms: u64,
    /// To which server.
    pub server: usize,
    pub is: FaultKind,
}

#[derive(Clone, Debug)]
pub enum FaultKind {
    /// SIGKILL, and a start after so long; with a clock that is wrong by so many seconds from then on.
    Kill { down_ms: u64, wrong_by: i64 },
    /// SIGTERM, and a start after so long.
    Stop { down_ms: u64 },
    /// SIGSTOP, and SIGCONT after so long.
    Freeze { ms: u64 },
    /// All connections to the database are cut.
    Cut,
    /// The answers to so many commits are lost.
    LoseAnswers { commits: u32 },
    /// The database answers this server not for so long.
    Stall { ms: u64 },
    /// The database answers nobody for so long.
    StallAll { ms: u64 },
    /// Every message to and from the database is late by so much, for so long.
    Delay { by_ms: u64, ms: u64 },
    /// The database is killed and started again.
    RestartDatabase,
    /// SIGKILL, and a start with a disk that is full soon; a start with room after so long.
    FullDisk { ms: u64 },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms p{}: {:?}", self.at_ms, self.server, self.is)
    }
}

/// What a schedule does.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub kind: Kind,
    /// By how many seconds the clock of each server is wrong.
    pub clocks: Vec<i64>,
    pub lease_seconds: u64,
    /// Whether each server has a data folder of its own.
    pub own_folders: bool,
    pub latency_ms: u64,
    pub errands: Vec<Errand>,
    pub faults: Vec<Fault>,
}

impl Plan {
    pub fn of(seed: u64, kind: Kind, fakes_time: bool) -> Self {
        let mut rng = Rng::new(seed);
        let servers = match kind {
            Kind::Sqlite => 1,
            Kind::Postgres => usize::try_from(rng.between(2, 3)).unwrap_or(2),
        };
        let wrong = fakes_time && rng.chance(300);
        let clocks = (0..servers).map(|_| if wrong { wrong_by(&mut rng) } else { 0 });
        let clocks = clocks.collect();
        let errands = (1..=rng.between(2, 5)).map(|number| {
            let session = format!("s{seed}-{number}");
            Errand {
                program: Program::random(session.clone(), &mut rng),
                session,
                begin_ms: rng.below(2_500),
                answer_after_ms: rng.below(1_500),
                rivals: rng.chance(300),
            }
        });
        let errands = errands.collect();
        let mut faults: Vec<Fault> = (0..rng.between(1, 4))
            .map(|_| Fault {
                at_ms: rng.between(200, FAULTS_MS),
                server: rng.place(servers),
                is: match kind {
                    Kind::Sqlite => of_sqlite(&mut rng, fakes_time),
                    Kind::Postgres => of_postgres(&mut rng),
                },
            })
            .collect();
        faults.sort_by_key(|fault| fault.at_ms);
        Self {
            seed,
            kind,
            clocks,
            lease_seconds: LEASE_SECONDS,
            own_folders: false,
            latency_ms: rng.between(5, 250),
            errands,
            faults,
        }
    }
}

fn wrong_by(rng: &mut Rng) -> i64 {
    *rng.pick(&[0, 20, -20, 3_600, -3_600])
}

fn of_sqlite(rng: &mut Rng, fakes_time: bool) -> FaultKind {
    match rng.below(10) {
        0..=3 => FaultKind::Kill {
            down_ms: rng.below(1_000),
            wrong_by: 0,
        },
        4 if fakes_time => FaultKind::Kill {
            down_ms: rng.below(1_000),
            wrong_by: wrong_by(rng),
        },
        4 | 5 => FaultKind::Stop {
            down_ms: rng.below(1_000),
        },
        6..=8 => FaultKind::Freeze {
            ms: rng.between(100, 4_000),
        },
        _ => FaultKind::FullDisk {
            ms: rng.between(500, 3_000),
        },
    }
}

fn of_postgres(rng: &mut Rng) -> FaultKind {
    match rng.below(14) {
        0..=2 => FaultKind::Kill {
            down_ms: rng.below(4_000),
            wrong_by: 0,
        },
        3 | 4 => FaultKind::Stop {
            down_ms: rng.below(4_000),
        },
        5 | 6 => FaultKind::Freeze {
            ms: rng.between(100, 5_000),
        },
        7 => FaultKind::Cut,
        8 | 9 => FaultKind::LoseAnswers {
            commits: u32::try_from(rng.between(1, 4)).unwrap_or(1),
        },
        10 => FaultKind::Stall {
            ms: rng.between(100, 5_000),
        },
        11 => FaultKind::StallAll {
            ms: rng.between(100, 5_000),
        },
        12 => FaultKind::Delay {
            by_ms: rng.between(1, 40),
            ms: rng.between(100, 3_000),
        },
        _ => FaultKind::RestartDatabase,
    }
}

/// The room of a disk that is full soon.
pub const fn few_blocks() -> u64 {
    FEW_BLOCKS
}
