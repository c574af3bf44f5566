//! The beginning of a process: what is open in the log is taken up.

use std::sync::Arc;

use chrono::TimeDelta;
use store::NodeId;

use super::mailbox::Mailboxes;
use super::{Engine, Inner, timers};
use crate::clock::fresh_id;
use crate::error::EngineError;
use crate::parts::Parts;
use crate::steps::Workshop;

impl Engine {
    /// Takes up what the log says is open, and serves commands.
    pub async fn start(parts: Parts) -> Result<Self, EngineError> {
        let engine = Self(Arc::new(Inner {
            workshop: Arc::new(Workshop::new(parts)),
            node: NodeId::new(fresh_id()),
            mailboxes: Mailboxes::default(),
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
