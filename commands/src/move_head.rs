//! Another branch becomes the current one.

use domain::decision::Decision;
use domain::event::HeadMoved;
use domain::ids::RunId;

use crate::Refusal;

#[derive(Clone, Debug, PartialEq)]
pub struct MoveHead {
    pub run: RunId,
}

impl MoveHead {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = self.run;
        let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
        if state.is_active() {
            return Err(Refusal::NotEnded { run });
        }
        if state.current.is_empty() {
            return Err(Refusal::NothingMade { run });
        }
        if d.session.head != Some(run) {
            d.record(HeadMoved { run });
        }
        Ok(())
    }
}
