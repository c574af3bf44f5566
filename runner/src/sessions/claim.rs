//! The right to carry out a step, and what happens when another process is faster than the one that has this right.
//!
//! A claim guards the beginning of calls and the deciding of steps. It does not guard answers: what was paid for goes into the log no
//! matter which process brings it, and the first answer to a turn is the one that counts.

use std::future::Future;
use std::time::Duration;

use store::Claim;
use tokio::sync::watch;

use super::Stop;

/// How long a call that is no longer needed may still go on. A process that was stopped for a while may not have read answers yet that have
/// already arrived: they were paid for and belong in the log. An answer that is still being written is not worth waiting for.
const MOMENT: Duration = Duration::from_secs(2);

/// What a worker is told of its step: how many of its turns have an answer in the log that came from elsewhere.
pub(crate) type Turns = u32;

/// The claim itself is lost: all turns belong to another process.
pub(crate) const ALL_TURNS: Turns = Turns::MAX;

/// The claim on the step that is carried out, where others may take it.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    pub(crate) claim: Claim,
    /// For how long the node says that it is alive.
    pub(crate) lease: Duration,
    pub(crate) overtaken: watch::Receiver<Turns>,
}

impl Hold {
    /// The result of a call, unless another process's answer to this turn comes first. A call that is about to end still counts.
    pub(crate) async fn unless_overtaken<T>(
        &self,
        turn: u32,
        call: impl Future<Output = T>,
    ) -> Result<T, Stop> {
        let mut overtaken = self.overtaken.clone();
        let mut call = std::pin::pin!(call);
        tokio::select! {
            biased;
            gave = &mut call => return Ok(gave),
            // The registry has given the step up, so no further news can come; then the call is waited for.
            told = async { overtaken.wait_for(|turns| *turns > turn).await.is_ok() } => if !told {
                return Ok(call.await);
            },
        }
        let gave = tokio::time::timeout(MOMENT, call).await;
        gave.map_err(|_| Stop::Again)
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use domain::{RunId, StepId};
    use store::NodeId;

    use super::*;

    fn hold() -> (watch::Sender<Turns>, Hold) {
        let (told, overtaken) = watch::channel(0);
        let claim = Claim {
            step: StepId::new(RunId(1), "slides", "1"),
            attempt: 1,
            node: NodeId::new("n"),
            epoch: 1,
        };
        let lease = Duration::from_secs(15);
        let hold = Hold {
            claim,
            lease,
            overtaken,
        };
        (told, hold)
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_once_its_turn_is_answered_from_elsewhere() {
        let (told, hold) = hold();
        told.send_replace(1);
        let before = hold.unless_overtaken(1, ready("given")).await;
        assert!(matches!(before, Ok("given")), "another turn was answered");
        let given_up = hold.unless_overtaken(0, pending::<()>()).await;
        assert!(matches!(given_up, Err(Stop::Again)));
        let lost = async {
            told.send_replace(ALL_TURNS);
            pending::<()>().await;
        };
        assert!(matches!(
            hold.unless_overtaken(7, lost).await,
            Err(Stop::Again)
        ));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_has_arrived_counts_although_its_turn_is_answered() {
        let (told, hold) = hold();
        told.send_replace(ALL_TURNS);
        let arrived = async {
            tokio::time::sleep(MOMENT / 2).await;
            "given"
        };
        assert!(matches!(
            hold.unless_overtaken(0, arrived).await,
            Ok("given")
        ));
    }
}
