//! A person does not want a run any longer.

use domain::decision::Decision;
use domain::ids::RunId;

use crate::Refusal;

#[derive(Clone, Debug, PartialEq)]
pub struct Cancel {
    /// The active one where absent.
    pub run: Option<RunId>,
    pub reason: String,
}

impl Cancel {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = self
            .run
            .or(d.session.active)
            .ok_or(Refusal::NothingTo { verb: "cancel" })?;
        let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
        if !state.is_active() {
            return Err(Refusal::Ended { run });
        }
        d.cancel(run, &self.reason);
        Ok(())
    }
}
