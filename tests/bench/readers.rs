//! Replay, catching up, and many who follow one session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::event::{Event, RunEvent};
use palimpsest::feed::{Batch, Feeds, Filter, Follower, Start};
use projections::Wires;
use store::{Append, CommandId, Log, StreamId};

use crate::append::small;
use crate::{engine, place, say};

const EVENTS: usize = 100_000;
const SUBSCRIBERS: usize = 1_000;

/// Decoding stored payloads into events, on one core.
pub(crate) fn replay() {
    let payloads: Vec<_> = (0..EVENTS)
        .map(|n| {
            let e = small(n);
            (e.name(), e.schema(), e.encode())
        })
        .collect();
    let bytes = payloads
        .iter()
        .map(|(_, _, payload)| payload.len())
        .sum::<usize>()
        / EVENTS;
    let started = Instant::now();
    let mut runs = 0_u64;
    for (name, schema, payload) in &payloads {
        if let Event::Run(RunEvent::DecisionMade(e)) =
            Event::decode(name, *schema, payload).expect("it was just encoded")
        {
            runs += u64::from(e.run.0);
        }
    }
    let rate = EVENTS as f64 / started.elapsed().as_secs_f64();
    assert_eq!(runs, EVENTS as u64);
    say(&format!(
        "replay: {:.2} million typed events/s on one core, payloads of {bytes} bytes",
        rate / 1e6
    ));
}

async fn fill(log: &dyn Log, stream: &StreamId, events: usize) {
    const AT_ONCE: usize = 500;
    for block in 0..events / AT_ONCE {
        let command = CommandId::of(stream, &format!("block {block}"));
        let many = (0..AT_ONCE).map(small).collect();
        log.append(Append::new(
            stream.clone(),
            (block * AT_ONCE) as u64,
            command,
            many,
        ))
        .await
        .expect("taken");
    }
}

fn wires() -> Wires {
    let program = palimpsest_program::built_in().build();
    program.expect("it goes together").wires()
}

async fn follow(feeds: &Feeds, stream: &StreamId, start: Start) -> Follower {
    let follower = feeds
        .follow(stream, "native", start, Filter::default())
        .await;
    follower
        .expect("the session is there")
        .expect("the cursor is good")
}

/// How many frames the next batch has.
async fn arrived(follower: &mut Follower) -> usize {
    match follower.next().await.expect("a batch") {
        Batch::Frames(frames) => frames.len(),
        Batch::CaughtUp(_) => 0,
    }
}

/// One client that has seen nothing of a long session.
pub(crate) async fn catch_up() {
    let folder = place::folder();
    let log = place::sqlite(folder.path()).await;
    let stream = StreamId::new("bench", "long".into());
    fill(log.as_ref(), &stream, EVENTS).await;
    let started = Instant::now();
    let mut version = 0;
    while version < EVENTS as u64 {
        let read = log.read(&stream, version, 1_000).await.expect("a page");
        version += read.len() as u64;
    }
    let raw = started.elapsed();
    let engine = engine::start(log.clone()).await;
    let feeds = Feeds::new(&engine, wires());
    let started = Instant::now();
    let mut follower = follow(&feeds, &stream, Start::Beginning).await;
    let mut frames = 0;
    while frames < EVENTS {
        frames += arrived(&mut follower).await;
    }
    let took = started.elapsed();
    say(&format!(
        "catch up: {EVENTS} events as native frames in {:.0} ms ({:.0}/s); reading and unsealing them alone {:.0} ms",
        took.as_secs_f64() * 1e3,
        EVENTS as f64 / took.as_secs_f64(),
        raw.as_secs_f64() * 1e3,
    ));
    engine.stop().await;
    log.close().await;
}

/// How long after an append the last of many followers has it.
pub(crate) async fn subscribers() {
    const ROUNDS: usize = 100;
    let folder = place::folder();
    let log = place::sqlite(folder.path()).await;
    let stream = StreamId::new("bench", "watched".into());
    fill(log.as_ref(), &stream, 500).await;
    let engine = engine::start(log.clone()).await;
    let feeds = Arc::new(Feeds::new(&engine, wires()));
    let (seen, mut arrivals) = tokio::sync::mpsc::unbounded_channel();
    let mut tasks = vec![];
    for _ in 0..SUBSCRIBERS {
        let mut follower = follow(&feeds, &stream, Start::Now).await;
        let seen = seen.clone();
        tasks.push(tokio::spawn(async move {
            loop {
                for _ in 0..arrived(&mut follower).await {
                    if seen.send(Instant::now()).is_err() {
                        return;
                    }
                }
            }
        }));
    }
    let mut last = vec![];
    for n in 0..ROUNDS {
        let command = CommandId::of(&stream, &format!("round {n}"));
        log.append(Append::new(
            stream.clone(),
            (500 + n) as u64,
            command,
            vec![small(n)],
        ))
        .await
        .expect("taken");
        let appended = Instant::now();
        let mut latest = Duration::ZERO;
        for _ in 0..SUBSCRIBERS {
            let at = arrivals.recv().await.expect("everybody gets it");
            latest = latest.max(at.saturating_duration_since(appended));
        }
        last.push(latest);
    }
    last.sort_unstable();
    say(&format!(
        "subscribers: an event reaches the last of {SUBSCRIBERS} followers of a session in {:.1} ms (p50), {:.1} ms (p99) after its commit",
        last[ROUNDS / 2].as_secs_f64() * 1e3,
        last[ROUNDS * 99 / 100].as_secs_f64() * 1e3,
    ));
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    engine.stop().await;
    log.close().await;
}
