//! `serve`: clients over HTTP, WebSocket, SSE and Socket.IO.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use clap::Args;
use domain::facets::Status;
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::clock::{Clock, fresh_id};
use runner::ports::RetryPolicy;
use store::panics::supervised;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::Settings;
use crate::app::App;
use crate::config::{Config, ConfigError, LOCAL_OWNER, check_listen, check_provider};
use crate::connections::{
    ConnectionLimits, HttpServer, Listening, Seats, TrustedProxies, raise_limit,
};
use crate::data::DataFolder;
use crate::keys::{Keys, Owner};
use crate::server::Server;
use crate::verb::{Exit, Failure, out};
use crate::{routes, start};

/// How long answers to clients under way may take once calls have ended or are cut. Clients reconnect. What is documented for supervisors
/// counts with this and with both of what follows.
const GRACE: Duration = Duration::from_secs(6);

/// How long the engine may take to end after that, and then the log. Usually both take some milliseconds. If a database does not answer,
/// unfinished work is continued at the next start as after a kill.
const END_MAX: Duration = Duration::from_secs(2);

/// How often metrics are tidied up; the exporter's own default.
const METRICS_UPKEEP: Duration = Duration::from_secs(5);

/// How often uploads and sessions are looked through for what has been kept long enough.
const HOUSEKEEPING: Duration = Duration::from_secs(60 * 60);

/// Sessions looked at together.
const SESSIONS_PAGE: usize = 200;

/// Serves until it is told to stop.
#[derive(Args, Debug)]
pub(super) struct Serve {
    /// Check and print the effective settings, without secrets, and stop
    #[arg(long, env = "PALIMPSEST_CHECK")]
    check: bool,
}

/// The settings that change while the server runs, by their names in `serve --check`: who may ask, and from where. Other changed settings
/// take effect at the next start.
const RELOADED: [&str; 4] = ["keys", "operator_key", "origins", "hosts"];

/// Reads the configuration again.
type ReadConfig<'a> = &'a dyn Fn() -> Result<Config, ConfigError>;

pub(super) async fn serve(
    settings: Settings,
    args: Serve,
    read_config: ReadConfig<'_>,
) -> Result<Exit, Failure> {
    let Settings { config, server, .. } = settings;
    check_listen(&config)?;
    check_provider(&config)?;
    let checked = start::check_ports(&server, &config).await;
    let fonts = checked.map_err(|error| Failure::usage(format!("{error:#}")))?;
    if args.check {
        out::lines(config.shown().trim_end())?;
        out::lines(start::shown_fonts(&fonts).trim_end())?;
        return Ok(Exit::Done);
    }
    // Signals are handled before anything else, so that none of them ends the program while it starts.
    let signals = Signals::listen();
    let connections_max = raise_limit();
    let metrics = PrometheusBuilder::new()
        .install_recorder()
        .map_err(|error| Failure::unusable(format!("metrics cannot be collected: {error}")))?;
    let config = Arc::new(config);
    let data = DataFolder::open(&config)?;
    if let Some(told) = data.readable_by_others() {
        tracing::warn!("{told}");
    }
    // Bound before the log is opened, so that the address in its lock file is the real one. Clients that connect now have to wait.
    let listener = bind(config.listen, "--listen").await?;
    let mut further = vec![];
    for (wire, place) in config.further_listens() {
        let listener = bind(place, &format!("--{wire}-listen")).await?;
        let address = listener.local_addr()?;
        further.push((wire, address, listener));
    }
    let address = listener.local_addr()?;
    let clock = Clock::system();
    let log = start::own_log(
        &server,
        &config,
        &data,
        &clock,
        &format!("http://{}", reachable(address)),
    )
    .await?;
    let retry = RetryPolicy::default();
    let engine = start::engine(&server, &config, &data, log, clock, fonts, retry).await?;
    let app = start::app(
        &server,
        Arc::clone(&config),
        &data,
        engine,
        Keys::new(&config.keys, operator_key(&config)),
        metrics,
    );
    let (stopping, tidied) = (app.stopping.clone(), app.clone());
    tokio::spawn(supervised("keep_tidy", stopping.clone(), move || {
        keep_tidy(tidied.clone())
    }));
    let metered = app.clone();
    tokio::spawn(supervised("metrics_upkeep", stopping, move || {
        metrics_upkeep(metered.clone())
    }));
    say_hello(&app, address);
    let mut listeners = vec![listener];
    for (wire, address, listener) in further {
        tracing::info!(%address, "the {wire} protocol is served at ws://{address} as well");
        listeners.push(listener);
    }
    let limits = connection_limits(&app.config, connections_max);
    let served = Serving {
        app: app.clone(),
        read_config,
        signals,
    };
    let served = served.answer(listeners, limits, &server).await;
    let stopped = tokio::time::timeout(END_MAX, app.engine.stop()).await;
    let closed = tokio::time::timeout(END_MAX, app.engine.log().close()).await;
    if stopped.is_ok() && closed.is_ok() {
        tracing::info!("stopped; what was open is taken up at the next start");
    } else {
        tracing::warn!(
            seconds = END_MAX.as_secs(),
            "stopped before all steps or the log had ended, as after a kill; what was open is taken up at the next start"
        );
    }
    served.map(|()| Exit::Done)
}

async fn bind(address: SocketAddr, flag: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| {
        let cause = format!("{address} cannot be listened on: {error}");
        Failure::unusable(format!("{cause}; name another address with {flag}"))
    })
}

fn say_hello(app: &App, address: SocketAddr) {
    let config = &app.config;
    let author = if config.is_offline() {
        "offline"
    } else {
        "model"
    };
    tracing::info!(%address, database = config.database.shown(), author, "palimpsest serves at http://{address}");
    if !app.keys.are_wanted() {
        tracing::info!(
            "no keys are configured: everything belongs to `{LOCAL_OWNER}`, and only this machine is answered"
        );
    }
}

/// The address under which a process on this machine reaches the server.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    let loopback: std::net::IpAddr = if address.is_ipv4() {
        std::net::Ipv4Addr::LOCALHOST.into()
    } else {
        std::net::Ipv6Addr::LOCALHOST.into()
    };
    SocketAddr::new(loopback, address.port())
}

fn operator_key(config: &Config) -> Option<&str> {
    config.operator_key.as_ref().map(|key| key.reveal())
}

/// The configured limits of connections, reduced to the number of files that the process may have open.
fn connection_limits(config: &Config, fit: Option<usize>) -> ConnectionLimits {
    let limits = &config.limits;
    let all = fit.map_or(limits.connections, |fit| limits.connections.min(fit));
    if all < limits.connections {
        tracing::warn!(
            connections = all,
            "the process may not have more files open; `ulimit -n` says how many"
        );
    }
    let share = limits.connections_share.min(all);
    ConnectionLimits {
        all,
        of_address: share,
        // Without keys there is only one owner, so that no share has to be kept for others.
        of_owner: if config.keys.is_empty() { all } else { share },
        head: Duration::from_secs(limits.head_seconds),
        idle: Duration::from_secs(limits.idle_seconds),
        bytes_per_second: limits.bytes_per_second,
    }
}

/// A server at work.
struct Serving<'a> {
    app: App,
    read_config: ReadConfig<'a>,
    signals: Signals,
}

impl Serving<'_> {
    /// Answers on all addresses until a signal says to stop, then waits for answers under way.
    async fn answer(
        mut self,
        listeners: Vec<TcpListener>,
        limits: ConnectionLimits,
        server: &Server,
    ) -> Result<(), Failure> {
        let stopping = self.app.stopping.clone();
        let router = routes::router(self.app.clone(), server);
        let proxies = TrustedProxies::new(self.app.config.trusted_proxies.clone());
        let seats = Seats::new(limits, proxies);
        let mut servers = JoinSet::new();
        for listener in listeners {
            let server = HttpServer {
                seats: Arc::clone(&seats),
                stopping: stopping.clone(),
            };
            let router = router.clone();
            servers.spawn(async move { server.serve(Listening { listener, router }).await });
        }
        loop {
            tokio::select! {
                // A server task only ends by a panic; then all of them end.
                Some(ended) = servers.join_next() => return flat(ended),
                signal = self.signals.next() => match signal {
                    Signal::Stop => break,
                    Signal::Reload => self.reload(),
                },
            }
        }
        let seconds = self.app.config.drain_seconds;
        tracing::info!(
            seconds,
            "stopping: no call is begun any longer, and those under way may end; another signal cuts them"
        );
        let engine = self.app.engine.clone();
        let limit = Duration::from_secs(seconds.into());
        let mut drained = std::pin::pin!(tokio::time::timeout(limit, engine.drain()));
        loop {
            tokio::select! {
                biased;
                signal = self.signals.next() => match signal {
                    Signal::Stop => break,
                    Signal::Reload => self.reload(),
                },
                Some(ended) = servers.join_next() => return flat(ended),
                drained = &mut drained => {
                    if drained.is_err() {
                        tracing::warn!(seconds, "some calls did not end in time and are cut");
                    }
                    break;
                }
            }
        }
        stopping.cancel();
        let all = async {
            while let Some(ended) = servers.join_next().await {
                flat(ended)?;
            }
            Ok(())
        };
        // In the meantime other processes take over the steps of this one.
        let handed = tokio::time::timeout(GRACE, engine.hand_over());
        let (ended, handed) = tokio::join!(tokio::time::timeout(GRACE, all), handed);
        if handed.is_err() {
            tracing::warn!("the steps of this process could not be handed over in time");
        }
        match ended {
            Ok(ended) => ended,
            Err(_) => {
                tracing::warn!("some connections did not end in time and are cut");
                servers.abort_all();
                Ok(())
            }
        }
    }

    /// Replaces keys, hosts and origins by the ones that are configured now. An invalid configuration changes nothing.
    fn reload(&self) {
        let outcome = match self.reloaded() {
            Ok(()) => "taken",
            Err(error) => {
                tracing::error!(%error, "the configuration was read again and is not right; the one before holds on");
                "refused"
            }
        };
        metrics::counter!("palimpsest_reloads_total", "outcome" => outcome).increment(1);
    }

    fn reloaded(&self) -> Result<(), ConfigError> {
        let config = (self.read_config)()?;
        let now = &self.app.config;
        // The listening addresses stay, so the new keys have to be valid for them.
        let kept = Config {
            keys: config.keys.clone(),
            ..Config::clone(now)
        };
        check_listen(&kept)?;
        let keys = &self.app.keys;
        keys.replace(&config.keys, operator_key(&config));
        self.app.names.replace(&config.hosts, &config.origins);
        let (before, after) = (now.shown(), config.shown());
        let before: Vec<_> = before.lines().collect();
        let changed = after.lines().filter(|line| !before.contains(line));
        let names = changed.filter_map(|line| Some(line.split_once(" = ")?.0));
        let waiting: Vec<_> = names.filter(|name| !RELOADED.contains(name)).collect();
        tracing::info!(
            owners = keys.owners().len(),
            hosts = config.hosts.len(),
            origins = config.origins.len(),
            "the configuration was read again: keys, hosts and origins hold from now on"
        );
        if !waiting.is_empty() {
            tracing::warn!(
                settings = waiting.join(", "),
                "these settings are others than at the start, and hold from the next start"
            );
        }
        Ok(())
    }
}

fn flat(ended: Result<(), tokio::task::JoinError>) -> Result<(), Failure> {
    ended.map_err(|error| Failure::unusable(format!("the server broke down: {error}")))
}

/// What a signal asks of the program.
enum Signal {
    Stop,
    Reload,
}

/// The signals that the server handles from its start: SIGINT and SIGTERM stop it, SIGHUP makes it read its configuration again. A program
/// whose terminal is closed gets SIGHUP as well, and continues to serve.
struct Signals {
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    fn listen() -> Self {
        Self {
            #[cfg(unix)]
            hangup: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    async fn next(&mut self) -> Signal {
        #[cfg(unix)]
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        #[cfg(not(unix))]
        let hangup = std::future::pending::<()>();
        tokio::select! {
            () = signal() => Signal::Stop,
            () = hangup => Signal::Reload,
        }
    }
}

/// Waits until somebody wants the program to stop.
pub(super) async fn signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // If no handler can be installed, the signal ends the process as the system does by default.
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut terminate) => drop(terminate.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

async fn metrics_upkeep(app: App) {
    while app
        .stopping
        .run_until_cancelled(tokio::time::sleep(METRICS_UPKEEP))
        .await
        .is_some()
    {
        app.metrics.run_upkeep();
    }
}

/// Removes uploads that no message attached and, if configured, erases sessions in which nothing happens.
async fn keep_tidy(app: App) {
    loop {
        app.uploads.sweep().await;
        if let Some(days) = app.config.retain_days {
            for owner in app.keys.owners() {
                erase_quiet(&app, &owner, days).await;
            }
        }
        if app
            .stopping
            .run_until_cancelled(tokio::time::sleep(HOUSEKEEPING))
            .await
            .is_none()
        {
            return;
        }
    }
}

async fn erase_quiet(app: &App, owner: &Owner, days: u32) {
    let oldest = app.engine.clock().now() - TimeDelta::days(days.into());
    let mut before = None;
    loop {
        let lines = match app
            .engine
            .log()
            .sessions(&owner.0, before, SESSIONS_PAGE)
            .await
        {
            Ok(lines) if lines.is_empty() => return,
            Ok(lines) => lines,
            Err(error) => {
                tracing::warn!(cause = %error, "sessions cannot be looked through");
                return;
            }
        };
        before = lines.last().map(|line| line.cursor);
        for line in lines {
            let is_busy = matches!(line.status, Some(Status::Running | Status::Waiting));
            if line.updated_at >= oldest || is_busy {
                continue;
            }
            let stream = owner.stream(&line.session);
            // A session that has forks is not erased as long as they exist.
            match app
                .erase(owner, &stream, false, &format!("retain-{}", fresh_id()))
                .await
            {
                Ok(_) => {
                    tracing::info!(session.id = %line.session, days, "a quiet session was erased")
                }
                Err(error) => {
                    tracing::info!(session.id = %line.session, cause = %error, "a quiet session stays")
                }
            }
        }
    }
}
