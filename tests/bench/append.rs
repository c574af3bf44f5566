//! Durable appends of one event, by the number of writers.

use std::sync::Arc;
use std::time::Instant;

use domain::event::{DecisionMade, Event};
use domain::ids::RunId;
use store::{Append, CommandId, Log, StreamId};

use crate::{place, say};

const WRITERS: [usize; 3] = [1, 8, 64];

/// Appends of all writers together, for each one of them.
const EACH: usize = 400;

pub(crate) fn small(n: usize) -> Event {
    let reason = "the first failing dimension is readability: three sentences are longer than thirty words; \
                  the writer has two attempts left for it";
    DecisionMade {
        run: RunId(1),
        what: format!("route {n}"),
        choice: "writer".into(),
        reason: reason.to_owned(),
        by: "rules".into(),
    }
    .into()
}

pub(crate) async fn report() {
    let folder = place::folder();
    let sqlite = place::sqlite(folder.path()).await;
    measure("SQLite", sqlite.clone()).await;
    sqlite.close().await;
    match place::postgres_url() {
        Some(url) => {
            let schema = place::fresh_schema();
            let postgres = place::postgres(&url, &schema, folder.path()).await;
            measure("PostgreSQL", postgres.clone()).await;
            postgres.close().await;
        }
        None => say("append on PostgreSQL: skipped, PALIMPSEST_TEST_POSTGRES is not set"),
    }
}

async fn measure(name: &str, log: Arc<dyn Log>) {
    for writers in WRITERS {
        let started = Instant::now();
        let tasks: Vec<_> = (0..writers)
            .map(|writer| tokio::spawn(write(Arc::clone(&log), writers, writer)))
            .collect();
        let mut waits = vec![];
        for task in tasks {
            waits.extend(task.await.expect("no writer panics"));
        }
        waits.sort_unstable();
        let rate = waits.len() as f64 / started.elapsed().as_secs_f64();
        let at = |share: f64| waits[(waits.len() as f64 * share) as usize].as_secs_f64() * 1e3;
        say(&format!(
            "append on {name}, {writers} writers: {rate:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
            at(0.5),
            at(0.99)
        ));
    }
}

async fn write(log: Arc<dyn Log>, writers: usize, writer: usize) -> Vec<std::time::Duration> {
    let stream = StreamId::new("bench", format!("w{writers}-{writer}").into());
    let mut waits = Vec::with_capacity(EACH);
    for n in 0..EACH {
        let command = CommandId::of(&stream, &n.to_string());
        let started = Instant::now();
        let append = Append::new(stream.clone(), n as u64, command, vec![small(n)]);
        log.append(append).await.expect("an append is taken");
        waits.push(started.elapsed());
    }
    waits
}
