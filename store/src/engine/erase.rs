//! Ending sessions for good.

use domain::Event;

use super::Core;
use super::append::unreadable;
use super::streams::Found;
use crate::batcher::Queue;
use crate::error::AppendError;
use crate::ids::StreamId;
use crate::log::{Append, Committed, Forks};

impl Core {
    pub(crate) async fn erase(
        &self,
        queue: &Queue,
        append: Append,
        forks: Forks,
    ) -> Result<Vec<Committed>, AppendError> {
        let mut group = vec![append];
        if let Forks::EraseToo(ends) = forks {
            group.extend(ends);
        }
        if !group.iter().all(ends_its_session) {
            return Err(AppendError::Misplaced);
        }
        let streams: Vec<_> = group.iter().map(|append| append.stream.clone()).collect();
        let done = self.append_all(queue, group).await?;
        for stream in &streams {
            self.delete_objects(stream).await?;
        }
        Ok(done)
    }

    /// The large blobs of a session that was erased. A command that was carried out before may have been another one.
    async fn delete_objects(&self, stream: &StreamId) -> Result<(), AppendError> {
        match self.stream_now(stream).await.map_err(unreadable)? {
            Found::Erased { .. } => Ok(self.objects.delete_all(stream).await?),
            Found::Live(_) | Found::Missing => Ok(()),
        }
    }
}

fn ends_its_session(append: &Append) -> bool {
    matches!(append.events.last(), Some(Event::SessionErased(_)))
}
