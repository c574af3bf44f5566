//! Schedules with a name: one fault each, over so many runs, so that its price can be counted.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

use super::client::{Clients, Errand};
use super::plan::{Fault, FaultKind, Kind, LEASE_SECONDS, Plan};
use super::postgres::Cluster;
use super::rig::Rig;
use crate::program::Program;
use crate::rng::Rng;

/// How long an answer takes, in milliseconds: with eight calls at once, the runs of a scenario last some seconds.
const LATENCY_MS: u64 = 150;

/// When the fault happens, in milliseconds: every run has begun, few are over.
const FAULT_AT_MS: u64 = 2_000;

/// How long a fault lasts that has to outlast a lease, in milliseconds.
const LONG_MS: u64 = 3 * LEASE_SECONDS * 1_000;

/// Between two looks into the journal while a time is measured. The precision of the measurement does not depend on it, as the
/// journal has the times.
const LOOK: Duration = Duration::from_millis(20);

/// The longest time that is waited for a call.
const CALL_MAX: Duration = Duration::from_secs(60);

/// A fault by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Scenario {
    /// A process is frozen longer than its lease, and goes on.
    Freeze,
    /// The database stands still for longer than a lease.
    Stall,
    /// The answers to commits are lost.
    LostAck,
    /// The clocks of the processes differ by twenty seconds or an hour, and one process is killed.
    Clocks,
    /// Each process has a data folder of its own, and is killed.
    OwnFolders,
    /// How long a clean stop and a start after a kill keep the work waiting.
    HandOver,
}

/// The plan of a scenario with so many runs of so many calls.
pub fn plan(scenario: Scenario, seed: u64, runs: u64, calls: u32) -> Plan {
    let mut rng = Rng::new(seed);
    let errands = (1..=runs).map(|number| {
        let session = format!("s{seed}-{number}");
        Errand {
            program: Program::of_calls(session.clone(), calls),
            session,
            begin_ms: rng.below(500),
            answer_after_ms: 0,
            rivals: false,
        }
    });
    let errands = errands.collect();
    let fault = |at_ms, server, is| Fault { at_ms, server, is };
    let kill = FaultKind::Kill {
        down_ms: LONG_MS,
        wrong_by: 0,
    };
    let (clocks, faults) = match scenario {
        Scenario::Freeze => (
            vec![0, 0],
            vec![fault(FAULT_AT_MS, 0, FaultKind::Freeze { ms: LONG_MS })],
        ),
        Scenario::Stall => (
            vec![0, 0],
            vec![fault(FAULT_AT_MS, 0, FaultKind::StallAll { ms: LONG_MS })],
        ),
        Scenario::LostAck => {
            let lose = |number: u64| {
                let server = usize::from(number % 2 == 1);
                let is = FaultKind::LoseAnswers { commits: 1 };
                fault(500 + number * 400, server, is)
            };
            (vec![0, 0], (0..10).map(lose).collect())
        }
        Scenario::Clocks => {
            let wrong = *rng.pick(&[20, -20, 3_600, -3_600]);
            (vec![0, wrong], vec![fault(FAULT_AT_MS, rng.place(2), kill)])
        }
        Scenario::OwnFolders | Scenario::HandOver => (
            vec![0, 0],
            vec![
                fault(FAULT_AT_MS, 0, kill.clone()),
                fault(FAULT_AT_MS + LONG_MS * 2, 1, kill),
            ],
        ),
    };
    Plan {
        seed,
        kind: Kind::Postgres,
        clocks,
        lease_seconds: LEASE_SECONDS,
        own_folders: scenario == Scenario::OwnFolders,
        latency_ms: LATENCY_MS,
        errands,
        faults,
    }
}

/// How long work waited, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    /// From SIGTERM of one of two processes to the first call of the other.
    pub after_stop_ms: u64,
    /// From the start after a SIGKILL to the first call.
    pub after_kill_ms: u64,
}

/// Measures both, each with a database of its own. All of the work belongs to the process that ends.
pub async fn hand_over(seed: u64, folder: &Path, cluster: &Cluster) -> anyhow::Result<Waited> {
    Ok(Waited {
        after_stop_ms: Box::pin(measured(seed, true, folder, cluster)).await?,
        after_kill_ms: Box::pin(measured(seed, false, folder, cluster)).await?,
    })
}

async fn measured(
    seed: u64,
    is_stop: bool,
    folder: &Path,
    cluster: &Cluster,
) -> anyhow::Result<u64> {
    let mut plan = plan(Scenario::HandOver, seed * 2 + u64::from(is_stop), 8, 10);
    if !is_stop {
        plan.clocks.pop();
    }
    // Long enough that calls are under way at any moment.
    plan.latency_ms = 600;
    let place = folder.join(format!("hand-over-{}", plan.seed));
    std::fs::create_dir_all(&place)?;
    let mut rig = Rig::start(&plan, &place, Some(cluster)).await?;
    let clients = Clients {
        http: rig.http.clone(),
        addresses: Arc::new(vec![format!("http://{}", rig.slots[0].launch.address)]),
        begin: rig.begin,
        rng: Arc::new(Mutex::new(Rng::new(seed))),
        sent: Arc::default(),
        wrong: Arc::default(),
        told: Arc::default(),
    };
    let errands: Vec<_> = plan
        .errands
        .iter()
        .map(|errand| tokio::spawn(clients.clone().carry_out(errand.clone(), Arc::default())))
        .collect();
    tokio::time::sleep(Duration::from_millis(FAULT_AT_MS)).await;
    for errand in errands {
        errand.abort();
    }
    let mut server = rig.slots[0].server.take().context("it runs")?;
    let since = if is_stop {
        let since = Instant::now();
        server.stop().await?;
        since
    } else {
        server.kill().await;
        let since = Instant::now();
        rig.slots[0].server = Some(rig.slots[0].launch.spawn()?);
        since
    };
    let waited = first_call(&rig, since, Instant::now()).await;
    rig.stop().await;
    waited
}

/// How long after this moment the first call of another process began. A call is taken for one of another process if its turn had been
/// asked for before this moment, since the process that asked then asks for nothing more, or if it began once that process was gone.
async fn first_call(rig: &Rig, since: Instant, gone: Instant) -> anyhow::Result<u64> {
    while since.elapsed() < CALL_MAX {
        let journal = rig.model.journal().await?;
        let now_us = journal["now_us"].as_i64().unwrap_or_default();
        let at_us = |moment: Instant| {
            now_us - i64::try_from(moment.elapsed().as_micros()).unwrap_or(i64::MAX)
        };
        let (since_us, gone_us) = (at_us(since), at_us(gone));
        let requests: Vec<&Value> = journal["requests"]
            .as_array()
            .into_iter()
            .flatten()
            .collect();
        let at = |request: &Value| request["started_us"].as_i64().unwrap_or_default();
        let known: Vec<&Value> = requests
            .iter()
            .filter(|request| at(request) <= since_us)
            .map(|request| &request["key"])
            .collect();
        let others = requests.iter().filter(|request| {
            let again = at(request) > since_us && known.contains(&&request["key"]);
            again || at(request) > gone_us
        });
        if let Some(first) = others.map(|request| at(request)).min() {
            return Ok(u64::try_from((first - since_us) / 1_000).unwrap_or_default());
        }
        tokio::time::sleep(LOOK).await;
    }
    bail!("no call began within {CALL_MAX:?}")
}
