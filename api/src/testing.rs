//! What the tests of this crate share: the server of all products.

use axum::Router;
use domain::carry::{Carry, Content, NewArtifact, TurnResult, Work};
use domain::delivery::FormInfo;
use domain::event::Reserve;
use domain::flow::{Flow, need};
use domain::pipeline::{Description, Pipeline, StageInfo};
use domain::session::Run;
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

/// A pipeline that belongs to no product: it writes down what is wanted, as a letter.
pub(crate) struct Letters;

impl Pipeline for Letters {
    fn name(&self) -> &'static str {
        "letters"
    }

    fn describe(&self, _: bool) -> Description {
        Description {
            name: "letters",
            title: "Letters",
            description: "Writes down what is wanted.",
            stages: vec![StageInfo::new("write", "Writing", &["letter"])],
            delivers: "letter",
            forms: vec![FormInfo::new("letter", "Letter", "letter.txt")],
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        &["write"]
    }

    fn flow(&self, run: &Run) -> Flow {
        need(run, "write", run.settings.attempts)
    }

    fn attempts_max(&self) -> u32 {
        3
    }

    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }

    fn carry(&self, work: &Work, _: &[TurnResult]) -> Carry {
        let text = Content::file("text/plain", work.brief.clone());
        NewArtifact::new("letter", "art_letter_", "Letter", text, vec![]).into()
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
