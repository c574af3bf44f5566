//! `story route`: where a message would go, without running anything.

use clap::Args;
use palimpsest::prelude::verb::{Exit, Failure, out};
use serde_json::{json, to_value};

use crate::readings::routing::{Phase, route as routed};

/// Which message.
#[derive(Args, Debug)]
pub(super) struct Route {
    /// What would be said
    message: String,
    /// Where the project stands: IDEA, WORLDBUILDING, CHARACTER, OUTLINE, WRITING, REVISION, COMPLETED
    #[arg(long, env = "PALIMPSEST_PHASE")]
    phase: Option<String>,
}

pub(super) fn route(args: &Route) -> Result<Exit, Failure> {
    let phase = match &args.phase {
        None => None,
        Some(name) => Some(Phase::named(name).ok_or_else(|| {
            Failure::usage(format!(
                "`{name}` is no phase; these are: IDEA, WORLDBUILDING, CHARACTER, OUTLINE, WRITING, REVISION, COMPLETED"
            ))
        })?),
    };
    let found = routed(&args.message, None, None, phase, false);
    let mut line = to_value(&found).unwrap_or_default();
    line["workflow"] = json!(found.intent.workflow());
    line["agents"] = json!(found.intent.agents());
    out::lines(&serde_json::to_string_pretty(&line).unwrap_or_default())?;
    Ok(Exit::Done)
}
