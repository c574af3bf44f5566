//! The `report` protocol's incoming half.

mod bucket;
mod connection;
mod control;
mod desk;
mod envelope;
mod follow;
mod hints;
mod incoming;
mod limits;
mod message;
mod partial;
mod presence;
mod reply;
mod resume;
mod state;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use projections::AnyFold;
use runner::clock::fresh_id;
use tokio::time::Instant;

use crate::app::App;
use crate::error::ApiError;
use crate::keys::{Owner, bearer};
use crate::wire::socket::{self, End, Peer};
use connection::Connection;
use envelope::Voice;
use presence::Presence;

/// The wire whose frames are sent.
const WIRE: &str = "report";

/// The version of the protocol that the greeting names.
const PROTOCOL: u32 = 1;

/// The sub-protocol that is spoken. Browsers that offer a key as one need an answer that is not the key.
const SUB_PROTOCOL: &str = "palimpsest.report.v1";

/// What the contract calls the one who answers.
const AGENT: &str = "report";

/// What every connection shares.
#[derive(Clone)]
struct Report {
    app: App,
    presence: Presence,
    /// When the server began.
    started: Instant,
}

/// The sockets of this protocol.
pub(super) fn routes(app: App) -> Router {
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

/// The address of the requirement. Whoever comes here without wanting a socket is told what there is.
async fn root(
    State(report): State<Report>,
    parts: Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    match upgrade {
        Ok(upgrade) => accept(report, &parts, upgrade),
        Err(_) => Err(crate::http::nothing_here()),
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

/// Takes a connection whose key is right. There is no frame that could bring one later.
fn accept(report: Report, parts: &Parts, upgrade: WebSocketUpgrade) -> Result<Response, ApiError> {
    let keys = &report.app.keys;
    let offered = socket::key_of(&upgrade).or_else(|| token(parts.uri.query()?));
    let owner = match (bearer(parts), offered) {
        (Some(secret), _) => keys.owner(Some(secret))?,
        (None, _) if parts.headers.contains_key(AUTHORIZATION) => {
            return Err(ApiError::unauthorized(
                "the header `Authorization` is not `Bearer <key>`",
            ));
        }
        (None, offered) => keys.owner(offered.as_deref())?,
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
    // Counted until the end of this function, which is that of the connection.
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

/// The version of the wire, which event ids and cursors name.
fn wire_version() -> u32 {
    let wires = AnyFold::WIRES.iter();
    let of_ours = wires.into_iter().find(|(name, _)| *name == WIRE);
    of_ours.map_or(0, |(_, version)| *version)
}
