//! What the command line asks of a session, and how it reads the answers.

use runner::clock::fresh_id;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::request::in_address;
use crate::verb::{Client, Failure};

/// Sends a command and gives its answer.
pub(super) async fn command(
    client: &Client,
    session: &str,
    kind: &str,
    payload: Value,
) -> Result<Value, Failure> {
    let path = format!("{}/commands", address(session));
    client
        .post(
            &path,
            &json!({ "id": fresh_id(), "type": kind, "payload": payload }),
        )
        .await
}

/// An answer as the type that the server says it is of.
pub(super) fn read_answer<T: DeserializeOwned>(answer: Value, what: &str) -> Result<T, Failure> {
    serde_json::from_value(answer)
        .map_err(|error| Failure::unusable(format!("{what} cannot be read: {error}")))
}

/// The address of a session.
pub(super) fn address(session: &str) -> String {
    format!("/v1/sessions/{}", in_address(session))
}

/// A text field of an answer; empty if there is none.
pub(super) fn text(answer: &Value, field: &str) -> String {
    answer
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
