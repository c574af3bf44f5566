//! What a command or a message would do, and the most that it could cost, told before anything is done.

use std::collections::BTreeSet;

use domain::by_hand;
use domain::event::{Intent, Reserve};
use domain::pipeline::Pipeline;
use domain::session::Run;
use runner::Preview;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

use crate::error::ApiError;

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, TS)]
pub struct PlannedStep {
    pub stage: String,
    /// Empty for a stage with a single step.
    pub item: String,
    /// What it has made before, as people know it; empty where it has made nothing yet.
    pub title: String,
}

/// What would be done.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema, TS)]
#[ts(optional_fields)]
pub struct Plan {
    /// `initial`, `refinement`, `irrelevant`, `resumption`, `restart` or `edit`.
    #[schema(value_type = String)]
    pub intent: Intent,
    /// Who says so: `person`, or `rules`. Where a model is asked it may understand a message otherwise.
    pub by: String,
    pub reason: String,
    /// What would be said, where nothing would be made.
    pub reply: Option<String>,
    /// The stage that a change begins with.
    pub target: Option<String>,
    /// The parts that it is about; none where it is about all of them.
    pub items: Vec<String>,
    /// The parts that are left, in their new order; none where something else is wanted.
    pub order: Vec<String>,
    /// What would be made again; of something new, its stages.
    pub redone: Vec<PlannedStep>,
    /// What would be taken over as it is.
    pub kept: Vec<PlannedStep>,
    /// The most that the attempts of these steps may use, each made once: calls, tokens, and millionths of the currency of the
    /// prices. How many parts something new has is not known before; then only its stages are counted.
    pub calls: u64,
    pub tokens: u64,
    pub cost_micros: u64,
}

/// The plan of a command that was tried.
pub(crate) fn plan(
    preview: &Preview,
    pipeline: Option<&'static dyn Pipeline>,
) -> Result<Plan, ApiError> {
    let run = preview.run.and_then(|run| preview.after.run(run));
    let Some((run, pipeline)) = run.zip(pipeline) else {
        let message = if preview.after.active.is_some() {
            "nothing would begin with this now: a run is at work; try again when it has ended, or cancel it"
        } else {
            "this command begins no run, so that there is nothing to plan"
        };
        return Err(ApiError::unprocessable("no_plan", message));
    };
    let Some(intent) = &run.intent else {
        let message =
            "what this message means is told by a step of its own; there is no plan of it";
        return Err(ApiError::unprocessable("no_plan", message));
    };
    let base = run.base_run.filter(|base| *base != run.id);
    let base = base.and_then(|base| preview.after.run(base));
    let makes_nothing = run.end.is_some();
    let (kept, redone) = match base {
        _ if makes_nothing => (vec![], vec![]),
        Some(base) => split(base, run),
        None => (vec![], stages(pipeline)),
    };
    let mut most = Reserve::default();
    let mut counted = BTreeSet::new();
    for step in &redone {
        if counted.insert((&step.stage, &step.item)) {
            most += by_hand::reserve(pipeline, run, &step.stage, &step.item);
        }
    }
    let refinement = run.refinement.as_ref();
    Ok(Plan {
        intent: intent.intent,
        by: intent.by.clone(),
        reason: intent.reason.clone(),
        reply: intent.reply.clone(),
        target: intent.target.as_ref().map(ToString::to_string),
        items: refinement.map(|it| it.items.clone()).unwrap_or_default(),
        order: refinement.map(|it| it.order.clone()).unwrap_or_default(),
        redone,
        kept,
        calls: most.calls,
        tokens: most.tokens,
        cost_micros: most.cost_micros,
    })
}

/// The steps whose artifacts a run takes over from its base, and the steps that it makes again.
fn split(base: &Run, run: &Run) -> (Vec<PlannedStep>, Vec<PlannedStep>) {
    let taken: BTreeSet<_> = run.artifacts().map(|made| &made.artifact).collect();
    let (mut kept, mut redone) = (BTreeSet::new(), BTreeSet::new());
    for made in base.artifacts() {
        let step = PlannedStep {
            stage: made.step.stage.to_string(),
            item: made.step.item.to_string(),
            title: made.title.to_string(),
        };
        if taken.contains(&made.artifact) {
            kept.insert(step);
        } else {
            redone.insert(step);
        }
    }
    (kept.into_iter().collect(), redone.into_iter().collect())
}

fn stages(pipeline: &dyn Pipeline) -> Vec<PlannedStep> {
    let stages = pipeline.stages().iter();
    stages
        .map(|stage| PlannedStep {
            stage: stage.name.to_owned(),
            item: String::new(),
            title: String::new(),
        })
        .collect()
}
