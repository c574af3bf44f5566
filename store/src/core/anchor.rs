//! What is known about the end of the log outside the log itself.

use std::sync::Arc;

use super::Core;
use crate::anchor::{AnchorReport, LogHead, SignedReport};
use crate::error::ReadError;
use crate::heads::{KnownHead, Named, accepted, log_id};
use crate::limits::SIGN_EVERY;
use crate::witness::{self, HeadSigner, Witnessed};

impl Core {
    /// Compares the log with its head file. Nothing is written.
    pub(crate) async fn anchor(&self) -> Result<AnchorReport, ReadError> {
        let facts = self.rows.facts().await?;
        let id = log_id(&facts);
        // The file is read first: the log may grow meanwhile, and is then only found behind where it really is behind.
        let known = match &self.heads {
            Some(heads) => {
                let named = Named {
                    id,
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

    /// Compares the log with its signed heads, where there are any. Losses that somebody accepted are not reported again.
    pub(crate) async fn signed(&self, known: &AnchorReport) -> Result<SignedReport, ReadError> {
        let id = known.log.as_deref().filter(|_| self.objects.keeps_heads());
        let Some(id) = id else {
            return Ok(SignedReport::default());
        };
        let signer = HeadSigner::new(&self.master);
        let signed = witness::read(&self.objects, &signer, id, &known.accepted).await?;
        Ok(SignedReport {
            last: signed.heads.last().copied(),
            contradictions: self.contradicted(&signed, known.found).await?,
        })
    }

    /// The ways in which the log differs from its signed heads.
    async fn contradicted(
        &self,
        signed: &Witnessed,
        found: LogHead,
    ) -> Result<Vec<String>, ReadError> {
        let mut all: Vec<String> = vec![];
        for position in &signed.foreign {
            all.push(format!(
                "the signed head of position {position} in the place for blobs was not signed with the key of this log"
            ));
        }
        for head in &signed.heads {
            if head.position > found.position {
                all.push(format!(
                    "the log ends at {found}, before a signed head in the place for blobs at {head}"
                ));
            } else if head.position > 0 && self.hash_at(head.position).await? != Some(*head) {
                all.push(format!(
                    "the log has another event at a signed head in the place for blobs at {head}"
                ));
            }
        }
        Ok(all)
    }

    /// Signs the head of the log now, unless it is the one that was signed last.
    pub(crate) async fn sign_head(&self, last: &mut Option<LogHead>) -> Result<(), ReadError> {
        let facts = self.rows.facts().await?;
        let head = self.rows.head().await?;
        let (Some(id), Some(found)) = (log_id(&facts), self.hash_at(head).await?) else {
            return Ok(());
        };
        if *last == Some(found) {
            return Ok(());
        }
        let signer = HeadSigner::new(&self.master);
        witness::put(&self.objects, &signer, id, found, (self.clock)()).await?;
        *last = Some(found);
        Ok(())
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

/// Signs the head of the log now and then, as long as it is open.
pub(crate) async fn sign_heads(core: Arc<Core>) {
    let mut closed = core.closing();
    let mut last = None;
    loop {
        if let Err(error) = core.sign_head(&mut last).await {
            tracing::warn!(%error, "the head of the log could not be signed; trying again");
        }
        tokio::select! {
            _ = closed.wait_for(|closed| *closed) => return,
            () = tokio::time::sleep(SIGN_EVERY) => {}
        }
    }
}
