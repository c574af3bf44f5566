//! `cancel` and `delete`: ending what a session does, and ending the session.

use clap::Args;
use serde_json::json;

use super::Settings;
use super::asking::{address, command};
use crate::verb::{CommandHost, Exit, Failure, out};

/// Cancels a run.
#[derive(Args, Debug)]
pub(super) struct Cancel {
    /// The session
    session: String,
    /// The run, such as `r1`; the active one where absent
    #[arg(long, env = "PALIMPSEST_RUN")]
    run: Option<String>,
}

pub(super) async fn cancel(settings: Settings, args: Cancel) -> Result<Exit, Failure> {
    let place = CommandHost::find(settings).await?;
    let done = command(
        &place.client,
        &args.session,
        "cancel",
        json!({ "run": args.run }),
    )
    .await;
    place.leave().await;
    let done = done?;
    out::line(&format!("cancelled at version {}", done.applied_version))?;
    Ok(Exit::Done)
}

/// Erases a session.
#[derive(Args, Debug)]
pub(super) struct Delete {
    /// The session
    session: String,
    /// Erase sessions that were forked from it, too
    #[arg(long, env = "PALIMPSEST_FORKS")]
    forks: bool,
}

pub(super) async fn delete(settings: Settings, args: Delete) -> Result<Exit, Failure> {
    let place = CommandHost::find(settings).await?;
    let done = place
        .client
        .delete(&format!("{}?forks={}", address(&args.session), args.forks))
        .await;
    place.leave().await;
    done?;
    out::line(&format!("{} is erased", args.session))?;
    Ok(Exit::Done)
}
