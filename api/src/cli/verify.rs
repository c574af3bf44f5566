//! `verify`: whether anything in the log was changed.

use clap::Args;
use store::{VerifyOptions, VerifyReport};

use super::anchor::shown;
use super::{Settings, host};
use crate::error::ApiError;
use crate::verb::{Exit, Failure, out};

/// Computes the chain again and compares.
#[derive(Args, Debug)]
pub(super) struct Verify {
    /// From this position on; the beginning where absent
    #[arg(long, env = "PALIMPSEST_FROM", default_value_t = 0)]
    from: u64,
    /// Leave out files and objects beside the database, and say how many
    #[arg(long, env = "PALIMPSEST_SHALLOW")]
    shallow: bool,
}

pub(super) async fn verify(settings: Settings, args: Verify) -> Result<Exit, Failure> {
    let (log, _) = host::reading(&settings).await?;
    let options = VerifyOptions {
        from: args.from,
        shallow: args.shallow,
    };
    let report = log.verify_with(options).await.map_err(ApiError::from)?;
    log.close().await;
    for accepted in &report.accepted {
        out::note(&shown(accepted));
    }
    if report.is_sound() {
        return sound(&report);
    }
    if let Some(broken) = &report.first_broken {
        out::line(&format!(
            "broken at position {}: {}",
            broken.position, broken.what
        ))?;
    }
    for difference in &report.differences {
        out::line(&format!("differs: {difference}"))?;
    }
    if report.more_differences > 0 {
        out::line(&format!("differs in {} ways more", report.more_differences))?;
    }
    out::note("restore the database from a backup, or find out who changed it");
    Ok(Exit::Broken)
}

/// The word "sound" is only printed if everything was looked at.
fn sound(report: &VerifyReport) -> Result<Exit, Failure> {
    let events = format!("{} events up to position {}", report.events, report.head);
    let put = format!("{} blobs are what was put", report.blobs);
    let beside = match (report.compared, report.indexed) {
        (false, _) => String::new(),
        (true, 0) => format!("; what is kept beside the events follows from them, and {put}"),
        (true, indexed) => format!(
            "; what is kept beside the events follows from them, {put}, and the words of {indexed} documents are in their search \
             indexes"
        ),
    };
    if report.is_complete() {
        out::line(&format!("sound: {events}{beside}"))?;
        return Ok(Exit::Done);
    }
    out::line(&format!(
        "nothing wrong was found, but not everything was looked at: {events}{beside}"
    ))?;
    for unseen in &report.unseen {
        out::line(&format!("not looked at: {unseen}"))?;
    }
    Ok(Exit::Done)
}
