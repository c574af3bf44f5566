//! A command to a session: decided on its state, appended, and what follows from it begun.

use std::sync::Arc;

use async_trait::async_trait;
use commands::Command;
use domain::decision::Context;
use domain::event::Event;
use domain::hash::Blob;
use domain::{Actor, Session};
use store::{Append, CommandId, StreamId};

use super::Engine;
use crate::error::SendError;
use crate::sessions::blobs::goes_along;
use crate::sessions::{Applied, CONFLICTS_MAX, Envelope, Request, Sessions, client_command};

#[async_trait]
impl Sessions for Engine {
    async fn session(&self, stream: &StreamId) -> Result<Arc<Session>, SendError> {
        Engine::session(self, stream).await
    }

    async fn process(&self, stream: &StreamId, request: &Request) -> Result<Applied, SendError> {
        Engine::process(self, stream, request).await
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
        // Our own tasks are not dropped before their end, so this needs none of its own.
        self.process(stream, &request).await
    }

    /// Decides a command and appends what follows from it. The command stays with its sender, who may offer it again.
    pub(crate) async fn process(
        &self,
        stream: &StreamId,
        request: &Request,
    ) -> Result<Applied, SendError> {
        // Before the session is held, for it may take a while.
        for large in request.blobs.iter().filter(|blob| !goes_along(blob)) {
            self.log().put_blob(stream, large.clone()).await?;
        }
        let mailbox = self.0.mailboxes.of(stream);
        let mut state = mailbox.state.lock().await;
        for attempt in 0..CONFLICTS_MAX {
            let known = state.take();
            // A session that is not known here is most likely a new one. That saves a look into the log, which tells when it
            // takes the first event whether it was.
            let presumed = attempt == 0 && known.is_none() && request.opens();
            let mut session = match known {
                Some(session) => session,
                None if presumed => Arc::default(),
                None => Arc::new(Box::pin(self.load(stream, Session::default(), None)).await?),
            };
            let before = session.version;
            if let Err(error) = self.guard(&session, request) {
                if presumed || self.is_behind(stream, before).await? {
                    continue;
                }
                self.hold(stream, &mut state, session);
                return Box::pin(self.answered_before(stream, request, error)).await;
            }
            let context = self.context(request.id);
            let decided = commands::decide(
                Arc::make_mut(&mut session),
                request.command.clone(),
                &context,
            );
            let events = match decided {
                Ok(events) => events,
                Err(refusal) => {
                    if presumed || self.is_behind(stream, before).await? {
                        continue;
                    }
                    if session.version == before {
                        self.hold(stream, &mut state, session);
                    }
                    return Box::pin(self.answered_before(stream, request, refusal.into())).await;
                }
            };
            if events.is_empty() {
                // That nothing is to be done may be true only of what was known here.
                if presumed || self.is_behind(stream, before).await? {
                    continue;
                }
                *state = Some(session);
                return Ok(Applied {
                    version: before,
                    duplicate: false,
                    events: vec![],
                });
            }
            match self.append(stream, request, before, events).await {
                Ok(applied) if applied.duplicate => return Ok(applied),
                Ok(applied) => {
                    self.0.mailboxes.settle(&mailbox, &session);
                    *state = Some(session);
                    return Ok(applied);
                }
                Err(SendError::Stale { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(SendError::Busy)
    }

    /// Keeps a state that nothing came of; of a session that is not there nothing is kept, lest asking for many of them
    /// fills the memory.
    fn hold(&self, stream: &StreamId, state: &mut Option<Arc<Session>>, session: Arc<Session>) {
        if session.exists() {
            *state = Some(session);
        } else {
            self.0.mailboxes.forget(stream);
        }
    }

    fn guard(&self, session: &Session, request: &Request) -> Result<(), SendError> {
        if self.0.workshop.stop.is_cancelled() {
            return Err(SendError::Stopped);
        }
        if !session.exists() && !request.opens() {
            return Err(SendError::Refused(commands::Refusal::NoSession));
        }
        match request.expected_version {
            Some(expected) if expected != session.version => Err(SendError::Stale {
                expected,
                actual: session.version,
            }),
            _ => Ok(()),
        }
    }

    pub(crate) fn context(&self, id: CommandId) -> Context {
        Context {
            now: self.0.workshop.parts.clock.now(),
            command: id.0,
            pipelines: self.0.workshop.parts.pipelines.clone(),
        }
    }

    /// Whether another process has appended since this state was folded.
    pub(crate) async fn is_behind(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<bool, SendError> {
        if !self.0.workshop.parts.shared {
            return Ok(false);
        }
        Ok(self
            .0
            .workshop
            .parts
            .log
            .version(stream)
            .await?
            .unwrap_or(0)
            > version)
    }

    /// A command that is refused now may have been carried out before: then that is the answer.
    async fn answered_before(
        &self,
        stream: &StreamId,
        request: &Request,
        refused: SendError,
    ) -> Result<Applied, SendError> {
        self.find(stream, &request.id).await?.ok_or(refused)
    }

    pub(crate) async fn find(
        &self,
        stream: &StreamId,
        command: &CommandId,
    ) -> Result<Option<Applied>, SendError> {
        let found = self
            .0
            .workshop
            .parts
            .log
            .find_command(stream, command)
            .await?;
        Ok(found.map(Applied::from))
    }

    /// What a client's command became that was carried out before; `None` if it was not.
    pub async fn find_command(
        &self,
        stream: &StreamId,
        client_id: &str,
    ) -> Result<Option<Applied>, SendError> {
        self.find(stream, &client_command(stream, client_id)).await
    }

    pub(crate) async fn append(
        &self,
        stream: &StreamId,
        request: &Request,
        expected: u64,
        events: Vec<Event>,
    ) -> Result<Applied, SendError> {
        let along = request.blobs.iter().filter(|blob| goes_along(blob));
        let append = Append {
            stream: stream.clone(),
            expected,
            command: request.id,
            actor: request.actor.clone(),
            events,
            blobs: along.cloned().collect(),
            node: Some(self.0.node.clone()),
            correlation: None,
            causation: None,
        };
        let committed = self.0.workshop.parts.log.append(append).await?;
        if !committed.duplicate {
            self.react(stream, &committed.recorded);
        }
        Ok(committed.into())
    }
}
