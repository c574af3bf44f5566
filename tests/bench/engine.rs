//! A thousand runs of six steps, full audit on, against a bare loop that writes the same rows.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use commands::{Command, SendMessage};
use domain::Actor;
use domain::ids::MessageId;
use domain::pipeline::Pipelines;
use domain::settings::{OnBusy, Ports, Settings};
use metrics_exporter_prometheus::PrometheusBuilder;
use runner::ports::ProviderLimits;
use runner::{Engine, EngineLimits, Envelope, Parts};
use serde_json::Value;
use store::{Log, StreamId};

use crate::{bare, place, say, six};

const RUNS: usize = 1_000;

/// Runs in the air at the same time.
const AT_ONCE: usize = 64;

pub(crate) fn settings() -> Settings {
    let ports = Ports {
        model: "instant".to_owned(),
        search: false,
    };
    Settings {
        ports,
        models: [("default".to_owned(), "instant".to_owned())].into(),
        ..Settings::default()
    }
}

pub(crate) async fn start(log: Arc<dyn Log>) -> Engine {
    let provider = ProviderLimits {
        concurrency: 4_096,
        requests_per_minute: None,
        tokens_per_minute: None,
    };
    let parts = Parts {
        prompts: six::prompts(),
        model: Some(Arc::new(six::Instant::new())),
        limits: EngineLimits {
            provider,
            ..EngineLimits::default()
        },
        ..Parts::new(log, Pipelines::new(vec![&six::Six]))
    };
    Engine::start(parts)
        .await
        .expect("an engine starts on an empty log")
}

pub(crate) fn message(n: usize, settings: Settings) -> Envelope {
    Envelope {
        command: Command::SendMessage(Box::new(SendMessage {
            message: MessageId::new(format!("m{n}")),
            text: format!("run number {n}"),
            files: vec![],
            pipeline: Some("six".to_owned()),
            input: Value::Null,
            settings,
            on_busy: OnBusy::Enqueue,
        })),
        client_id: format!("m{n}"),
        actor: Actor::person("bench"),
        expected_version: None,
        blobs: vec![],
    }
}

/// Starts a run and waits for its end.
async fn one_run(engine: &Engine, n: usize) {
    let stream = StreamId::new("bench", format!("s{n}").into());
    let mut changes = engine.log().watch_stream(&stream);
    engine
        .send(&stream, message(n, settings()))
        .await
        .expect("a message is taken");
    while engine
        .session(&stream)
        .await
        .expect("the session is there")
        .active
        .is_some()
    {
        changes.changed().await.expect("the log is open");
    }
}

pub(crate) async fn report() {
    let metrics = PrometheusBuilder::new()
        .install_recorder()
        .expect("one recorder");
    let folder = place::folder();
    let log = place::sqlite(folder.path()).await;
    let engine = start(log.clone()).await;
    let started = Instant::now();
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let width = NonZeroUsize::new(AT_ONCE).expect("more than none").get();
    let workers: Vec<_> = (0..width)
        .map(|_| {
            let (engine, next) = (engine.clone(), Arc::clone(&next));
            tokio::spawn(async move {
                loop {
                    let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if n >= RUNS {
                        return;
                    }
                    one_run(&engine, n).await;
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.expect("no worker panics");
    }
    let took = started.elapsed();
    let events = place::events(log.as_ref()).await;
    engine.stop().await;
    log.close().await;
    let commits = commits(&metrics.render()).unwrap_or(1);
    let rate = RUNS as f64 / took.as_secs_f64();
    say(&format!(
        "engine: {rate:.0} runs/s, {:.0} events/s; {:.1} events a run, {commits} commits, {} bytes on disk a run",
        events as f64 / took.as_secs_f64(),
        events as f64 / RUNS as f64,
        place::bytes(folder.path()) / RUNS as u64,
    ));
    let bare: Duration = bare::rewrite(folder.path(), commits).await;
    say(&format!(
        "engine: a bare loop writes the same rows in as many commits in {:.0} ms; the engine took {:.0} ms, {:.2} of its speed",
        bare.as_secs_f64() * 1e3,
        took.as_secs_f64() * 1e3,
        bare.as_secs_f64() / took.as_secs_f64(),
    ));
}

/// How often the writer committed, from its own metrics.
fn commits(metrics: &str) -> Option<u64> {
    let line = metrics
        .lines()
        .find(|line| line.starts_with("palimpsest_log_commit_seconds_count"))?;
    line.rsplit(' ').next()?.parse().ok()
}
