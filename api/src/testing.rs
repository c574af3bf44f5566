//! What the tests of this crate share: a server of tests.

mod letters;
mod tally;

pub(crate) use letters::{LETTER, POSTCARD};
use runner::Engine;
use tally::TallyProtocol;
pub(crate) use tally::{OLDER, TallyView};
use tempfile::TempDir;

use crate::app::App;
use crate::config::{Config, KeyEntry};
use crate::server::Server;
use crate::trial::serving;
pub(crate) use crate::trial::serving::{ask, config, memory_log as log, router, serve_pipes, told};

/// A server of tests: the pipelines of a letter and of a postcard, and a wire.
pub(crate) fn letters() -> Server {
    let builder = Server::builder().pipeline(LETTER).pipeline(POSTCARD);
    let builder = builder.protocol(&TallyProtocol);
    builder.build().expect("it goes together")
}

/// What handlers of a server share, around an engine, and the folder with the uploads.
pub(crate) fn app(
    server: &Server,
    engine: Engine,
    config: Config,
    keys: &[KeyEntry],
) -> (App, TempDir) {
    let files = tempfile::tempdir().expect("a folder");
    let app = serving::app(server, engine, config, keys, files.path());
    (app, files)
}
