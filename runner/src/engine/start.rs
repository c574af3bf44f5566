//! The beginning of a process: what is open in the log is taken up.

use std::sync::{Arc, Weak};

use store::Whose;
use tokio::sync::Notify;

use super::process::WeakEngine;
use super::{Engine, Inner, timers};
use crate::error::EngineError;
use crate::parts::Parts;
use crate::steps::Workshop;
use crate::streams::{Mailboxes, Streams};

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
            }
        }));
        engine.recover().await.map_err(EngineError::Recovery)?;
        timers::start(&engine);
        Ok(engine)
    }

    /// What was somebody's before is taken up: everything when the log is ours alone, else what nobody has, which includes the
    /// steps of processes that are known to be gone. Leases that have ended are left for later: whoever has just come
    /// cannot tell whether their holders are gone or the database stood still.
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
