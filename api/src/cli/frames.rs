//! The frames of a session, read a page at a time.

use projections::wire::native::NativeEvent;
use serde::Deserialize;
use serde_json::Value;

use super::asking::{address, read_answer};
use crate::verb::{Client, Failure};

/// A page of frames of the wires `native` or `lean`.
#[derive(Deserialize)]
pub(super) struct FramePage {
    pub(super) events: Vec<SessionFrame>,
    /// What the next page comes after.
    pub(super) cursor: String,
    pub(super) up_to_date: bool,
}

impl FramePage {
    /// The frames after a cursor.
    pub(super) async fn read_after(
        cursor: &str,
        client: &Client,
        session: &str,
        query: &str,
    ) -> Result<Self, Failure> {
        let path = format!("{}/events?{query}&after={cursor}", address(session));
        read_answer(client.get(&path).await?, "the frames")
    }
}

/// A frame with what it says.
#[derive(Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct SessionFrame {
    pub(super) version: u64,
    /// Absent if this program does not know the type of the frame.
    pub(super) event: Option<NativeEvent>,
    /// The frame as it came.
    pub(super) json: Value,
}

impl TryFrom<Value> for SessionFrame {
    type Error = serde_json::Error;

    fn try_from(json: Value) -> Result<Self, Self::Error> {
        let is_known = json["type"].as_str().is_some_and(NativeEvent::is_name);
        let event = is_known.then(|| NativeEvent::deserialize(&json));
        Ok(Self {
            version: json["version"].as_u64().unwrap_or(0),
            event: event.transpose()?,
            json,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_frame_of_an_unknown_type_is_kept_as_it_came_and_says_nothing() {
        let page = json!({ "cursor": "v1.2.0", "up_to_date": true, "events": [
            { "cursor": "v1.1.0", "version": 1, "type": "file_removed", "ts": "2025-01-01T00:00:01.000Z", "data": { "path": "a.md" } },
            { "cursor": "v1.2.0", "version": 2, "type": "moon_rose", "ts": "2025-01-01T00:00:02.000Z", "data": { "path": "a.md" } },
        ] });
        let read = FramePage::deserialize(&page).expect("a page");
        let [known, unknown] = &read.events[..] else {
            panic!("not two frames");
        };
        let Some(NativeEvent::FileRemoved(removed)) = &known.event else {
            panic!("not what it says");
        };
        assert_eq!((known.version, removed.path.as_str()), (1, "a.md"));
        assert_eq!((unknown.version, unknown.event.is_none()), (2, true));
        assert_eq!(unknown.json, page["events"][1]);
        assert_eq!((read.cursor.as_str(), read.up_to_date), ("v1.2.0", true));
    }

    #[test]
    fn a_frame_of_a_known_type_that_cannot_be_read_is_an_error() {
        let frame = json!({ "version": 1, "type": "file_removed", "data": { "name": "a.md" } });
        let read = SessionFrame::deserialize(frame).map(|read| read.version);
        let error = read.expect_err("it has no path").to_string();
        assert!(error.contains("`path`"), "{error}");
    }
}
