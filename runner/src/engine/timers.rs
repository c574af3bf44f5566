//! What the engine does by itself: deadlines, leases, and the steps of processes that are gone.

use std::future::Future;
use std::time::Duration;

use chrono::TimeDelta;
use commands::{Command, MeetDeadline};
use domain::Actor;
use domain::event::{Event, SessionEvent, StepEvent};
use store::TailItem;

use super::Engine;
use crate::error::SendError;
use store::panics;

/// How often the log is asked for deadlines that have passed: gates are open for minutes to days.
const DEADLINES_EVERY: Duration = Duration::from_secs(1);

/// Deadlines met in one go.
const DEADLINES_AT_ONCE: usize = 100;

/// Spooled answers that nobody came back for: their runs ended otherwise, or their log is gone.
const SPOOL_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

pub(crate) fn start(engine: &Engine) {
    keep_alive(engine, "deadlines", deadlines);
    if engine.0.workshop.parts.shared {
        keep_alive(engine, "leases", leases);
        keep_alive(engine, "follow_others", follow_others);
    }
    if let Some(spool) = &engine.0.workshop.parts.spool
        && let Err(error) = spool.sweep(SPOOL_KEPT)
    {
        tracing::warn!(%error, "old spooled answers could not be removed");
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
        let now = engine.clock().now();
        let due = match engine.log().due_deadlines(now, DEADLINES_AT_ONCE).await {
            Ok(due) => due,
            Err(error) => {
                tracing::error!(%error, "deadlines could not be read");
                continue;
            }
        };
        for deadline in due {
            let id = format!("deadline:{}", deadline.gate);
            let command = Command::MeetDeadline(MeetDeadline {
                gate: deadline.gate,
            });
            match engine
                .send_own(&deadline.stream, &id, command, Actor::deadline(), vec![])
                .await
            {
                // Somebody else met it first.
                Ok(_) | Err(SendError::Refused(_)) => {}
                Err(error) => {
                    tracing::error!(%error, session.id = %deadline.stream.session, "a deadline could not be met")
                }
            }
        }
    }
}

/// Says that this process is alive, and takes over from those that do not.
async fn leases(engine: Engine) {
    let lease = engine.0.workshop.parts.limits.lease;
    while rest(&engine, lease / 3).await {
        let now = engine.clock().now();
        let until = now + TimeDelta::from_std(lease).unwrap_or(TimeDelta::MAX);
        if let Err(error) = engine.log().heartbeat(&engine.0.node, until).await {
            tracing::error!(%error, "the lease could not be renewed; other processes may take over");
        }
        if let Err(error) = engine.take_over(now).await {
            tracing::error!(%error, "steps of other processes could not be taken over");
        }
    }
}

/// What other processes end ends here too.
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
                if let Event::Step(StepEvent::StepCancelled(e)) = &told.recorded.event {
                    let registry = &engine.0.workshop.registry;
                    registry.cancel(&told.stream, &e.step, e.attempt);
                } else if let Event::Session(SessionEvent::SessionErased(_)) = &told.recorded.event
                {
                    engine.0.workshop.registry.cancel_all(&told.stream);
                    engine.0.workshop.deltas.forget_all(&told.stream);
                }
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

/// Waits; false when the engine stops meanwhile.
async fn rest(engine: &Engine, pause: Duration) -> bool {
    tokio::select! {
        () = engine.0.workshop.stop.cancelled() => false,
        () = tokio::time::sleep(pause) => true,
    }
}
