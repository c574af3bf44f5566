//! `operations`: what the open steps of a server wait for.

use std::time::Duration;

use clap::Args;

use super::asking::{read_answer, text};
use super::reading::compact;
use super::{Settings, host};
use crate::http::{OpenStepRow, WaitingFor};
use crate::verb::{Client, Exit, Failure, out};

/// How often the server is asked: a person sees waits come and go, and the server has next to nothing to do.
const LOOK: Duration = Duration::from_secs(2);

/// Shows the open steps of a server.
#[derive(Args, Debug)]
pub(super) struct OperationsArgs {
    /// Show them again every two seconds
    #[arg(long, env = "PALIMPSEST_WATCH")]
    watch: bool,
    /// One step a line, as JSON
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) async fn operations(settings: Settings, args: OperationsArgs) -> Result<Exit, Failure> {
    let client = host::serving(&settings).await?;
    show(&client, args.json).await?;
    if !args.watch {
        return Ok(Exit::Done);
    }
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        tokio::select! {
            _ = &mut interrupted => return Ok(Exit::Done),
            () = tokio::time::sleep(LOOK) => {}
        }
        if !args.json {
            out::line("")?;
        }
        show(&client, args.json).await?;
    }
}

async fn show(client: &Client, json: bool) -> Result<(), Failure> {
    let mut answer = client.get("/v1/operations").await?;
    let own = text(&answer, "node");
    let rows: Vec<OpenStepRow> = read_answer(answer["open_steps"].take(), "the list of steps")?;
    if rows.is_empty() && !json {
        out::note("no step is open");
    }
    for row in &rows {
        let line = if json {
            compact(row)?
        } else {
            shown(row, &own)
        };
        out::line(&line)?;
    }
    Ok(())
}

/// A step as a person reads it; `own` is the name of the process that was asked.
fn shown(row: &OpenStepRow, own: &str) -> String {
    let session = match &row.owner {
        Some(owner) => format!("{owner}/{}", row.session),
        None => row.session.clone(),
    };
    format!(
        "{session}  {}  attempt {}  {}",
        row.step,
        row.attempt,
        doing(row, own)
    )
}

fn doing(row: &OpenStepRow, own: &str) -> String {
    if let (Some(waiting_for), Some(since)) = (row.waiting_for, &row.since) {
        return format!("waits for {} since {since}", waited_for(waiting_for));
    }
    match &row.node {
        Some(node) if node == own => "is at work".to_owned(),
        Some(node) => format!("is carried out by {node}"),
        None => "is not taken up yet".to_owned(),
    }
}

fn waited_for(reason: WaitingFor) -> &'static str {
    match reason {
        WaitingFor::Retry => "its next try",
        WaitingFor::Pause => "the end of a pause of its provider",
        WaitingFor::Rate => "the rate of its provider",
        WaitingFor::Seat => "a seat at its provider",
        WaitingFor::FirstByte => "the first byte of an answer",
        WaitingFor::Gate => "a person",
        WaitingFor::Log => "the log",
        WaitingFor::Blob => "contents beside the log",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_a_step_waits_for_or_who_carries_it_out() {
        let works = OpenStepRow {
            owner: None,
            session: "s".to_owned(),
            step: "r1/draft/1".to_owned(),
            attempt: 1,
            due: "2026-01-01T00:00:00Z".to_owned(),
            node: Some("n".to_owned()),
            waiting_for: None,
            since: None,
        };
        assert_eq!(shown(&works, "n"), "s  r1/draft/1  attempt 1  is at work");
        let elsewhere = shown(&works, "m");
        assert!(elsewhere.ends_with("is carried out by n"), "{elsewhere}");
        let waits = OpenStepRow {
            owner: Some("ann".to_owned()),
            waiting_for: Some(WaitingFor::Seat),
            since: Some("2026-01-01T00:00:05Z".to_owned()),
            ..works
        };
        let line = "ann/s  r1/draft/1  attempt 1  waits for a seat at its provider since 2026-01-01T00:00:05Z";
        assert_eq!(shown(&waits, "n"), line);
    }
}
