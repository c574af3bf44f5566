//! The incoming half of the `course` protocol: Socket.IO at `/socket.io/`, namespace `/`, by web socket and by polling.
//!
//! Handshake `auth`: `{token?, sessionId?, after?, toolMessages?}`; `toolMessages` is `v1`, `v2` or `both`. With a `sessionId`
//! the socket follows that session at once, after the position `after` or from now on.
//!
//! | Client emits | Acknowledged with |
//! |---|---|
//! | `chat:init {sessionId?, after?}` | `{status: "success", sessionId, messages, artifacts, pos, reset?}`, which is emitted as `chat:init:response` as well |
//! | `chat:send {message, sessionId?, messageId?, metadata?}` | `{status: "received", sessionId, messageId, runId}` as soon as the message is in the log; a repetition of `messageId` gets the first answer |
//! | `chat:cancel {sessionId?}` | `{status: "received", sessionId}` |
//!
//! A request that is refused is acknowledged with `{status: "error", error: {code, message, hint?, retryable}}`; if the client asked for
//! no acknowledgement, the same is emitted as `error`. A request without a `sessionId` means that of the handshake, else the
//! socket's own id.
//!
//! `artifacts` are the current ones. Messages of earlier runs name earlier versions in `artifactIds`. `GET /v1/artifacts/{id}` shows
//! these, and also artifacts that only a `tool:log` names.
//!
//! An artifact comes with its content up to 1 MiB, above that with the address to fetch it from. When a session is erased, the
//! tool messages that are open in it are closed, and its runs, also those of messages that wait for their turn, are completed with
//! `errorCode: "erased"`, in frames without `pos`.
//!
//! The handshake, `chat:init` and `chat:send` start the socket's one follower of the session; a second start changes nothing.
//! Every frame that comes from the log carries `pos`. A client that reconnects sends the last one as `after`; it misses no frame and
//! gets none twice. `reset` in the answer says why `after` could not be used; the frames then continue after `pos`.
//!
//! `metadata` is `{file? {name, readUrl, mimeType?}, url?, description?}`. A `description` and a `url` are added to the message; the
//! content at the `url` is not read, and a `tool:log` says so. A `readUrl` is the name of an upload (`POST /v1/files`) or the address of
//! an artifact of this server; nothing is fetched from elsewhere.

mod actor;
mod chat;
mod emit;
mod handshake;
mod metadata;
mod queue;
#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use palimpsest::prelude::wire::{App, Caller, Protocol, Wires};
use socketioxide::SocketIo;
use socketioxide::handler::ConnectHandler;

/// The path that clients of Socket.IO use.
const PATH: &str = "/socket.io";

/// How often the server pings, and how long a client may take to answer: the contract's numbers.
const PING_EVERY: Duration = Duration::from_secs(25);
const PING_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a client may take after the handshake to show its key: as for `hello` on the native socket. It takes two messages, also on a
/// bad network.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// Bytes of one message from a client, as on the native socket.
const PAYLOAD_BYTES_MAX: usize = 1024 * 1024;

/// Packets that may wait for a socket: four batches. When it is full, the follower waits.
const PACKETS_WAITING: usize = 256;

/// Bytes read at a time.
const READ_BUFFER: usize = 16 * 1024;

/// The `course` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CourseProtocol;

impl Protocol for CourseProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<crate::wire::out::Course>()
    }

    fn sockets(&self, app: &App) -> Router {
        routes(app)
    }
}

/// The routes of `/socket.io/`. This is a service and not the layer that the library also has: a layer makes a new table of connections for
/// every service that it wraps, and a router wraps fallbacks in its layers anew for each request.
fn routes(app: &App) -> Router {
    let (service, io) = SocketIo::builder()
        .req_path(PATH)
        .ping_interval(PING_EVERY)
        .ping_timeout(PING_TIMEOUT)
        .connect_timeout(CONNECT_DEADLINE)
        .max_payload(PAYLOAD_BYTES_MAX as u64)
        .max_buffer_size(PACKETS_WAITING)
        .ws_read_buffer_size(READ_BUFFER)
        .ws_max_message_size(PAYLOAD_BYTES_MAX)
        .ws_max_frame_size(PAYLOAD_BYTES_MAX)
        .build_svc();
    let connected = |socket| actor::serve(socket);
    let for_all = app.clone();
    io.ns(
        "/",
        connected.with(move |socket, auth| handshake::check(for_all.clone(), socket, auth)),
    );
    let stopping = app.stopping.clone();
    tokio::spawn(async move {
        stopping.cancelled().await;
        io.close().await;
    });
    Router::new()
        .route_service(PATH, service.clone())
        .route_service(&format!("{PATH}/"), service)
        .layer(from_fn_with_state(app.clone(), seated))
}

/// Gives a client that begins a handshake a place among those that have not shown a key yet: until then, a connection of Engine.IO already
/// takes some kilobytes and two tasks.
async fn seated(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let is_handshake = !query.split('&').any(|pair| pair.starts_with("sid="));
    if is_handshake {
        let caller = Caller::of(request.extensions());
        match app.handshakes.take(&caller) {
            Ok(place) => request.extensions_mut().insert(place),
            Err(error) => return error.into_response(),
        };
    }
    next.run(request).await
}
