//! A person wants a change to an earlier run, from a stage on: a new run takes over what comes before the stage and redoes
//! the rest.

use std::sync::Arc;

use domain::decision::{Decision, invalidated};
use domain::event::{
    ArtifactProduced, Intent, IntentClassified, MessageReceived, RefinementRequested, RunStarted,
};
use domain::ids::{ArtifactId, MessageId, RunId, StepId};
use domain::pipeline::Pipeline;
use domain::session::Run;
use domain::settings::Settings;
use serde_json::Value;
use smol_str::SmolStr;

use crate::{PERSON, Refusal};

#[derive(Clone, Debug, PartialEq)]
pub struct Refine {
    /// The head where absent.
    pub base_run: Option<RunId>,
    pub stage: SmolStr,
    /// The parts of the stage that have to change; empty for all of it.
    pub items: Vec<String>,
    pub feedback: String,
    pub settings: Settings,
}

impl Refine {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        if self.feedback.trim().is_empty() {
            return Err(Refusal::EmptyFeedback);
        }
        if let Some(run) = d.session.active {
            return Err(Refusal::Busy { run });
        }
        let base = self
            .base_run
            .or(d.session.refinable())
            .ok_or(Refusal::NothingTo { verb: "refine" })?;
        let state = d.session.run(base).ok_or(Refusal::NoRun { run: base })?;
        let pipeline = pipeline_of(d, state)?;
        let stages = pipeline.stages().iter().map(|stage| stage.name);
        if !stages.clone().any(|stage| stage == self.stage) {
            let known = stages.collect::<Vec<_>>().join(", ");
            return Err(Refusal::UnknownStage {
                stage: self.stage.to_string(),
                pipeline: state.pipeline.to_string(),
                known,
            });
        }
        let known = pipeline.parts(state, &self.stage);
        if let Some(item) = self.items.iter().find(|item| !known.contains(*item)) {
            return Err(Refusal::UnknownPart {
                item: item.clone(),
                stage: self.stage.to_string(),
                known: match known.as_slice() {
                    [] => "it is made as a whole".to_owned(),
                    known => format!("it has {}", known.join(", ")),
                },
            });
        }
        let kept = kept(pipeline, state, &self.stage, &self.items);
        let name = state.pipeline.clone();
        let run = d.session.next_run();
        let message = MessageId::new(d.fresh("msg_"));
        let at = d.now();
        d.record(MessageReceived {
            at: Some(at),
            message: message.clone(),
            text: self.feedback.clone(),
            attachments: vec![],
            run,
        });
        d.record(RunStarted {
            run,
            pipeline: name,
            base_run: Some(base),
            message: Some(message),
            brief: self.feedback.clone(),
            input: Value::Null,
            settings: self.settings,
            at,
        });
        d.record(IntentClassified {
            run,
            intent: Intent::Refinement,
            target: Some(self.stage.clone()),
            base_run: Some(base),
            language: None,
            kept,
            steps: vec![],
            confidence: 1.0,
            by: PERSON.to_owned(),
            reason: "the stage was named".to_owned(),
            reply: None,
        });
        d.record(RefinementRequested {
            run,
            base_run: base,
            stage: self.stage,
            feedback: self.feedback,
            items: self.items,
            order: vec![],
        });
        d.advance(run);
        Ok(())
    }
}

/// The artifacts of the base run that a change of a stage keeps: those of the stages before it and, where the change is about some items,
/// those of the other items.
pub(crate) fn kept(
    pipeline: &dyn Pipeline,
    base: &Run,
    stage: &SmolStr,
    items: &[String],
) -> Vec<ArtifactId> {
    let mut kept = kept_before(pipeline, base, stage);
    if !items.is_empty() {
        kept.extend(others(pipeline, base, stage, items));
    }
    kept
}

/// What the other items of a stage made, unless it was made from the items that change.
fn others(
    pipeline: &dyn Pipeline,
    base: &Run,
    stage: &SmolStr,
    items: &[String],
) -> Vec<ArtifactId> {
    let steps = items
        .iter()
        .map(|item| StepId::new(base.id, stage.clone(), item));
    let (_, fallen) = invalidated(base, pipeline, &[], &steps.collect::<Vec<_>>());
    let stays = |made: &&Arc<ArtifactProduced>| {
        let step = &made.step;
        let falls = |fallen: &StepId| (&fallen.stage, &fallen.item) == (&step.stage, &step.item);
        step.stage == *stage && !step.item.is_empty() && !fallen.iter().any(falls)
    };
    base.artifacts()
        .filter(stays)
        .map(|made| made.artifact.clone())
        .collect()
}

pub(crate) fn pipeline_of(d: &Decision<'_>, run: &Run) -> Result<&'static dyn Pipeline, Refusal> {
    d.pipelines()
        .find(&run.pipeline)
        .ok_or_else(|| Refusal::UnknownPipeline {
            name: run.pipeline.to_string(),
            known: d
                .pipelines()
                .iter()
                .map(|p| p.name())
                .collect::<Vec<_>>()
                .join(", "),
        })
}

/// The artifacts of the base run that stages before the target have made.
fn kept_before(pipeline: &dyn Pipeline, base: &Run, target: &str) -> Vec<ArtifactId> {
    let stages = pipeline.stages().iter().map(|stage| stage.name);
    let before: Vec<_> = stages.take_while(|stage| *stage != target).collect();
    let kept = base
        .artifacts()
        .filter(|a| before.iter().any(|stage| **stage == a.step.stage));
    kept.map(|a| a.artifact.clone()).collect()
}
