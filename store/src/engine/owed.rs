//! Carrying out what events owe to the world outside of their transactions. A row is deleted only after its work is done, so work that was
//! cut off is done again; all of it may be done twice.

use std::sync::Arc;
use std::time::Duration;

use domain::hash::Sha256;

use crate::backend::By;
use crate::batcher::{Queue, Request};
use crate::core::Core;
use crate::error::{AppendError, Storage};
use crate::ids::StreamId;
use crate::limits::{OWED_PAGE, SWEEP_AGAIN_MAX, SWEEP_EVERY};
use crate::rows::{Owed, OwedRow};

impl Core {
    /// Carries out what a stream owes.
    pub(super) async fn settle_stream(
        &self,
        queue: &Queue,
        stream: &StreamId,
    ) -> Result<(), AppendError> {
        match self.rows.stream(By::Id(stream)).await? {
            Some((row, _)) => self.settle(queue, Some(row.no)).await.map(drop),
            None => Ok(()),
        }
    }

    /// Carries out what one stream owes, or all of them. One failure does not keep the rest from being done. Returns how much is still owed
    /// although nothing failed, which is what readers of the database hold up.
    pub(super) async fn settle(
        &self,
        queue: &Queue,
        stream_no: Option<i64>,
    ) -> Result<usize, AppendError> {
        loop {
            let rows = self.rows.owed(stream_no, OWED_PAGE).await?;
            let found = rows.len();
            let (mut done, mut failed, mut is_clear) = (vec![], None, None);
            for row in rows {
                match self.carry_out(queue, &row, &mut is_clear).await {
                    Ok(true) => done.push(row),
                    Ok(false) => {}
                    Err(error) => failed = Some(error),
                }
            }
            let left = found - done.len();
            let is_last = done.is_empty() || found < OWED_PAGE;
            if !done.is_empty() {
                queue.ask(|reply| Request::Settle { done, reply }).await??;
            }
            if stream_no.is_none() {
                metrics::gauge!("palimpsest_owed").set(left as f64);
            }
            if is_last {
                return failed.map_or(Ok(left), Err);
            }
        }
    }

    /// Whether the work is done. `is_clear` is the answer of the database about deleted keys, once it was asked.
    async fn carry_out(
        &self,
        queue: &Queue,
        row: &OwedRow,
        is_clear: &mut Option<bool>,
    ) -> Result<bool, AppendError> {
        let name = match row.owed {
            Owed::Object(name) => Some(Sha256::from(name)),
            Owed::Objects => None,
            Owed::Residue => {
                if is_clear.is_none() {
                    let asked = queue.ask(|reply| Request::ClearResidue { reply });
                    *is_clear = Some(asked.await??);
                }
                return Ok(*is_clear == Some(true));
            }
        };
        let found = self.rows.stream(By::No(row.stream_no)).await?;
        let (stream, _) = found.ok_or_else(|| no_stream(row))?;
        match name {
            Some(name) => self.objects.delete(&stream.id, &name).await?,
            // A row that was put there by hand takes nothing away from a session that is alive; `verify` names it.
            None if !stream.erased => return Ok(false),
            None => self.objects.delete_all(&stream.id).await?,
        }
        Ok(true)
    }
}

fn no_stream(row: &OwedRow) -> Storage {
    Storage::new(
        "settling what was owed",
        format!("{row:?} belongs to no session"),
        "run `verify`, and restore a backup",
    )
}

/// Carries out what is owed, from the start of the process on, as long as the log is open.
pub(super) async fn sweep(core: Arc<Core>, queue: Queue) {
    let mut closed = core.closing();
    let mut pause = SWEEP_EVERY;
    loop {
        let settled = tokio::select! {
            _ = closed.wait_for(|closed| *closed) => return,
            settled = core.settle(&queue, None) => settled,
        };
        pause = match settled {
            Ok(_) => SWEEP_EVERY,
            Err(AppendError::Closed) => return,
            Err(error) => {
                metrics::counter!("palimpsest_owed_failures_total").increment(1);
                tracing::error!(%error, "what is owed could not be carried out; trying again");
                longer(pause)
            }
        };
        tokio::select! {
            _ = closed.wait_for(|closed| *closed) => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

fn longer(pause: Duration) -> Duration {
    (pause * 2).min(SWEEP_AGAIN_MAX)
}
