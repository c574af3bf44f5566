//! `replay`: what clients of a wire were sent, and the state, up to any point of a session.

use std::sync::Arc;

use clap::Args;
use domain::Session;
use projections::view;
use serde_json::json;

use super::Settings;
use super::reading::{compact, session};
use crate::feed::{reference, with_content, with_output};
use crate::read;
use crate::verb::{Exit, Failure, out};

/// Shows the frames of a session, one a line, and then its state.
#[derive(Args, Debug)]
pub(super) struct Replay {
    /// The session
    session: String,
    /// Up to this version
    #[arg(long, env = "PALIMPSEST_TO", value_name = "VERSION")]
    to: Option<u64>,
    /// The protocol
    #[arg(long, env = "PALIMPSEST_WIRE", default_value = "native")]
    wire: String,
    /// Only the state, without the frames
    #[arg(long, env = "PALIMPSEST_STATE")]
    state: bool,
}

pub(super) async fn replay(settings: Settings, args: Replay) -> Result<Exit, Failure> {
    let (log, stream) = session(&settings, &args.session).await?;
    let of = reference(&stream);
    let wires = settings.server.wires();
    let fold = wires.fold(&args.wire, of);
    let mut fold = fold.map_err(|error| Failure::usage(error.to_string()))?;
    let head = log
        .version(&stream)
        .await
        .map_err(crate::error::ApiError::from)?;
    let head =
        head.ok_or_else(|| Failure::usage(format!("there is no session `{}`", args.session)))?;
    if args.to.is_some_and(|to| to == 0 || to > head) {
        return Err(Failure::usage(format!(
            "the session has versions 1 to {head}"
        )));
    }
    let mut state = Session::default();
    let mut events = vec![];
    read::each_event(log.as_ref(), &stream, args.to, |recorded| {
        state.evolve(&recorded.event);
        events.push(Arc::clone(recorded));
    })
    .await?;
    for recorded in &events {
        let mut whole = Arc::clone(recorded);
        if fold.holds_contents() && !args.state {
            let held = with_content(log.as_ref(), &stream, &whole).await;
            whole = held.map_err(crate::error::ApiError::from)?;
        }
        if fold.holds_outputs() && !args.state {
            let held = with_output(log.as_ref(), &stream, &whole).await;
            whole = held.map_err(crate::error::ApiError::from)?;
        }
        for frame in fold.push(&whole).iter().filter(|_| !args.state) {
            out::line(&compact(&frame.envelope(None))?)?;
        }
    }
    let last = json!({ "type": "state", "version": state.version, "cursor": fold.at(), "state": view::session(&state) });
    out::line(&compact(&last)?)?;
    log.close().await;
    Ok(Exit::Done)
}
