//! A person writes the next version of an artifact. This is a new run on the run that has the artifact; in it, the step of the artifact
//! produces what was written.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::decision::{Decision, invalidated};
use domain::event::{ArtifactEdited, ArtifactProduced, Body, Intent, IntentClassified, RunStarted};
use domain::ids::{ArtifactId, StepId};
use domain::pipeline::Pipeline;
use domain::session::Run;
use domain::settings::Settings;

use crate::refine::pipeline_of;
use crate::{PERSON, Refusal};

/// What happens to artifacts that were made from the version before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Following {
    /// Artifacts whose making asks no model are made again. The others stay, and are then older than what they were made from.
    #[default]
    Stays,
    /// All of it is made again.
    Redone,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EditArtifact {
    /// The version that the person edited. It has to be the current one of the run that is edited.
    pub artifact: ArtifactId,
    /// What the person wrote: the pipeline has checked it.
    pub body: Body,
    /// The parts that are different, where the artifact holds several.
    pub items: Vec<String>,
    pub following: Following,
    pub settings: Settings,
}

impl EditArtifact {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        if let Some(run) = d.session.active {
            return Err(Refusal::Busy { run });
        }
        let base = d.session.refinable();
        let base = base.ok_or(Refusal::NothingTo { verb: "edit" })?;
        let state = d.session.run(base).ok_or(Refusal::NoRun { run: base })?;
        let made = current(d, state, &self.artifact)?;
        let pipeline = pipeline_of(d, state)?;
        let (stage, item) = pipeline
            .written_in(&made)
            .ok_or_else(|| not_editable(pipeline, state, &made))?;
        let run = d.session.next_run();
        let step = StepId::new(run, stage, item);
        let edited = ArtifactEdited {
            run,
            artifact: self.artifact,
            kind: made.kind.clone(),
            step: step.clone(),
            items: self.items,
            body: self.body,
        };
        // What a step asks may depend on what was edited.
        let mut with_edit = state.clone();
        with_edit.refinement = None;
        with_edit.edit = Some(Arc::new(edited.clone()));
        let mut changed = vec![step.clone(), made.step.clone()];
        if self.following == Following::Redone {
            changed.extend(older_than(d, state, &made));
        }
        let (_, fallen) = invalidated(state, pipeline, &[], &changed);
        let written = [&step, &made.step].map(|step| (step.stage.clone(), step.item.clone()));
        let again = |(stage, item): (&str, &str)| {
            written
                .iter()
                .any(|(s, i)| (s.as_str(), i.as_str()) == (stage, item))
                || self.following == Following::Redone
                || pipeline.reserve(&with_edit, stage, item).is_nothing()
        };
        let fallen: BTreeSet<_> = fallen
            .iter()
            .map(|step| (step.stage.as_str(), step.item.as_str()))
            .filter(|step| again(*step))
            .collect();
        let stays = |made: &&Arc<ArtifactProduced>| {
            !fallen.contains(&(made.step.stage.as_str(), made.step.item.as_str()))
        };
        let kept = state.artifacts().filter(stays);
        let kept = kept.map(|made| made.artifact.clone()).collect();
        let started = RunStarted {
            run,
            pipeline: state.pipeline.clone(),
            base_run: Some(base),
            message: state.message.clone(),
            brief: state.brief.clone(),
            input: state.input.clone(),
            settings: self.settings,
            at: d.now(),
        };
        d.record(started);
        d.record(IntentClassified {
            run,
            intent: Intent::Edit,
            target: Some(edited.step.stage.clone()),
            base_run: Some(base),
            language: None,
            kept,
            steps: vec![step],
            confidence: 1.0,
            by: PERSON.to_owned(),
            reason: made.title.to_string(),
            reply: None,
        });
        d.record(edited);
        d.advance(run);
        Ok(())
    }
}

/// The steps whose artifacts were made from an earlier version of this one, and stayed when it was edited.
fn older_than(d: &Decision<'_>, run: &Run, made: &ArtifactProduced) -> Vec<StepId> {
    let is_earlier = |from: &ArtifactId| {
        let was = d.session.artifacts.get(from);
        was.is_some_and(|was| {
            (&was.kind, was.item()) == (&made.kind, made.item()) && was.artifact != made.artifact
        })
    };
    let older = run.artifacts().filter(|it| it.from.iter().any(is_earlier));
    older.map(|it| it.step.clone()).collect()
}

/// Why an artifact is not edited by hand, with the kinds that are.
fn not_editable(pipeline: &dyn Pipeline, run: &Run, made: &ArtifactProduced) -> Refusal {
    let editable = run
        .artifacts()
        .filter(|it| pipeline.written_in(it).is_some());
    let editable: BTreeSet<_> = editable.map(|made| made.kind.as_str()).collect();
    Refusal::NotEditable {
        kind: made.kind.to_string(),
        editable: match editable.len() {
            0 => "nothing of this run is edited by hand".to_owned(),
            _ => editable.into_iter().collect::<Vec<_>>().join(", "),
        },
    }
}

/// The artifact, where it is the current version in this run.
fn current(
    d: &Decision<'_>,
    run: &Run,
    artifact: &ArtifactId,
) -> Result<Arc<ArtifactProduced>, Refusal> {
    let made = d.session.artifacts.get(artifact);
    let made = made.ok_or_else(|| Refusal::NoArtifact {
        artifact: artifact.clone(),
    })?;
    let now = run
        .artifacts_of(&made.kind)
        .find(|(item, _)| item == made.item());
    match now {
        Some((_, now)) if now.artifact == *artifact => Ok(now.clone()),
        now => Err(Refusal::NotCurrent {
            artifact: artifact.clone(),
            current: now.map(|(_, now)| now.artifact.clone()),
        }),
    }
}
