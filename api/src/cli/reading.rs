//! Small helpers of the commands that only read.

use std::sync::Arc;

use domain::SessionId;
use store::{Log, StreamId};

use super::Settings;
use super::host;
use crate::verb::Failure;

/// The log and the session in it.
pub(super) async fn session(
    settings: &Settings,
    session: &str,
) -> Result<(Arc<dyn Log>, StreamId), Failure> {
    let (log, owner) = host::reading(settings).await?;
    Ok((log, owner.stream(&SessionId::new(session))))
}

/// A value on several lines, for people.
pub(super) fn pretty(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map_err(|error| Failure::unusable(format!("the answer cannot be written: {error}")))
}

/// A value on one line, for programs.
pub(super) fn compact(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Failure::unusable(format!("the answer cannot be written: {error}")))
}
