//! The `report` protocol's incoming half and its connections: a web socket at `/` and at `/ws/report`. The frames that are
//! folded from the log, with what this server adds to the contract, are in `wire/out`.
//!
//! The key comes in `Authorization: Bearer`, as `?token=`, or as the sub-protocol `bearer.<key>` beside
//! `palimpsest.report.v1`; without a right one the upgrade is answered 401. Every message is one JSON object as text,
//! `{event, session_id?, step_id?, content?, message_id?}`. Messages of a connection are carried out one after the other in their order;
//! accepted messages are carried out even if the connection closes.
//!
//! | Client says | Answer |
//! |---|---|
//! | `user.create_session`, content `{hints}?` | `agent.session_created`, numbered 1. The hints count from the first message on, and are of this connection until then |
//! | `user.message`, content a text or `{question?, template_name?, template_id?, knowledge_base_name?, database_id?, api_base_url?}` | the frames of a run. Without a question the JSON of the object minus `tasks` is the prompt. Hints stay for later messages; one takes the place of all that name the same thing, so that a new `template_name` is not overruled by an old `template_id` |
//! | `user.response`, `step_id`, content `{confirmed, tasks?, reason?}` | the run goes on. Edits that do not fit: `plan.coercion_error` `{message, error}` with the `step_id`, and the question stays open. `confirmed` that is no boolean is refused and leaves it open, too. An empty list of tasks edits nothing |
//! | `user.solve_tasks`, content `{tasks, question?, plan_summary?}` | `solver.*` and tool events |
//! | `user.cancel`, `user.cancel_plan` | `agent.interrupted`; `plan.cancelled` while it is planned or waits |
//! | `user.cancel_task`, `user.restart_task`, content `{task_id}` | a number, or its digits as text |
//! | `user.replan`, content `{question?}` or a text | a new plan, in every state of a run; where nothing is at work the question is needed |
//! | `user.request_state` | `agent.state_exported`: true at the last numbered frame that was sent before it |
//! | `user.reconnect_with_state`, `signed_state`, `last_event_id?`, `last_seq?` | `agent.state_restored`, the missed frames, `system.notice` with `replay` |
//! | `user.reconnect`, `session_id`, `last_event_id?`, `last_seq?` | the same, from the beginning where no event is named |
//! | `user.ack` | none; acknowledgements are optional |
//!
//! Fields of the reconnecting events may stand at the top or in the content. `last_event_id` takes precedence over `last_seq`, and both
//! over the position of the state. A field that names no event of this session is ignored with a warning if there is a state, and refused
//! if there is none. For an event id or a state of another wire version everything is sent again, with `metadata.reset`.
//!
//! What the contract leaves open is fixed here:
//! - Control that is accepted is an event, and its notice is folded. Control that is refused is answered by a `system.notice` of the
//!   connection with `ok: false` and `error_code`; so is an answer to a step that is unknown or was answered before (`reason`).
//! - A repeated `message_id` (of `user.create_session`, `user.message`, `user.solve_tasks`, `user.replan`) starts nothing; a
//!   `system.notice` with `duplicate: true` names the run. On a connection that does not have the session yet, a repeated
//!   `user.create_session` brings it in, from its first frame on.
//! - `agent.error` has `error_code`, `recoverable` and `hint?` in its metadata. Messages that cannot be read, and binary messages, are
//!   answered with `Invalid JSON: ...`; errors for which the contract has no text with `Execution error: ...`.
//! - A session is shared: `user.reconnect` from a second connection of the same owner does not take it away from the first, and the error
//!   "Session already active on another connection" never occurs. A session of the owner that this connection neither created nor
//!   reconnected to "does not belong to this connection"; a session of another owner is "not found". The error "Cannot replan after solving
//!   has started" never occurs either: replanning is possible then.
//! - When a connection closes, its runs go on. With `TEMPLATE_WS_ON_CLOSE=cancel`, the runs of sessions that no other connection of this
//!   process follows are cancelled, together with the messages that wait behind them; but not when the server stops.
//! - `agent.partial_answer` has the whole text of a step so far, the newest of every 75 ms, with `scope`, `task_id?`, `is_streaming`,
//!   `is_final`, `word_count` and `total_length`. The final one comes right before the frame with the step's result.
//! - `agent.llm_message` comes to a connection that asked for it with `llm_messages: true` in the content of
//!   `user.create_session`, `user.message` or the reconnecting events (or at their top); `false` ends it. Each connection has its own
//!   choice. The frame has the messages that a planner or solver was asked with, sent once the turn is in the log, the newest of every 75
//!   ms: `{messages, total_messages}`, with `run_id`, `scope`, `task_id?`, `agent`, `model`, `attempt`, `step` (one more than the answers
//!   among the messages) and `streaming: false`. Over 256 KiB the oldest messages are left out, the first remaining one ends with `…[cut]`,
//!   and `truncated` is true. Earlier turns are in the audit.
//! - A session that was opened by another protocol is one of this protocol if its pipeline is `report`.
//! - `active_sessions` of a heartbeat are the sessions of this owner that connections of this process follow; `uptime` is in
//!   seconds.
//!
//! Limits: messages of 1 MiB, 128 at once and 32 a second after that (`ERR_RATELIMIT_700` with `retry_after_ms`), 32 sessions.
//! Pings every 30 seconds, ten seconds to answer; a heartbeat a minute; ten seconds to take a message.
//! Closed with: 1001 the server stops; 1002 what came is no web socket; 1007 a text is not UTF-8; 1009 a message was too large; 4000 silence; 4008 `slow_consumer`; 4029 too many
//! connections.
//!
//! A reconnect state is described in `state.rs`; its keys are those of `DataFolder::state_keys`.

mod asked;
mod back_end;
mod connection;
mod control;
mod dispatcher;
mod envelope;
mod follow;
mod hints;
mod incoming;
mod limits;
mod message;
mod partial;
mod reply;
mod resume;
mod settings;
mod state;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::http::Method;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use palimpsest::prelude::wire::presence::Presence;
use palimpsest::prelude::wire::socket::{self, End, Peer};
use palimpsest::prelude::wire::{
    ApiError, App, Caller, Contract, Owner, Protocol, Wires, bearer, fresh_id,
};
use tokio::time::Instant;

use connection::Connection;
use envelope::Voice;
pub(crate) use settings::ReportFlags;
pub(crate) use settings::{OnClose, ReportSettings};

/// The pipeline that this protocol is for, whose name it has.
const REPORT: &str = "report";

/// The version of the protocol that the greeting names.
const PROTOCOL: u32 = 1;

/// The sub-protocol that this server speaks. Browsers that offer a key as a sub-protocol need another name in the answer.
const SUB_PROTOCOL: &str = "palimpsest.report.v1";

/// The name of the agent in frames of the contract.
const AGENT: &str = "report";

/// What every connection shares.
#[derive(Clone)]
struct Report {
    app: App,
    presence: Presence<()>,
    /// When the server began.
    started: Instant,
}

/// The `report` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportProtocol;

impl Protocol for ReportProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<crate::wire::out::Report>()
    }

    fn sockets(&self, app: &App) -> Router {
        routes(app.clone())
    }

    fn flags(&self, command: Command) -> Command {
        ReportFlags::augment_args(command)
    }

    fn contract(&self, flags: &ArgMatches) -> Result<Option<Box<dyn Contract>>, clap::Error> {
        Ok(Some(Box::new(ReportFlags::from_arg_matches(flags)?)))
    }
}

fn routes(app: App) -> Router {
    let report = Report {
        app,
        presence: Presence::default(),
        started: Instant::now(),
    };
    Router::new()
        .route("/", any(root))
        .route("/ws/report", any(upgrade))
        .with_state(report)
}

/// The address that the contract requires. A request that wants no socket comes from a browser and gets the console.
async fn root(
    State(report): State<Report>,
    parts: Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    match upgrade {
        Ok(upgrade) => accept(report, &parts, upgrade),
        Err(_) if matches!(parts.method, Method::GET | Method::HEAD) => {
            palimpsest::prelude::wire::console_page(&report.app, &parts.headers)
        }
        Err(_) => Err(ApiError::nothing_here()),
    }
}

async fn upgrade(
    State(report): State<Report>,
    parts: Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    match upgrade {
        Ok(upgrade) => accept(report, &parts, upgrade),
        Err(rejection) => {
            let status = rejection.into_response().status();
            let message = "this address speaks web socket only";
            Err(ApiError::new(status, "no_web_socket", message))
        }
    }
}

/// Accepts a connection whose key is right. This protocol has no frame that could bring a key later.
fn accept(report: Report, parts: &Parts, upgrade: WebSocketUpgrade) -> Result<Response, ApiError> {
    let keys = &report.app.keys;
    let offered = socket::key_of(&upgrade).or_else(|| token(parts.uri.query()?));
    let owner = match (bearer(parts), offered) {
        (Some(_), _) => keys.owner_of(parts)?,
        (None, _) if parts.headers.contains_key(AUTHORIZATION) => {
            return Err(ApiError::unauthorized(
                "the header `Authorization` is not `Bearer <key>`",
            ));
        }
        (None, offered) => keys.owner(&mut Caller::of(&parts.extensions), offered.as_deref())?,
    };
    let upgrade = socket::bounded(upgrade.protocols([SUB_PROTOCOL]));
    Ok(upgrade.on_upgrade(|socket| serve(socket, report, owner)))
}

/// The key in a query, as front ends of this protocol send it.
fn token(query: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Query {
        token: Option<String>,
    }
    let uri = format!("/?{query}").parse().ok()?;
    let query = axum::extract::Query::<Query>::try_from_uri(&uri).ok()?;
    query.0.token.filter(|token| !token.is_empty())
}

async fn serve(socket: WebSocket, report: Report, owner: Owner) {
    let peer = Peer::new(socket);
    // The connection is counted until the end of this function, when it closes.
    let most = report.app.config.limits.connections_per_owner;
    let admission = match report.app.feeds.admit(&owner.0, most) {
        Ok(admission) => admission,
        Err(error) => return peer.close(End::TooMany(error.to_string())).await,
    };
    let voice = Voice {
        connection: format!("conn_{}", fresh_id()).into(),
        clock: report.app.engine.clock().clone(),
    };
    Connection::new(peer, report, owner, voice).run().await;
    drop(admission);
}
