//! Kills the process or panics on purpose at a named point, so that a test can do this at every point of every turn and check that the
//! program recovers. Only a build with debug assertions can be told to do so.

use std::sync::atomic::{AtomicU32, Ordering};

/// The points of a turn at which a program can die, and those of a step at which it can panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Nothing was sent yet.
    BeforeCall,
    /// A part of the answer has arrived.
    DuringAnswer,
    /// The answer is complete and in the spool, not in the log.
    Answered,
    /// The answer is in the log.
    Appended,
    /// A step begins. It panics.
    Working,
    /// The outcome of a step is about to be reported. It panics.
    Reporting,
}

impl Point {
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "before_call" => Some(Self::BeforeCall),
            "during_answer" => Some(Self::DuringAnswer),
            "answered" => Some(Self::Answered),
            "appended" => Some(Self::Appended),
            "working" => Some(Self::Working),
            "reporting" => Some(Self::Reporting),
            _ => None,
        }
    }
}

/// Where to die: at the n-th passing of a point, counted from 1 in this process.
#[derive(Debug)]
pub struct CrashPlan {
    point: Point,
    nth: u32,
    passed: AtomicU32,
}

impl CrashPlan {
    pub fn new(point: Point, nth: u32) -> Self {
        Self {
            point,
            nth,
            passed: AtomicU32::new(0),
        }
    }

    /// From `answered:3`.
    pub fn parse(text: &str) -> Option<Self> {
        let (point, nth) = text.split_once(':')?;
        Some(Self::new(Point::parse(point)?, nth.parse().ok()?))
    }

    /// Kills this process, without unwinding or flushing anything, or panics, if the plan says so.
    pub(crate) fn reach(&self, point: Point) {
        if !cfg!(debug_assertions) || point != self.point {
            return;
        }
        if self.passed.fetch_add(1, Ordering::SeqCst) + 1 == self.nth {
            assert!(
                !matches!(point, Point::Working | Point::Reporting),
                "a panic on purpose, {point:?}"
            );
            let this = rustix::process::getpid();
            // SIGKILL cannot be caught, so nothing after this line runs.
            let killed = rustix::process::kill_process(this, rustix::process::Signal::KILL);
            tracing::error!(?killed, "this process could not be killed");
        }
    }
}
