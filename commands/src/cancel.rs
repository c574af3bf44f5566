//! A person no longer wants a run, or a message that waits for its turn.

use domain::decision::Decision;
use domain::event::MessageWithdrawn;
use domain::ids::RunId;

use crate::Refusal;

#[derive(Clone, Debug, PartialEq)]
pub struct Cancel {
    /// The active run where absent. If the run waits for its turn, its message is withdrawn.
    pub run: Option<RunId>,
    pub reason: String,
}

impl Cancel {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = self
            .run
            .or(d.session.active)
            .ok_or(Refusal::NothingTo { verb: "cancel" })?;
        if let Some(queued) = d.session.queued(run) {
            let (message, at) = (queued.message.clone(), d.now());
            d.record(MessageWithdrawn {
                message,
                run,
                reason: self.reason,
                at,
            });
            return Ok(());
        }
        if d.session.withdrawn.contains_key(&run) {
            return Err(Refusal::Ended { run });
        }
        let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
        if !state.is_active() {
            return Err(Refusal::Ended { run });
        }
        d.cancel(run, &self.reason);
        Ok(())
    }
}
