//! A step has a question for a person, and goes on with the answer.

use domain::StepId;
use domain::decision::{Decision, SUPERSEDED};
use domain::question::{ASKED_MAX, Question};
use domain::session::GateAnswer;

use crate::Refusal;

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
        let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
        let open = state
            .step(&self.step.stage, &self.step.item)
            .is_some_and(|s| s.is_open() && s.attempt == self.attempt);
        if !open || !state.is_active() {
            return Err(Refusal::AttemptOver {
                step: self.step,
                attempt: self.attempt,
            });
        }
        let name = self.question.name();
        let waits = |name: &str| state.open_gates().any(|gate| gate.opened.name == name);
        if state.answer_to(&name).is_some_and(stands) || waits(&name) {
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

/// Whether somebody gave the answer: what was asked by a step that began anew is open again.
fn stands(answer: &GateAnswer) -> bool {
    !matches!(answer, GateAnswer::Given { by, .. } if by == SUPERSEDED)
}
