//! What is needed next: brief, evidence, references, text, layout, plan, pictures, a review, and whatever a person or the
//! review sends back.

use chrono::TimeDelta;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, GateOpened};
use palimpsest::prelude::pipeline::{
    ArtifactId, Flow, GateAnswer, GateSpec, Run, StageState, by_hand, complete_run, need,
    need_decision, need_each, need_understanding, numbered_items, pass_gate, work_on,
};
use serde_json::{Value, json};

use super::shape::Verdict as Judged;
use super::stage::{Approval, IMAGE_PLAN, POST, PostAgent, REVIEW, SUPERVISOR, Stage};
use super::{clarify, route};

/// Rejections of what a gate asks about; a person who is not content then changes it, or ends the run.
const REJECTIONS_MAX: usize = 3;

/// Why stages are done again whose outcome a person rejected.
pub(crate) const REJECTED: &str = "rejected by the person";

pub(super) fn flow(run: &Run) -> Flow {
    need_understanding(run)?;
    need(run, &Stage::Requirement)?;
    route::supervised(run)?;
    let order = order(run);
    for (at, &stage) in order.iter().enumerate() {
        let pending = work(run, stage);
        if pending.is_break() {
            // In an edit by hand, no decision about the next stage is needed.
            if !is_open(run, stage) && run.edit.is_none() {
                let open: Vec<_> = order[at..].to_vec();
                let done: Vec<_> = order[..at].to_vec();
                route::decided(run, Some(stage), &done, &open)?;
                clarify::before(run, stage)?;
            }
            pending?;
        }
        confirmed(run, stage)?;
    }
    finish(run, &order)
}

/// The stages of this run between the first and the last. Where the supervisor wants the reference pictures looked at first, they come
/// before the research.
fn order(run: &Run) -> Vec<Stage> {
    let fast = route::is_fast(run);
    let stages = Stage::decided().filter(|stage| stage.is_in_run(fast));
    let mut order: Vec<_> = stages.collect();
    let first = route::last(run) == Some(Stage::Reference.name);
    if first && !is_done(run, Stage::Research) && !is_open(run, Stage::Research) {
        let research = order.iter().position(|stage| *stage == Stage::Research);
        if let Some(at) = research {
            order.swap(at, at + 1);
        }
    }
    order
}

fn is_open(run: &Run, stage: Stage) -> bool {
    run.stage(stage.name)
        .is_some_and(|stage| stage.state == StageState::Open)
}

fn is_done(run: &Run, stage: Stage) -> bool {
    work(run, stage).is_continue()
}

fn work(run: &Run, stage: Stage) -> Flow {
    if stage == Stage::Images {
        return need_each(
            run,
            &stage,
            &work_on(numbered_items(run, IMAGE_PLAN, "plans")?),
        );
    }
    need(run, &stage)
}

/// The pictures that a person may leave out, as long as the post is not put together.
pub(super) fn skippable(run: &Run, stage: &str) -> Vec<String> {
    if stage != Stage::Images.name || run.step(Stage::Post.name, "").is_some() {
        return vec![];
    }
    match numbered_items(run, IMAGE_PLAN, "plans") {
        Flow::Continue(items) => items,
        Flow::Break(_) => vec![],
    }
}

/// Whether this artifact needs no confirmation: a person wrote it, or confirmed it in the run before.
pub(super) fn is_settled(run: &Run, made: &ArtifactProduced, stage: Stage) -> bool {
    run.settings.attended && (by_hand::is_by_hand(made) || run.took_over(stage.name, ""))
}

/// Asks the person about what this stage made, where somebody is there to be asked.
fn confirmed(run: &Run, stage: Stage) -> Flow {
    let Some(approval) = stage.approval().filter(|_| run.settings.attended) else {
        return Flow::Continue(());
    };
    let Some(made) = run.artifact(stage.kind()) else {
        return Flow::Continue(());
    };
    if is_settled(run, made, stage) {
        return Flow::Continue(());
    }
    let spec = || question(run, &approval, made.artifact.clone());
    match pass_gate(run, &spec, approval.gate, Some(&made.artifact))? {
        GateAnswer::Confirmed { .. } | GateAnswer::Given { .. } => Flow::Continue(()),
        GateAnswer::Declined { feedback, by } => {
            let why = feedback.clone().unwrap_or_default();
            let feedback = feedback.clone();
            route::go_back(run, stage, feedback, REJECTED, (why, by.clone()))
        }
    }
}

/// The node of the contract that asks at a gate: the one whose outcome the question is about, the one that needs the answer, or the one
/// whose step asks.
pub(crate) fn asker(gate: &GateOpened) -> PostAgent {
    let stage = match (&gate.step, gate.name.split_once('.')) {
        (Some(step), _) => Stage::named(&step.stage),
        (None, Some((agent, _))) => Stage::of_agent(agent),
        (None, None) => Stage::of_gate(&gate.name),
    };
    stage.map_or(SUPERVISOR, Stage::agent)
}

fn question(run: &Run, approval: &Approval, subject: ArtifactId) -> GateSpec {
    let zh = run.settings.language.starts_with("zh");
    let question = if zh {
        approval.chinese
    } else {
        approval.english
    };
    let may_reject = run.times_declined(approval.gate) < REJECTIONS_MAX;
    let confirm = if may_reject {
        json!({ "type": "boolean" })
    } else {
        json!({
            "const": true,
            "description": format!("it was rejected {REJECTIONS_MAX} times already: change it, confirm it, or cancel the run")
        })
    };
    let options: &[&str] = if may_reject {
        &["approve", "reject", "modify"]
    } else {
        &["approve", "modify"]
    };
    GateSpec {
        name: approval.gate.to_owned(),
        subject: Some(subject),
        question: question.to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "confirm": confirm,
                "feedback": { "type": "string" },
                "edits": { "type": ["object", "array", "null"] }
            },
            "required": ["confirm"],
            "additionalProperties": false
        }),
        options: options.iter().map(|&option| option.to_owned()).collect(),
        open_for: None::<TimeDelta>,
        default: json!({ "confirm": true }),
    }
}

/// After the last stage: the verdict of the review, another round, or the end.
fn finish(run: &Run, order: &[Stage]) -> Flow {
    // A review of what a person wrote only reports, and sends nothing back.
    let at_end = run.edit.is_some() || route::last(run) == Some(route::END);
    if let (Some(review), Some(outcome), false) =
        (run.artifact(REVIEW), route::outcome(run), at_end)
    {
        let what = format!("{}{}", route::REVIEWED, review.number);
        let (choice, why) = said(run, &outcome);
        need_decision(run, &what, choice, &why)?;
        let may_improve =
            route::rounds(run) < route::iterations_max(run) && !route::review_repeats(run);
        if outcome.verdict == Judged::Failed && may_improve {
            // The version of this round is kept: it may turn out to be the best one.
            need(run, &Stage::Post)?;
            let dimension = outcome.dimension.unwrap_or("reviewer");
            let feedback = Some(suggestions(run, dimension));
            let reason = format!("review: {dimension}");
            let by = palimpsest::prelude::pipeline::RULES.to_owned();
            optimized(run)?;
            return route::go_back(run, outcome.target, feedback, &reason, (why, by));
        }
    }
    if !at_end {
        route::decided(run, None, order, &[])?;
    }
    need(run, &Stage::Post)?;
    let facts = run.facts(POST).cloned().unwrap_or_default();
    let whole =
        facts["missing"].as_array().is_none_or(Vec::is_empty) && facts["platform_ok"] != false;
    if whole {
        Flow::Continue(())
    } else {
        complete_run(true)
    }
}

/// What the reviewer wants changed.
fn suggestions(run: &Run, dimension: &str) -> String {
    let facts = run.facts(REVIEW).map(|facts| &facts["suggestions"]);
    let all = facts.and_then(Value::as_array).into_iter().flatten();
    let lines: Vec<&str> = all.filter_map(Value::as_str).collect();
    if lines.is_empty() {
        dimension.to_owned()
    } else {
        lines.join("\n")
    }
}

/// Records the prompts that the reviewer would have preferred, under the plan that they refer to. A new plan is made with these prompts as
/// advice, and new pictures of the same plan are made with them.
fn optimized(run: &Run) -> Flow {
    let prompts = run.facts(REVIEW).map(|facts| &facts["prompts"]);
    let prompts = prompts.filter(|prompts| prompts.as_array().is_some_and(|all| !all.is_empty()));
    let (Some(prompts), Some(plan)) = (prompts, run.artifact(IMAGE_PLAN)) else {
        return Flow::Continue(());
    };
    let what = super::images::optimizing(&plan.artifact);
    need_decision(run, &what, &prompts.to_string(), "review")
}

/// The verdict, and the reason for it.
fn said(run: &Run, outcome: &route::Outcome) -> (&'static str, String) {
    let zh = run.settings.language.starts_with("zh");
    match outcome.verdict {
        Judged::Passed if zh => ("passed", "审核通过，各项评分达标".to_owned()),
        Judged::Passed => (
            "passed",
            "approved, and every score is high enough".to_owned(),
        ),
        Judged::NotChecked if zh => (
            "not_checked",
            "没有可用的审核模型或有维度未评分，未通过也未驳回".to_owned(),
        ),
        Judged::NotChecked => (
            "not_checked",
            "not everything was checked, so that it neither passed nor failed".to_owned(),
        ),
        Judged::Failed => {
            let dimension = outcome.dimension.unwrap_or("reviewer");
            let why = if zh {
                format!("{dimension} 未达标")
            } else {
                format!("`{dimension}` is not good enough")
            };
            ("failed", why)
        }
    }
}
