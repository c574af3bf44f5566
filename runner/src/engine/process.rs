//! Processes a command to a session: the command is decided on the session's state, its events are appended, and the work that follows is
//! begun.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use commands::Command;
use domain::hash::{Blob, Sha256};
use domain::{Actor, Session};
use store::{Append, AppendError, Committed, NodeId, StreamId};

use super::{Engine, Inner};
use crate::error::SendError;
use crate::sessions::blobs::goes_along;
use crate::sessions::{Applied, Envelope, Request, Sessions, client_command};
use crate::streams::{Appender, LiveAggregate};

impl LiveAggregate for Session {
    type Error = SendError;

    const OPTIMISTIC: bool = true;

    const READ_EVENTS: usize = 2_000;

    /// How many sessions are kept: enough that the sessions of people who only look at their work need not be read again, at some tens of
    /// kilobytes each.
    const KEPT: usize = 256;

    /// Without this, each session that is added would cause a walk through all of them, which would be most of the work of a busy process.
    const SLACK: usize = 256;

    fn is_busy(&self) -> bool {
        self.active_run()
            .is_some_and(|run| run.open_steps().next().is_some() && !run.is_waiting())
    }
}

#[async_trait]
impl Sessions for Engine {
    async fn session(&self, stream: &StreamId) -> Result<Arc<Session>, SendError> {
        Engine::session(self, stream).await
    }

    async fn process(&self, stream: &StreamId, request: &Request) -> Result<Applied, SendError> {
        Engine::process(self, stream, request).await
    }

    async fn process_beside(
        &self,
        stream: StreamId,
        request: Request,
        other: Append,
    ) -> Result<Committed, SendError> {
        let engine = self.clone();
        // A separate task, so that the work that was appended is begun even if the caller no longer waits for it.
        let task = self.0.workshop.tasks.spawn(async move {
            let (of, command) = (other.stream.clone(), other.command);
            let mut appender = SessionAppender {
                engine: &engine,
                request: &request,
                beside: Some(Beside {
                    other,
                    committed: None,
                }),
            };
            let sessions = &engine.0.sessions;
            sessions.process(&stream, &request, &mut appender).await?;
            match appender.beside.and_then(|beside| beside.committed) {
                Some(committed) => Ok(committed),
                // The command was carried out before, and the other append with it.
                None => {
                    let before = engine.log().find_command(&of, &command, None).await?;
                    before.ok_or(SendError::IdReused)
                }
            }
        });
        task.await.unwrap_or(Err(SendError::Stopped))
    }
}

/// The engine, as seen by parts that it owns itself.
pub(super) struct WeakEngine(pub(super) Weak<Inner>);

impl WeakEngine {
    fn engine(&self) -> Result<Engine, SendError> {
        self.0.upgrade().map(Engine).ok_or(SendError::Stopped)
    }
}

#[async_trait]
impl Sessions for WeakEngine {
    async fn session(&self, stream: &StreamId) -> Result<Arc<Session>, SendError> {
        self.engine()?.session(stream).await
    }

    async fn process(&self, stream: &StreamId, request: &Request) -> Result<Applied, SendError> {
        self.engine()?.process(stream, request).await
    }

    async fn process_beside(
        &self,
        stream: StreamId,
        request: Request,
        other: Append,
    ) -> Result<Committed, SendError> {
        let engine = self.engine()?;
        engine.process_beside(stream, request, other).await
    }
}

/// Appends what was decided for a command to a session, and begins what follows from it.
struct SessionAppender<'a> {
    engine: &'a Engine,
    request: &'a Request,
    beside: Option<Beside>,
}

/// An append to another stream that is committed together with this one.
struct Beside {
    other: Append,
    committed: Option<Committed>,
}

impl Appender<Session> for SessionAppender<'_> {
    async fn append(&mut self, append: Append) -> Result<Option<Applied>, SendError> {
        let append = self.engine.completed(self.request, append);
        let stream = append.stream.clone();
        let done = match &mut self.beside {
            None => self.engine.log().append(append).await,
            Some(beside) => {
                let both = vec![beside.other.clone(), append];
                match self.engine.log().append_atomic(both).await {
                    Ok(mut both) => {
                        let own = both.pop();
                        beside.committed = both.pop();
                        own.ok_or(AppendError::Empty)
                    }
                    Err(error) => Err(error),
                }
            }
        };
        match done {
            Ok(committed) => self.engine.applied(&stream, committed).map(Some),
            Err(AppendError::Conflict { stream: of, .. }) if of == stream => Ok(None),
            Err(error) => {
                // The append may have been committed all the same, and then it opened steps that this process does not know of.
                if let AppendError::Storage(_) = error {
                    self.engine.0.orphans.notify_one();
                }
                Err(error.into())
            }
        }
    }
}

impl Engine {
    /// Decides a command of a client and appends what follows from it.
    pub async fn send(&self, stream: &StreamId, envelope: Envelope) -> Result<Applied, SendError> {
        let request = Request {
            command: envelope.command,
            id: client_command(stream, &envelope.client_id),
            actor: envelope.actor,
            expected_version: envelope.expected_version,
            blobs: envelope.blobs,
            claim: None,
            content: envelope.content,
        };
        // A task of its own, so that a caller who goes away leaves nothing half-done.
        let (engine, stream) = (self.clone(), stream.clone());
        let task = self
            .0
            .workshop
            .tasks
            .spawn(async move { engine.process(&stream, &request).await });
        task.await.unwrap_or(Err(SendError::Stopped))
    }

    /// Decides a command of our own.
    pub(crate) async fn send_own(
        &self,
        stream: &StreamId,
        own_id: &str,
        command: Command,
        actor: Actor,
        blobs: Vec<Blob>,
    ) -> Result<Applied, SendError> {
        let request = Request::own(stream, own_id, command, actor, blobs);
        // Our own tasks are not dropped before their end, so no separate task is needed here.
        self.process(stream, &request).await
    }

    /// Decides a command and appends what follows from it. The command stays with its sender, who may offer it again.
    pub(crate) async fn process(
        &self,
        stream: &StreamId,
        request: &Request,
    ) -> Result<Applied, SendError> {
        // Done before the session is locked, because it may take a while.
        for large in request.blobs.iter().filter(|blob| !goes_along(blob)) {
            self.log().put_blob(stream, large.clone()).await?;
        }
        let mut appender = SessionAppender {
            engine: self,
            request,
            beside: None,
        };
        let sessions = &self.0.sessions;
        sessions.process(stream, request, &mut appender).await
    }

    /// The outcome of a client's command that was carried out before; `None` if it was not. `content` is the hash of what the client sent
    /// now, where it is compared.
    ///
    /// # Errors
    ///
    /// [`SendError::IdReused`] where it sent something else then, or the log cannot be read.
    pub async fn find_command(
        &self,
        stream: &StreamId,
        client_id: &str,
        content: Option<Sha256>,
    ) -> Result<Option<Applied>, SendError> {
        let id = client_command(stream, client_id);
        self.0.sessions.find_by(stream, &id, content).await
    }

    /// Completes an append with the blobs and the claim of its request; the steps that it opens are claimed by this process.
    pub(super) fn completed(&self, request: &Request, append: Append) -> Append {
        let along = request.blobs.iter().filter(|blob| goes_along(blob));
        Append {
            blobs: along.cloned().collect(),
            node: self.claims_as(),
            claim: request.claim.clone(),
            ..append
        }
    }

    /// The node that claims the steps that are opened here; `None` once this process no longer carries out steps.
    pub(super) fn claims_as(&self) -> Option<NodeId> {
        let works = !self.is_draining();
        works.then(|| self.0.node.clone())
    }

    /// Begins what follows from an append.
    pub(super) fn applied(
        &self,
        stream: &StreamId,
        committed: Committed,
    ) -> Result<Applied, SendError> {
        if committed.duplicate {
            // The first answer to this command may have been lost, and with it the start of the work that follows.
            self.0.orphans.notify_one();
        } else {
            self.react(stream, &committed.recorded);
        }
        Applied::of(committed)
    }
}
