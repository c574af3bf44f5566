//! The deadline of a gate has passed: its default is the answer.

use domain::decision::Decision;
use domain::event::BUDGET_GATE;
use domain::ids::GateId;

use crate::Refusal;
use crate::answer_gate::{after_budget, answer, open_gate};

#[derive(Clone, Debug, PartialEq)]
pub struct MeetDeadline {
    pub gate: GateId,
}

impl MeetDeadline {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = open_gate(d, &self.gate)?;
        let opened = d.session.runs[&run].gates[&self.gate].opened.clone();
        answer(d, run, &self.gate, opened.default, None, "deadline");
        if opened.name == BUDGET_GATE {
            after_budget(d, run)
        } else {
            d.advance(run)
        }
        Ok(())
    }
}
