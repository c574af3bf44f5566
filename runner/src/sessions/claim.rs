//! The right to carry out a step, and who got ahead of whoever has it.
//!
//! A claim guards the beginning of calls and the deciding of steps. It does not guard answers: what was paid for goes into the log
//! whoever brings it, and the first answer to a turn is the one that counts.

use std::future::Future;
use std::time::Duration;

use store::Claim;
use tokio::sync::watch;

use super::Stop;

/// How long a call goes on that is not needed any longer. Of a process that stood still, answers have arrived that it has not read
/// yet: they were paid for and belong into the log. One that is still being made is worth no waiting.
const MOMENT: Duration = Duration::from_secs(2);

/// What is told of a step that is carried out here: the number of its turns that the log has an answer to from elsewhere.
pub(crate) type Turns = u32;

/// The claim itself is gone: all turns are somebody else's.
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
    /// What a call gives, unless somebody else's answer to this turn comes before it. A call that is as good as done still counts.
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
            // Nobody tells any longer where the registry has given the step up.
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
