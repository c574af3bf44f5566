//! A server within a test, and ways to speak to it.

use std::future::IntoFuture as _;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, header};
use domain::{Session, SessionId};
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::Engine;
use runner::clock::Clock;
use serde_json::Value;
use store::{Log, MasterKey, MemoryLog};
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::app::App;
use crate::config::{Config, Contract, Environment, Flags, KeyEntry, LOCAL_OWNER, ProductTables};
use crate::feed::Feeds;
use crate::handshakes::Handshakes;
use crate::in_flight::InFlight;
use crate::keys::{Keys, Owner};
use crate::known_names::KnownNames;
use crate::operations::Operations;
use crate::readiness::LogProbe;
use crate::server::Server;
use crate::signer::Signer;
use crate::uploads::Uploads;

/// What handlers of a program share, around an engine; uploads are kept in the folder.
pub fn app(
    server: &Server,
    engine: Engine,
    config: Config,
    keys: &[KeyEntry],
    folder: &Path,
) -> App {
    let operations = Operations::new(Arc::clone(engine.log()), engine.clock().clone());
    App {
        feeds: Arc::new(Feeds::new(&engine, server.wires())),
        forms: server.forms.clone(),
        operations: Arc::new(operations),
        probe: Arc::new(LogProbe::new(Arc::clone(engine.log()))),
        engine,
        keys: Keys::new(keys, None),
        names: KnownNames::new(&config),
        handshakes: Handshakes::new(&config.limits),
        in_flight: InFlight::new(&config.limits),
        console: server.console.clone(),
        uploads: Uploads::new(folder.join("uploads"), &config.limits),
        config: Arc::new(config),
        signer: Signer::new(&[1; 32]),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        stopping: CancellationToken::new(),
    }
}

/// Every route of a program.
pub fn router(server: &Server, app: App) -> Router {
    crate::routes::router(app, server)
}

/// A log in memory, with the clock that it goes by.
pub async fn memory_log() -> (Arc<dyn Log>, Clock) {
    let clock = Clock::system();
    let log = MemoryLog::open(MasterKey::new([7; 32]), clock.as_fn()).await;
    (Arc::new(log), clock)
}

/// The variables of a server with a model.
pub const MODEL: [(&str, &str); 2] = [("OPENAI_API_KEY", "k"), ("PALIMPSEST_MODEL_DEFAULT", "m")];

/// The configuration that these variables make.
pub fn config(variables: &[(&str, &str)], contracts: &[&dyn Contract]) -> Config {
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let environment = Environment::from_pairs(variables);
    let none = ProductTables::default();
    Config::load(&Flags::default(), &environment, contracts, &none).expect("a configuration")
}

/// A session of the owner of a server without keys.
pub async fn session(app: &App, session: &str) -> Arc<Session> {
    let stream = Owner(LOCAL_OWNER.to_owned()).stream(&SessionId::new(session));
    app.engine.session(&stream).await.expect("a session")
}

/// Bytes of an answer that is no stream.
const ANSWER_BYTES: usize = 1024 * 1024;

/// What a server answers to one request; a body is sent as JSON.
pub async fn ask(
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
pub async fn told(answer: Response<Body>) -> (u16, Value) {
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
pub fn serve_pipes(router: Router) -> mpsc::Sender<DuplexStream> {
    let (pipes, listens) = mpsc::channel(1);
    tokio::spawn(axum::serve(Pipes(listens), router).into_future());
    pipes
}
