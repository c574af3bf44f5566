//! The event store of `cqrs-es` on our log, for any aggregate whose events are our events in a wrapper.
//!
//! Some of the stores of `cqrs-es` apply the events of a commit a second time. Here the aggregate in the context already holds the new
//! state after `handle`; nothing is applied on commit.

use std::collections::HashMap;
use std::sync::Arc;

use cqrs_es::{Aggregate, AggregateContext, AggregateError, EventEnvelope, EventStore};
use domain::hash::Sha256;
use domain::{Actor, Event, Recorded, SessionId};

use crate::error::{AppendError, ReadError};
use crate::ids::{CommandId, StreamId};
use crate::log::Log;
use crate::records::Append;

/// Metadata: the id that the sender gave the command; a repetition under it changes nothing. Without it, the same events at the
/// same version count as a repetition.
pub const COMMAND: &str = "command";
/// Metadata: who asked, as `Actor` writes it. Without it, the system.
pub const ACTOR: &str = "actor";
/// Metadata: what it belongs to.
pub const CORRELATION: &str = "correlation";
/// Metadata: what it follows from.
pub const CAUSATION: &str = "causation";

/// Events read at a time.
const PAGE: usize = 1000;

/// The sessions of one owner as aggregates; an aggregate's id is its session's.
#[derive(Clone)]
pub struct SessionStore {
    log: Arc<dyn Log>,
    owner: String,
}

impl SessionStore {
    pub fn new(log: Arc<dyn Log>, owner: impl Into<String>) -> Self {
        Self {
            log,
            owner: owner.into(),
        }
    }

    fn stream(&self, aggregate_id: &str) -> StreamId {
        StreamId::new(self.owner.clone(), SessionId::new(aggregate_id))
    }

    /// Every event of a session; none if there is no such session.
    async fn events(&self, stream: &StreamId) -> Result<Vec<Arc<Recorded>>, ReadError> {
        let mut events: Vec<Arc<Recorded>> = vec![];
        loop {
            let after = events.last().map_or(0, |recorded| recorded.version);
            match self.log.read(stream, after, PAGE).await {
                Ok(page) if page.is_empty() => return Ok(events),
                Ok(page) => events.extend(page),
                Err(ReadError::NoStream { .. }) => return Ok(events),
                Err(error) => return Err(error),
            }
        }
    }
}

/// An aggregate as it is at a version of its session.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded<A> {
    pub stream: StreamId,
    /// Of the last event before the command.
    pub version: u64,
    /// As of that version; after `handle`, as of the new events.
    pub aggregate: A,
}

impl<A: Aggregate> AggregateContext<A> for Loaded<A> {
    fn aggregate(&mut self) -> &mut A {
        &mut self.aggregate
    }
}

impl<A> EventStore<A> for SessionStore
where
    A: Aggregate,
    A::Event: From<Event> + Into<Event>,
{
    type AC = Loaded<A>;

    async fn load_events(
        &self,
        aggregate_id: &str,
    ) -> Result<Vec<EventEnvelope<A>>, AggregateError<A::Error>> {
        let events = self
            .events(&self.stream(aggregate_id))
            .await
            .map_err(unreadable)?;
        Ok(events
            .iter()
            .map(|recorded| envelope(aggregate_id, recorded))
            .collect())
    }

    async fn load_aggregate(
        &self,
        aggregate_id: &str,
    ) -> Result<Loaded<A>, AggregateError<A::Error>> {
        let stream = self.stream(aggregate_id);
        let mut loaded = Loaded {
            version: 0,
            aggregate: A::default(),
            stream,
        };
        for recorded in self.events(&loaded.stream).await.map_err(unreadable)? {
            loaded.version = recorded.version;
            loaded.aggregate.apply(recorded.event.clone().into());
        }
        Ok(loaded)
    }

    async fn commit(
        &self,
        events: Vec<A::Event>,
        context: Loaded<A>,
        metadata: HashMap<String, String>,
    ) -> Result<Vec<EventEnvelope<A>>, AggregateError<A::Error>> {
        if events.is_empty() {
            return Ok(vec![]);
        }
        let events: Vec<Event> = events.into_iter().map(Into::into).collect();
        let command = command(
            &context.stream,
            context.version,
            metadata.get(COMMAND),
            &events,
        );
        let aggregate_id = context.stream.session.to_string();
        let mut append = Append::new(context.stream, context.version, command, events);
        if let Some(actor) = metadata.get(ACTOR) {
            append.actor = Actor::from_stored(actor);
        }
        append.correlation = metadata.get(CORRELATION).cloned();
        append.causation = metadata.get(CAUSATION).cloned();
        let committed = self.log.append(append).await.map_err(refused)?;
        let envelopes = committed
            .recorded
            .iter()
            .map(|recorded| envelope(&aggregate_id, recorded));
        Ok(envelopes
            .map(|envelope| EventEnvelope {
                metadata: metadata.clone(),
                ..envelope
            })
            .collect())
    }
}

fn command(stream: &StreamId, version: u64, given: Option<&String>, events: &[Event]) -> CommandId {
    if let Some(given) = given {
        return CommandId::of(stream, given);
    }
    let payloads: Vec<Vec<u8>> = events.iter().map(Event::encode).collect();
    let parts = events
        .iter()
        .map(|event| event.name().as_bytes())
        .zip(payloads.iter().map(Vec::as_slice));
    let content = Sha256::of_parts(parts.flat_map(|(name, payload)| [name, payload]));
    CommandId::of(stream, &format!("at {version}: {content}"))
}

fn envelope<A>(aggregate_id: &str, recorded: &Recorded) -> EventEnvelope<A>
where
    A: Aggregate,
    A::Event: From<Event>,
{
    EventEnvelope {
        aggregate_id: aggregate_id.to_owned(),
        sequence: recorded.version as usize,
        payload: recorded.event.clone().into(),
        metadata: HashMap::from([(ACTOR.to_owned(), recorded.actor.as_str().to_owned())]),
    }
}

fn refused<E: std::error::Error>(error: AppendError) -> AggregateError<E> {
    match error {
        AppendError::Conflict { .. } => AggregateError::AggregateConflict,
        AppendError::Storage(storage) => AggregateError::DatabaseConnectionError(Box::new(storage)),
        other @ (AppendError::Empty
        | AppendError::ClaimLost { .. }
        | AppendError::TooLarge { .. }
        | AppendError::BlobTooLarge { .. }
        | AppendError::Misplaced
        | AppendError::NoParent { .. }
        | AppendError::ForkOutside { .. }
        | AppendError::Erased { .. }
        | AppendError::LiveForks { .. }
        | AppendError::Busy
        | AppendError::ReadOnly
        | AppendError::Closed) => AggregateError::UnexpectedError(Box::new(other)),
    }
}

fn unreadable<E: std::error::Error>(error: ReadError) -> AggregateError<E> {
    match error {
        ReadError::Storage(storage) => AggregateError::DatabaseConnectionError(Box::new(storage)),
        undecodable @ ReadError::Undecodable { .. } => {
            AggregateError::DeserializationError(Box::new(undecodable))
        }
        other @ (ReadError::NoStream { .. }
        | ReadError::Erased { .. }
        | ReadError::Sealed { .. }
        | ReadError::BlobSealed { .. }
        | ReadError::Gap { .. }
        | ReadError::Closed) => AggregateError::UnexpectedError(Box::new(other)),
    }
}

#[cfg(test)]
mod tests {
    use cqrs_es::event_sink::EventSink;
    use cqrs_es::{CqrsFramework, DomainEvent};
    use domain::event::{SessionErased, SessionEvent, SessionOpened};
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::memory::MemoryLog;
    use crate::tests::rig::{clock, master, start_of_time};

    /// Counts how often its events were applied.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Counter {
        applied: u32,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(Event);

    impl From<Event> for Wrapped {
        fn from(event: Event) -> Self {
            Self(event)
        }
    }

    impl From<Wrapped> for Event {
        fn from(wrapped: Wrapped) -> Self {
            wrapped.0
        }
    }

    impl DomainEvent for Wrapped {
        fn event_type(&self) -> String {
            self.0.name().to_owned()
        }
        fn event_version(&self) -> String {
            self.0.schema().to_string()
        }
    }

    #[derive(Debug, PartialEq, thiserror::Error)]
    #[error("no")]
    struct No;

    impl Aggregate for Counter {
        const TYPE: &'static str = "counter";
        type Command = Event;
        type Event = Wrapped;
        type Error = No;
        type Services = ();

        async fn handle(
            &mut self,
            command: Event,
            (): &(),
            sink: &EventSink<Self>,
        ) -> Result<(), No> {
            if let Event::Session(SessionEvent::SessionErased(_)) = command {
                return Err(No);
            }
            sink.write(Wrapped(command), self).await;
            Ok(())
        }

        fn apply(&mut self, _: Wrapped) {
            self.applied += 1;
        }
    }

    fn opened(title: &str) -> Event {
        SessionOpened {
            pipeline: "flow".into(),
            title: title.to_owned(),
        }
        .into()
    }

    async fn store() -> SessionStore {
        SessionStore::new(
            Arc::new(MemoryLog::open(master(), clock(&start_of_time())).await),
            "ann",
        )
    }

    #[tokio::test]
    async fn an_event_is_applied_once_by_its_command_and_once_by_each_load() {
        let store = store().await;
        let framework = CqrsFramework::<Counter, _>::new(store.clone(), vec![], ());
        for n in 1..=3 {
            framework
                .execute("s1", opened(&n.to_string()))
                .await
                .expect("is carried out");
            let loaded: Loaded<Counter> = store.load_aggregate("s1").await.expect("loads");
            assert_eq!(
                (loaded.version, loaded.aggregate),
                (u64::from(n), Counter { applied: n })
            );
        }
        let refused = framework
            .execute(
                "s1",
                SessionErased {
                    reason: "no".to_owned(),
                }
                .into(),
            )
            .await;
        assert!(matches!(refused, Err(AggregateError::UserError(No))));
        let envelopes: Vec<EventEnvelope<Counter>> = store.load_events("s1").await.expect("loads");
        assert_eq!(
            envelopes.iter().map(|e| e.sequence).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert_eq!(envelopes[2].payload, Wrapped(opened("3")));
        assert_eq!(envelopes[2].metadata[ACTOR], "system");
    }

    #[tokio::test]
    async fn what_was_decided_on_an_older_state_is_a_conflict_and_a_repetition_is_not() {
        let store = store().await;
        let loaded: Loaded<Counter> = store.load_aggregate("s1").await.expect("loads");
        let commit = async |title: &str, command: Option<&str>| {
            let metadata = command
                .map(|id| (COMMAND.to_owned(), id.to_owned()))
                .into_iter()
                .collect();
            let events = vec![Wrapped(opened(title))];
            store
                .commit(events, loaded.clone(), metadata)
                .await
                .map(|envelopes| envelopes[0].sequence)
        };
        assert_eq!(commit("one", None).await.expect("commits"), 1);
        assert_eq!(commit("one", None).await.expect("repeats"), 1);
        assert!(matches!(
            commit("two", None).await,
            Err(AggregateError::AggregateConflict)
        ));
        assert!(matches!(
            commit("one", Some("c1")).await,
            Err(AggregateError::AggregateConflict)
        ));
    }
}
