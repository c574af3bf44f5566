//! What the tests of this crate share: the server of all products.

use axum::Router;
use runner::Engine;
use tempfile::TempDir;

use crate::app::App;
use crate::built_in;
use crate::config::{Config, KeyEntry};
use crate::trial::serving;
pub(crate) use crate::trial::serving::{
    MODEL, ask, config, memory_log as log, serve_pipes, session, told,
};

/// What handlers share, around an engine, and the folder with the uploads.
pub(crate) fn app(engine: Engine, config: Config, keys: &[KeyEntry]) -> (App, TempDir) {
    let files = tempfile::tempdir().expect("a folder");
    let app = serving::app(&built_in(), engine, config, keys, files.path());
    (app, files)
}

/// Every route of a server with all built-in parts.
pub(crate) fn router(app: App) -> Router {
    serving::router(&built_in(), app)
}
