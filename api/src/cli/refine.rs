//! `refine`: changes something from a stage on.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Settings;
use super::asking::{command, session_view};
use super::run::{Work, follow_and_deliver, run_of};
use crate::verb::{CommandHost, Exit, Failure, OutFolder};

/// Starts a run that redoes a stage and every later one, and keeps what comes before.
#[derive(Args, Debug)]
pub(super) struct Refine {
    /// The session
    session: String,
    /// What should be different
    feedback: String,
    /// The stage from which on work is redone; `run … --session SESSION` finds it out from a message
    #[arg(long, env = "PALIMPSEST_STAGE")]
    stage: String,
    /// A part of the stage that is to be different, such as the number of a page; give it as often as there are parts, and none for all
    #[arg(long = "item", env = "PALIMPSEST_ITEM", value_name = "ITEM")]
    items: Vec<String>,
    /// The run to change, such as `r1`; the current one where absent
    #[arg(long, env = "PALIMPSEST_BASE")]
    base: Option<String>,
    /// Where what was made is put
    #[arg(
        long,
        env = "PALIMPSEST_OUT",
        value_name = "FOLDER",
        default_value = "out"
    )]
    out: PathBuf,
    /// One frame a line, as JSON, on the standard output
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) async fn refine(settings: Settings, args: Refine) -> Result<Exit, Failure> {
    OutFolder::open(&args.out)?.try_writing()?;
    let place = CommandHost::find(settings).await?;
    let ended = attend(&place, &args).await;
    place.leave().await;
    ended
}

async fn attend(place: &CommandHost, args: &Refine) -> Result<Exit, Failure> {
    let view = session_view(&place.client, &args.session).await?;
    let payload = json!({ "stage": args.stage, "items": args.items, "feedback": args.feedback, "base_run": args.base });
    let answer = command(&place.client, &args.session, "refine", payload).await?;
    let work = Work {
        session: args.session.clone(),
        pipeline: view.pipeline.into(),
        run: run_of(answer.run)?,
        after: view.version,
        language: domain::text::language_of(&args.feedback)
            .unwrap_or(domain::text::LANGUAGE)
            .to_owned(),
        json: args.json,
    };
    follow_and_deliver(place, &work, &args.out).await
}
