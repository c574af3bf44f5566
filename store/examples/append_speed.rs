//! How fast this machine records events: 64 sessions, each appending six events and a small blob at a time, on SQLite with
//! `synchronous=FULL`, for a few seconds. Usage: `append_speed FOLDER [SECONDS] [APPENDERS]`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::event::{
    ArtifactProduced, Body, Guidance, MessageSent, Reserve, StageStarted, StepRequested,
    StepSucceeded,
};
use domain::hash::Blob;
use domain::{ArtifactId, Event, MessageId, RunId, SessionId, StepId};
use palimpsest_store::{
    Append, AppendError, CommandId, Log, MasterKey, SqliteLog, SqliteOptions, StreamId,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name a folder")?);
    let seconds = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let appenders = arguments.next().map_or(Ok(64), |text| text.parse())?;
    tokio::runtime::Runtime::new()?.block_on(measure(
        folder,
        Duration::from_secs(seconds),
        appenders,
    ))
}

async fn measure(
    folder: PathBuf,
    time: Duration,
    appenders: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    let ticks = AtomicU64::new(0);
    let clock = Arc::new(move || {
        let micros = 1_700_000_000_000_000 + ticks.fetch_add(1, Ordering::Relaxed);
        DateTime::from_timestamp_micros(micros as i64).unwrap_or_default()
    });
    let options = SqliteOptions::new(MasterKey::new([7; 32]), clock, &folder);
    let log = Arc::new(SqliteLog::open(&folder.join("speed.db"), options).await?);
    let started = Instant::now();
    let tasks: Vec<_> = (0..appenders)
        .map(|n| tokio::spawn(appender(log.clone(), n, started + time)))
        .collect();
    let mut waits = vec![];
    for task in tasks {
        waits.extend(task.await??);
    }
    let elapsed = started.elapsed().as_secs_f64();
    waits.sort_unstable();
    let events = *log.head().borrow();
    let at = |share: f64| {
        waits
            .get((waits.len() as f64 * share) as usize)
            .copied()
            .unwrap_or_default()
    };
    report(&format!(
        "{:.0} events/s in {:.0} appends/s; an append takes {:?} (half), {:?} (99 of 100)",
        events as f64 / elapsed,
        waits.len() as f64 / elapsed,
        at(0.5),
        at(0.99)
    ));
    log.close().await;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the answer of a command-line program")]
fn report(line: &str) {
    println!("{line}");
}

async fn appender(log: Arc<impl Log>, n: u64, end: Instant) -> Result<Vec<Duration>, AppendError> {
    let stream = StreamId::new("ann", SessionId::new(format!("session-{n}")));
    let mut version = 0;
    let mut waits = vec![];
    for round in 0_u64.. {
        if Instant::now() >= end {
            break;
        }
        let command = CommandId::of(&stream, &round.to_string());
        let mut append = Append::new(stream.clone(), version, command, events(n, round));
        append.blobs = vec![Blob::of(format!("{n} {round} ").repeat(100))];
        let asked = Instant::now();
        version = log.append(append).await?.version;
        waits.push(asked.elapsed());
    }
    Ok(waits)
}

/// A step ends with an artifact and a message, and the next one is asked for.
fn events(n: u64, round: u64) -> Vec<Event> {
    let now = DateTime::UNIX_EPOCH;
    let run = RunId(1);
    let step = |round: u64| StepId::new(run, "pages", round.to_string());
    let text = "What a page of a deck may say, at the length that it usually has. ".repeat(5);
    vec![
        StageStarted {
            run,
            stage: "pages".into(),
            items: 12,
        }
        .into(),
        ArtifactProduced {
            artifact: ArtifactId::new(format!("{round:08}-{n:04}")),
            kind: "page".into(),
            part: "".into(),
            number: 1,
            title: "A page".into(),
            step: step(round),
            attempt: 1,
            body: Body::Event {
                json: Arc::new(serde_json::json!({ "text": text })),
            },
            facts: serde_json::Value::Null,
            from: vec![],
            shown: true,
        }
        .into(),
        StepSucceeded {
            step: step(round),
            attempt: 1,
            artifacts: vec![],
            at: now,
        }
        .into(),
        MessageSent {
            message: MessageId::from("m"),
            run,
            text: text.clone(),
        }
        .into(),
        StageStarted {
            run,
            stage: "pages".into(),
            items: 12,
        }
        .into(),
        StepRequested {
            step: step(round + 1),
            attempt: 1,
            due: now,
            guidance: Guidance::default(),
            reserve: Reserve::default(),
            at: now,
        }
        .into(),
    ]
}
