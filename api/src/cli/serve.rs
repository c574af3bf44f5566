//! `serve`: clients over HTTP, WebSocket, SSE and Socket.IO.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use chrono::TimeDelta;
use clap::Args;
use domain::facets::Status;
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::clock::{Clock, fresh_id};
use store::panics::supervised;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::exit::{Exit, Failure};
use super::{Settings, out};
use crate::app::App;
use crate::config::{LOCAL_OWNER, check_listen};
use crate::data::DataFolder;
use crate::keys::{Keys, Owner};
use crate::protocol::Protocols;
use crate::{routes, start};

/// How long answers in flight may take once the server stops. Clients reconnect; a supervisor's patience is mostly ten
/// seconds.
const GRACE: Duration = Duration::from_secs(8);

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

pub(super) async fn serve(settings: Settings, args: Serve) -> Result<Exit, Failure> {
    let Settings { config, server, .. } = settings;
    check_listen(&config)?;
    start::check_ports(&config).map_err(|error| Failure::usage(format!("{error:#}")))?;
    if args.check {
        let fonts = start::fonts(&config).map_err(|error| Failure::usage(format!("{error:#}")))?;
        out::lines(config.shown().trim_end())?;
        out::lines(start::shown_fonts(&fonts).trim_end())?;
        return Ok(Exit::Done);
    }
    let metrics = PrometheusBuilder::new()
        .install_recorder()
        .map_err(|error| Failure::unusable(format!("metrics cannot be collected: {error}")))?;
    let config = Arc::new(config);
    let data = DataFolder::open(&config)?;
    // Bound before the log is opened, so that the address in its lock file is the real one. Who connects waits.
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
        &config,
        &data,
        &clock,
        &format!("http://{}", reachable(address)),
    )
    .await?;
    let engine = start::engine(&server, &config, &data, log, clock).await?;
    let app = start::app(
        &server,
        Arc::clone(&config),
        &data,
        engine,
        Keys::new(&config.keys),
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
    let served = answer(listeners, app.clone(), &server.protocols).await;
    app.engine.stop().await;
    app.engine.log().close().await;
    tracing::info!("stopped; what was open is taken up at the next start");
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

/// Where a process on this machine finds the server.
fn reachable(address: SocketAddr) -> SocketAddr {
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

/// Answers at all addresses until a signal comes, then lets what is in flight end.
async fn answer(
    listeners: Vec<TcpListener>,
    app: App,
    protocols: &Protocols,
) -> Result<(), Failure> {
    let stopping = app.stopping.clone();
    let router = routes::router(app, protocols);
    let mut servers = JoinSet::new();
    for listener in listeners {
        // Frames are small and each matters at once.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let until = stopping.clone().cancelled_owned();
        let server = axum::serve(listener, router.clone()).with_graceful_shutdown(until);
        servers.spawn(async move { server.await });
    }
    tokio::select! {
        // None ends by itself but by breaking down, and the others then end with it.
        Some(ended) = servers.join_next() => return flat(ended),
        () = signal() => tracing::info!("stopping"),
    }
    stopping.cancel();
    let all = async {
        while let Some(ended) = servers.join_next().await {
            flat(ended)?;
        }
        Ok(())
    };
    match tokio::time::timeout(GRACE, all).await {
        Ok(ended) => ended,
        Err(_) => {
            tracing::warn!("some connections did not end in time and are cut");
            servers.abort_all();
            Ok(())
        }
    }
}

fn flat(ended: Result<std::io::Result<()>, tokio::task::JoinError>) -> Result<(), Failure> {
    match ended {
        Ok(served) => served.map_err(Failure::from),
        Err(error) => Err(Failure::unusable(format!("the server broke down: {error}"))),
    }
}

/// Waits until somebody wants the program to stop.
pub(super) async fn signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without a handler the system's own way of stopping holds.
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

/// Removes uploads that no message attached and, where that is wanted, erases sessions that nothing happens in.
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
            // A session that younger ones were forked from stays as long as they do.
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
