//! What is known of the end of the log outside of it.

use super::Core;
use crate::anchor::{AnchorReport, LogHead};
use crate::error::ReadError;
use crate::heads::{KnownHead, Named, accepted, log_id};

impl Core {
    /// Compares the log with its head file. Nothing is written.
    pub(crate) async fn anchor(&self) -> Result<AnchorReport, ReadError> {
        let facts = self.rows.facts().await?;
        let id = log_id(&facts);
        // The file first: the log may go on meanwhile, and is behind then only where it was.
        let known = match &self.heads {
            Some(heads) => {
                let named = Named {
                    id,
                    is_new: false,
                    place: &heads.place,
                };
                KnownHead::read(&heads.folder, &named)?
            }
            None => KnownHead::Nothing,
        };
        let file = known.file();
        let there = match known.position() {
            Some(position) => self.hash_at(position).await?.map(|head| head.hash),
            None => None,
        };
        let head = self.rows.head().await?;
        let found = self.hash_at(head).await?.unwrap_or(LogHead::NOTHING);
        Ok(AnchorReport {
            log: id.map(str::to_owned),
            place: self
                .heads
                .as_ref()
                .map(|heads| heads.place.clone())
                .unwrap_or_default(),
            found,
            file,
            mismatch: known.compare(found, there),
            accepted: accepted(&facts),
        })
    }

    async fn hash_at(&self, position: u64) -> Result<Option<LogHead>, ReadError> {
        let Some(before) = position.checked_sub(1) else {
            return Ok(None);
        };
        let rows = self.rows.events_after(before, 1).await?;
        let row = rows.first().filter(|row| row.position == position);
        Ok(row.map(|row| LogHead {
            position,
            hash: row.hash,
        }))
    }
}
