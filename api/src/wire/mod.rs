//! What comes in on sockets, and how frames go out: one folder a protocol. What the frames say is in `projections`.

mod deltas;
mod limits;
pub mod native;
pub mod post;
pub mod report;
mod socket;
pub mod socketio;

use axum::Router;
use axum::routing::any;
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::config::Contract;

/// What wires answer at once beside their sockets.
pub(crate) fn answers() -> OpenApiRouter<App> {
    post::answers()
}

/// What wires answer by streams, which take as long as they take.
pub(crate) fn streams() -> OpenApiRouter<App> {
    post::streams()
}

/// Flags of single wires, each declared and read beside its wire.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Settings")]
pub struct WireFlags {
    #[command(flatten)]
    report: report::ReportFlags,
}

impl WireFlags {
    /// The settings that contracts know under names of their own.
    pub fn contracts(&self) -> Vec<&dyn Contract> {
        vec![&self.report]
    }
}

/// The sockets, which the document of the interface leaves out: OpenAPI has no words for frames. Put them within the layers that
/// check hosts and origins.
pub fn routes(app: App) -> Router {
    let socketio = socketio::routes(&app);
    // `any`: a web socket over HTTP/2 begins with CONNECT.
    Router::new()
        .route("/v1/stream", any(native::upgrade))
        .with_state(app.clone())
        .merge(report::routes(app))
        .merge(socketio)
}
