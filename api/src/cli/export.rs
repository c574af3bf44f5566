//! `export`: events as lines of JSON, as they are stored.

use clap::{Args, ValueEnum};
use domain::{Recorded, SessionId};
use serde_json::{Value, json};
use store::{Log, StreamId};

use super::reading::compact;
use super::{Settings, host};
use crate::error::ApiError;
use crate::read;
use crate::verb::{Exit, Failure, out};

/// Sessions listed at a time.
const SESSIONS_PAGE: usize = 200;

/// Writes the events of one session, or of all of them.
#[derive(Args, Debug)]
pub(super) struct Export {
    #[arg(long, env = "PALIMPSEST_FORMAT", value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// This session alone
    #[arg(long, env = "PALIMPSEST_SESSION")]
    session: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One event a line.
    Jsonl,
}

pub(super) async fn export(settings: Settings, args: Export) -> Result<Exit, Failure> {
    let Format::Jsonl = args.format;
    let (log, owner) = host::reading(&settings).await?;
    match args.session {
        Some(session) => write(log.as_ref(), &owner.stream(&SessionId::new(session))).await?,
        None => {
            let mut before = None;
            loop {
                let lines = log
                    .sessions(&owner.0, before, SESSIONS_PAGE)
                    .await
                    .map_err(ApiError::from)?;
                let Some(last) = lines.last() else { break };
                before = Some(last.cursor);
                for line in &lines {
                    write(log.as_ref(), &owner.stream(&line.session)).await?;
                }
            }
        }
    }
    log.close().await;
    Ok(Exit::Done)
}

async fn write(log: &dyn Log, stream: &StreamId) -> Result<(), Failure> {
    let mut failed = None;
    read::each_event(log, stream, None, |recorded| {
        if failed.is_none() {
            failed = compact(&row(stream, recorded))
                .and_then(|line| out::line(&line))
                .err();
        }
    })
    .await?;
    failed.map_or(Ok(()), Err)
}

fn row(stream: &StreamId, recorded: &Recorded) -> Value {
    // The event was read from JSON, so that it can be written as JSON again.
    let event = serde_json::to_value(&recorded.event).unwrap_or_default();
    json!({
        "owner": stream.owner,
        "session": stream.session,
        "version": recorded.version,
        "event_id": recorded.event_id.to_string(),
        "recorded_at": projections::rfc3339(recorded.recorded_at),
        "actor": recorded.actor,
        "type": recorded.event.name(),
        "schema": recorded.event.schema(),
        "data": event.get("data").cloned().unwrap_or_default(),
    })
}
