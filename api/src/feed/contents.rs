//! The contents of artifacts in frames. Large contents are blobs, stored beside their events. A wire whose clients are sent contents is
//! given events that contain them, so that its fold depends on nothing but its events.

use std::sync::Arc;

use domain::Recorded;
use domain::event::{ArtifactProduced, Body, Event, StepEvent, ToolReturned};
use projections::JSON;
use serde_json::Value;
use store::{Log, ReadError, StreamId};

/// The largest content in a frame, in bytes; the number is part of the contract. For a larger one, a frame holds a summary and the address
/// to fetch it from.
pub const CONTENT_BYTES_MAX: u64 = 1024 * 1024;

/// The largest output of a tool in a frame, in bytes: several times a search of ten results with excerpts. For a larger one, a frame holds
/// only the line about it.
pub const OUTPUT_BYTES_MAX: u64 = 64 * 1024;

/// The event with the content of its artifact in it, where that is JSON and not too large.
pub async fn with_content(
    log: &dyn Log,
    stream: &StreamId,
    recorded: &Arc<Recorded>,
) -> Result<Arc<Recorded>, ReadError> {
    let Event::Step(StepEvent::ArtifactProduced(artifact)) = &recorded.event else {
        return Ok(Arc::clone(recorded));
    };
    let Body::Blob { blob, media_type } = &artifact.body else {
        return Ok(Arc::clone(recorded));
    };
    if media_type != JSON || blob.size > CONTENT_BYTES_MAX {
        return Ok(Arc::clone(recorded));
    }
    let bytes = log.get_blob(stream, &blob.sha256).await?;
    let Some(json) = bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else {
        tracing::error!(artifact.id = %artifact.artifact, "the content of an artifact is missing or is no JSON");
        return Ok(Arc::clone(recorded));
    };
    let body = Body::Event {
        json: Arc::new(json),
    };
    let artifact = ArtifactProduced {
        body,
        ..artifact.clone()
    };
    Ok(with_event(recorded, artifact))
}

/// The event with the whole output of its tool, as JSON text, in the place of the summary, if it is not too large.
pub async fn with_output(
    log: &dyn Log,
    stream: &StreamId,
    recorded: &Arc<Recorded>,
) -> Result<Arc<Recorded>, ReadError> {
    let Event::Step(StepEvent::ToolReturned(returned)) = &recorded.event else {
        return Ok(Arc::clone(recorded));
    };
    if returned.output.size > OUTPUT_BYTES_MAX {
        return Ok(Arc::clone(recorded));
    }
    let bytes = log.get_blob(stream, &returned.output.sha256).await?;
    let output = bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    // An output that is no object or list keeps the line about it.
    let Some(output) = output.filter(|output| output.is_object() || output.is_array()) else {
        return Ok(Arc::clone(recorded));
    };
    let returned = ToolReturned {
        summary: output.to_string(),
        ..returned.clone()
    };
    Ok(with_event(recorded, returned))
}

fn with_event(recorded: &Recorded, event: impl Into<Event>) -> Arc<Recorded> {
    Arc::new(Recorded {
        event: event.into(),
        ..recorded.clone()
    })
}
