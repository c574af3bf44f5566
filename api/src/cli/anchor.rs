//! `anchor`: what is known about the end of the log from outside of it, and how to accept a log that is behind that.

use clap::{Args, Subcommand};
use runner::clock::Clock;
use store::{Acceptance, Accepted, OpenError};

use super::{Settings, host};
use crate::data::DataFolder;
use crate::error::ApiError;
use crate::start;
use crate::verb::{Exit, Failure, out};

/// What is known of the end of the log outside of it.
#[derive(Args, Debug)]
pub(super) struct Anchor {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Show where the log ends, where its head file says that it ends, and what was accepted
    Show,
    /// Take the log as it is although it lost events, and record who says so and why
    Accept(Accept),
}

#[derive(Args, Debug)]
struct Accept {
    /// Who takes responsibility
    #[arg(long, env = "PALIMPSEST_BY", value_name = "NAME")]
    by: String,
    /// Why the loss is all right, such as the backup that was restored
    #[arg(long, env = "PALIMPSEST_REASON", value_name = "TEXT")]
    reason: String,
}

pub(super) async fn anchor(settings: Settings, args: Anchor) -> Result<Exit, Failure> {
    match args.command {
        Command::Show => show(&settings).await,
        Command::Accept(accept) => self::accept(settings, accept).await,
    }
}

async fn show(settings: &Settings) -> Result<Exit, Failure> {
    // Opened quietly, because this command itself prints what the head file says.
    let (log, _) = host::reading_quietly(settings).await?;
    let known = log.anchor().await.map_err(ApiError::from)?;
    let signed = log.signed_heads().await.map_err(ApiError::from)?;
    log.close().await;
    let id = known.log.as_deref().unwrap_or("without an id");
    out::line(&format!("log {id} at {}", known.place))?;
    out::line(&format!("it ends at {}", known.found))?;
    match &known.file {
        Some((file, head)) => out::line(&format!("head file {} says {head}", file.display()))?,
        None => out::line("there is no head file of it in this data folder")?,
    }
    if let Some(signed) = &signed.last {
        out::line(&format!(
            "the last signed head in the place for blobs says {signed}"
        ))?;
    }
    for accepted in &known.accepted {
        out::line(&shown(accepted))?;
    }
    let mismatch = known.mismatch.map(|mismatch| mismatch.to_string());
    let differences: Vec<String> = mismatch.into_iter().chain(signed.contradictions).collect();
    for difference in &differences {
        out::line(&format!("differs: {difference}"))?;
    }
    if !differences.is_empty() {
        return Ok(Exit::Broken);
    }
    out::line("the log has everything that is known of it")?;
    Ok(Exit::Done)
}

async fn accept(settings: Settings, args: Accept) -> Result<Exit, Failure> {
    let (by, reason) = (args.by.trim(), args.reason.trim());
    if by.is_empty() || reason.is_empty() {
        return Err(Failure::usage(
            "--by and --reason say who accepts what, and why",
        ));
    }
    let config = settings.config;
    let data = DataFolder::open(&config)?;
    let clock = Clock::system();
    match start::own_log(&settings.server, &config, &data, &clock, "").await {
        Ok(log) => {
            log.close().await;
            out::note(
                "there is nothing to accept: the log has everything that its head file speaks of",
            );
            return Ok(Exit::Done);
        }
        Err(OpenError::Behind(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let acceptance = Acceptance {
        by: by.to_owned(),
        reason: reason.to_owned(),
    };
    let log = start::accepted_log(&settings.server, &config, &data, &clock, acceptance).await?;
    let known = log.anchor().await.map_err(ApiError::from)?;
    log.close().await;
    if let Some(accepted) = known.accepted.last() {
        out::line(&shown(accepted))?;
    }
    Ok(Exit::Done)
}

/// A line about what was accepted.
pub(super) fn shown(accepted: &Accepted) -> String {
    let Accepted {
        at,
        by,
        reason,
        from_position,
        to_position,
        what,
        ..
    } = accepted;
    let from = from_position.map_or_else(|| "unknown".to_owned(), |from| from.to_string());
    format!("accepted: {what}; from position {from} to {to_position}, by {by} at {at}: {reason}")
}
