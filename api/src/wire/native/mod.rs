//! The native protocol: `WS /v1/stream`, and the frames of the server also as server-sent events.
//!
//! Every message is one JSON object as text; `frame` says which. The key comes in `Authorization: Bearer`, in `hello.token`, or,
//! from browsers, as the sub-protocol `bearer.<key>` beside `palimpsest.v1`.
//!
//! | Client says | |
//! |---|---|
//! | `hello {protocol, token?, client?}` | first, within ten seconds |
//! | `subscribe {sub, session, view?, after?, mode?, deltas?}` | `view`: `events` (default), `state`, or the name of a wire; `after`: `start` (default), `now` or a cursor; `mode`: `tail` (default) or `snapshot` |
//! | `ack {sub, cursor}` | advisory; nothing waits for it |
//! | `unsubscribe {sub}` | |
//! | `command {id, session, type, payload, expected_version?}` | as `POST /v1/sessions/{id}/commands` takes it; one after the other, in order |
//! | `ping`, `pong` | |
//!
//! | Server says | |
//! |---|---|
//! | `welcome {protocol, limits}` | |
//! | `subscribed {sub, from, head}` | what follows comes after the cursor `from`; the session is at version `head` |
//! | `snapshot {sub, at, view_version, state}` | true at the cursor `at`; what follows comes after it |
//! | `event {sub, cursor, version, type, ts, data}` | |
//! | `delta {sub, run, step, attempt, offset, text}` | text while it is made: keep `offset` characters of what you have of this attempt and add `text`. Without a cursor; the artifact supersedes it |
//! | `up_to_date {sub, cursor}` | everything up to here was sent; more may come |
//! | `reset {sub, reason, at}` | the cursor was of no use (`foreign_version`, `ahead_of_head`); a `snapshot` follows |
//! | `closed {sub, final, outcome}` | `unsubscribed`, or, for good, `erased` |
//! | `result {id, ok, applied_version, run?, session?, duplicate}` or `result {id, ok, error}` | |
//! | `error {sub?, error {code, message, hint?, retryable}}` | what was wrong; the connection stays |
//! | `ping`, `pong` | |
//!
//! In the view `state`, `snapshot` comes again whenever something changed, at most four times a second.
//!
//! Closed with: 1001 the server stops; 1009 a message was too large; 4000 silence; 4001 not a key; 4002 no `hello`; 4008
//! `slow_consumer`, a message was not taken within ten seconds; 4029 too many connections.

mod commands;
mod connection;
mod frames;
mod hello;
mod limits;
mod snapshot;
mod sse;
mod subscription;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::any;
use projections::Wires;
use projections::wire::native::{Lean, Native};

use crate::app::App;
use crate::connections::Caller;
use crate::error::ApiError;
use crate::feed::Start;
use crate::handshakes::HandshakePlace;
use crate::keys::{Owner, bearer};
use crate::protocol::Protocol;
use crate::wire::socket::{self, End, Peer};

pub use sse::{Listen, listen};

/// The sub-protocol that is spoken.
const SUB_PROTOCOL: &str = "palimpsest.v1";

/// The native protocol, which every program speaks.
#[derive(Clone, Copy, Debug)]
pub struct NativeProtocol;

impl Protocol for NativeProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<Native>().with::<Lean>()
    }

    fn sockets(&self, app: &App) -> Router {
        // `any`: a web socket over HTTP/2 begins with CONNECT.
        Router::new()
            .route("/v1/stream", any(upgrade))
            .with_state(app.clone())
    }
}

/// Accepts a connection. A key that comes with the request has to be right; if none comes, `hello` has to bring one.
async fn upgrade(
    State(app): State<App>,
    parts: Parts,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    let key = socket::key_of(&upgrade);
    let mut caller = Caller::of(&parts.extensions);
    let known = match (bearer(&parts), key) {
        (Some(_), _) => Some(app.keys.owner_of(&parts)?),
        (None, Some(secret)) => Some(app.keys.owner(&mut caller, Some(&secret))?),
        (None, None) if parts.headers.contains_key(AUTHORIZATION) => {
            return Err(ApiError::unauthorized(
                "the header `Authorization` is not `Bearer <key>`",
            ));
        }
        (None, None) => None,
    };
    let place = app.handshakes.take(&caller)?;
    let upgrade = socket::bounded(upgrade.protocols([SUB_PROTOCOL]));
    Ok(upgrade.on_upgrade(|socket| serve(socket, app, caller, known, place)))
}

/// Serves a socket. `place` is its place among the connections that have not shown a key yet.
async fn serve(
    socket: WebSocket,
    app: App,
    mut caller: Caller,
    known: Option<Owner>,
    place: HandshakePlace,
) {
    let mut peer = Peer::new(socket);
    let owner = match hello::hello(&mut peer, &app, &mut caller, known).await {
        Ok(owner) => owner,
        Err(end) => return peer.close(end).await,
    };
    drop(place);
    // The connection is counted until the end of this function, when it closes.
    let admission = match app
        .feeds
        .admit(&owner.0, app.config.limits.connections_per_owner)
    {
        Ok(admission) => admission,
        Err(error) => {
            return peer.close(End::TooMany(error.to_string())).await;
        }
    };
    connection::Connection::new(peer, app, owner).run().await;
    drop(admission);
}

/// Where a client wants to begin.
pub fn start_of(after: Option<&str>) -> Result<Start, ApiError> {
    match after {
        None | Some("" | "start") => Ok(Start::Beginning),
        Some("now") => Ok(Start::Now),
        Some(cursor) => {
            cursor
                .parse()
                .map(Start::After)
                .map_err(|error: projections::wire::NotACursor| {
                    ApiError::new(StatusCode::BAD_REQUEST, "bad_cursor", error.to_string())
                        .hint("`after` is `start`, `now` or a cursor")
                })
        }
    }
}

/// The types of the frames on the socket.
#[cfg(test)]
pub(crate) fn types(found: &mut impl ts_rs::TypeVisitor) {
    found.visit::<frames::ClientFrame>();
    found.visit::<frames::ServerFrame<'static>>();
}
