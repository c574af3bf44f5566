//! The contents of artifacts in frames. Large ones are blobs beside their events; a wire whose clients are given contents
//! gets the events with them in place, so that its fold stays a function of what it is given.

use std::sync::Arc;

use domain::Recorded;
use domain::event::{ArtifactProduced, Body, Event, StepEvent, ToolReturned};
use projections::JSON;
use serde_json::Value;
use store::{Log, ReadError, StreamId};

/// The largest content that is in a frame, in bytes: the contract's number. Larger ones are announced as a summary, with
/// the address they are fetched from.
pub const CONTENT_BYTES_MAX: u64 = 1024 * 1024;

/// The largest output of a tool that is in a frame, in bytes: what a search of ten results with excerpts has, several times
/// over. Of larger ones there is the line about them.
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

/// The event with what its tool said as its summary, in JSON, where that is not too large.
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
    // What is no structure is told of by the line that there is.
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
