//! Streams of one kind as this process works with them: a command is decided on the state of its stream and appended, once, even if others
//! append meanwhile. This module does not know what kind it is, nor what follows from its events.

mod mailbox;
mod work;

use std::future::Future;
use std::sync::Arc;

use commands::Aggregate;
use domain::decision::Context;
use domain::hash::Sha256;
use domain::pipeline::Pipelines;
use store::{Append, CommandId, Log, ReadError, StreamId};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::error::SendError;
use crate::sessions::{Applied, Request};

pub(crate) use mailbox::{Mailbox, Mailboxes};
pub use work::Curator;
pub(crate) use work::append_curated;
#[cfg(test)]
pub(crate) use work::append_with_work;

/// Decisions about one command before it is given up because others keep getting in between. Each loss means that another
/// process appended to this very stream, of which a person can cause only a few at a time.
pub(crate) const CONFLICTS_MAX: usize = 16;

/// How the streams of an aggregate are held in memory.
pub(crate) trait LiveAggregate: Aggregate {
    /// Why a command fails.
    type Error: From<Self::Refusal> + From<SendError> + Send;

    /// Whether a decision uses the state that is known here (that of a new stream where none is known) and only the append finds out
    /// whether that was wrong. Otherwise the log is asked first; that suits streams that mostly exist already and are expensive to fold
    /// again.
    const OPTIMISTIC: bool;

    /// Events read at a time when a state is folded.
    const READ_EVENTS: usize;

    /// How much weight of idle streams is kept.
    const KEPT: usize;

    /// The weight above that at which idle streams are looked for.
    const SLACK: usize;

    /// Whether somebody works on it now, so that its state will be asked for soon.
    fn is_busy(&self) -> bool {
        false
    }

    /// How much of the memory for states this one takes; an empty one takes 1.
    fn weight(&self) -> usize {
        1
    }
}

/// Appends to the log what was decided for one command.
pub(crate) trait Appender<A: LiveAggregate>: Send {
    /// A decision is going to be made on this state.
    fn decides_on(&mut self, _state: &A) {}

    /// Appends; `None` where the stream has moved on, so that another decision is needed.
    fn append(
        &mut self,
        append: Append,
    ) -> impl Future<Output = Result<Option<Applied>, A::Error>> + Send;
}

/// The streams of one kind in a log.
pub(crate) struct Streams<A> {
    pub(crate) log: Arc<dyn Log>,
    pub(crate) clock: Clock,
    pub(crate) pipelines: Pipelines,
    /// Whether others may append to these streams.
    pub(crate) shared: bool,
    /// After this nothing is decided any more.
    pub(crate) stop: CancellationToken,
    pub(crate) mailboxes: Mailboxes<A>,
}

impl<A: LiveAggregate> Streams<A> {
    /// Decides a command and appends what follows from it.
    pub(crate) async fn process(
        &self,
        stream: &StreamId,
        request: &Request<A::Command>,
        appender: &mut impl Appender<A>,
    ) -> Result<Applied, A::Error> {
        let mailbox = self.mailboxes.of(stream);
        let mut state = mailbox.state.lock().await;
        let processed = self
            .process_held(stream, &mut state, request, appender)
            .await;
        match &*state {
            Some(known) if processed.is_ok() => self.mailboxes.settle(&mailbox, known),
            Some(_) => {}
            // Nothing is kept of a stream that does not exist; otherwise asking for many of them would fill the memory.
            None => self.mailboxes.forget(stream),
        }
        processed
    }

    /// The same for a caller who holds the stream's state.
    pub(crate) async fn process_held(
        &self,
        stream: &StreamId,
        held: &mut Option<Arc<A>>,
        request: &Request<A::Command>,
        appender: &mut impl Appender<A>,
    ) -> Result<Applied, A::Error> {
        let opens = A::may_open(&request.command).is_ok();
        for attempt in 0..CONFLICTS_MAX {
            let known = held.take();
            // A stream that is not known here is most likely a new one. To assume this saves a look into the log; the append of the first
            // event shows whether it was right.
            let presumed = A::OPTIMISTIC && attempt == 0 && known.is_none() && opens;
            let mut state = match known {
                Some(known) if A::OPTIMISTIC => known,
                None if presumed => Arc::default(),
                known => Box::pin(self.refreshed(stream, known)).await?,
            };
            let before = state.version();
            let decided = match self.guard(&state, request) {
                Ok(()) => {
                    appender.decides_on(&state);
                    let context = self.context(request.id);
                    let command = request.command.clone();
                    let decided = Arc::make_mut(&mut state).decide(command, &context);
                    decided.map_err(A::Error::from)
                }
                Err(error) => Err(error),
            };
            // A refusal, or a decision that nothing is to be done, may be right only for the state that was known here.
            let is_nothing = decided.as_ref().map_or(true, Vec::is_empty);
            if is_nothing && (presumed || self.is_behind(stream, before).await?) {
                continue;
            }
            let events = match decided {
                Ok(events) if !events.is_empty() => events,
                Ok(_) => {
                    *held = Some(state);
                    return Ok(Applied {
                        version: before,
                        duplicate: false,
                        events: vec![],
                    });
                }
                Err(error) => {
                    *held = Some(state).filter(|it| it.exists() && it.version() == before);
                    // It may have been carried out before: then that is the answer.
                    let before = Box::pin(self.find(stream, request)).await?;
                    return before.ok_or(error);
                }
            };
            let append = Append {
                actor: request.actor.clone(),
                content: request.content,
                ..Append::new(stream.clone(), before, request.id, events)
            };
            match appender.append(append).await? {
                Some(applied) if applied.duplicate => return Ok(applied),
                Some(applied) => {
                    *held = Some(state);
                    return Ok(applied);
                }
                None => {}
            }
        }
        Err(SendError::Busy.into())
    }

    fn guard(&self, state: &A, request: &Request<A::Command>) -> Result<(), A::Error> {
        if self.stop.is_cancelled() {
            return Err(SendError::Stopped.into());
        }
        if !state.exists() {
            A::may_open(&request.command)?;
        }
        let actual = state.version();
        match request.expected_version {
            Some(expected) if expected != actual => {
                Err(SendError::Stale { expected, actual }.into())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn context(&self, id: CommandId) -> Context {
        Context {
            now: self.clock.now(),
            command: id.0,
            pipelines: self.pipelines.clone(),
        }
    }

    /// The state as of now, for a caller who holds what is known of it. One that is not there is empty.
    pub(crate) async fn current(
        &self,
        stream: &StreamId,
        held: &mut Option<Arc<A>>,
    ) -> Result<Arc<A>, SendError> {
        let state = self.refreshed(stream, held.take()).await?;
        *held = Some(Arc::clone(&state)).filter(|it| it.exists());
        Ok(state)
    }

    async fn refreshed(
        &self,
        stream: &StreamId,
        known: Option<Arc<A>>,
    ) -> Result<Arc<A>, SendError> {
        match known {
            Some(known) if !self.is_behind(stream, known.version()).await? => Ok(known),
            known => {
                let known = Arc::unwrap_or_clone(known.unwrap_or_default());
                Ok(Arc::new(self.load(stream, known, None).await?))
            }
        }
    }

    /// Folds the events that come after a state, up to a version.
    pub(crate) async fn load(
        &self,
        stream: &StreamId,
        mut state: A,
        to: Option<u64>,
    ) -> Result<A, SendError> {
        loop {
            let left = to.map(|to| usize::try_from(to.saturating_sub(state.version())));
            let wanted = match left {
                Some(Ok(left)) => left.min(A::READ_EVENTS),
                Some(Err(_)) | None => A::READ_EVENTS,
            };
            if wanted == 0 {
                return Ok(state);
            }
            let read = match self.log.read(stream, state.version(), wanted).await {
                Ok(read) => read,
                Err(ReadError::NoStream { .. }) => return Ok(state),
                Err(error) => return Err(error.into()),
            };
            if read.is_empty() {
                return Ok(state);
            }
            for recorded in &read {
                state.evolve(&recorded.event);
            }
        }
    }

    /// Whether somebody else has appended since this state was folded.
    async fn is_behind(&self, stream: &StreamId, version: u64) -> Result<bool, SendError> {
        if !self.shared {
            return Ok(false);
        }
        Ok(self.log.version(stream).await?.unwrap_or(0) > version)
    }

    /// The outcome of a request that was carried out before; `None` if it was not.
    pub(crate) async fn find(
        &self,
        stream: &StreamId,
        request: &Request<A::Command>,
    ) -> Result<Option<Applied>, SendError> {
        self.find_by(stream, &request.id, request.content).await
    }

    /// The same by the id of the command and the hash of what is asked for now, where it is compared.
    pub(crate) async fn find_by(
        &self,
        stream: &StreamId,
        command: &CommandId,
        content: Option<Sha256>,
    ) -> Result<Option<Applied>, SendError> {
        let found = self.log.find_command(stream, command, content).await?;
        found.map(Applied::of).transpose()
    }
}
