//! How long it takes from a cancel until the provider of pictures sees its connection closed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use commands::{Cancel, Command, SendMessage};
use domain::Actor;
use domain::ids::MessageId;
use domain::settings::{OnBusy, Ports, Settings};
use runner::clock::Clock;
use runner::ports::{OpenAiImages, OpenAiImagesConfig, ProviderLimits, Secret};
use runner::tools::Painter;
use runner::{Engine, Envelope};
use serde_json::Value;
use store::{Log, StreamId};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::{place, say};

const CANCELS: usize = 200;

/// How long a connection may take to close; after that it is taken to stay open.
const PATIENCE: Duration = Duration::from_secs(10);

/// A provider that takes every request and answers none. It tells of each request, and when its connection was closed.
async fn held() -> (
    String,
    mpsc::UnboundedReceiver<()>,
    mpsc::UnboundedReceiver<Instant>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (came, requests) = mpsc::unbounded_channel();
    let (closed, closes) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let (came, closed) = (came.clone(), closed.clone());
            tokio::spawn(async move {
                let mut bytes = vec![0; 64 * 1024];
                let mut is_told = false;
                // A connection that is broken off counts as closed, too.
                while matches!(socket.read(&mut bytes).await, Ok(read) if read > 0) {
                    if !std::mem::replace(&mut is_told, true) && came.send(()).is_err() {
                        return;
                    }
                }
                let at = Instant::now();
                // Nobody listens any longer once the report is made.
                assert!(closed.send(at).is_ok() || closed.is_closed());
            });
        }
    });
    (format!("http://{address}/v1"), requests, closes)
}

fn envelope(id: String, command: Command) -> Envelope {
    Envelope {
        command,
        client_id: id,
        actor: Actor::person("bench"),
        expected_version: None,
        blobs: vec![],
        content: None,
    }
}

/// A post that the offline author writes, with pictures of a provider, one at a time.
fn wanted(n: usize) -> Envelope {
    let ports = Ports {
        model: "offline".to_owned(),
        search: false,
        images: true,
        embeddings: false,
    };
    let settings = Settings {
        ports,
        width: 1,
        models: [("images".to_owned(), "held".to_owned())].into(),
        ..Settings::default()
    };
    let message = SendMessage {
        message: MessageId::new(format!("m{n}")),
        text: "面向家长的春游攻略，希望被收藏，风格清新".to_owned(),
        files: vec![],
        pipeline: Some("post".to_owned()),
        input: Value::Null,
        settings,
        on_busy: OnBusy::Enqueue,
    };
    envelope(format!("m{n}"), Command::SendMessage(Box::new(message)))
}

pub(crate) async fn report() {
    let (address, mut requests, mut closes) = held().await;
    let folder = place::folder();
    let log = place::sqlite(folder.path()).await;
    let images = OpenAiImagesConfig::new(address, "held", Secret::new("key"));
    let images = OpenAiImages::new(images).expect("an address that can be used");
    let painter = Painter::new(Arc::new(images), ProviderLimits::default());
    let program = palimpsest_program::built_in().build();
    let program = program.expect("a program");
    let parts = program.parts(log.clone(), Clock::system(), Some(Arc::new(painter)));
    let engine = Engine::start(parts).await.expect("an engine starts");
    let mut taken = vec![];
    for n in 0..CANCELS {
        let stream = StreamId::new("bench", format!("cancel{n}").into());
        let started = engine.send(&stream, wanted(n)).await;
        started.expect("a message is taken");
        let request = tokio::time::timeout(PATIENCE, requests.recv()).await;
        request.expect("a picture is asked for").expect("a request");
        let cancel = Cancel {
            run: None,
            reason: "bench".to_owned(),
        };
        let began = Instant::now();
        let cancelled = engine.send(&stream, envelope(format!("c{n}"), Command::Cancel(cancel)));
        cancelled.await.expect("the run is cancelled");
        let closed = tokio::time::timeout(PATIENCE, closes.recv()).await;
        let closed = closed.expect("the connection is closed").expect("a close");
        taken.push(closed.saturating_duration_since(began));
    }
    taken.sort_unstable();
    let at = |percent: usize| taken[(CANCELS * percent / 100).min(CANCELS - 1)].as_secs_f64() * 1e3;
    say(&format!(
        "cancel: from the command to the closed connection of {CANCELS} pictures: p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms",
        at(50),
        at(90),
        at(99),
    ));
    engine.stop().await;
    log.close().await;
}
