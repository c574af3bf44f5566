//! Ending sessions for good.

use domain::Event;
use domain::event::SessionEvent;
use domain::facets::{Facet, facets};
use smol_str::SmolStr;

use crate::batcher::Queue;
use crate::core::Core;
use crate::core::read::decode;
use crate::core::streams::StreamState;
use crate::error::{AppendError, ReadError};
use crate::limits::PAGE;
use crate::prepare::Prepared;
use crate::records::{Append, Committed, Forks};

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
        self.append_all(queue, group).await
    }

    /// The artifacts of a session as it is after this append. Should the session have moved on before the append is done,
    /// the append is refused, for it expects this version.
    pub(super) async fn artifacts_of(&self, member: &Prepared) -> Result<Vec<SmolStr>, ReadError> {
        let own = member.recorded.iter();
        let own = own.flat_map(|recorded| artifacts_at(&recorded.event));
        let mut artifacts: Vec<_> = own.collect();
        let StreamState::Live(live) = self.stream_now(&member.stream).await? else {
            return Ok(artifacts);
        };
        let mut after = 0;
        loop {
            let rows = self.rows.events_of(live.no, after, u64::MAX, PAGE).await?;
            let is_last = rows.len() < PAGE;
            for row in rows {
                after = row.version;
                match decode(row, &live.id, &live.key) {
                    Ok(recorded) => artifacts.extend(artifacts_at(&recorded.event)),
                    // An event that was tampered with does not keep a session from being erased; `verify` names an artifact row that is
                    // left over.
                    Err(error) => {
                        tracing::warn!(%error, "an event of a session that is being erased cannot be read");
                    }
                }
            }
            if is_last {
                return Ok(artifacts);
            }
        }
    }
}

fn artifacts_at(event: &Event) -> impl Iterator<Item = SmolStr> {
    facets(event).into_iter().filter_map(|facet| {
        if let Facet::ArtifactAt { artifact, .. } = facet {
            Some(artifact.into())
        } else {
            None
        }
    })
}

fn ends_its_session(append: &Append) -> bool {
    matches!(
        append.events.last(),
        Some(Event::Session(SessionEvent::SessionErased(_)))
    )
}
