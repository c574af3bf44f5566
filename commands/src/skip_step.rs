//! A person wants one piece of a stage left out. The others go on.

use domain::decision::Decision;
use domain::event::{DecisionMade, StepCancelled};
use domain::ids::{RunId, StepId};
use domain::session::{SKIP, skipping};

use crate::refine::pipeline_of;
use crate::{PERSON, Refusal};

#[derive(Clone, Debug, PartialEq)]
pub struct SkipStep {
    /// The active one where absent.
    pub run: Option<RunId>,
    pub stage: String,
    pub item: String,
}

impl SkipStep {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = self.run.or(d.session.active);
        let run = run.ok_or(Refusal::NothingTo { verb: "change" })?;
        let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
        if !state.is_active() {
            return Err(Refusal::Ended { run });
        }
        let step = StepId::new(run, self.stage, self.item);
        let known = pipeline_of(d, state)?.skippable(state, &step.stage);
        if !known.iter().any(|known| *known == step.item) {
            let known = if known.is_empty() {
                "nothing of this stage can, now".to_owned()
            } else {
                format!("these can: {}", known.join(", "))
            };
            return Err(Refusal::NotLeftOut { step, known });
        }
        if state.has_step(&step.stage, &step.item) {
            return Err(Refusal::StepDone { step });
        }
        if state.is_skipped(&step.stage, &step.item) {
            return Ok(());
        }
        let open = state
            .step(&step.stage, &step.item)
            .filter(|known| known.is_open())
            .map(|known| known.attempt);
        let at = d.now();
        d.record(DecisionMade {
            run,
            what: skipping(&step.stage, &step.item),
            choice: SKIP.to_owned(),
            reason: "a person asked for it".to_owned(),
            by: PERSON.to_owned(),
        });
        if let Some(attempt) = open {
            d.record(StepCancelled {
                step,
                attempt,
                reason: "skipped".to_owned(),
                at,
            });
        }
        d.advance(run);
        Ok(())
    }
}
