//! A failed or cancelled run is taken up where it stopped: a new run on it keeps everything that it made.

use domain::decision::Decision;
use domain::event::{Intent, IntentClassified, RefinementRequested, RunStarted};
use domain::ids::{ArtifactId, RunId};
use domain::settings::Settings;

use crate::Refusal;

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
        take_up(d, base, Intent::Resumption, kept, None, self.settings)
    }
}

/// Starts a run on an ended one that keeps these artifacts and makes the rest.
pub(crate) fn take_up(
    d: &mut Decision<'_>,
    base: RunId,
    intent: Intent,
    kept: Vec<ArtifactId>,
    feedback: Option<(String, String)>,
    settings: Settings,
) -> Result<(), Refusal> {
    if let Some(run) = d.session.active {
        return Err(Refusal::Busy { run });
    }
    let state = d.session.run(base).ok_or(Refusal::NoRun { run: base })?;
    let run = d.session.next_run();
    // What the base run refined is still wanted.
    let refinement = state.wanted_change();
    // A run that stopped before its message was understood has to understand it first.
    let understood = state.intent.is_some();
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
    if understood {
        d.record(IntentClassified {
            run,
            intent,
            target: None,
            base_run: Some(base),
            language: None,
            kept,
            steps: vec![],
            confidence: 1.0,
            by: "person".to_owned(),
            reason: format!("run {base} is taken up again"),
            reply: None,
        });
        if let Some((stage, feedback)) = feedback.or(refinement) {
            d.record(RefinementRequested {
                run,
                base_run: base,
                stage,
                feedback,
            });
        }
    }
    d.advance(run);
    Ok(())
}
