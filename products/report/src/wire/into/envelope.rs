//! Frames of the connection itself: greeting, heartbeat, refusals, states, replay notices, text under way. They have no `seq` and no
//! `event_id`. Frames that are folded from the log also pass through here to get the name of the connection.

use std::sync::Arc;

use palimpsest::prelude::wire::{ApiError, Clock, SessionId};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::wire::out::{Envelope, on_connection, rfc3339};

/// Writes the frames of one connection. A clone writes for the same connection.
#[derive(Clone)]
pub(crate) struct Voice {
    pub(crate) connection: Arc<str>,
    pub(crate) clock: Clock,
}

impl Voice {
    /// Writes a frame. `metadata` is an object or null; the connection's name is added to it.
    pub(crate) fn frame(
        &self,
        event: &str,
        session: Option<&SessionId>,
        content: impl Into<Value>,
        metadata: Value,
    ) -> String {
        self.write(event, session, None, content.into(), metadata)
    }

    /// A frame about a step that waits for confirmation.
    pub(crate) fn step_frame(
        &self,
        event: &str,
        session: &SessionId,
        step: &str,
        content: Value,
        metadata: Value,
    ) -> String {
        self.write(event, Some(session), Some(step), content, metadata)
    }

    fn write(
        &self,
        event: &str,
        session: Option<&SessionId>,
        step_id: Option<&str>,
        content: Value,
        metadata: Value,
    ) -> String {
        let frame = Envelope {
            event,
            timestamp: rfc3339(self.clock.now()),
            session_id: session.map(SessionId::as_str),
            step_id,
            content: Some(content),
            show_content: None,
            seq: None,
            event_id: None,
            metadata: if metadata.is_object() {
                metadata
            } else {
                json!({})
            },
        };
        let frame = to_raw_value(&frame).expect("frames hold only string keys and finite numbers");
        self.folded(&frame)
    }

    /// Adds the name of the connection to a frame of the wire, at the top and in its metadata.
    pub(crate) fn folded(&self, data: &RawValue) -> String {
        on_connection(data, &self.connection)
    }
}

/// The metadata of a notice: its fields under the notice's own name, and once more at the top, as in folded notices.
pub(crate) fn notice_metadata(name: &str, fields: Value) -> Value {
    let mut metadata = fields.clone();
    metadata[name] = fields;
    metadata
}

/// The metadata of a refusal, for programs.
pub(crate) fn error_metadata(error: &ApiError) -> Value {
    let error = &error.error;
    let mut metadata = json!({ "error_code": error.code, "recoverable": error.retryable });
    if let Some(hint) = &error.hint {
        metadata["hint"] = hint.as_str().into();
    }
    metadata
}

/// The beginning of every message for which the contract has no text.
pub(crate) const EXECUTION_ERROR: &str = "Execution error: ";

/// The message of an error for clients of this protocol: the contract's own text if there is one.
pub(crate) fn words(error: &ApiError) -> String {
    match error.error.code.as_ref() {
        "no_session" => "Session not found".to_owned(),
        "erased" => "Session is closed".to_owned(),
        "busy" => "Agent is currently running, please try again later".to_owned(),
        "empty_message" => "Message content cannot be empty".to_owned(),
        _ => format!("{EXECUTION_ERROR}{}", error.error.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice() -> Voice {
        Voice {
            connection: "conn_1".into(),
            clock: Clock::of(|| chrono::DateTime::from_timestamp(0, 0).expect("a time")),
        }
    }

    fn read(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn a_frame_of_the_connection_has_no_number_and_names_the_connection_twice() {
        let session = SessionId::new("s1");
        let text = voice().frame("agent.error", Some(&session), "no", json!({ "a": 1 }));
        let expected = json!({
            "event": "agent.error", "timestamp": "1970-01-01T00:00:00.000Z", "session_id": "s1",
            "connection_id": "conn_1", "content": "no", "metadata": { "a": 1, "connection_id": "conn_1" },
        });
        assert_eq!(read(&text), expected);
    }
}
