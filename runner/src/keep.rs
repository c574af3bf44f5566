//! Where contents stay: in their event, in a row beside it, or in a file or object.

use std::sync::Arc;

use bytes::Bytes;
use commands::NewBody;
use domain::carry::{Content, NewArtifact};
use domain::event::Body;
use domain::hash::{Blob, BlobRef};
use serde_json::Value;
use store::{SMALL_BLOB, StreamId};

use crate::engine::Engine;
use crate::error::SendError;

/// The largest body that is kept in its event, in bytes of JSON as [`room_after`] counts them. Larger ones would make every
/// reading of the log slow for the sake of those who want the body.
const EVENT_BODY_MAX: usize = 32 * 1024;

/// Around a text, with what separates it from the next.
const QUOTES: usize = 3;

/// A number, a truth value or nothing.
const PLAIN_BYTES: usize = 6;

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
            blob: engine.keep(stream, file.bytes, blobs).await?,
            media_type: file.media_type.to_owned(),
        },
        Content::Json(json) if goes_into_event(&json) => Body::Event {
            json: Arc::new(json),
        },
        Content::Json(json) => Body::Blob {
            blob: engine.keep(stream, json.to_string().into(), blobs).await?,
            media_type: JSON.to_owned(),
        },
    };
    Ok(NewBody {
        kind: new.kind.into(),
        id_prefix: new.id_prefix,
        part: new.part.into(),
        title: new.title.into(),
        body,
        facts: new.facts,
        shown: new.shown,
        from: new.from,
    })
}

fn goes_into_event(json: &Value) -> bool {
    room_after(EVENT_BODY_MAX, json).is_some()
}

/// What is left of so much room when this stands in it. Of texts the bytes count that they have without escapes, so that
/// nothing has to be encoded for it.
fn room_after(room: usize, json: &Value) -> Option<usize> {
    match json {
        Value::Null | Value::Bool(_) | Value::Number(_) => room.checked_sub(PLAIN_BYTES),
        Value::String(text) => room.checked_sub(text.len() + QUOTES),
        Value::Array(all) => all.iter().try_fold(room, room_after),
        Value::Object(fields) => fields.iter().try_fold(room, |room, (name, value)| {
            room_after(room.checked_sub(name.len() + QUOTES)?, value)
        }),
    }
}

/// Whether a blob goes along with an append; others are put into the log before.
pub(crate) fn goes_along(blob: &Blob) -> bool {
    blob.bytes().len() <= SMALL_BLOB
}

impl Engine {
    /// Bytes beside the events, to be named by a command: added to `along`, which goes with the command, or, if they are too
    /// large for that, in the log when this returns.
    pub async fn keep(
        &self,
        stream: &StreamId,
        bytes: Bytes,
        along: &mut Vec<Blob>,
    ) -> Result<BlobRef, SendError> {
        let blob = Blob::of(bytes);
        let name = blob.reference().clone();
        if goes_along(&blob) {
            along.push(blob);
        } else {
            self.log().put_blob(stream, blob).await?;
        }
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_stays_in_its_event_up_to_its_limit() {
        let body = |text: usize| json!({ "text": "字".repeat(text / 3), "all": [1, true] });
        let besides = "text".len() + QUOTES + QUOTES + "all".len() + QUOTES + 2 * PLAIN_BYTES;
        let fits = (EVENT_BODY_MAX - besides) / 3 * 3;
        assert!(goes_into_event(&body(fits)));
        assert!(!goes_into_event(&body(fits + 3)));
    }
}
