//! Commands to a session from the command line.

use runner::clock::fresh_id;
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
