//! The processes of the real tier: servers, and the scripted model.

use std::fs::OpenOptions;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Between two looks whether a server answers.
const LOOK: Duration = Duration::from_millis(20);

/// How long a server may take until it answers, on a busy machine.
const START_MAX: Duration = Duration::from_secs(40);

/// How long a server may take to stop.
const STOP_MAX: Duration = Duration::from_secs(60);

/// Where Debian's package `faketime` puts what makes clocks wrong.
const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/// A program that was built beside this one.
pub fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let own = std::fs::read_link("/proc/self/exe").context("which program this is is not known")?;
    let folder = own.parent().context("a program is in a folder")?;
    // The programs of tests are one folder deeper.
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        if folder.join(name).is_file() {
            return Ok(folder.join(name));
        }
    }
    bail!(
        "`{name}` is not beside {}: `cargo build --workspace --bins`",
        own.display()
    )
}

/// Whether the clock of a process can be made wrong here.
pub fn can_fake_time() -> bool {
    Path::new(FAKETIME).exists()
}

/// An address of this machine that nobody listens on.
pub fn free_address() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no address is free")?;
    Ok(listener.local_addr()?)
}

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Launch {
    pub address: SocketAddr,
    pub database: String,
    pub data: PathBuf,
    /// The folder that all servers of a log have for large files, whatever else they share.
    pub blobs: PathBuf,
    pub model: String,
    pub lease_seconds: u64,
    /// By how many seconds its clock is wrong.
    pub wrong_by: i64,
    /// Files may have so many blocks of 512 bytes; the program then meets a full disk.
    pub blocks: Option<u64>,
    /// What it says goes to the end of this file.
    pub said: PathBuf,
}

impl Launch {
    fn command(&self) -> anyhow::Result<Command> {
        let program = beside("proof-server")?;
        let mut command = match self.blocks {
            None => Command::new(program),
            Some(blocks) => {
                let mut command = Command::new("/bin/sh");
                let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
                command.arg("-c").arg(script).arg(program);
                command
            }
        };
        let said = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.said)?;
        command
            .arg("serve")
            .env_clear()
            .env("NO_COLOR", "1")
            .env("PALIMPSEST_DATABASE", &self.database)
            .env("PALIMPSEST_DATA", &self.data)
            .env("PALIMPSEST_BLOBS", &self.blobs)
            .env("PALIMPSEST_LISTEN", self.address.to_string())
            .env("PALIMPSEST_LEASE_SECONDS", self.lease_seconds.to_string())
            .env("OPENAI_BASE_URL", format!("{}/v1", self.model))
            .env("PALIMPSEST_MODEL", "scripted")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .kill_on_drop(true);
        if self.wrong_by != 0 {
            command
                .env("LD_PRELOAD", FAKETIME)
                .env("FAKETIME", format!("{:+}s", self.wrong_by))
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        Ok(command)
    }

    /// Starts a server, and returns without waiting until it answers.
    pub fn spawn(&self) -> anyhow::Result<Server> {
        let child = self.command()?.spawn().context("a server does not start")?;
        Ok(Server { child })
    }

    /// Waits until the server answers.
    pub async fn answers(&self, server: &mut Server, http: &reqwest::Client) -> anyhow::Result<()> {
        let url = format!("http://{}/healthz", self.address);
        let answering = async {
            loop {
                if let Some(status) = server.child.try_wait()? {
                    let said = std::fs::read_to_string(&self.said).unwrap_or_default();
                    let last = said.lines().last().unwrap_or_default();
                    bail!("the server ended ({status}): {last}");
                }
                if http
                    .get(&url)
                    .send()
                    .await
                    .is_ok_and(|it| it.status().is_success())
                {
                    return Ok(());
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        match tokio::time::timeout(START_MAX, answering).await {
            Ok(answered) => answered,
            Err(_) => bail!("the server does not answer after {START_MAX:?}"),
        }
    }
}

/// A server that runs, or is frozen.
pub struct Server {
    child: Child,
}

impl Server {
    pub fn signal(&self, signal: Signal) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(id) = id.and_then(Pid::from_raw) {
            // The server may have ended by itself; the code that waits for it sees that.
            let _ = kill_process(id, signal);
        }
    }

    pub async fn kill(&mut self) {
        // Where it has ended by itself there is nothing to kill.
        let _ = self.child.kill().await;
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Stops it as an operator does.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        self.signal(Signal::TERM);
        match tokio::time::timeout(STOP_MAX, self.child.wait()).await {
            Ok(_) => Ok(()),
            Err(_) => {
                self.kill().await;
                bail!("the server does not stop within {STOP_MAX:?}")
            }
        }
    }
}

/// The scripted model.
pub struct Model {
    child: Child,
    pub address: String,
    http: reqwest::Client,
}

impl Model {
    /// Starts one that says back what it is asked, after so many milliseconds.
    pub async fn start(latency_ms: u64, http: reqwest::Client) -> anyhow::Result<Self> {
        let mut child = Command::new(beside("scripted-model")?)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("the scripted model does not start")?;
        let out = child.stdout.take().context("it is piped")?;
        let line = BufReader::new(out).lines().next_line().await?;
        let line = line.context("the scripted model says nothing")?;
        let address = line
            .strip_prefix("listening on ")
            .context("its address")?
            .to_owned();
        let script = serde_json::json!({ "defaults": { "latency_ms": latency_ms } });
        let model = Self {
            child,
            address,
            http,
        };
        let url = format!("{}/__script", model.address);
        model
            .http
            .post(url)
            .json(&script)
            .send()
            .await?
            .error_for_status()?;
        Ok(model)
    }

    pub async fn journal(&self) -> anyhow::Result<Value> {
        let url = format!("{}/__journal", self.address);
        let answer = self
            .http
            .get(url)
            .timeout(Duration::from_secs(60))
            .send()
            .await?;
        Ok(answer.json().await?)
    }

    pub async fn stop(&mut self) {
        // It has no more to do.
        let _ = self.child.kill().await;
    }
}
