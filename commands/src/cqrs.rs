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
pub struct AggregateEvent(pub Event);

impl From<Event> for AggregateEvent {
    fn from(event: Event) -> Self {
        Self(event)
    }
}

impl From<AggregateEvent> for Event {
    fn from(event: AggregateEvent) -> Self {
        event.0
    }
}

impl DomainEvent for AggregateEvent {
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
    type Event = AggregateEvent;
    type Error = Refusal;
    type Services = ();

    async fn handle(
        &mut self,
        command: SessionCommand,
        (): &(),
        sink: &EventSink<Self>,
    ) -> Result<(), Refusal> {
        // `decide` folds each event as it is recorded, so it gets a copy; the sink folds the events into the state itself.
        let events = decide(&mut self.0.clone(), command.command, &command.context)?;
        for event in events {
            sink.write(AggregateEvent(event), self).await;
        }
        Ok(())
    }

    fn apply(&mut self, event: AggregateEvent) {
        self.0.evolve(&event.0);
    }
}

#[cfg(test)]
mod tests {
    use cqrs_es::test::TestFramework;
    use domain::event::{Intent, SessionOpened};
    use domain::ids::RunId;

    use super::*;
    use crate::tests::SessionFixture;
    use crate::{Cancel, OpenSession};

    fn open(desk: &mut SessionFixture) -> SessionCommand {
        let command = OpenSession {
            pipeline: "letter".into(),
        };
        SessionCommand {
            command: Command::OpenSession(command),
            context: desk.context(),
        }
    }

    fn opened() -> AggregateEvent {
        let opened = SessionOpened {
            pipeline: "letter".into(),
            title: String::new(),
        };
        AggregateEvent(opened.into())
    }

    #[test]
    fn given_nothing_when_a_session_is_opened_then_it_is_open() {
        TestFramework::<SessionAggregate>::with(())
            .given_no_previous_events()
            .when(open(&mut SessionFixture::new()))
            .then_expect_events(vec![opened()]);
    }

    #[test]
    fn given_an_open_session_when_it_is_opened_then_that_is_refused() {
        TestFramework::<SessionAggregate>::with(())
            .given(vec![opened()])
            .when(open(&mut SessionFixture::new()))
            .then_expect_error(Refusal::SessionOpen);
    }

    #[test]
    fn given_a_run_at_work_when_it_is_cancelled_then_everything_open_is_closed() {
        let mut desk = SessionFixture::new();
        desk.say("a letter").unwrap();
        desk.understood(RunId(1), Intent::Initial, None);
        let before = desk.log.iter().cloned().map(AggregateEvent).collect();
        let command = Command::Cancel(Cancel {
            run: None,
            reason: "no longer wanted".to_owned(),
        });
        let context = desk.context();
        let expected = decide(&mut desk.session, command.clone(), &context).unwrap();
        assert!(expected.len() > 1, "{expected:?}");
        TestFramework::<SessionAggregate>::with(())
            .given(before)
            .when(SessionCommand { command, context })
            .then_expect_events(expected.into_iter().map(AggregateEvent).collect());
    }
}
