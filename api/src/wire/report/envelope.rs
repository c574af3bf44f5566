//! Frames of the connection: greeting, heartbeat, refusals, states, replay notices, text under way. They have no `seq` and no
//! `event_id`. Those folded from the log pass through here as well, to be given the name of the connection.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use domain::SessionId;
use runner::clock::Clock;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::time::rfc3339;

/// Says what belongs to one connection. A clone speaks for the same.
#[derive(Clone)]
pub(super) struct Voice {
    pub(super) connection: Arc<str>,
    pub(super) clock: Clock,
}

/// A frame of a connection.
#[derive(Serialize)]
struct Said<'a> {
    event: &'a str,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
    connection_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<&'a str>,
    content: Value,
    metadata: Map<String, Value>,
}

impl Voice {
    /// Writes a frame. `metadata` is an object; the connection's name is added to it.
    pub(super) fn frame(
        &self,
        event: &str,
        session: Option<&SessionId>,
        content: impl Into<Value>,
        metadata: Value,
    ) -> String {
        self.write(event, session, None, content.into(), metadata)
    }

    /// The same about a step that was to be confirmed.
    pub(super) fn step_frame(
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
        step: Option<&str>,
        content: Value,
        metadata: Value,
    ) -> String {
        let mut fields = match metadata {
            Value::Object(fields) => fields,
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        fields.insert("connection_id".to_owned(), json!(self.connection));
        let said = Said {
            event,
            timestamp: rfc3339(self.clock.now()),
            session_id: session,
            connection_id: &self.connection,
            step_id: step,
            content,
            metadata: fields,
        };
        serde_json::to_string(&said).expect("frames hold only string keys and finite numbers")
    }

    /// Gives the name of the connection to a frame that was folded from the log, at the top and in its metadata.
    pub(super) fn folded(&self, data: &RawValue) -> String {
        let name = to_raw_value(&*self.connection).expect("a string can be written");
        let name: &RawValue = &name;
        let mut fields: BTreeMap<Cow<'_, str>, &RawValue> =
            serde_json::from_str(data.get()).expect("folds of this wire write objects");
        let metadata = fields.get("metadata").map(|metadata| metadata.get());
        let mut metadata: BTreeMap<Cow<'_, str>, &RawValue> = metadata
            .and_then(|metadata| serde_json::from_str(metadata).ok())
            .unwrap_or_default();
        metadata.insert("connection_id".into(), name);
        let metadata = to_raw_value(&metadata).expect("an object can be written");
        fields.insert("connection_id".into(), name);
        fields.insert("metadata".into(), &metadata);
        serde_json::to_string(&fields).expect("an object can be written")
    }
}

/// What the metadata of a refusal say to programs.
pub(super) fn error_metadata(error: &ApiError) -> Value {
    let error = &error.error;
    let mut metadata = json!({ "error_code": error.code, "recoverable": error.retryable });
    if let Some(hint) = &error.hint {
        metadata["hint"] = hint.as_str().into();
    }
    metadata
}

/// What a client of this protocol is told: its own words where the contract has them.
pub(super) fn words(error: &ApiError) -> String {
    match error.error.code.as_ref() {
        "no_session" => "Session not found".to_owned(),
        "erased" => "Session is closed".to_owned(),
        "busy" => "Agent is currently running, please try again later".to_owned(),
        "empty_message" => "Message content cannot be empty".to_owned(),
        _ => format!("Execution error: {}", error.error.message),
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

    #[test]
    fn a_folded_frame_is_only_given_the_name_of_the_connection() {
        for (folded, expected) in [
            (
                r#"{"event":"plan.start","seq":2,"metadata":{"n":1.50}}"#,
                json!({ "event": "plan.start", "seq": 2, "connection_id": "conn_1",
                    "metadata": { "n": 1.50, "connection_id": "conn_1" } }),
            ),
            (
                r#"{"event":"x\"y"}"#,
                json!({ "event": "x\"y", "connection_id": "conn_1",
                    "metadata": { "connection_id": "conn_1" } }),
            ),
        ] {
            let raw: &RawValue = serde_json::from_str(folded).expect("JSON");
            assert_eq!(read(&voice().folded(raw)), expected);
        }
    }
}
