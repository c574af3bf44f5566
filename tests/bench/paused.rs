//! How much memory ten thousand sessions take that wait for an unknown time.

use store::{Log, StreamId};

use crate::{engine, place, say};

const SESSIONS: usize = 10_000;

/// Resident memory of this process in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line
        .and_then(|line| line.split_whitespace().nth(1))
        .and_then(|n| n.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

pub(crate) async fn report() {
    let folder = place::folder();
    let log = place::sqlite(folder.path()).await;
    let engine = engine::start(log.clone()).await;
    let before = resident();
    // No calls are allowed, and the runs are attended: each run waits at its budget gate.
    let mut settings = engine::settings();
    settings.attended = true;
    settings.budget.calls = 0;
    for n in 0..SESSIONS {
        let stream = StreamId::new("bench", format!("paused{n}").into());
        engine
            .send(&stream, engine::message(n, settings.clone()))
            .await
            .expect("a message is taken");
    }
    let grown = resident().saturating_sub(before);
    say(&format!(
        "paused: {SESSIONS} sessions at an open gate take {:.1} MB more than none",
        grown as f64 / 1e6
    ));
    engine.stop().await;
    log.close().await;
}
