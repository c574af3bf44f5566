//! The simulated tier: one thread, time that passes by hand, several engines on one log in memory as if they were processes.
//!
//! Each process has a runtime of its own, which the schedule polls or does not. So a process can be frozen between any two of
//! its awaits, killed there, and given a clock of its own; what happens when follows from the seed, up to the order in which a
//! runtime polls what is ready at the same moment.

pub mod check;
pub mod client;
pub mod log;
pub mod plan;
pub mod process;
pub mod provider;
pub mod world;

use std::path::Path;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use store::{Log, MasterKey, MemoryLog};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use self::check::Counts;
use self::client::{Clients, Directory};
use self::plan::{Fault, FaultKind, Plan};
use self::process::{Ask, Process, Surroundings, runtime, tick};
use self::provider::Journal;
use self::world::{Bug, Noted, Rates, World};
use crate::rng::Rng;

/// The shortest time that passes at once, in microseconds, while something happens.
const STEP_MIN: i64 = 2_000;

/// The longest, while nothing does. Shorter than anything that is waited for by the clock in a program.
const STEP_MAX: i64 = 100_000;

/// How long after the last fault every run has to be over, in microseconds of the true time: several leases, the pauses before
/// an outcome is offered again, and the gates of a program.
const RECOVERY: i64 = 240_000_000;

/// How long the processes go on once all runs are over, in microseconds: answers that come late are still recorded, after pauses, and
/// every five seconds the spool is searched for answers of steps that are over.
const SETTLING: i64 = 8_000_000;

/// What became of a simulation.
#[derive(Debug)]
pub struct Outcome {
    pub plan: Plan,
    pub counts: Counts,
    /// When the last run was over, in microseconds.
    pub took: i64,
    /// What must not be, in the order in which it was noticed; empty where all is well.
    pub wrong: Vec<Noted>,
    pub trace: Vec<Noted>,
}

/// Carries out the simulation of a seed, with a mistake where one is named. The spools are written below this folder.
pub fn run(seed: u64, bug: Option<Bug>, folder: &Path) -> Outcome {
    let plan = Plan::of(seed, bug);
    let world = World::new(Rng::new(!seed), bug);
    let outside = runtime();
    let clock = world.clock(Arc::default()).as_fn();
    let opening = MemoryLog::open(MasterKey::new([7; 32]), clock);
    let log: Arc<dyn Log> = Arc::new(outside.block_on(opening));
    let spool = folder.join(format!("spool-{seed}"));
    let journal = Arc::new(Journal::default());
    let around = Surroundings {
        world: Arc::clone(&world),
        log: Arc::clone(&log),
        journal: Arc::clone(&journal),
        outside: outside.handle().clone(),
        spool: spool.clone(),
    };
    let directory: Directory = Arc::new(Mutex::new(vec![None; plan.clocks.len()]));
    let clients = Clients {
        world: Arc::clone(&world),
        log,
        directory: Arc::clone(&directory),
        sent: Arc::default(),
    };
    let mut schedule = Schedule {
        rng: Rng::new(seed.rotate_left(32)),
        world: Arc::clone(&world),
        outside,
        processes: plan.clocks.iter().map(|_| None).collect(),
        starts: vec![Some(0); plan.clocks.len()],
        stopping: plan.clocks.iter().map(|_| None).collect(),
        clocks: plan.clocks.clone(),
        around,
        directory,
        stalled_until: None,
    };
    let took = schedule.carry_out(&plan, &clients);
    schedule.end();
    let counts = schedule
        .outside
        .block_on(check::check(&plan, &clients, &journal.calls(), &world));
    drop(schedule);
    // It is in a folder that goes as a whole if this fails.
    let _ = std::fs::remove_dir_all(spool);
    Outcome {
        plan,
        counts,
        took,
        wrong: world.contradictions(),
        trace: world.trace(),
    }
}

struct Schedule {
    rng: Rng,
    world: Arc<World>,
    /// The database and the clients.
    outside: Runtime,
    processes: Vec<Option<Process>>,
    /// When a process that is down starts.
    starts: Vec<Option<i64>>,
    /// For each process that is being stopped: the signal that it has stopped, and how long it then stays down.
    stopping: Vec<Option<(oneshot::Receiver<()>, i64)>>,
    clocks: Vec<TimeDelta>,
    around: Surroundings,
    directory: Directory,
    stalled_until: Option<i64>,
}

impl Schedule {
    fn carry_out(&mut self, plan: &Plan, clients: &Clients) -> i64 {
        let mut errands = vec![];
        for errand in &plan.errands {
            let work = clients.clone().carry_out(errand.clone());
            errands.push(self.outside.spawn(work));
        }
        let sessions = plan.errands.iter().map(|errand| errand.session.clone());
        self.outside.spawn(clients.clone().look(sessions.collect()));
        let mut faults = plan.faults.iter();
        let mut next = faults.next();
        let mut quiet = false;
        let mut over_at = None;
        let mut step = STEP_MIN;
        let deadline = plan.quiet_at + RECOVERY;
        loop {
            let now = self.world.now();
            while let Some(fault) = next.filter(|fault| fault.at <= now) {
                self.strike(fault, now, plan.quiet_at);
                next = faults.next();
            }
            if now >= plan.quiet_at && !quiet {
                quiet = true;
                self.world.note("the faults end");
                self.world.set_rates(Rates::default());
            }
            self.move_on(now);
            let before = self.world.happened();
            tick(&self.outside, step);
            let mut order: Vec<usize> = (0..self.processes.len()).collect();
            self.rng.shuffle(&mut order);
            for number in order {
                if let Some(process) = &mut self.processes[number] {
                    process.pass(step, now);
                }
            }
            self.world.pass(step);
            let mut processes = self.processes.iter().flatten();
            let is_frozen =
                processes.any(|process| process.frozen_until.is_some_and(|until| until > now));
            // Nor can anything be recorded while the log stands still, or by a process that is down.
            let is_hindered =
                self.stalled_until.is_some() || self.starts.iter().any(Option::is_some);
            let is_over = errands.iter().all(tokio::task::JoinHandle::is_finished);
            if is_over && quiet && !is_frozen && !is_hindered {
                over_at.get_or_insert(now);
            }
            if over_at.is_some_and(|over_at| now >= over_at + SETTLING) || now > deadline {
                return over_at.unwrap_or(now);
            }
            step = if self.world.happened() == before {
                (step * 2).min(STEP_MAX)
            } else {
                STEP_MIN
            };
        }
    }

    /// What is due: a process starts, the log goes on, a process has stopped.
    fn move_on(&mut self, now: i64) {
        if self.stalled_until.is_some_and(|until| until <= now) {
            self.stalled_until = None;
            self.world.note("the log goes on");
            self.world.stalled.send_replace(false);
        }
        for number in 0..self.processes.len() {
            if let Some((mut stopped, down)) = self.stopping[number].take() {
                if matches!(stopped.try_recv(), Err(oneshot::error::TryRecvError::Empty)) {
                    self.stopping[number] = Some((stopped, down));
                } else {
                    self.kill(number, now + down);
                }
            }
            if self.starts[number].is_some_and(|start| start <= now) {
                self.starts[number] = None;
                let process = Process::start(number, self.clocks[number], &self.around);
                self.list(number, Some(&process));
                self.processes[number] = Some(process);
            }
        }
    }

    fn strike(&mut self, fault: &Fault, now: i64, quiet_at: i64) {
        self.world.note(format!("FAULT {fault}"));
        match &fault.is {
            FaultKind::Crash { process, down } => {
                if self.processes[*process].is_some() {
                    self.kill(*process, now + down);
                }
            }
            FaultKind::Stop { process, down } => {
                if let Some(of) = &self.processes[*process]
                    && self.stopping[*process].is_none()
                {
                    let (reply, stopped) = oneshot::channel();
                    if of.asks.send(Ask::Stop { reply }).is_ok() {
                        self.stopping[*process] = Some((stopped, *down));
                        self.list(*process, None);
                    }
                }
            }
            FaultKind::Freeze { process, micros } => {
                if let Some(frozen) = &mut self.processes[*process] {
                    frozen.frozen_until = Some(now + micros);
                }
                self.world.trouble(Some(*process), *micros);
            }
            FaultKind::Stall { micros } => {
                self.stalled_until = Some(now + micros);
                self.world.trouble(None, *micros);
                self.world.stalled.send_replace(true);
            }
            FaultKind::Errors { rates } => {
                self.world.trouble(None, quiet_at - now);
                self.world.set_rates(*rates);
            }
        }
    }

    fn kill(&mut self, number: usize, start: i64) {
        self.world.note(format!("p{number} is gone"));
        self.world.dies(number);
        self.list(number, None);
        self.stopping[number] = None;
        self.processes[number] = None;
        self.starts[number] = Some(start);
    }

    fn list(&self, number: usize, process: Option<&Process>) {
        let mut directory = self
            .directory
            .lock()
            .expect("nothing panics while it is held");
        directory[number] = process.map(|process| process.asks.clone());
    }

    /// All processes are gone, and what is on its way to the log arrives.
    fn end(&mut self) {
        self.processes.clear();
        for _ in 0..10 {
            tick(&self.outside, STEP_MAX);
        }
    }
}
