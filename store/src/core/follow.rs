//! News from other processes: whenever another process may have written, and at regular intervals, the events after the last known one are
//! read, decoded once, and shown to the readers of this process.

use std::sync::Arc;

use domain::Event;
use domain::event::SessionEvent;
use foldhash::{HashMap, HashMapExt};
use tokio::sync::watch;

use super::Core;
use crate::error::ReadError;
use crate::limits::{PAGE, POLL, RING_OVERHEAD};
use crate::ring::{Delivered, Entry};

pub(crate) async fn follow(core: Arc<Core>, mut closed: watch::Receiver<bool>) {
    loop {
        match core.catch_up().await {
            Ok(()) => {}
            Err(ReadError::Closed) => return,
            // An error while the log is being closed is to be expected.
            Err(_) if *closed.borrow() => return,
            Err(error) => tracing::error!(%error, "the log could not be followed; trying again"),
        }
        tokio::select! {
            _ = closed.wait_for(|closed| *closed) => return,
            () = core.look.notified() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

impl Core {
    /// A commit that seemed to fail may have succeeded all the same. Where this process is the only writer, no follower looks for its
    /// events, so they are shown here.
    pub(crate) async fn show_up_to(&self, head: u64) {
        if self.many_writers || head <= self.ring.last() {
            return;
        }
        if let Err(error) = self.catch_up().await {
            tracing::error!(%error, "events that were committed cannot be shown to those who follow them");
        }
    }

    /// Brings the ring to the end of the log.
    pub(crate) async fn catch_up(&self) -> Result<(), ReadError> {
        loop {
            let after = self.ring.last();
            let rows = self.rows.events_after(after, PAGE).await?;
            if rows.is_empty() {
                return Ok(());
            }
            let mut entries = Vec::with_capacity(rows.len());
            // The last one of each session, so that its watchers wake once.
            let mut versions = HashMap::new();
            for (row, position) in rows.into_iter().zip(after + 1..) {
                if row.position != position {
                    return Err(ReadError::Gap {
                        after: position - 1,
                        found: row.position,
                    });
                }
                let bytes = row.payload.len() + RING_OVERHEAD;
                let known = self.decode_known(row).await?;
                if let Some((stream, recorded)) = &known {
                    if let Event::Session(SessionEvent::SessionErased(_)) = recorded.event {
                        self.forget(stream);
                    }
                    versions.insert(stream.clone(), recorded.version);
                }
                let item = known.map(|(stream, recorded)| Delivered { stream, recorded });
                entries.push(Entry { item, bytes });
            }
            let versions: Vec<_> = versions.into_iter().collect();
            self.publish(after + 1, entries, &versions);
        }
    }
}
