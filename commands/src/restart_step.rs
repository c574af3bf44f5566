//! One step is done again, with everything that was made from it. If the run has ended, this is a new run on it; an active run goes back to
//! these stages.

use domain::decision::{Decision, invalidated};
use domain::event::{DecisionMade, Intent};
use domain::ids::{RunId, StepId};
use domain::session::{DO, Run, skipping};
use domain::settings::Settings;

use crate::refine::pipeline_of;
use crate::resume::{Again, take_up};
use crate::{PERSON, Refusal};

#[derive(Clone, Debug, PartialEq)]
pub struct RestartStep {
    /// The active run, else the head, where absent.
    pub run: Option<RunId>,
    pub stage: String,
    /// Empty for a stage with a single step.
    pub item: String,
    pub feedback: Option<String>,
    pub settings: Settings,
}

impl RestartStep {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = self.run.or(d.session.active).or(d.session.refinable());
        let run = run.ok_or(Refusal::NothingTo { verb: "restart" })?;
        let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
        let step = StepId::new(run, self.stage, self.item);
        if state.step(&step.stage, &step.item).is_none()
            && !state.took_over(&step.stage, &step.item)
            && !state.is_skipped(&step.stage, &step.item)
            && !is_yet_to_come(d, state, &step)?
        {
            return Err(Refusal::NoStep { step });
        }
        if state.is_active() {
            if state.is_skipped(&step.stage, &step.item) {
                d.record(DecisionMade {
                    run,
                    what: skipping(&step.stage, &step.item),
                    choice: DO.to_owned(),
                    reason: "a person asked for it".to_owned(),
                    by: PERSON.to_owned(),
                });
            }
            let stages = [step.stage.clone()];
            d.reopen(
                run,
                &stages,
                &[step],
                self.feedback.map(Into::into),
                "a person asked for it",
            );
            d.advance(run);
            return Ok(());
        }
        let pipeline = pipeline_of(d, state)?;
        let (_, fallen) = invalidated(state, pipeline, &[], std::slice::from_ref(&step));
        let falls =
            |stage: &str, item: &str| fallen.iter().any(|s| s.stage == stage && s.item == item);
        let kept = state
            .artifacts()
            .filter(|a| !falls(&a.step.stage, &a.step.item));
        let kept = kept.map(|a| a.artifact.clone()).collect();
        let feedback = self.feedback.map(|feedback| (step.stage.clone(), feedback));
        let again = Again {
            intent: Intent::Restart,
            kept,
            steps: vec![step],
            fallen,
            feedback,
        };
        take_up(d, run, again, self.settings)
    }
}

/// Whether this is the single step of a stage that has not begun. The step then gets the feedback when it begins.
fn is_yet_to_come(d: &Decision<'_>, run: &Run, step: &StepId) -> Result<bool, Refusal> {
    let mut stages = pipeline_of(d, run)?.stages().iter();
    let is_stage = stages.any(|stage| stage.name == step.stage);
    Ok(is_stage && run.is_active() && step.item.is_empty() && run.stage(&step.stage).is_none())
}
