//! Where contents stay: in their event, in a row beside it, or in a file or object.

use std::io::{self, Write};
use std::sync::Arc;

use commands::NewBody;
use domain::carry::{Content, NewArtifact};
use domain::event::Body;
use domain::hash::Blob;
use serde_json::Value;
use store::{Log, StreamId};

use crate::error::SendError;
use crate::sessions::blobs::keep;

/// The largest body that is kept in its event, in bytes of JSON. Larger ones would make every reading of the log slow for
/// the sake of those who want the body.
const EVENT_BODY_MAX: usize = 32 * 1024;

/// The media type of a content that steps can work from.
pub(crate) const JSON: &str = "application/json";

/// An artifact with its content where it will stay; what goes into the append with it is added to `blobs`.
pub(crate) async fn artifact(
    log: &dyn Log,
    stream: &StreamId,
    new: NewArtifact,
    blobs: &mut Vec<Blob>,
) -> Result<NewBody, SendError> {
    let body = match new.content {
        Content::Same(body) => body,
        Content::File(file) => Body::Blob {
            blob: keep(log, stream, file.bytes, blobs).await?,
            media_type: file.media_type.to_owned(),
        },
        Content::Json(content) => json(log, stream, content, blobs).await?,
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

/// A content that is JSON where it will stay.
pub(crate) async fn json(
    log: &dyn Log,
    stream: &StreamId,
    content: Value,
    blobs: &mut Vec<Blob>,
) -> Result<Body, SendError> {
    if goes_into_event(&content) {
        return Ok(Body::Event {
            json: Arc::new(content),
        });
    }
    Ok(Body::Blob {
        blob: keep(log, stream, content.to_string().into(), blobs).await?,
        media_type: JSON.to_owned(),
    })
}

/// Most contents are so short that they need not be written to be measured.
fn goes_into_event(json: &Value) -> bool {
    longest(json) <= EVENT_BODY_MAX || serde_json::to_writer(Room(EVENT_BODY_MAX), json).is_ok()
}

/// Bytes that this takes as JSON at the most.
fn longest(json: &Value) -> usize {
    // A byte of a text becomes six where it is a control character; the longest number is an f64.
    let text = |text: &str| 6 * text.len() + 2;
    match json {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 24,
        Value::String(words) => text(words),
        Value::Array(items) => 2 + items.iter().map(|item| longest(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| text(name) + longest(value) + 2;
            2 + fields.iter().map(field).sum::<usize>()
        }
    }
}

/// A writer that accepts this many bytes and no more, and keeps none of them.
struct Room(usize);

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.0.checked_sub(bytes.len());
        self.0 = left.ok_or(io::ErrorKind::WriteZero)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_stays_in_its_event_up_to_its_limit() {
        let body = |text: usize| json!({ "text": "a".repeat(text), "all": [1, "\n", {}, []] });
        let fits = EVENT_BODY_MAX - body(0).to_string().len();
        assert!(goes_into_event(&body(fits)));
        assert!(!goes_into_event(&body(fits + 1)));
    }

    #[test]
    fn no_json_is_longer_than_the_longest_it_can_be() {
        let controls: String = (0..32_u8).map(char::from).collect();
        let numbers = [json!(f64::MIN), json!(-f64::MIN_POSITIVE), json!(u64::MAX)];
        for json in [
            json!(null),
            json!(false),
            json!(controls),
            json!({ controls.clone(): controls, "": [] }),
            json!(numbers),
            json!([[], {}, "\u{7f}\u{2028}光", [{ "a": [null] }]]),
        ] {
            assert!(longest(&json) >= json.to_string().len(), "{json}");
        }
    }
}
