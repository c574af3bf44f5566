//! A decision while it is made: each event that it records is folded into the state at once, so that what follows from the event is decided
//! immediately and appended together with it.

mod advance;
mod close;

pub use advance::{MAX_ROUNDS, StageFeedback, awaits_budget, budget_choice};
pub use close::invalidated;

use aws_lc_rs::digest;
use chrono::{DateTime, Utc};
use data_encoding::HEXLOWER;

use crate::event::Event;
use crate::ids::{ArtifactId, GateId, MessageId, RunId};
use crate::pipeline::Pipelines;
use crate::session::{Run, Session};

/// What comes in with a command: the time, and where fresh ids are made from.
#[derive(Clone, Debug)]
pub struct Context {
    pub now: DateTime<Utc>,
    /// The stored id of the command, which no other one has.
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

    /// Records that this happened, and folds it into the state.
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

    /// A text that no other id has: 24 hexadecimal digits after the prefix. The first eight count milliseconds, so that ids made at about
    /// the same time are neighbours in a database index and are written to few of its pages.
    pub fn fresh(&mut self, prefix: &str) -> String {
        let mut input = [0; 20];
        input[..16].copy_from_slice(&self.context.command);
        input[16..].copy_from_slice(&self.fresh.to_le_bytes());
        self.fresh += 1;
        let hash = digest::digest(&digest::SHA256, &input);
        let mut id = [0; 12];
        // The lower half of the milliseconds is enough: it starts again from 0 every fifty days, but it only has to put ids of about the
        // same time next to each other.
        id[..4].copy_from_slice(&self.context.now.timestamp_millis().to_be_bytes()[4..]);
        id[4..].copy_from_slice(&hash.as_ref()[..8]);
        format!("{prefix}{}", HEXLOWER.encode(&id))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(millis: i64, command: u8) -> Vec<String> {
        let context = Context {
            now: DateTime::from_timestamp_millis(millis).expect("a time"),
            command: [command; 16],
            pipelines: Pipelines::new(vec![]),
        };
        let mut session = Session::default();
        let mut decision = Decision::new(&mut session, &context);
        (0..3).map(|_| decision.fresh("art_")).collect()
    }

    #[test]
    fn ids_are_unique_and_those_of_one_moment_are_neighbours() {
        let made: Vec<String> = [
            (1_700_000_000_000, 1),
            (1_700_000_000_000, 2),
            (1_700_000_000_001, 1),
        ]
        .into_iter()
        .flat_map(|(millis, command)| fresh(millis, command))
        .collect();
        let different: std::collections::BTreeSet<_> = made.iter().collect();
        assert_eq!(different.len(), made.len());
        let time = |id: &String| id["art_".len()..][..8].to_owned();
        let times: Vec<_> = made.iter().map(time).collect();
        assert_eq!(&times[..6], ["cfe56800"; 6]);
        assert_eq!(&times[6..], ["cfe56801"; 3]);
        assert!(made.iter().all(|id| id.len() == "art_".len() + 24));
    }
}
