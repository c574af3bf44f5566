//! A step has a question for a person, and goes on with the answer.

use domain::StepId;
use domain::decision::Decision;
use domain::question::{ASKED_MAX, Question};

use crate::Refusal;
use crate::record_turn::run_of_open;

/// Opens the gate of a question, unless it is open or was answered in this session.
#[derive(Clone, Debug, PartialEq)]
pub struct AskPerson {
    pub step: StepId,
    pub attempt: u32,
    pub question: Question,
}

impl AskPerson {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = self.step.run;
        let state = run_of_open(d, &self.step, self.attempt)?;
        let name = self.question.name();
        let waits = |name: &str| state.open_gates().any(|gate| gate.opened.name == name);
        // A question of a step that began anew is open again.
        let last = state.answer_to(&name);
        if last.is_some_and(|answer| !answer.is_superseded()) || waits(&name) {
            return Ok(());
        }
        if !state.settings.attended {
            return Err(Refusal::NobodyAsked { run });
        }
        let asked = state.asked_by_steps();
        if asked >= ASKED_MAX {
            return Err(Refusal::AskedEnough { run, asked });
        }
        d.open_gate(run, self.question.gate(), Some(self.step));
        Ok(())
    }
}
