//! What the tests of this crate share: a server within the test, and ways to speak to it.

use std::future::IntoFuture as _;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, header};
use domain::{Session, SessionId};
use metrics_exporter_prometheus::PrometheusBuilder;
use proptest::prelude::*;
use runner::Engine;
use runner::clock::Clock;
use runner::prompts::Prompts;
use runner::prompts::trial::HOSTILE;
use serde_json::Value;
use store::{Log, MasterKey, MemoryLog};
use tempfile::TempDir;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::app::App;
use crate::built_in;
use crate::config::{Config, Contract, Environment, Flags, KeyEntry, LOCAL_OWNER, ProductTables};
use crate::feed::Feeds;
use crate::handshakes::Handshakes;
use crate::in_flight::InFlight;
use crate::keys::{Keys, Owner};
use crate::known_names::KnownNames;
use crate::operations::Operations;
use crate::protocol::wires;
use crate::server::{Builder, Server};
use crate::signer::Signer;
use crate::uploads::Uploads;

/// What handlers share, around an engine, and the folder with the uploads.
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
        console: built_in().console,
        uploads: Uploads::new(files.path().join("uploads"), &config.limits),
        config: Arc::new(config),
        signer: Signer::new(&[1; 32]),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        stopping: CancellationToken::new(),
    };
    (app, files)
}

/// Every route of a server with all built-in parts.
pub(crate) fn router(app: App) -> Router {
    crate::routes::router(app, &built_in())
}

/// A log in memory, with the clock that it goes by.
pub(crate) async fn log() -> (Arc<dyn Log>, Clock) {
    let clock = Clock::system();
    let log = MemoryLog::open(MasterKey::new([7; 32]), clock.as_fn()).await;
    (Arc::new(log), clock)
}

/// The prompts of a product, with those that any pipeline may ask.
pub(crate) fn prompts(product: fn(Builder) -> Builder) -> Prompts {
    let server = Server::builder().add(product).build();
    server.expect("it goes together").prompts().clone()
}

/// Parts of what the program gives itself to the shared prompts: an item of `stages`, which is how a pipeline describes itself.
pub(crate) const SHARED_PARTS: &[(&str, &[&str])] = &[("s", &["understanding/message"])];

/// Texts that try to leave their fence.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// The variables of a server with a model.
pub(crate) const MODEL: [(&str, &str); 2] =
    [("OPENAI_API_KEY", "k"), ("PALIMPSEST_MODEL_DEFAULT", "m")];

/// The configuration that these variables make.
pub(crate) fn config(variables: &[(&str, &str)], contracts: &[&dyn Contract]) -> Config {
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let environment = Environment::from_pairs(variables);
    let none = ProductTables::default();
    Config::load(&Flags::default(), &environment, contracts, &none).expect("a configuration")
}

/// A session of the owner of a server without keys.
pub(crate) async fn session(app: &App, session: &str) -> Arc<Session> {
    let stream = Owner(LOCAL_OWNER.to_owned()).stream(&SessionId::new(session));
    app.engine.session(&stream).await.expect("a session")
}

/// Bytes of an answer that is no stream.
const ANSWER_BYTES: usize = 1024 * 1024;

/// What a server answers to one request; a body is sent as JSON.
pub(crate) async fn ask(
    router: &Router,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<Value>,
) -> Response<Body> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = match body {
        Some(body) => request
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string())),
        None => request.body(Body::empty()),
    };
    let answer = router.clone().oneshot(request.expect("a request"));
    answer.await.expect("an answer")
}

/// The status and the JSON of an answer that is no stream.
pub(crate) async fn told(answer: Response<Body>) -> (u16, Value) {
    let status = answer.status().as_u16();
    let bytes = to_bytes(answer.into_body(), ANSWER_BYTES)
        .await
        .expect("an answer");
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}

/// Connections within the process: what is in them is bounded, and time is only what the test says.
struct Pipes(mpsc::Receiver<DuplexStream>);

impl axum::serve::Listener for Pipes {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(pipe) => (pipe, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Serves over pipes; the ends of clients are sent to what is given back.
pub(crate) fn serve_pipes(router: Router) -> mpsc::Sender<DuplexStream> {
    let (pipes, listens) = mpsc::channel(1);
    tokio::spawn(axum::serve(Pipes(listens), router).into_future());
    pipes
}
