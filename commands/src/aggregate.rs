//! The session as an aggregate of cqrs-es. Deciding happens in `decide`; this is how the framework and its given/when/then
//! tests reach it. There are no services: an effect inside a decision would be repeated after a conflict.

use cqrs_es::event_sink::EventSink;
use cqrs_es::{Aggregate, DomainEvent};
use domain::decision::Context;
use domain::{Event, Session};
use serde::{Deserialize, Serialize};

use crate::{Command, Refusal, decide};

/// The state of a session, as the framework wants it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionAggregate(pub Session);

/// An event of a session, as the framework wants it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionEvent(pub Event);

impl From<Event> for SessionEvent {
    fn from(event: Event) -> Self {
        Self(event)
    }
}

impl From<SessionEvent> for Event {
    fn from(event: SessionEvent) -> Self {
        event.0
    }
}

impl DomainEvent for SessionEvent {
    fn event_type(&self) -> String {
        self.0.name().to_owned()
    }
    fn event_version(&self) -> String {
        self.0.schema().to_string()
    }
}

/// A command with the time and ids that come in with it.
#[derive(Clone, Debug)]
pub struct SessionCommand {
    pub command: Command,
    pub context: Context,
}

impl Aggregate for SessionAggregate {
    const TYPE: &'static str = "session";
    type Command = SessionCommand;
    type Event = SessionEvent;
    type Error = Refusal;
    type Services = ();

    async fn handle(
        &mut self,
        command: SessionCommand,
        (): &(),
        sink: &EventSink<Self>,
    ) -> Result<(), Refusal> {
        // Deciding folds each event as it is recorded, on a copy; the sink folds them into the state itself.
        let events = decide(&mut self.0.clone(), command.command, &command.context)?;
        for event in events {
            sink.write(SessionEvent(event), self).await;
        }
        Ok(())
    }

    fn apply(&mut self, event: SessionEvent) {
        self.0.evolve(&event.0);
    }
}
