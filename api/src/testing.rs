//! What the tests of this crate share: the server of all products.

use axum::Router;
use domain::carry::{Carry, TurnResult, Work};
use domain::event::Reserve;
use domain::flow::{Flow, complete};
use domain::pipeline::{Description, Pipeline};
use domain::session::Run;
use domain::settings::ATTEMPTS_MAX;
use proptest::prelude::*;
use runner::Engine;
use runner::prompts::Prompts;
use runner::prompts::trial::HOSTILE;
use tempfile::TempDir;

use crate::app::App;
use crate::config::{Config, KeyEntry};
use crate::server::{Builder, Server};
use crate::trial::serving;
pub(crate) use crate::trial::serving::{
    MODEL, ask, config, memory_log as log, serve_pipes, session, told,
};
use crate::wire::{deck, post, socketio, story};
pub(crate) use runner::prompts::trial::SHARED_PARTS;

/// A pipeline of the tests that makes nothing.
pub(crate) struct Idle {
    name: &'static str,
    attempts_max: u32,
}

/// Asks again at most twice after a rejected output.
pub(crate) static POEM: Idle = Idle {
    name: "poem",
    attempts_max: 3,
};
pub(crate) static LETTER: Idle = Idle {
    name: "letter",
    attempts_max: ATTEMPTS_MAX,
};

impl Pipeline for Idle {
    fn name(&self) -> &'static str {
        self.name
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: self.name,
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [&'static str] {
        &[]
    }
    fn flow(&self, _: &Run) -> Flow {
        complete(true)
    }
    fn attempts_max(&self) -> u32 {
        self.attempts_max
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }
    fn carry(&self, work: &Work, _: &[TurnResult]) -> Carry {
        Carry::unknown_stage(&work.step.stage)
    }
}

/// A server with all products.
pub(crate) fn built_in() -> Server {
    let builder = Server::builder()
        .first_tags(&["notes", "templates"])
        .add(socketio::product::add)
        .add(post::product::add)
        .add(deck::product::add)
        .add(story::product::add);
    builder.build().expect("it goes together")
}

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

/// The prompts of a product, with those that any pipeline may ask.
pub(crate) fn prompts(product: fn(Builder) -> Builder) -> Prompts {
    let server = Server::builder().add(product).build();
    server.expect("it goes together").prompts().clone()
}

/// Texts that try to leave their fence.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}
