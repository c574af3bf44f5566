//! A decision in the making: each event that it records is folded into the state at once, so that what follows from one
//! event is asked in the same breath and appended with it.

mod advance;
mod close;

pub use advance::{BUDGET_GATE, MAX_ROUNDS, SUPERSEDED, Told, awaits_budget, budget_choice};
pub use close::invalidated;

use aws_lc_rs::digest;
use chrono::{DateTime, Utc};

use crate::RunId;
use crate::event::Event;
use crate::ids::{ArtifactId, GateId, MessageId};
use crate::pipeline::Pipelines;
use crate::session::{Run, Session};

/// What comes in with a command: the time, and where fresh ids are made from.
#[derive(Clone, Debug)]
pub struct Context {
    pub now: DateTime<Utc>,
    /// The stored id of the command; ids made from it are the same when the command is decided again.
    pub command: [u8; 16],
    pub pipelines: Pipelines,
}

/// The state of a session together with what is being decided about it.
#[derive(Debug)]
pub struct Decision<'a> {
    pub session: &'a mut Session,
    context: &'a Context,
    events: Vec<Event>,
    fresh: u32,
}

impl<'a> Decision<'a> {
    pub fn new(session: &'a mut Session, context: &'a Context) -> Self {
        Self {
            session,
            context,
            events: vec![],
            fresh: 0,
        }
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.context.now
    }

    pub fn pipelines(&self) -> &'a Pipelines {
        &self.context.pipelines
    }

    /// Says that this happened.
    pub fn record(&mut self, event: impl Into<Event>) {
        let event = event.into();
        self.session.evolve(&event);
        self.events.push(event);
    }

    pub fn into_events(self) -> Vec<Event> {
        self.events
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    pub(crate) fn run(&self, run: RunId) -> Option<&Run> {
        self.session.run(run)
    }

    /// A text that no other id has: 24 hexadecimal digits after the prefix.
    pub fn fresh(&mut self, prefix: &str) -> String {
        let mut input = [0; 20];
        input[..16].copy_from_slice(&self.context.command);
        input[16..].copy_from_slice(&self.fresh.to_le_bytes());
        self.fresh += 1;
        let hash = digest::digest(&digest::SHA256, &input);
        format!("{prefix}{}", hex::encode(&hash.as_ref()[..12]))
    }

    pub fn fresh_artifact(&mut self, prefix: &str) -> ArtifactId {
        ArtifactId::new(self.fresh(prefix))
    }

    pub fn fresh_gate(&mut self) -> GateId {
        GateId::new(self.fresh("gate_"))
    }

    pub fn fresh_message(&mut self) -> MessageId {
        MessageId::new(self.fresh("msg_"))
    }
}
