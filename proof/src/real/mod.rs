//! The real tier: servers, databases, sockets and signals.

pub mod check;
pub mod client;
pub mod plan;
pub mod postgres;
pub mod proxy;
pub mod rig;
pub mod scenario;
pub mod servers;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use tokio::process::Command;

use self::check::{Counts, Told1};
use self::client::Clients;
use self::plan::Plan;
use self::postgres::Cluster;
use self::rig::Rig;
use self::servers::beside;
use crate::rng::Rng;

/// How long after the last fault every run has to be over: several leases, the pauses before outcomes are offered again, and
/// gates.
const RECOVERY: Duration = Duration::from_secs(60);

/// What became of a schedule.
#[derive(Debug)]
pub struct Outcome {
    pub plan: Plan,
    pub counts: Counts,
    pub wrong: Vec<String>,
    pub done: Vec<String>,
    /// Acknowledgements that were lost on purpose.
    pub lost_answers: u32,
}

/// Carries out a schedule. What servers write and say is below this folder.
pub async fn run(plan: Plan, folder: &Path, cluster: Option<&Cluster>) -> anyhow::Result<Outcome> {
    std::fs::create_dir_all(folder)?;
    let mut rig = Rig::start(&plan, folder, cluster).await?;
    let clients = Clients {
        http: rig.http.clone(),
        addresses: Arc::new(addresses(&rig)),
        begin: rig.begin,
        rng: Arc::new(Mutex::new(Rng::new(!plan.seed))),
        sent: Arc::default(),
        wrong: Arc::default(),
        told: Arc::new(Mutex::new(BTreeMap::new())),
    };
    let mut errands = vec![];
    for errand in &plan.errands {
        let seen = Arc::new(Mutex::new(vec![]));
        let work = clients.clone().carry_out(errand.clone(), Arc::clone(&seen));
        errands.push((errand.clone(), seen, tokio::spawn(work)));
    }
    let sessions = plan.errands.iter().map(|errand| errand.session.clone());
    let looking = tokio::spawn(clients.clone().look(sessions.collect()));
    let suffered = rig.suffer(&plan, cluster).await;
    if let Err(error) = &suffered {
        clients.wrong(format!("{error:#}"));
    }
    let over = async {
        for (_, _, task) in &mut errands {
            // A client that panics has said why.
            let _ = task.await;
        }
    };
    // The checks below find the runs that are not over then.
    let _ = tokio::time::timeout(RECOVERY, over).await;
    looking.abort();
    let mut told = vec![];
    for (errand, seen, task) in errands {
        task.abort();
        let seen = seen
            .lock()
            .expect("nothing panics while it is held")
            .clone();
        told.push(Told1 { errand, seen });
    }
    // Late turns may be recorded after the end of a run, so each client reads its session once more.
    for of_client in &mut told {
        let session = of_client.errand.session.clone();
        let shown = check::all_frames(&clients, &clients.addresses[0], &session).await;
        let now = clients.now_ms();
        let known = of_client.seen.len();
        of_client
            .seen
            .extend(shown.into_iter().skip(known).map(|frame| (now, frame)));
    }
    let mut counts = check::sessions(&clients, &told).await;
    let read_at = clients.now_ms();
    let journal = rig.model.journal().await?;
    check::payments(
        &clients,
        &told,
        &journal,
        read_at,
        &rig.outages,
        &mut counts,
    );
    let lost_answers = rig.slots.iter().filter_map(|slot| slot.proxy.as_ref());
    let lost_answers = lost_answers.map(|proxy| proxy.lost()).sum();
    for wrong in rig.stop().await {
        clients.wrong(wrong);
    }
    if let Err(error) = verify(&rig).await {
        clients.wrong(format!("{error:#}"));
    }
    let wrong = clients
        .wrong
        .lock()
        .expect("nothing panics while it is held")
        .clone();
    Ok(Outcome {
        plan,
        counts,
        wrong,
        done: rig.done,
        lost_answers,
    })
}

fn addresses(rig: &Rig) -> Vec<String> {
    let slots = rig.slots.iter();
    slots
        .map(|slot| format!("http://{}", slot.launch.address))
        .collect()
}

/// The log by itself: its positions are dense, its chain is whole, and what is kept beside it follows from it.
async fn verify(rig: &Rig) -> anyhow::Result<()> {
    let launch = &rig.slots[0].launch;
    let ended = Command::new(beside("proof-server")?)
        .arg("verify")
        .env_clear()
        .env("PALIMPSEST_DATABASE", &launch.database)
        .env("PALIMPSEST_DATA", &launch.data)
        .env("PALIMPSEST_BLOBS", &launch.blobs)
        .output()
        .await
        .context("verify does not start")?;
    anyhow::ensure!(
        ended.status.success(),
        "verify: {}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
    Ok(())
}
