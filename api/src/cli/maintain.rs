//! `migrate`: brings the database to this version's schema.

use runner::clock::Clock;

use super::Settings;
use crate::data::DataFolder;
use crate::start;
use crate::verb::{Exit, Failure, out};

/// Opening a log for writing migrates it.
pub(super) async fn migrate(settings: Settings) -> Result<Exit, Failure> {
    let config = settings.config;
    let data = DataFolder::open(&config)?;
    let log = start::own_log(&settings.server, &config, &data, &Clock::system(), "").await?;
    log.close().await;
    out::line(&format!(
        "{} has this version's schema",
        config.database.shown()
    ))?;
    Ok(Exit::Done)
}
