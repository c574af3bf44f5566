//! What the tests of this crate share.

use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusBuilder;
use runner::Engine;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::built_in;
use crate::config::{Config, KeyEntry};
use crate::feed::Feeds;
use crate::handshakes::Handshakes;
use crate::in_flight::InFlight;
use crate::keys::Keys;
use crate::known_names::KnownNames;
use crate::operations::Operations;
use crate::protocol::wires;
use crate::signer::Signer;
use crate::uploads::Uploads;

/// What handlers share, around an engine, and the folder that uploads are in.
pub(crate) fn app(engine: Engine, config: Config, keys: &[KeyEntry]) -> (App, TempDir) {
    let files = tempfile::tempdir().expect("a folder");
    let operations = Operations::new(Arc::clone(engine.log()), engine.clock().clone());
    let app = App {
        feeds: Arc::new(Feeds::new(&engine, wires(&built_in().protocols))),
        operations: Arc::new(operations),
        engine,
        keys: Keys::new(keys, None),
        names: KnownNames::new(&config),
        handshakes: Handshakes::new(&config.limits),
        in_flight: InFlight::new(&config.limits),
        uploads: Uploads::new(files.path().join("uploads"), &config.limits),
        config: Arc::new(config),
        signer: Signer::new(&[1; 32]),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        stopping: CancellationToken::new(),
    };
    (app, files)
}

/// Every route of a server with everything that is built in.
pub(crate) fn router(app: App) -> axum::Router {
    crate::routes::router(app, &built_in().protocols)
}
