//! What the engine does by itself: deadlines, leases, and the steps of processes that are gone.

use std::future::Future;
use std::time::Duration;

use commands::{Command, MeetDeadline};
use domain::Actor;
use domain::event::{Event, GateEvent, SessionEvent, StepEvent};
use foldhash::HashSet;
use store::{Deadline, StreamId, TailItem, Whose};
use tokio::time::Instant;

use super::Engine;
use crate::error::SendError;
use store::panics;

/// How often the log is asked for deadlines that have passed: gates are open for minutes to days.
const DEADLINES_EVERY: Duration = Duration::from_secs(1);

/// Deadlines met in one go.
const DEADLINES_AT_ONCE: usize = 100;

/// How often a process looks for open steps of its own that nobody works on. They are rare: the acknowledgement of a commit was lost,
/// or the outcome of a step could not be stored.
const ORPHANS_EVERY: Duration = Duration::from_secs(5);

/// The least time between two such looks, however often something may have been lost.
const ORPHANS_PAUSE: Duration = Duration::from_millis(100);

/// Renewals in the time that a lease lasts: two may be lost.
const RENEWALS: u32 = 3;

/// How often steps that no process has are looked for. Steps that a process hands over when it stops are begun again within this time.
const FREE_STEPS_EVERY: Duration = Duration::from_millis(250);

/// A number above that of every turn. It stands for all turns of a step that is done.
const LAST_TURN: u32 = u32::MAX - 1;

/// How long spooled answers are kept that nobody came back for: their runs ended in another way, or their log is gone.
const SPOOL_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

pub(crate) fn start(engine: &Engine) {
    keep_alive(engine, "deadlines", deadlines);
    keep_alive(engine, "orphans", orphans);
    if engine.0.workshop.parts.shared {
        keep_alive(engine, "leases", leases);
        keep_alive(engine, "follow_others", follow_others);
    }
    if let Some(spool) = engine.0.workshop.spool() {
        if let Err(error) = spool.sweep(SPOOL_KEPT) {
            tracing::warn!(%error, "old spooled answers could not be removed");
        }
        keep_alive(engine, "spooled", spooled);
    }
}

/// Lets a task live as long as the engine, whatever goes wrong in it.
fn keep_alive<F: Future<Output = ()> + Send + 'static>(
    engine: &Engine,
    name: &'static str,
    task: fn(Engine) -> F,
) {
    let (engine, workshop) = (engine.clone(), &engine.0.workshop);
    let stop = workshop.stop.clone();
    let kept = panics::supervised(name, stop, move || task(engine.clone()));
    workshop.tasks.spawn(kept);
}

async fn deadlines(engine: Engine) {
    while rest(&engine, DEADLINES_EVERY).await {
        let (now, gates) = (engine.clock().now(), &engine.0.gates);
        // Gates whose time is not over take nobody's place.
        let most = DEADLINES_AT_ONCE + gates.forget_past();
        let due = match engine.log().due_deadlines(now, most).await {
            Ok(due) => due,
            Err(error) => {
                tracing::error!(%error, "deadlines could not be read");
                continue;
            }
        };
        let is_past = |due: &Deadline| !gates.has(&due.stream, &due.gate);
        for deadline in due.into_iter().filter(is_past) {
            let id = format!("deadline:{}", deadline.gate);
            let command = Command::MeetDeadline(MeetDeadline {
                gate: deadline.gate,
            });
            match engine
                .send_own(&deadline.stream, &id, command, Actor::deadline(), vec![])
                .await
            {
                // Another process may have met the deadline first.
                Ok(_) | Err(SendError::Refused(_)) => {}
                Err(error) => {
                    tracing::error!(%error, session.id = %deadline.stream.session, "a deadline could not be met")
                }
            }
        }
    }
}

/// Begins the open steps of this process that nobody works on: regularly, and whenever something may have been lost.
async fn orphans(engine: Engine) {
    while rest_or(&engine, ORPHANS_EVERY, engine.0.orphans.notified()).await {
        if let Err(error) = engine.look_for_orphans().await {
            tracing::error!(%error, "open steps of this process could not be looked for");
        }
        if !rest(&engine, ORPHANS_PAUSE).await {
            return;
        }
    }
}

/// Records answers that are left in the spool of steps that are over: at the start, regularly, and whenever a step is cancelled that was
/// not carried out here.
async fn spooled(engine: Engine) {
    let Some(spool) = engine.0.workshop.spool() else {
        return;
    };
    let mut done = HashSet::default();
    loop {
        engine.settle_spooled(spool, &mut done).await;
        let told = engine.0.left_behind.notified();
        if !rest_or(&engine, super::spooled::EVERY, told).await {
            return;
        }
    }
}

/// Renews the lease of this process, and takes over the steps that other processes leave.
async fn leases(engine: Engine) {
    let lease = engine.0.workshop.parts.limits.lease;
    let every = lease / RENEWALS;
    let mut next = Instant::now() + every;
    let mut renewed = None;
    while rest(&engine, FREE_STEPS_EVERY.min(every)).await {
        if engine.0.workshop.hand_over.is_cancelled() {
            return;
        }
        let whose = if Instant::now() < next {
            Some(Whose::Nobody)
        } else {
            next = Instant::now() + every;
            renew(&engine, lease, &mut renewed).await
        };
        if let Some(whose) = whose.filter(|_| !engine.is_draining())
            && let Err(error) = take_over(&engine, whose).await
        {
            tracing::error!(%error, "steps of other processes could not be taken over");
        }
    }
}

/// Renews the lease, and returns whose steps may be taken over. While a database is stopped, healthy processes cannot renew their leases,
/// and these end. So a process that notices that its own renewal is late first leaves the others time for a renewal of theirs.
async fn renew(engine: &Engine, lease: Duration, renewed: &mut Option<Instant>) -> Option<Whose> {
    match engine.log().renew(&engine.0.node, lease).await {
        Ok(renewal) => {
            engine.clock().follow(renewal.now);
            let every = lease / RENEWALS;
            let last = renewed.replace(Instant::now());
            let is_calm = last.is_some_and(|last| last.elapsed() <= every * 2);
            if renewal.had_ended {
                tracing::warn!("the lease of this process had ended; it is renewed");
            }
            engine.0.orphans.notify_one();
            Some(if is_calm && !renewal.had_ended {
                Whose::LeaseEnded {
                    own_left: lease - every,
                }
            } else {
                Whose::Nobody
            })
        }
        Err(error) => {
            tracing::error!(%error, "the lease could not be renewed; other processes may take over");
            None
        }
    }
}

async fn take_over(engine: &Engine, whose: Whose) -> Result<(), SendError> {
    let may_find = match whose {
        Whose::Nobody => engine.log().has_free_steps().await?,
        Whose::LeaseEnded { .. } | Whose::Everybody => true,
    };
    if may_find {
        engine.take_over(whose).await?;
    }
    Ok(())
}

/// Ends work here that other processes have ended.
async fn follow_others(engine: Engine) {
    let head = *engine.log().head().borrow();
    let mut tail = engine.log().tail(head);
    loop {
        let item = tokio::select! {
            () = engine.0.workshop.stop.cancelled() => return,
            item = tail.next() => item,
        };
        match item {
            Ok(TailItem::Event(told)) => {
                follow_event(&engine, &told.stream, &told.recorded.event);
            }
            Ok(TailItem::CaughtUp(_)) => {}
            Err(error) => {
                tracing::error!(%error, "the log cannot be followed");
                if !rest(&engine, DEADLINES_EVERY).await {
                    return;
                }
            }
        }
    }
}

/// Reacts to an event of another process that concerns work of this one. Events of this process come by as well, after they were handled.
fn follow_event(engine: &Engine, stream: &StreamId, event: &Event) {
    let registry = &engine.0.workshop.registry;
    match event {
        Event::Step(StepEvent::StepCancelled(e)) => {
            registry.cancel(stream, &e.step, e.attempt);
        }
        // The turn that is being asked here has an answer: another process was faster.
        Event::Step(StepEvent::ModelCalled(e)) if e.error.is_none() => {
            registry.answered(stream, &e.step, e.attempt, e.turn);
        }
        Event::Step(StepEvent::ToolReturned(e)) => {
            registry.answered(stream, &e.step, e.attempt, e.turn);
        }
        Event::Step(StepEvent::StepSucceeded(e)) => {
            registry.answered(stream, &e.step, e.attempt, LAST_TURN);
        }
        Event::Step(StepEvent::StepFailed(e)) => {
            registry.answered(stream, &e.step, e.attempt, LAST_TURN);
        }
        Event::Session(SessionEvent::SessionErased(_)) => {
            registry.cancel_all(stream);
            engine.0.workshop.deltas.forget_all(stream);
        }
        Event::Gate(GateEvent::GateOpened(e)) => engine.0.gates.open(stream, e),
        Event::Step(_)
        | Event::Session(_)
        | Event::Run(_)
        | Event::Gate(_)
        | Event::Collection(_)
        | Event::Project(_) => {}
    }
}

/// Waits; false when the engine stops meanwhile.
async fn rest(engine: &Engine, pause: Duration) -> bool {
    rest_or(engine, pause, std::future::pending()).await
}

/// The same, or until something happens.
async fn rest_or(engine: &Engine, pause: Duration, happens: impl Future<Output = ()>) -> bool {
    tokio::select! {
        () = engine.0.workshop.stop.cancelled() => false,
        () = tokio::time::sleep(pause) => true,
        () = happens => true,
    }
}
