//! The beginning of a process: what is open in the log is taken up.

use std::sync::{Arc, Weak};
use std::time::Duration;

use store::Whose;
use tokio::sync::Notify;

use super::gates::OpenGates;
use super::process::WeakEngine;
use super::{Engine, Inner, timers};
use crate::error::EngineError;
use crate::parts::Parts;
use crate::steps::Workshop;
use crate::streams::{Mailboxes, Streams};

/// How often a process tries at its start to take up open work. A database that has just started may cut a connection or two; a database
/// that is not there is reported to whoever starts the process, who may know why.
const RECOVERIES: u32 = 5;

/// The first pause between two such tries. Each further pause is longer by the same amount; together they take two seconds.
const RECOVERY_PAUSE: Duration = Duration::from_millis(200);

impl Engine {
    /// Takes up what the log says is open, and serves commands.
    pub async fn start(parts: Parts) -> Result<Self, EngineError> {
        for (kind, curator) in &parts.curators {
            if parts.pipelines.find(&curator.pipeline).is_none() {
                let pipeline = curator.pipeline.clone();
                return Err(EngineError::Curator { kind, pipeline });
            }
        }
        let engine = Self(Arc::new_cyclic(|inner| {
            let sessions = Arc::new(WeakEngine(Weak::clone(inner)));
            let workshop = Workshop::new(parts, sessions);
            Inner {
                sessions: Streams {
                    log: Arc::clone(&workshop.parts.log),
                    clock: workshop.parts.clock.clone(),
                    pipelines: workshop.parts.pipelines.clone(),
                    shared: workshop.parts.shared,
                    stop: workshop.stop.clone(),
                    mailboxes: Mailboxes::default(),
                },
                node: workshop.parts.node.clone(),
                workshop: Arc::new(workshop),
                orphans: Notify::new(),
                left_behind: Notify::new(),
                gates: OpenGates::default(),
            }
        }));
        let mut tries = 1;
        while let Err(error) = engine.recover().await {
            if tries == RECOVERIES {
                return Err(EngineError::Recovery(error));
            }
            tracing::warn!(error, tries, "open work cannot be taken up yet");
            tokio::time::sleep(RECOVERY_PAUSE * tries).await;
            tries += 1;
        }
        // A try whose answer was lost may have taken steps over.
        engine.0.orphans.notify_one();
        timers::start(&engine);
        Ok(engine)
    }

    /// Takes up steps that belonged to other processes. If the log is ours alone these are all steps; otherwise they are the steps that no
    /// process has, including those of processes that are known to be gone. Steps whose leases have ended are left for later: a process
    /// that has just started cannot tell whether their holders are gone or the database was stopped for a while.
    async fn recover(&self) -> Result<(), String> {
        let Parts {
            log,
            clock,
            limits,
            shared,
            gone,
            ..
        } = &self.0.workshop.parts;
        let said = |error: &dyn std::error::Error| error.to_string();
        let now = log.now().await.map_err(|error| said(&error))?;
        if *shared {
            clock.follow(now);
        } else {
            clock.not_before(now);
        }
        let renewed = log.renew(&self.0.node, limits.lease).await;
        renewed.map_err(|error| said(&error))?;
        for node in gone {
            let handed = log.hand_back(node).await;
            handed.map_err(|error| said(&error))?;
        }
        let whose = if *shared {
            Whose::Nobody
        } else {
            Whose::Everybody
        };
        self.take_over(whose).await.map_err(|error| said(&error))
    }
}
