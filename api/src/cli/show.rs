//! `show`: a session, now or as it was.

use clap::Args;
use projections::view;

use super::Settings;
use super::reading::{pretty, session};
use crate::read;
use crate::verb::{Exit, Failure, out};

/// Shows a session as JSON.
#[derive(Args, Debug)]
pub(super) struct Show {
    /// The session
    session: String,
    /// As it was at this version
    #[arg(long, env = "PALIMPSEST_AT", value_name = "VERSION")]
    at: Option<u64>,
}

pub(super) async fn show(settings: Settings, args: Show) -> Result<Exit, Failure> {
    let (log, stream) = session(&settings, &args.session).await?;
    let state = read::session(log.as_ref(), &stream, args.at).await?;
    out::lines(&pretty(&view::session(&state))?)?;
    log.close().await;
    Ok(Exit::Done)
}
