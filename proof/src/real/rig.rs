//! The processes of one schedule, and what is done to them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::Signal;
use tokio::task::JoinSet;

use super::plan::{Fault, FaultKind, Plan, few_blocks};
use super::postgres::Cluster;
use super::proxy::{self, Control};
use super::servers::{Launch, Model, Server, free_address};

/// The folder inside of a data folder that has to be the same for all servers of one log.
const KEYS: &str = "keys";

/// How often a server that ends by itself after the faults is started again.
const STARTS_MAX: usize = 3;

/// A time in which a server was dead or frozen, in milliseconds since the schedule began.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    pub server: usize,
    pub from_ms: u64,
    pub to_ms: u64,
    /// It was frozen and went on; else it was dead.
    pub frozen: bool,
}

/// A place for a server.
pub struct Slot {
    pub launch: Launch,
    pub server: Option<Server>,
    /// It was told to stop and has not ended.
    pub is_stopping: bool,
    /// Since when it is frozen, in milliseconds of the schedule.
    pub frozen_ms: Option<u64>,
    pub proxy: Option<Arc<Control>>,
}

/// The processes of one schedule.
pub struct Rig {
    pub slots: Vec<Slot>,
    pub model: Model,
    pub http: reqwest::Client,
    pub begin: Instant,
    pub outages: Vec<Outage>,
    /// Servers that were told to stop and have not ended yet. The other faults go on while a server stops.
    stopping: JoinSet<StoppedServer>,
    /// What was done, with when.
    pub done: Vec<String>,
}

/// What became of a server that was told to stop, and how long it is to stay down.
struct StoppedServer {
    server: usize,
    down_ms: u64,
    ended: anyhow::Result<()>,
}

/// Something that is still to be done.
enum Due {
    Strike(Fault),
    Start(usize),
    Thaw(usize),
    Flow(Vec<usize>),
    OnTime(usize),
    GiveRoom(usize),
}

impl Rig {
    /// Starts the model and all servers. The folder is empty and goes with its owner.
    pub async fn start(
        plan: &Plan,
        folder: &Path,
        cluster: Option<&Cluster>,
    ) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().no_proxy().build()?;
        let model = Model::start(plan.latency_ms, http.clone()).await?;
        let name = format!("proof_{}", plan.seed);
        if let Some(cluster) = cluster {
            cluster.database(&name).await?;
        }
        let mut slots = vec![];
        for (number, wrong_by) in plan.clocks.iter().enumerate() {
            let (database, proxy) = match cluster {
                None => (format!("sqlite:{}", folder.join("log.db").display()), None),
                Some(cluster) => {
                    let (address, control) = proxy::start(cluster.address).await?;
                    (database(address, &name), Some(control))
                }
            };
            let data = if plan.own_folders {
                format!("data{number}")
            } else {
                "data".to_owned()
            };
            slots.push(Slot {
                launch: Launch {
                    address: free_address()?,
                    database,
                    data: folder.join(data),
                    model: model.address.clone(),
                    blobs: folder.join("blobs"),
                    lease_seconds: plan.lease_seconds,
                    wrong_by: *wrong_by,
                    blocks: None,
                    said: folder.join(format!("p{number}.log")),
                },
                server: None,
                is_stopping: false,
                frozen_ms: None,
                proxy,
            });
        }
        let mut rig = Self {
            slots,
            model,
            http,
            begin: Instant::now(),
            outages: vec![],
            stopping: JoinSet::new(),
            done: vec![],
        };
        // Servers with data folders of their own all get the keys of the first one, as `docs/production.md` requires.
        for number in 0..rig.slots.len() {
            if plan.own_folders && number > 0 {
                copy_keys(&rig.slots[0].launch.data, &rig.slots[number].launch.data)?;
            }
            rig.start_server(number)?;
            rig.answers(number).await?;
        }
        rig.begin = Instant::now();
        Ok(rig)
    }

    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub fn note(&mut self, what: impl AsRef<str>) {
        self.done
            .push(format!("{} ms {}", self.now_ms(), what.as_ref()));
    }

    fn start_server(&mut self, number: usize) -> anyhow::Result<()> {
        let slot = &mut self.slots[number];
        slot.server = Some(slot.launch.spawn()?);
        Ok(())
    }

    pub async fn answers(&mut self, number: usize) -> anyhow::Result<()> {
        let http = self.http.clone();
        let slot = &mut self.slots[number];
        let server = slot.server.as_mut().context("it was started")?;
        let answers = slot.launch.answers(server, &http).await;
        answers.with_context(|| format!("p{number}"))
    }

    /// Does what a plan says, and returns when the last fault is over and every server answers.
    pub async fn suffer(&mut self, plan: &Plan, cluster: Option<&Cluster>) -> anyhow::Result<()> {
        let faults = plan.faults.iter().cloned();
        let mut due: Vec<(u64, Due)> = faults.map(|it| (it.at_ms, Due::Strike(it))).collect();
        while let Some(next) = self.next(&mut due).await? {
            match next {
                Due::Strike(fault) => self.strike(&fault, &mut due, cluster).await?,
                Due::Start(number) => {
                    self.note(format!("p{number} is started"));
                    self.ended(number);
                    self.start_server(number)?;
                }
                Due::Thaw(number) => self.thaw(number),
                Due::Flow(numbers) => {
                    self.note(format!("the database answers {numbers:?} again"));
                    for proxy in self.proxies(&numbers) {
                        proxy.stall(false);
                    }
                }
                Due::OnTime(number) => {
                    for proxy in self.proxies(&[number]) {
                        proxy.delay(0);
                    }
                }
                // The server is still stopping; it is started, with room, once it has stopped.
                Due::GiveRoom(number) if self.slots[number].is_stopping => {
                    self.slots[number].launch.blocks = None;
                }
                Due::GiveRoom(number) => {
                    self.note(format!("p{number} is started with room"));
                    self.kill(number).await;
                    self.slots[number].launch.blocks = None;
                    self.ended(number);
                    self.start_server(number)?;
                }
            }
        }
        for number in 0..self.slots.len() {
            self.supervised(number).await?;
        }
        self.note("the faults are over");
        Ok(())
    }

    /// Waits until a server answers. A server that has ended by itself, as it does where it cannot open the database, is started again,
    /// as a supervisor does.
    async fn supervised(&mut self, number: usize) -> anyhow::Result<()> {
        for _ in 0..STARTS_MAX {
            if self.has_ended(number) {
                self.note(format!("p{number} has ended by itself, and is started"));
                self.start_server(number)?;
            }
            let answers = self.answers(number).await;
            if answers.is_ok() || !self.has_ended(number) {
                return answers;
            }
        }
        self.answers(number).await
    }

    fn has_ended(&mut self, number: usize) -> bool {
        let server = self.slots[number].server.as_mut();
        server.is_some_and(Server::has_ended)
    }

    /// Waits for what is to be done next. A server that has stopped meanwhile is to be started after its time.
    async fn next(&mut self, due: &mut Vec<(u64, Due)>) -> anyhow::Result<Option<Due>> {
        loop {
            let place = first(due);
            if place.is_none() && self.stopping.is_empty() {
                return Ok(None);
            }
            let at = place.map(|place| due[place].0);
            let wait = at.map(|at| Duration::from_millis(at.saturating_sub(self.now_ms())));
            let its_time = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Some(stopped) = self.stopping.join_next() => {
                    let StoppedServer { server, down_ms, ended } = stopped?;
                    self.slots[server].is_stopping = false;
                    ended.with_context(|| format!("p{server}"))?;
                    self.note(format!("p{server} has stopped"));
                    due.push((self.now_ms() + down_ms, Due::Start(server)));
                }
                () = its_time => return Ok(place.map(|place| due.swap_remove(place).1)),
            }
        }
    }

    fn proxies(&self, numbers: &[usize]) -> Vec<Arc<Control>> {
        let slots = numbers.iter().map(|number| &self.slots[*number]);
        slots.filter_map(|slot| slot.proxy.clone()).collect()
    }

    /// A server that is frozen goes on; one that was killed meanwhile does not.
    fn thaw(&mut self, number: usize) {
        let slot = &mut self.slots[number];
        let (Some(from_ms), Some(server)) = (slot.frozen_ms.take(), &slot.server) else {
            return;
        };
        server.signal(Signal::CONT);
        self.note(format!("p{number} goes on"));
        let to_ms = self.now_ms();
        self.outages.push(Outage {
            server: number,
            from_ms,
            to_ms,
            frozen: true,
        });
    }

    async fn kill(&mut self, number: usize) {
        // What was sent to it while it was frozen reached nobody.
        let from_ms = self.slots[number].frozen_ms.take().unwrap_or(self.now_ms());
        if let Some(mut server) = self.slots[number].server.take() {
            server.kill().await;
            self.outages.push(Outage {
                server: number,
                from_ms,
                to_ms: u64::MAX,
                frozen: false,
            });
        }
    }

    /// The time in which a server was dead ends now.
    fn ended(&mut self, number: usize) {
        let now = self.now_ms();
        let mut open = self
            .outages
            .iter_mut()
            .filter(|outage| outage.to_ms == u64::MAX);
        if let Some(outage) = open.find(|outage| outage.server == number) {
            outage.to_ms = now;
        }
    }

    async fn strike(
        &mut self,
        fault: &Fault,
        due: &mut Vec<(u64, Due)>,
        cluster: Option<&Cluster>,
    ) -> anyhow::Result<()> {
        let (now, number) = (self.now_ms(), fault.server);
        let is_up = self.slots[number].server.is_some();
        self.note(format!("FAULT {fault}"));
        match fault.is {
            FaultKind::Kill { down_ms, wrong_by } if is_up => {
                self.kill(number).await;
                if wrong_by != 0 {
                    self.slots[number].launch.wrong_by = wrong_by;
                }
                due.push((now + down_ms, Due::Start(number)));
            }
            FaultKind::Stop { down_ms } if is_up => {
                if self.slots[number].frozen_ms.is_some() {
                    return Ok(());
                }
                if let Some(mut server) = self.slots[number].server.take() {
                    self.slots[number].is_stopping = true;
                    self.stopping.spawn(async move {
                        let ended = server.stop().await;
                        StoppedServer {
                            server: number,
                            down_ms,
                            ended,
                        }
                    });
                }
                self.outages.push(Outage {
                    server: number,
                    from_ms: now,
                    to_ms: u64::MAX,
                    frozen: false,
                });
            }
            FaultKind::Freeze { ms } if is_up && self.slots[number].frozen_ms.is_none() => {
                if let Some(server) = &self.slots[number].server {
                    server.signal(Signal::STOP);
                }
                self.slots[number].frozen_ms = Some(now);
                due.push((now + ms, Due::Thaw(number)));
            }
            FaultKind::Cut => self.proxies(&[number]).iter().for_each(|proxy| proxy.cut()),
            FaultKind::LoseAnswers { commits } => {
                self.proxies(&[number])
                    .iter()
                    .for_each(|proxy| proxy.lose(commits));
            }
            FaultKind::Stall { ms } => {
                self.proxies(&[number])
                    .iter()
                    .for_each(|proxy| proxy.stall(true));
                due.push((now + ms, Due::Flow(vec![number])));
            }
            FaultKind::StallAll { ms } => {
                let all: Vec<usize> = (0..self.slots.len()).collect();
                self.proxies(&all)
                    .iter()
                    .for_each(|proxy| proxy.stall(true));
                due.push((now + ms, Due::Flow(all)));
            }
            FaultKind::Delay { by_ms, ms } => {
                self.proxies(&[number])
                    .iter()
                    .for_each(|proxy| proxy.delay(by_ms));
                due.push((now + ms, Due::OnTime(number)));
            }
            FaultKind::RestartDatabase => {
                if let Some(cluster) = cluster {
                    cluster.restart().await?;
                }
            }
            FaultKind::FullDisk { ms } if is_up => {
                self.kill(number).await;
                self.slots[number].launch.blocks = Some(few_blocks());
                self.ended(number);
                self.start_server(number)?;
                due.push((now + ms, Due::GiveRoom(number)));
            }
            FaultKind::Kill { .. }
            | FaultKind::Stop { .. }
            | FaultKind::Freeze { .. }
            | FaultKind::FullDisk { .. } => {}
        }
        Ok(())
    }

    /// Stops everything.
    pub async fn stop(&mut self) -> Vec<String> {
        let mut wrong = vec![];
        for (number, slot) in self.slots.iter_mut().enumerate() {
            if let Some(server) = &mut slot.server
                && let Err(error) = server.stop().await
            {
                wrong.push(format!("p{number}: {error}"));
            }
        }
        self.model.stop().await;
        wrong
    }
}

fn first(due: &[(u64, Due)]) -> Option<usize> {
    let places = due.iter().enumerate();
    places
        .min_by_key(|(_, (at, _))| *at)
        .map(|(place, _)| place)
}

fn database(address: SocketAddr, name: &str) -> String {
    format!("postgres://palimpsest@{address}/{name}")
}

/// Gives a folder the keys of another one.
fn copy_keys(from: &Path, to: &Path) -> anyhow::Result<()> {
    let (from, to) = (from.join(KEYS), to.join(KEYS));
    std::fs::create_dir_all(&to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
