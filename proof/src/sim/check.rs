//! What has to be true once the faults are over, of the log, the clients and the provider.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::event::{Event, GateEvent, StepEvent};
use domain::session::{End, GateAnswer, Run};
use domain::{Recorded, Session};
use serde_json::Value;
use store::{CommandId, Log, StreamId};

use super::client::{Clients, Sent, Told, stream};
use super::plan::Plan;
use super::provider::{Call, seconds};
use super::world::World;
use crate::program::{SUM, key};

/// Events read at a time.
const PAGE: usize = 1_000;

/// How long an answer may wait until it is recorded, in microseconds, while the log cannot be written.
const UNRECORDED_MAX: i64 = 12_000_000;

/// How much was found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub runs: usize,
    pub events: usize,
    pub calls: usize,
    /// Answers that were paid for, the same turn counted as often as it was.
    pub paid: usize,
    /// Of these, beyond the first of a turn.
    pub paid_again: usize,
    /// Answers in the log beyond the first of a turn.
    pub late: usize,
}

/// Checks everything; what is wrong is noted in the world.
pub async fn check(plan: &Plan, clients: &Clients, calls: &[Call], world: &World) -> Counts {
    let log = &clients.log;
    let events = everything(log, world).await;
    let mut counts = Counts {
        events: events.len(),
        calls: calls.len(),
        ..Counts::default()
    };
    for errand in &plan.errands {
        let stream = stream(&errand.session);
        let session = clients.session(&stream).await;
        versions(&stream, &events, world);
        for run in session.runs.values() {
            counts.runs += 1;
            let sum = sum(log, &stream, run).await;
            ended(plan, &stream, run, sum, world);
        }
        let messages = 1 + usize::from(errand.second.is_some());
        if session.runs.len() != messages {
            let runs = session.runs.len();
            world.wrong(format!(
                "{} has {runs} runs for {messages} messages",
                stream.session
            ));
        }
        cancelled(&stream, &session, clients, world);
        attempts(&stream, &events, world);
    }
    let sent = clients
        .sent
        .lock()
        .expect("nothing panics while it is held")
        .clone();
    for sent in &sent {
        acknowledged(log, sent, world).await;
        answered(clients, sent, world).await;
    }
    gates(&events, world);
    payments(&events, calls, &mut counts, world);
    counts
}

/// Every event, in the order of the log.
async fn everything(log: &Arc<dyn Log>, world: &World) -> Vec<(Arc<StreamId>, Arc<Recorded>)> {
    let mut events = vec![];
    let mut after = 0;
    while let Ok(page) = log.read_all(after, PAGE).await {
        if page.scanned_to == after {
            break;
        }
        after = page.scanned_to;
        events.extend(page.events);
    }
    for (place, (_, recorded)) in events.iter().enumerate() {
        if recorded.position != place as u64 + 1 {
            world.wrong(format!(
                "position {} is the {}th",
                recorded.position,
                place + 1
            ));
            break;
        }
    }
    match log.verify(0).await {
        Ok(report) if report.is_sound() => {}
        Ok(report) => world.wrong(format!("the log is not sound: {:?}", report)),
        Err(error) => world.wrong(format!("the log cannot be verified: {error}")),
    }
    events
}

fn versions(stream: &StreamId, events: &[(Arc<StreamId>, Arc<Recorded>)], world: &World) {
    let own = events.iter().filter(|(of, _)| **of == *stream);
    for (place, (_, recorded)) in own.enumerate() {
        if recorded.version != place as u64 + 1 {
            world.wrong(format!(
                "version {} of {stream} is the {}th",
                recorded.version,
                place + 1
            ));
            return;
        }
    }
}

/// What the run made in the end.
async fn sum(log: &Arc<dyn Log>, stream: &StreamId, run: &Run) -> Option<String> {
    let made = run.artifact(SUM)?;
    let body = match &made.body {
        domain::event::Body::Event { json } => Value::clone(json),
        domain::event::Body::Blob { blob, .. } => {
            let bytes = log.get_blob(stream, &blob.sha256).await.ok()??;
            serde_json::from_slice::<Value>(&bytes).ok()?
        }
    };
    body.as_str().map(str::to_owned)
}

/// If a client was told that a run is cancelled, a run is.
fn cancelled(stream: &StreamId, session: &Session, clients: &Clients, world: &World) {
    let sent = clients
        .sent
        .lock()
        .expect("nothing panics while it is held");
    let mut own = sent
        .iter()
        .filter(|sent| sent.stream == *stream && sent.cancels);
    let is_told = own.any(|sent| matches!(sent.told, Told::Done(_)));
    let mut runs = session.runs.values();
    if is_told && !runs.any(|run| matches!(run.end, Some(End::Cancelled { .. }))) {
        world.wrong(format!(
            "a run of {} was cancelled and none is",
            stream.session
        ));
    }
}

fn ended(plan: &Plan, stream: &StreamId, run: &Run, sum: Option<String>, world: &World) {
    let Some(errand) = plan
        .errands
        .iter()
        .find(|errand| stream.session.as_str() == errand.session)
    else {
        return;
    };
    let choices: BTreeMap<String, String> = run
        .gates
        .values()
        .filter_map(|gate| Some((gate.opened.name.clone(), chosen(gate.answer.as_ref()?)?)))
        .collect();
    match &run.end {
        None => {
            let open: Vec<String> = run
                .open_steps()
                .map(|(stage, item, _)| format!("{stage}:{item}"))
                .collect();
            world.wrong(format!(
                "the run of {} does not end; open are {open:?}",
                stream.session
            ));
        }
        Some(End::Completed { .. }) => {
            // Runs begin in the order of their messages.
            let second = errand.second.as_ref().filter(|_| run.id.0 > 1);
            let wanted = second.unwrap_or(&errand.program).result(&choices);
            if sum.as_deref() != Some(&wanted) {
                let (session, run) = (&stream.session, run.id);
                world.wrong(format!(
                    "{run} of {session} came to {sum:?} and not to {wanted}"
                ));
            }
        }
        Some(End::Cancelled { .. }) if errand.cancel_ms.is_some() => {}
        Some(end) => world.wrong(format!("{} ended with {end:?}", stream.session)),
    }
}

fn chosen(answer: &GateAnswer) -> Option<String> {
    let choice = answer.given()?["choice"].as_str()?;
    Some(choice.to_owned())
}

/// No attempt is used up by a fault of the log: the only attempts that fail in a program are those whose output is rejected.
fn attempts(stream: &StreamId, events: &[(Arc<StreamId>, Arc<Recorded>)], world: &World) {
    for (_, recorded) in events.iter().filter(|(of, _)| **of == *stream) {
        if let Event::Step(StepEvent::StepFailed(failed)) = &recorded.event
            && failed.code != domain::event::OUTPUT_REJECTED
        {
            world.wrong(format!(
                "attempt {} of {} in {} was used up by `{}`: {}",
                failed.attempt, failed.step, stream.session, failed.code, failed.message
            ));
        }
    }
}

/// What was acknowledged is in the log with its version, and what was refused is not.
async fn acknowledged(log: &Arc<dyn Log>, sent: &Sent, world: &World) {
    let command = CommandId::of(&sent.stream, &format!("client:{}", sent.client_id));
    let found = log.find_command(&sent.stream, &command, None).await;
    let found = found.ok().flatten().map(|committed| committed.version);
    let holds = match sent.told {
        Told::Done(version) => found == Some(version),
        Told::Refused | Told::Nothing => found.is_none(),
        Told::Unknown => true,
    };
    if !holds {
        world.wrong(format!(
            "of `{}` to {} a client was told {:?}, and in the log it has version {found:?}",
            sent.client_id, sent.stream.session, sent.told
        ));
    }
}

/// An answer to a gate that was acknowledged is the answer that the gate has.
async fn answered(clients: &Clients, sent: &Sent, world: &World) {
    let (Some((gate, choice)), Told::Done(_)) = (&sent.answer, &sent.told) else {
        return;
    };
    let session: Session = clients.session(&sent.stream).await;
    let known = session.gate(gate).and_then(|(_, gate)| gate.answer.clone());
    let known = known.as_ref().and_then(chosen);
    if known.as_ref() != Some(choice) {
        world.wrong(format!(
            "`{choice}` was taken at gate {gate}, which has {known:?}"
        ));
    }
}

fn gates(events: &[(Arc<StreamId>, Arc<Recorded>)], world: &World) {
    let mut answered = BTreeMap::new();
    for (_, recorded) in events {
        if let Event::Gate(GateEvent::AnswerGiven(given)) = &recorded.event {
            let times = answered.entry(given.gate.clone()).or_insert(0);
            *times += 1;
            if *times == 2 {
                world.wrong(format!("gate {} was answered twice", given.gate));
            }
        }
    }
}

/// The provider and the log agree on what was paid.
fn payments(
    events: &[(Arc<StreamId>, Arc<Recorded>)],
    calls: &[Call],
    counts: &mut Counts,
    world: &World,
) {
    let mut in_log: BTreeMap<String, usize> = BTreeMap::new();
    for (stream, recorded) in events {
        if let Event::Step(StepEvent::ModelCalled(called)) = &recorded.event
            && called.error.is_none()
        {
            let (session, step) = (stream.session.as_str(), &called.step);
            let key = key(&stream.owner, session, step, called.attempt, called.turn);
            *in_log.entry(key).or_default() += 1;
        }
    }
    let mut by_key: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        by_key.entry(&call.key).or_default().push(call);
    }
    for (turn, of_turn) in &by_key {
        let paid = of_turn.iter().filter(|call| call.paid.is_some()).count();
        // An answer that was paid for but never received had not reached its process when that process died.
        let received = of_turn
            .iter()
            .filter(|call| call.received.is_some())
            .count();
        let recorded = in_log.get(*turn).copied().unwrap_or_default();
        counts.paid += paid;
        counts.paid_again += paid.saturating_sub(1);
        counts.late += recorded.saturating_sub(1);
        // A second answer need not be in the log if its process dies before the answer is recorded as a late one.
        let died = of_turn.iter().filter(|call| {
            let received = call.received.unwrap_or(i64::MAX);
            world.died(
                call.process,
                received,
                received.saturating_add(UNRECORDED_MAX),
            )
        });
        let needed = received.saturating_sub(died.count()).max(received.min(1));
        if recorded < needed || recorded > paid {
            let told = of_turn.iter().map(|call| {
                let received = call.received.map_or("never".to_owned(), seconds);
                format!(
                    "p{} at {} (received {received})",
                    call.process,
                    seconds(call.begun)
                )
            });
            let told: Vec<String> = told.collect();
            world.wrong(format!(
                "turn {turn:.8} was paid {paid} times and is in the log {recorded} times: {}",
                told.join(", ")
            ));
        }
    }
    for (turn, times) in &in_log {
        if !by_key.contains_key(turn.as_str()) {
            world.wrong(format!(
                "turn {turn:.8} is in the log {times} times and was never asked"
            ));
        }
    }
}
