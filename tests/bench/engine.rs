//! A thousand runs of six steps, full audit on, against a bare loop that writes the same rows; on both databases.

use std::sync::Arc;
use std::time::{Duration, Instant};

use commands::{Command, SendMessage};
use domain::event::RunEvent;
use domain::ids::MessageId;
use domain::pipeline::Pipelines;
use domain::settings::{OnBusy, Ports, Settings};
use domain::{Actor, Event};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use runner::ports::ProviderLimits;
use runner::{Engine, EngineLimits, Envelope, Parts};
use serde_json::Value;
use store::{Log, StreamId, TailItem};

use crate::bare::{Bare, BarePostgres, BareSqlite};
use crate::{place, say, six};

const RUNS: usize = 1_000;

/// How often a thousand runs are measured, one thousand after the other; the median is reported. A host that serves others too
/// is faster in one second than in the next.
const TIMES: usize = 5;

/// Runs before the ones that are measured: so many that what a process fills once in its life (the ring of recent events, the
/// caches, the pages of the write-ahead log) is filled.
const WARM_UP: usize = 6_000;

/// Runs that are under way at the same time.
const AT_ONCE: usize = 256;

pub(crate) fn settings() -> Settings {
    let ports = Ports {
        model: "instant".to_owned(),
        search: false,
        images: false,
        embeddings: false,
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
        content: None,
    }
}

/// Starts a run.
async fn begin(engine: &Engine, n: usize) {
    let stream = StreamId::new("bench", format!("s{n}").into());
    engine
        .send(&stream, message(n, settings()))
        .await
        .expect("a message is taken");
}

/// Starts the runs of these numbers, so many at the same time, and waits for all their ends as a reader of the log does.
async fn runs(engine: Engine, numbers: std::ops::Range<usize>) {
    let head = *engine.log().head().borrow();
    let mut tail = engine.log().tail(head);
    let mut left = numbers.len();
    let mut next = numbers;
    for n in next.by_ref().take(AT_ONCE) {
        let engine = engine.clone();
        tokio::spawn(async move { begin(&engine, n).await });
    }
    while left > 0 {
        let TailItem::Event(told) = tail.next().await.expect("the log is open") else {
            continue;
        };
        if let Event::Run(RunEvent::RunFailed(e)) = &told.recorded.event {
            panic!("a run failed: {}", e.message);
        }
        if !matches!(told.recorded.event, Event::Run(RunEvent::RunCompleted(_))) {
            continue;
        }
        left -= 1;
        if let Some(n) = next.next() {
            let engine = engine.clone();
            tokio::spawn(async move { begin(&engine, n).await });
        }
    }
}

/// Readers of a server are tasks of its runtime.
async fn as_task(reading: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(reading).await.expect("nothing panics");
}

pub(crate) async fn report() {
    let metrics = PrometheusBuilder::new()
        .install_recorder()
        .expect("one recorder");
    let (folder, beside) = (place::folder(), place::folder());
    let log = place::sqlite(folder.path()).await;
    let bare = Bare::Sqlite(BareSqlite::new(folder.path(), beside.path()));
    measure("SQLite", log, bare, &metrics).await;
    let bytes = place::bytes(folder.path()) / (WARM_UP + RUNS * TIMES) as u64;
    say(&format!("engine on SQLite: {bytes} bytes on disk a run"));
    match place::postgres_url() {
        Some(url) => {
            let schema = place::fresh_schema();
            let log = place::postgres(&url, &schema, folder.path()).await;
            let bare = Bare::Postgres(BarePostgres::new(&url, &schema).await);
            measure("PostgreSQL", log, bare, &metrics).await;
        }
        None => say("engine on PostgreSQL: skipped, PALIMPSEST_TEST_POSTGRES is not set"),
    }
}

async fn measure(name: &str, log: Arc<dyn Log>, mut bare: Bare, metrics: &PrometheusHandle) {
    let commits_at_first = commits(&metrics.render());
    let engine = start(log.clone()).await;
    // What is done once in the life of a process is not part of a run.
    as_task(runs(engine.clone(), 0..WARM_UP)).await;
    let events_before = place::events(log.as_ref()).await;
    let commits_before = commits(&metrics.render());
    bare.rewrite(1..1 + WARM_UP, commits_before - commits_at_first)
        .await;
    let (mut times, mut bare_took) = (vec![], Duration::ZERO);
    let mut commits_told = commits_before;
    for first in (WARM_UP..).step_by(RUNS).take(TIMES) {
        let started = Instant::now();
        as_task(runs(engine.clone(), first..first + RUNS)).await;
        times.push(started.elapsed());
        // The bare loop is measured right after the engine, so that a host that serves others too is equally fast for both.
        let told = commits(&metrics.render());
        let sessions = 1 + first..1 + first + RUNS;
        bare_took += bare.rewrite(sessions, told - commits_told).await;
        commits_told = told;
    }
    let took: Duration = times.iter().sum();
    let events = place::events(log.as_ref()).await;
    assert_eq!(bare.events().await, events, "the same rows");
    let events = events - events_before;
    engine.stop().await;
    log.close().await;
    let commits = commits_told - commits_before;
    times.sort_unstable();
    let rate = |took: &Duration| RUNS as f64 / took.as_secs_f64();
    let measured = RUNS * TIMES;
    say(&format!(
        "engine on {name}: {:.0} runs/s ({TIMES} times {RUNS} runs: {:.0} to {:.0}), {:.0} events/s; {:.1} events a run, \
         {:.0} commits each thousand",
        rate(&times[TIMES / 2]),
        rate(&times[TIMES - 1]),
        rate(&times[0]),
        events as f64 / took.as_secs_f64(),
        events as f64 / measured as f64,
        commits as f64 / TIMES as f64,
    ));
    say(&format!(
        "engine on {name}: a bare loop writes the same rows in as many commits in {:.0} ms; the engine took {:.0} ms, {:.2} of its speed",
        bare_took.as_secs_f64() * 1e3,
        took.as_secs_f64() * 1e3,
        bare_took.as_secs_f64() / took.as_secs_f64(),
    ));
}

/// How often the writer committed, from its own metrics.
fn commits(metrics: &str) -> u64 {
    let line = metrics
        .lines()
        .find(|line| line.starts_with("palimpsest_log_commit_seconds_count"));
    let count = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    count.expect("the writer counts its commits")
}
