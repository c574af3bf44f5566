//! A cluster of PostgreSQL of our own, in a temporary folder, so that it can be killed and started again.

use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use tokio::process::Command;

/// Where the packages of Debian put the programs.
const INSTALLED: &str = "/usr/lib/postgresql";

/// A cluster that runs; it is stopped by [`Cluster::stop`].
pub struct Cluster {
    programs: PathBuf,
    folder: tempfile::TempDir,
    pub address: SocketAddr,
}

impl Cluster {
    pub async fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("a temporary folder cannot be made")?;
        let cluster = Self {
            programs: programs()?,
            folder,
            address: super::servers::free_address()?,
        };
        if is_root() {
            let mode = std::fs::Permissions::from_mode(0o777);
            std::fs::set_permissions(cluster.folder.path(), mode)?;
        }
        let data = cluster.data();
        let made = format!("initdb -D {data} -U palimpsest -A trust -E UTF8 --locale=C");
        cluster.run(&made).await?;
        cluster.control("start").await?;
        Ok(cluster)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// Starts or restarts it.
    async fn control(&self, what: &str) -> anyhow::Result<()> {
        let (data, folder) = (self.data(), self.folder.path().display());
        let options = format!(
            "-p {} -k {folder} -c listen_addresses=127.0.0.1 -c max_connections=200",
            self.address.port()
        );
        let line =
            format!("pg_ctl -D {data} -w -m immediate -l {folder}/log -o '{options}' {what}");
        self.run(&line).await
    }

    /// As if the machine of the database had lost its power: nobody is told, and it recovers from its log.
    pub async fn restart(&self) -> anyhow::Result<()> {
        self.control("restart").await
    }

    pub async fn stop(&self) {
        let line = format!("pg_ctl -D {} -m immediate stop", self.data());
        // It goes with its folder in any case.
        let _ = self.run(&line).await;
    }

    /// A fresh database of this name.
    pub async fn database(&self, name: &str) -> anyhow::Result<()> {
        let port = self.address.port();
        let line = format!("createdb -h 127.0.0.1 -p {port} -U palimpsest {name}");
        self.run(&line).await
    }

    /// Runs a program of the cluster, which root may not.
    async fn run(&self, line: &str) -> anyhow::Result<()> {
        let line = format!("{}/{line} >/dev/null 2>&1", self.programs.display());
        let mut command = if is_root() {
            let mut command = Command::new("su");
            command.args(["postgres", "-s", "/bin/bash", "-c", &line]);
            command
        } else {
            let mut command = Command::new("/bin/bash");
            command.args(["-c", &line]);
            command
        };
        let ended = command.current_dir("/").status().await;
        let ended = ended.with_context(|| format!("{line} does not start"))?;
        ensure!(ended.success(), "{line} failed");
        Ok(())
    }
}

fn is_root() -> bool {
    Path::new("/proc/self")
        .metadata()
        .is_ok_and(|it| it.uid() == 0)
}

/// The folder of the newest version that is installed.
fn programs() -> anyhow::Result<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(INSTALLED).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().parse::<u32>();
        if let Ok(version) = name {
            found.push((version, entry.path().join("bin")));
        }
    }
    match found.into_iter().max() {
        Some((_, programs)) => Ok(programs),
        None => bail!("there is no PostgreSQL in {INSTALLED}: install the package `postgresql`"),
    }
}
