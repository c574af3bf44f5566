//! What the command line asks of a session, and how it reads the answers.

use projections::view::SessionView;
use runner::clock::fresh_id;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::ask::CommandAnswer;
use crate::request::in_address;
use crate::verb::{Client, Failure};

/// Sends a command and gives its answer.
pub(super) async fn command(
    client: &Client,
    session: &str,
    kind: &str,
    payload: Value,
) -> Result<CommandAnswer, Failure> {
    let path = format!("{}/commands", address(session));
    let request = json!({ "id": fresh_id(), "type": kind, "payload": payload });
    read_answer(client.post(&path, &request).await?, "the answer")
}

/// The session as it is now.
pub(super) async fn session_view(client: &Client, session: &str) -> Result<SessionView, Failure> {
    read_answer(client.get(&address(session)).await?, "the session")
}

/// The same, but `None` if there is no session of this name.
pub(super) async fn find_session(
    client: &Client,
    session: &str,
) -> Result<Option<SessionView>, Failure> {
    let found = client.find(&address(session)).await?;
    let read = found.map(|view| read_answer(view, "the session"));
    read.transpose()
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

/// A text field of a content; empty if there is none.
pub(super) fn text(content: &Value, field: &str) -> String {
    content
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
