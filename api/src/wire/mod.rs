//! What comes in on sockets, and how frames go out: one folder a protocol. What the frames say is in `projections`.

mod deltas;
pub mod native;
pub mod post;
mod report;
mod socket;
pub mod socketio;

use std::time::Duration;

use axum::Router;
use axum::routing::any;

use crate::app::App;

/// A write that takes longer than this ends the connection, on every transport: its reader has stopped, and comes back to
/// its cursor when it likes.
pub const WRITE_DEADLINE: Duration = Duration::from_secs(10);

/// The sockets. Put them within the layers that check hosts and origins.
pub fn routes(app: App) -> Router {
    let socketio = socketio::routes(&app);
    // `any`: a web socket over HTTP/2 begins with CONNECT.
    Router::new()
        .route("/v1/stream", any(native::upgrade))
        .with_state(app.clone())
        .merge(report::routes(app))
        .merge(socketio)
}
