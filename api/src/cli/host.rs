//! Where a command is carried out: in the process that owns the log, if there is one, else in this process.

use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusBuilder;
use runner::clock::Clock;
use runner::ports::RetryPolicy;
use store::{Log, OpenError};

use super::Settings;
use super::serve::reachable;
use crate::config::{Database, check_provider};
use crate::data::DataFolder;
use crate::error::ApiError;
use crate::keys::{Keys, Owner};
use crate::verb::{Client, CommandHost, Failure, out};
use crate::{routes, start};

/// Tries of a model at whose address nobody answers: the first and two repeats. A person at a terminal can see to the address at once; a
/// server waits longer, for a provider that starts again.
const UNREACHABLE_TRIES: u32 = 3;

impl CommandHost {
    /// The server that owns the log, or this process.
    pub(super) async fn find(settings: Settings) -> Result<Self, Failure> {
        let Settings {
            config,
            owner,
            server,
        } = settings;
        let data = DataFolder::open(&config)?;
        if let Some(told) = data.readable_by_others() {
            out::note(&told);
        }
        let clock = Clock::system();
        let log = match start::own_log(&server, &config, &data, &clock, "").await {
            Ok(log) => log,
            Err(OpenError::Locked {
                owner_address: Some(address),
            }) => {
                let client = Client::server(&address, config.client_key.clone())?;
                return Ok(Self::on_a_server(client));
            }
            Err(OpenError::Locked {
                owner_address: None,
            }) => return Err(takes_no_commands()),
            Err(error) => return Err(error.into()),
        };
        // Not before: a server that owns the log has a provider of its own.
        check_provider(&config)?;
        let config = Arc::new(config);
        let fonts = start::fonts(&config)?;
        let retry = RetryPolicy {
            unreachable_tries: Some(UNREACHABLE_TRIES),
            ..RetryPolicy::default()
        };
        let drawn_with = fonts.clone();
        let engine = start::engine(&server, &config, &data, log, clock, drawn_with, retry).await?;
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let app = start::app(
            &server,
            config,
            &data,
            engine,
            Keys::everybody_is(owner),
            metrics,
        );
        let client = Client::within(routes::router(app.clone(), &server));
        Ok(Self::in_this_process(client, app, fonts))
    }
}

/// The server that works on the log. No work is begun here in its place.
pub(super) async fn serving(settings: &Settings) -> Result<Client, Failure> {
    let Settings { config, server, .. } = settings;
    let key = config.client_key.clone();
    if matches!(config.database, Database::Postgres { .. }) {
        // Several servers may share such a log; the one that is meant has the configured address.
        return Client::server(&format!("http://{}", reachable(config.listen)), key);
    }
    let data = DataFolder::existing(config, &server.beginning())?;
    match start::own_log(server, config, &data, &Clock::system(), "").await {
        Err(OpenError::Locked {
            owner_address: Some(address),
        }) => Client::server(&address, key),
        Err(OpenError::Locked {
            owner_address: None,
        }) => Err(takes_no_commands()),
        Ok(log) => {
            log.close().await;
            Err(Failure::unusable(
                "no server works on this log, so that no step waits; `serve` starts one, which takes up what is open",
            ))
        }
        Err(error) => Err(error.into()),
    }
}

fn takes_no_commands() -> Failure {
    Failure::unusable(
        "the log is owned by another process that takes no commands, such as `run`; wait for its end, or stop it",
    )
}

/// The log for reading, even if another process owns it. If the log lost events, a note says so, but the other events can be read.
pub(super) async fn reading(settings: &Settings) -> Result<(Arc<dyn Log>, Owner), Failure> {
    let (log, owner) = reading_quietly(settings).await?;
    note_loss(log.as_ref()).await?;
    Ok((log, owner))
}

/// Says so where the log lost events.
pub(super) async fn note_loss(log: &dyn Log) -> Result<(), Failure> {
    let known = log.anchor().await.map_err(ApiError::from)?;
    if let Some(mismatch) = known.mismatch {
        out::note(&format!(
            "{mismatch}; events that were acknowledged are missing, and no server starts on this log: see `{} anchor show`",
            out::program()
        ));
    }
    Ok(())
}

pub(super) async fn reading_quietly(settings: &Settings) -> Result<(Arc<dyn Log>, Owner), Failure> {
    let data = DataFolder::existing(&settings.config, &settings.server.beginning())?;
    let log = start::read_log(&settings.server, &settings.config, &data, &Clock::system()).await?;
    Ok((log, settings.owner.clone()))
}
