//! `sessions`: the list.

use clap::Args;

use super::reading::compact;
use super::{Settings, host};
use crate::http::SessionRow;
use crate::verb::{Exit, Failure, out};

/// Lists sessions.
#[derive(Args, Debug)]
pub(super) struct Sessions {
    /// At most this many
    #[arg(long, env = "PALIMPSEST_LIMIT", default_value_t = 50)]
    limit: usize,
    /// One session a line, as JSON
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) async fn sessions(settings: Settings, args: Sessions) -> Result<Exit, Failure> {
    let (log, owner) = host::reading(&settings).await?;
    let lines = crate::read::sessions(log.as_ref(), &owner.0, None, args.limit).await?;
    if lines.is_empty() && !args.json {
        out::note(&format!(
            "there are no sessions yet; begin with {}",
            settings.server.beginning()
        ));
    }
    for line in lines {
        let row = SessionRow::from(line);
        let text = if args.json {
            compact(&row)?
        } else {
            let status = row.status.unwrap_or("-");
            format!(
                "{}  {:<9}  v{:<5} {}  {}  {}",
                row.session, status, row.version, row.updated_at, row.pipeline, row.title
            )
        };
        out::line(&text)?;
    }
    log.close().await;
    Ok(Exit::Done)
}
