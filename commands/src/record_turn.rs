//! The turns of a step: whether a further turn is allowed, and the record of a turn that was made.

use domain::decision::{Decision, awaits_budget};
use domain::event::{Event, ModelCalled, Reserve, ToolCalled, ToolReturned};
use domain::ids::StepId;
use domain::session::Run;

use crate::Refusal;

/// The run of an attempt that is still being made.
pub(crate) fn run_of_open<'a>(
    d: &'a Decision<'_>,
    step: &StepId,
    attempt: u32,
) -> Result<&'a Run, Refusal> {
    let run = step.run;
    let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
    let known = state.step(&step.stage, &step.item);
    let open = known.is_some_and(|known| known.is_open() && known.attempt == attempt);
    if open && state.is_active() {
        Ok(state)
    } else {
        let step = step.clone();
        Err(Refusal::AttemptOver { step, attempt })
    }
}

/// Asks whether this step may make another exchange. The most that it can cost is held back since the step was requested; this checks
/// whether what was really used leaves room for it. If the answer is no, events are recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmitTurn {
    pub step: StepId,
    pub attempt: u32,
}

impl AdmitTurn {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = self.step.run;
        let state = run_of_open(d, &self.step, self.attempt)?;
        if awaits_budget(state) {
            return Err(Refusal::BudgetUsedUp { run });
        }
        if !state.can_afford(Reserve::default()) {
            d.starve(run);
        }
        Ok(())
    }
}

/// One exchange was made. It is recorded also after its run has ended: the money is spent.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordTurn {
    Model(Box<ModelCalled>),
    ToolCalled(ToolCalled),
    ToolReturned(ToolReturned),
}

impl RecordTurn {
    /// Which turn of its attempt, counted from 0.
    pub fn number(&self) -> u32 {
        match self {
            Self::Model(e) => e.turn,
            Self::ToolCalled(e) => e.turn,
            Self::ToolReturned(e) => e.turn,
        }
    }

    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let (step, attempt, event): (_, _, Event) = match self {
            Self::Model(e) => (e.step.clone(), e.attempt, (*e).into()),
            Self::ToolCalled(e) => (e.step.clone(), e.attempt, e.into()),
            Self::ToolReturned(e) => (e.step.clone(), e.attempt, e.into()),
        };
        let known = d
            .session
            .run(step.run)
            .and_then(|run| run.step(&step.stage, &step.item));
        if known.is_none_or(|known| known.attempt < attempt) {
            return Err(Refusal::AttemptOver { step, attempt });
        }
        d.record(event);
        Ok(())
    }
}
