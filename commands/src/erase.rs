//! A session ends for good. The store destroys its data key with the append of this event.

use domain::decision::Decision;
use domain::event::SessionErased;

use crate::Refusal;

#[derive(Clone, Debug, PartialEq)]
pub struct Erase {
    pub reason: String,
}

impl Erase {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        if !d.session.exists() {
            return Err(Refusal::NoSession);
        }
        if let Some(run) = d.session.active {
            d.cancel_for_good(run, "the session was erased");
        }
        d.record(SessionErased {
            reason: self.reason,
        });
        Ok(())
    }
}
