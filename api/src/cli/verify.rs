//! `verify`: whether anything in the log was changed.

use clap::Args;

use super::exit::{Exit, Failure};
use super::{Settings, host, out};
use crate::error::ApiError;

/// Computes the chain again and compares.
#[derive(Args, Debug)]
pub(super) struct Verify {
    /// From this position on; the beginning where absent
    #[arg(long, env = "PALIMPSEST_FROM", default_value_t = 0)]
    from: u64,
}

pub(super) async fn verify(settings: Settings, args: Verify) -> Result<Exit, Failure> {
    let (log, _) = host::reading(&settings).await?;
    let report = log.verify(args.from).await.map_err(ApiError::from)?;
    log.close().await;
    if report.is_sound() {
        let beside = if report.compared {
            format!(
                "; what is kept beside the events follows from them, and {} blobs are what was put",
                report.blobs
            )
        } else {
            String::new()
        };
        out::line(&format!(
            "sound: {} events up to position {}{beside}",
            report.events, report.head
        ))?;
        return Ok(Exit::Done);
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
    out::note("restore the database from a backup, or find out who changed it");
    Ok(Exit::Broken)
}
