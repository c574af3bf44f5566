//! One call of a provider that is paid: when it may begin, and where its answer is kept until it is in the log. The same for models,
//! pictures and vectors.

use std::future::Future;

use super::{StepContext, Stop};
use crate::crash::{CrashPlan, Point};
use crate::ports::Spool;
use crate::ports::spool::{SpoolError, SpoolWriter};

/// Where answers that are paid for are kept, and the points at which a test may make the process die.
#[derive(Clone, Copy)]
pub(crate) struct Keeping<'a> {
    pub(crate) spool: Option<&'a Spool>,
    pub(crate) crash: Option<&'a CrashPlan>,
}

impl Keeping<'_> {
    pub(crate) fn reach(&self, point: Point) {
        if let Some(plan) = self.crash {
            plan.reach(point);
        }
    }
}

impl StepContext<'_> {
    /// Waits for a place among the calls of the provider, makes sure that the call may still begin, and opens the spool for its answer.
    pub(crate) async fn begin_call<P>(
        &self,
        permit: impl Future<Output = P>,
        request_hash: &str,
        keeping: Keeping<'_>,
    ) -> Result<(P, Option<SpoolWriter>), Stop> {
        let permit = tokio::select! {
            () = self.halt.cancelled() => return Err(Stop::Over),
            permit = permit => permit,
        };
        self.may_call().await?;
        if self.halt.is_cancelled() {
            return Err(Stop::Over);
        }
        keeping.reach(Point::BeforeCall);
        let opened = keeping
            .spool
            .map(|spool| spool.open(self.place(), request_hash));
        Ok((permit, opened.transpose().map_err(not_opened)?))
    }

    /// To be called when an answer has arrived whole: from then on it can be found, here and where other processes look.
    pub(crate) async fn answered(
        &self,
        writer: Option<SpoolWriter>,
        keeping: Keeping<'_>,
    ) -> Result<(), Stop> {
        if let Some(writer) = writer {
            let finished = writer.finish();
            finished.map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
        }
        if let Some(spool) = keeping.spool {
            spool.share(self.stream, &self.key()).await;
        }
        keeping.reach(Point::Answered);
        Ok(())
    }
}

/// Why the spool could not be opened for an answer. If another process has just put a complete answer there, that answer is used.
fn not_opened(error: SpoolError) -> Stop {
    match error {
        SpoolError::AlreadyAnswered(_) => Stop::Again,
        error @ (SpoolError::Key(_) | SpoolError::Io { .. }) => {
            Stop::fail("spool", &error.to_string(), true)
        }
    }
}
