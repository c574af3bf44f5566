//! Where contents stay: in their event, in a row beside it, or in a file or object.

use std::sync::Arc;

use bytes::Bytes;
use commands::NewBody;
use domain::carry::{Content, NewArtifact};
use domain::event::Body;
use domain::hash::{Blob, BlobRef};
use store::{SMALL_BLOB, StreamId};

use crate::engine::Engine;
use crate::error::SendError;

/// The largest body that is kept in its event, in bytes of JSON. Larger ones would make every reading of the log slow for
/// the sake of those who want the body.
const EVENT_BODY_MAX: usize = 32 * 1024;

/// The media type of a content that steps can work from.
pub(crate) const JSON: &str = "application/json";

/// An artifact with its content where it will stay; what goes into the append with it is added to `blobs`.
pub(crate) async fn artifact(
    engine: &Engine,
    stream: &StreamId,
    new: NewArtifact,
    blobs: &mut Vec<Blob>,
) -> Result<NewBody, SendError> {
    let body = match new.content {
        Content::Same(body) => body,
        Content::File(file) => Body::Blob {
            blob: bytes(engine, stream, file.bytes, blobs).await?,
            media_type: file.media_type.to_owned(),
        },
        Content::Json(json) => {
            let encoded = Bytes::from(json.to_string());
            if encoded.len() <= EVENT_BODY_MAX {
                let json = Arc::new(json);
                Body::Event { json }
            } else {
                Body::Blob {
                    blob: bytes(engine, stream, encoded, blobs).await?,
                    media_type: JSON.to_owned(),
                }
            }
        }
    };
    Ok(NewBody {
        kind: new.kind.to_owned(),
        id_prefix: new.id_prefix.to_owned(),
        part: new.part,
        title: new.title,
        body,
        facts: new.facts,
        shown: new.shown,
        from: new.from,
    })
}

/// Bytes beside the events: a row of the same append, or a file or object that is there before it.
pub(crate) async fn bytes(
    engine: &Engine,
    stream: &StreamId,
    bytes: Bytes,
    blobs: &mut Vec<Blob>,
) -> Result<BlobRef, SendError> {
    if bytes.len() > SMALL_BLOB {
        return Ok(engine.log().put_blob(stream, bytes).await?);
    }
    let blob = Blob::of(bytes);
    let name = blob.reference().clone();
    blobs.push(blob);
    Ok(name)
}
