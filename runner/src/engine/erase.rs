//! Ending sessions for good: what the log records, and what this process holds of them.

use std::sync::Arc;

use commands::{Command, Erase};
use domain::{Actor, Session, SessionId};
use store::{Append, AppendError, CommandId, Forks, StreamId};

use super::Engine;
use crate::error::SendError;
use crate::sessions::client_command;
use crate::steps;
use crate::streams::{CONFLICTS_MAX, Mailbox};

/// Sessions that have ended for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The last version of the session that was to be erased.
    pub version: u64,
    /// Whether it had been erased before.
    pub duplicate: bool,
    /// Those that were erased now: the session, then its forks.
    pub sessions: Vec<SessionId>,
}

/// A session that is being erased, with the state on which its end was decided.
struct Ending {
    stream: StreamId,
    append: Append,
    /// The state before its end, with everything that was open there.
    unfinished: Session,
}

impl Engine {
    /// Ends a session for good and, if wanted, also the sessions that were forked from it. For a session that was erased before, the answer
    /// is the same as it was then.
    ///
    /// # Errors
    ///
    /// [`SendError::LiveForks`] where sessions were forked from it and are not to be erased with it, and
    /// [`SendError::IdReused`] where the client gave another command this id.
    pub async fn erase(
        &self,
        stream: &StreamId,
        with_forks: bool,
        client_id: &str,
        actor: Actor,
    ) -> Result<Erased, SendError> {
        let (engine, stream) = (self.clone(), stream.clone());
        let id = client_command(&stream, client_id);
        // A task of its own, so that a caller who goes away leaves nothing half-done.
        let task = self.0.workshop.tasks.spawn(async move {
            for _ in 0..CONFLICTS_MAX {
                if let Some(erased) = engine.try_erase(&stream, with_forks, id, &actor).await? {
                    return Ok(erased);
                }
            }
            Err(SendError::Busy)
        });
        task.await.unwrap_or(Err(SendError::Stopped))
    }

    /// `None` where one of the sessions moved on, or another fork came, while their end was being decided.
    async fn try_erase(
        &self,
        stream: &StreamId,
        with_forks: bool,
        id: CommandId,
        actor: &Actor,
    ) -> Result<Option<Erased>, SendError> {
        let mut streams = vec![stream.clone()];
        if with_forks {
            streams.extend(self.forks_below(stream).await?);
        }
        let held = &self.0.sessions.mailboxes;
        let mailboxes: Vec<Arc<Mailbox<Session>>> = streams.iter().map(|s| held.of(s)).collect();
        // Parents come before their forks in every such list, so that two erasures never wait for each other.
        let mut states = vec![];
        for mailbox in &mailboxes {
            states.push(mailbox.state.lock().await);
        }
        let mut endings = vec![];
        for of in &streams {
            match self.ending(of, id, of == stream, actor).await {
                Ok(ending) => endings.push(ending),
                Err(SendError::Erased) if of == stream => {
                    return self.erased_before(stream, with_forks).await;
                }
                Err(SendError::Erased) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        if self.0.sessions.find_by(stream, &id, None).await?.is_some() {
            return Err(SendError::IdReused);
        }
        let mut appends: Vec<_> = endings.iter().map(|ending| ending.append.clone()).collect();
        let first = appends.remove(0);
        let forks = if with_forks {
            Forks::EraseToo(appends)
        } else {
            Forks::Refuse
        };
        let committed = match self.log().erase(first, forks).await {
            Ok(committed) => committed,
            Err(AppendError::Conflict { .. } | AppendError::Erased { .. }) => return Ok(None),
            Err(AppendError::LiveForks { .. }) if with_forks => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        for (ending, committed) in endings.into_iter().zip(&committed) {
            self.react(&ending.stream, &committed.recorded);
            self.0.sessions.mailboxes.forget(&ending.stream);
            steps::clear_spool(&self.0.workshop, &ending.stream, &ending.unfinished).await;
            // A task that was writing an answer at that moment may have finished it.
            let engine = self.clone();
            self.0.workshop.tasks.spawn(async move {
                tokio::select! {
                    () = engine.0.workshop.stop.cancelled() => {}
                    () = engine.0.workshop.registry.idle(&ending.stream) => {
                        steps::clear_spool(&engine.0.workshop, &ending.stream, &ending.unfinished).await;
                    }
                }
            });
        }
        for state in &mut states {
            **state = None;
        }
        for of in &streams {
            self.log().settle(Some(of)).await?;
        }
        Ok(committed.first().map(|first| Erased {
            version: first.version,
            duplicate: first.duplicate,
            sessions: streams.iter().map(|s| s.session.clone()).collect(),
        }))
    }

    /// Everything that was forked from a session, directly or not; parents before their forks.
    async fn forks_below(&self, stream: &StreamId) -> Result<Vec<StreamId>, SendError> {
        let mut found = vec![];
        let mut parent = stream.clone();
        for next in 0.. {
            for session in self.log().forks_of(&parent).await? {
                found.push(StreamId::new(stream.owner.clone(), session));
            }
            match found.get(next) {
                Some(fork) => parent = StreamId::clone(fork),
                None => break,
            }
        }
        Ok(found)
    }

    async fn ending(
        &self,
        stream: &StreamId,
        id: CommandId,
        is_named: bool,
        actor: &Actor,
    ) -> Result<Ending, SendError> {
        let unfinished = self
            .0
            .sessions
            .load(stream, Session::default(), None)
            .await?;
        if !unfinished.exists() {
            self.0.sessions.mailboxes.forget(stream);
            return Err(SendError::NoSession {
                session: stream.session.clone(),
            });
        }
        let id = if is_named { id } else { id.also_for(stream) };
        let command = Command::Erase(Erase {
            reason: "its owner asked for it".to_owned(),
        });
        let mut session = unfinished.clone();
        let events = commands::decide(&mut session, command, &self.0.sessions.context(id))?;
        let append = Append {
            actor: actor.clone(),
            ..Append::new(stream.clone(), unfinished.version, id, events)
        };
        Ok(Ending {
            stream: stream.clone(),
            append,
            unfinished,
        })
    }

    /// An erased session takes no further events, so that its last version is what was answered then. What is still owed of it is done first;
    /// with forks, whatever is owed, because they are not known any longer.
    async fn erased_before(
        &self,
        stream: &StreamId,
        with_forks: bool,
    ) -> Result<Option<Erased>, SendError> {
        let owing = (!with_forks).then_some(stream);
        self.log().settle(owing).await?;
        let version = self.log().version(stream).await?;
        Ok(version.map(|version| Erased {
            version,
            duplicate: true,
            sessions: vec![],
        }))
    }
}
