//! `fork`: a session that branches off another one.

use clap::Args;
use serde_json::json;

use super::Settings;
use super::asking::command;
use crate::verb::{CommandHost, Exit, Failure, out};

/// Branches a session off another one.
#[derive(Args, Debug)]
pub(super) struct Fork {
    /// The session
    session: String,
    /// The last version that is taken over
    #[arg(long, env = "PALIMPSEST_AT")]
    at: u64,
    /// The name of the new session; made where absent
    #[arg(long, env = "PALIMPSEST_INTO")]
    into: Option<String>,
}

pub(super) async fn fork(settings: Settings, args: Fork) -> Result<Exit, Failure> {
    let place = CommandHost::find(settings).await?;
    let is_here = place.is_here();
    let done = command(
        &place.client,
        &args.session,
        "fork",
        json!({ "at": args.at, "session": args.into }),
    )
    .await;
    place.leave().await;
    let child = done?.session;
    let child = child.ok_or_else(|| Failure::unusable("the answer names no session"))?;
    out::line(child.as_str())?;
    if is_here {
        out::note(&format!(
            "what was being made at version {} is taken up by `{} run --resume {child}`, or by `serve`",
            args.at,
            out::program()
        ));
    }
    Ok(Exit::Done)
}
