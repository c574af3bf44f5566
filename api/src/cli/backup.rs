//! `backup` and `restore`: a folder with all that is needed to go on elsewhere, and a log from such a folder.

use std::path::PathBuf;

use clap::Args;
use runner::clock::Clock;
use store::{Backup, BackupError, Log as _};

use super::{Settings, host};
use crate::data::{self, DataFolder};
use crate::start;
use crate::verb::{Exit, Failure, out};

/// Copies the log with its large blobs and keys.
#[derive(Args, Debug)]
pub(super) struct BackupArgs {
    /// The folder of the backup, empty or not there yet. While it is written, its name ends in `.part`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Leave out the keys. Without the master key nothing in the backup can be read: keep it elsewhere
    #[arg(long, env = "PALIMPSEST_WITHOUT_KEYS")]
    without_keys: bool,
}

/// Makes a log out of a backup.
#[derive(Args, Debug)]
pub(super) struct RestoreArgs {
    /// The folder of the backup
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) async fn back_up(settings: Settings, args: BackupArgs) -> Result<Exit, Failure> {
    let Settings { config, server, .. } = settings;
    let data = DataFolder::existing(&config, &server.beginning())?;
    let keys = if args.without_keys {
        vec![]
    } else {
        data.key_files()?
    };
    let log = start::readable_log(&server, &config, &data, &Clock::system()).await?;
    host::note_loss(&log).await?;
    let version = env!("CARGO_PKG_VERSION");
    let made = log.back_up(&args.folder, version, &keys).await;
    log.close().await;
    let made = made?;
    for missing in &made.missing {
        out::note(&format!("not in the backup: {missing}"));
    }
    let keys = if made.keys {
        "its keys"
    } else {
        "without its keys: keep the master key elsewhere"
    };
    out::line(&format!(
        "backed up to {}: the log up to {}, {} large blobs, {keys}",
        args.folder.display(),
        made.head(),
        made.blobs()
    ))?;
    Ok(Exit::Done)
}

pub(super) async fn restore(settings: Settings, args: RestoreArgs) -> Result<Exit, Failure> {
    let config = settings.config;
    let backup = Backup::open(&args.folder)?;
    let manifest = &backup.manifest;
    if let Some(folder) = data::in_the_way(&config, manifest.keys)? {
        let place = folder.display().to_string();
        return Err(BackupError::Occupied { place }.into());
    }
    let given = data::given_master_key(&config)?;
    if given
        .as_ref()
        .is_some_and(|key| !backup.is_sealed_with(key))
    {
        return Err(Failure::usage(
            "the master key that is given is not the one that the log of this backup is sealed with; leave it out where the backup \
             has the keys, else give the right one",
        ));
    }
    start::restore_log(&config, &backup).await?;
    if manifest.keys {
        data::write_keys(&config, &backup.keys()?)?;
    }
    out::line(&format!(
        "restored {} up to {}, with {} large blobs",
        config.database.shown(),
        manifest.head(),
        manifest.blobs()
    ))?;
    for missing in &manifest.missing {
        out::note(&format!("the backup does not have: {missing}"));
    }
    if !manifest.keys && given.is_none() {
        out::note(&format!(
            "the backup has no keys: before anything else, put the master key of this log into {}, or give it in \
             PALIMPSEST_MASTER_KEY; without it nothing in the log can be read",
            config.data.join("keys").join("master.key").display()
        ));
    }
    let program = out::program();
    out::note(&format!(
        "next, `{program} verify` says whether everything is there, and `{program} serve` goes on from here; let no server go on with \
         the log that was backed up"
    ));
    Ok(Exit::Done)
}
