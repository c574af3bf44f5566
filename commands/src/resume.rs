//! A failed or cancelled run is taken up where it stopped: a new run builds on it and keeps everything that it made.

use domain::decision::Decision;
use domain::event::{DecisionMade, Intent, IntentClassified, RefinementRequested, RunStarted};
use domain::ids::{ArtifactId, RunId, StepId};
use domain::session::{Run, SKIP, skipping};
use domain::settings::Settings;
use smol_str::SmolStr;

use crate::{PERSON, Refusal};

#[derive(Clone, Debug, PartialEq)]
pub struct Resume {
    /// The latest run where absent.
    pub run: Option<RunId>,
    pub settings: Settings,
}

impl Resume {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let latest = d.session.runs.keys().next_back().copied();
        let base = self
            .run
            .or(latest)
            .ok_or(Refusal::NothingTo { verb: "resume" })?;
        let state = d.session.run(base).ok_or(Refusal::NoRun { run: base })?;
        if state.is_active() {
            return Err(Refusal::NotEnded { run: base });
        }
        if !state.stopped_early() {
            return Err(Refusal::NothingMissing { run: base });
        }
        let kept = state.artifact_ids();
        let again = Again {
            intent: Intent::Resumption,
            kept,
            steps: vec![],
            fallen: vec![],
            feedback: None,
        };
        take_up(d, base, again, self.settings)
    }
}

/// The part of a run that is done again.
pub(crate) struct Again {
    pub(crate) intent: Intent,
    pub(crate) kept: Vec<ArtifactId>,
    /// The steps that were named.
    pub(crate) steps: Vec<StepId>,
    /// These steps, and all that is invalidated together with them.
    pub(crate) fallen: Vec<StepId>,
    /// The stage that changes, and the change that is wanted.
    pub(crate) feedback: Option<(SmolStr, String)>,
}

/// Starts a run on an ended one that keeps some artifacts and makes the rest.
pub(crate) fn take_up(
    d: &mut Decision<'_>,
    base: RunId,
    again: Again,
    settings: Settings,
) -> Result<(), Refusal> {
    if let Some(run) = d.session.active {
        return Err(Refusal::Busy { run });
    }
    let state = d.session.run(base).ok_or(Refusal::NoRun { run: base })?;
    let run = d.session.next_run();
    // The change that the base run was asked for is still wanted.
    let refinement = match again.feedback {
        Some((stage, feedback)) => Some(RefinementRequested {
            run,
            base_run: base,
            stage,
            feedback,
            items: vec![],
            order: vec![],
        }),
        None => still_wanted(state, run),
    };
    // A run that stopped before its message was understood has to understand it first.
    let understood = state.intent.is_some();
    let left_out = left_out(state, &again.fallen);
    let started = RunStarted {
        run,
        pipeline: state.pipeline.clone(),
        base_run: Some(base),
        message: state.message.clone(),
        brief: state.brief.clone(),
        input: state.input.clone(),
        settings,
        at: d.now(),
    };
    d.record(started);
    for (what, reason) in left_out {
        d.record(DecisionMade {
            run,
            what,
            choice: SKIP.to_owned(),
            reason,
            by: PERSON.to_owned(),
        });
    }
    if understood {
        d.record(IntentClassified {
            run,
            intent: again.intent,
            target: None,
            base_run: Some(base),
            language: None,
            kept: again.kept,
            steps: again.steps,
            confidence: 1.0,
            by: PERSON.to_owned(),
            reason: format!("run {base} is taken up again"),
            reply: None,
        });
        if let Some(refinement) = refinement {
            d.record(refinement);
        }
    }
    d.advance(run);
    Ok(())
}

/// The change that a run was asked for, for a run that goes on with it.
pub(crate) fn still_wanted(base: &Run, run: RunId) -> Option<RefinementRequested> {
    let refinement = base.refinement.clone()?;
    Some(RefinementRequested {
        run,
        base_run: base.id,
        ..refinement
    })
}

/// What a person wanted left out of the run, except what is done again.
fn left_out(run: &Run, again: &[StepId]) -> Vec<(String, String)> {
    let again: Vec<_> = again
        .iter()
        .map(|step| skipping(&step.stage, &step.item))
        .collect();
    let mut left_out = vec![];
    for decision in &run.decisions {
        let stands = run
            .decision(&decision.what)
            .is_some_and(|last| last == decision && last.choice == SKIP);
        if stands && !again.contains(&decision.what) {
            left_out.push((decision.what.clone(), decision.reason.clone()));
        }
    }
    left_out
}
