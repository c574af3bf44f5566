//! Ending a session for good.

use domain::Event;
use domain::event::SessionErased;

use super::Core;
use super::append::unreadable;
use crate::batcher::Queue;
use crate::error::{AppendError, ReadError};
use crate::ids::StreamId;
use crate::limits::ERASE_TRIES;
use crate::log::{Append, Committed, Forks};

impl Core {
    pub(crate) async fn erase(
        &self,
        queue: &Queue,
        append: Append,
        forks: Forks,
    ) -> Result<Vec<Committed>, AppendError> {
        let reason = match append.events.last() {
            Some(Event::SessionErased(erased)) => erased.reason.clone(),
            Some(_) | None => return Err(AppendError::Misplaced),
        };
        let mut tries = 0;
        let (streams, done) = loop {
            let mut group = vec![append.clone()];
            if forks == Forks::EraseToo {
                group.extend(
                    self.erase_forks(&append, &reason)
                        .await
                        .map_err(unreadable)?,
                );
            }
            let streams: Vec<_> = group.iter().map(|append| append.stream.clone()).collect();
            match self.append_all(queue, group).await {
                Ok(done) => break (streams, done),
                Err(error) if tries < ERASE_TRIES && moved_on(&error, &append.stream, forks) => {
                    tries += 1
                }
                Err(error) => return Err(error),
            }
        };
        for stream in &streams {
            self.objects.delete_all(stream).await?;
        }
        Ok(done)
    }

    /// The end of everything that was forked from it, directly or not.
    async fn erase_forks(&self, append: &Append, reason: &str) -> Result<Vec<Append>, ReadError> {
        let mut group: Vec<Append> = vec![];
        let mut parents = vec![append.stream.clone()];
        while let Some(parent) = parents.pop() {
            for session in self.forks_of(&parent).await? {
                let fork = StreamId {
                    owner: append.stream.owner.clone(),
                    session,
                };
                let expected = self.version(&fork).await?.unwrap_or(0);
                group.push(Append {
                    stream: fork.clone(),
                    expected,
                    command: append.command.also_for(&fork),
                    actor: append.actor.clone(),
                    events: vec![Event::SessionErased(SessionErased {
                        reason: reason.to_owned(),
                    })],
                    blobs: vec![],
                    node: None,
                    correlation: append.correlation.clone(),
                    causation: append.causation.clone(),
                });
                parents.push(fork);
            }
        }
        Ok(group)
    }
}

/// A fork got new events, or a new fork came, while its end was being decided.
fn moved_on(error: &AppendError, erased: &StreamId, forks: Forks) -> bool {
    match error {
        AppendError::Conflict { stream, .. } | AppendError::Erased { stream } => stream != erased,
        AppendError::LiveForks { .. } => forks == Forks::EraseToo,
        AppendError::Empty
        | AppendError::TooLarge { .. }
        | AppendError::BlobTooLarge { .. }
        | AppendError::BlobMismatch { .. }
        | AppendError::Misplaced
        | AppendError::NoParent { .. }
        | AppendError::ForkOutside { .. }
        | AppendError::Busy
        | AppendError::ReadOnly
        | AppendError::Closed
        | AppendError::Storage(_) => false,
    }
}
