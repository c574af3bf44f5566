//! The beginning of a process: what is open in the log is taken up.

use std::sync::{Arc, Weak};

use chrono::TimeDelta;
use store::NodeId;

use super::process::WeakEngine;
use super::{Engine, Inner, timers};
use crate::clock::fresh_id;
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
                workshop: Arc::new(workshop),
                node: NodeId::new(fresh_id()),
            }
        }));
        engine.recover().await.map_err(EngineError::Recovery)?;
        timers::start(&engine);
        Ok(engine)
    }

    /// The steps of whoever had them before are ours: of anybody when the log is ours alone, else of those whose lease has
    /// ended.
    async fn recover(&self) -> Result<(), String> {
        let Parts {
            log,
            clock,
            limits,
            shared,
            ..
        } = &self.0.workshop.parts;
        let now = clock.now();
        let lease = TimeDelta::from_std(limits.lease).unwrap_or(TimeDelta::MAX);
        log.heartbeat(&self.0.node, now + lease)
            .await
            .map_err(|error| error.to_string())?;
        let leases_end = if *shared {
            now
        } else {
            now + TimeDelta::days(36_500)
        };
        self.take_over(leases_end)
            .await
            .map_err(|error| error.to_string())
    }
}
