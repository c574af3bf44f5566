//! The beginning of a connection: finds out whose it is.

use axum::extract::ws::Message;
use tokio::time::timeout;

use super::connection::{binary, malformed};
use super::frames::{ClientFrame, Hello, Limits, ServerFrame};
use super::limits::{COMMANDS_WAITING, HELLO_DEADLINE, PING_EVERY, PROTOCOL};
use crate::app::App;
use crate::connections::Caller;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::wire::socket::{End, MESSAGE_BYTES_MAX, Peer};

/// Waits for `hello` and answers it. A token in `hello` takes precedence over a key that came with the request.
pub(super) async fn hello(
    peer: &mut Peer,
    app: &App,
    caller: &mut Caller,
    known: Option<Owner>,
) -> Result<Owner, End> {
    let hello = match timeout(HELLO_DEADLINE, first(peer)).await {
        Ok(hello) => hello?,
        Err(_) => return Err(End::NoHello),
    };
    let owner = match (hello.token.as_deref(), known) {
        (None, Some(owner)) => Ok(owner),
        (token, _) => app.keys.owner(caller, token),
    };
    let owner = match owner {
        Ok(owner) => owner,
        Err(error) => {
            let hint = "send a configured key as `hello.token`, in the header `Authorization: Bearer <key>`, or as the \
                        sub-protocol `bearer.<key>`";
            let error = error.hint(hint);
            peer.say(&ServerFrame::Error {
                sub: None,
                error: error.error.clone(),
            })
            .await?;
            return Err(End::Refused(error));
        }
    };
    tracing::debug!(
        client = hello.client.as_deref().unwrap_or_default(),
        "a client said hello"
    );
    let limits = Limits {
        subscriptions: app.config.limits.subscriptions_per_connection,
        message_bytes: MESSAGE_BYTES_MAX,
        commands_waiting: COMMANDS_WAITING,
        ping_seconds: PING_EVERY.as_secs(),
    };
    peer.say(&ServerFrame::Welcome {
        protocol: PROTOCOL,
        limits,
    })
    .await?;
    Ok(owner)
}

/// Waits for the first `hello` of this protocol; every other frame before it is refused.
async fn first(peer: &mut Peer) -> Result<Hello, End> {
    loop {
        let refused = match peer.hear().await? {
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(ClientFrame::Hello(hello)) if hello.protocol == PROTOCOL => return Ok(hello),
                Ok(ClientFrame::Hello(hello)) => {
                    let message = format!(
                        "protocol {} is not spoken here; {PROTOCOL} is",
                        hello.protocol
                    );
                    ApiError::unprocessable("unknown_protocol", message)
                }
                Ok(
                    ClientFrame::Subscribe(_)
                    | ClientFrame::Ack(_)
                    | ClientFrame::Unsubscribe(_)
                    | ClientFrame::Command(_)
                    | ClientFrame::Ping(_)
                    | ClientFrame::Pong(_),
                ) => ApiError::bad_request("say `hello` first")
                    .hint(r#"{"frame":"hello","protocol":1}"#),
                Err(error) => malformed(&error),
            },
            Message::Binary(_) => binary(),
            Message::Ping(_) | Message::Pong(_) => continue,
            Message::Close(_) => return Err(End::Gone),
        };
        peer.say(&ServerFrame::Error {
            sub: None,
            error: refused.error,
        })
        .await?;
    }
}
