//! What is needed next: the template and the data, the plan, a person's confirmation of the plan, the sections, several at a time, the
//! report, its files.

use chrono::TimeDelta;
use palimpsest::prelude::pipeline::{
    ArtifactId, Flow, GateAnswer, GateSpec, Run, StepState, Stop, Verdict, complete_run, need,
    need_each, need_understanding, pass_gate, reopen_stages, work_on,
};
use serde_json::{Value, json};

use crate::shapes;
use crate::shapes::Mode;
use crate::stages::{AGGREGATION, EXPORT, PLAN, PLANNING, PREPARATION, REPORT, SECTION, WRITING};

/// The gate before the sections.
pub(crate) const CONFIRM_PLAN: &str = "confirm_plan";

/// The exact words of the contract.
const DECLINED: &str = "Plan was declined by user.";

/// The ids of the tasks, in the facts of a plan.
pub(crate) const IDS: &str = "ids";
/// The ids of the tasks without a section, in the facts of a report.
pub(crate) const MISSING: &str = "missing";

/// Seconds that a plan waits for an answer where the settings do not say: `TEMPLATE_WS_CONFIRM_TIMEOUT` of the contract.
const CONFIRM_SECONDS: f64 = 600.0;

pub(crate) fn flow(run: &Run) -> Flow {
    need_understanding(run)?;
    need(run, &PREPARATION)?;
    need(run, &PLANNING)?;
    confirm(run)?;
    let tasks = tasks(run)?;
    need_each(run, &WRITING, &work_on(tasks.clone()))?;
    let missing: Vec<_> = tasks
        .iter()
        .filter(|item| !run.has_step(WRITING.name, item))
        .collect();
    if missing.len() == tasks.len() {
        return nothing_written(run);
    }
    if shapes::mode(&run.input) == Mode::SolveTasks {
        return complete_run(!missing.is_empty());
    }
    renew(run)?;
    need(run, &AGGREGATION)?;
    need(run, &EXPORT)?;
    if missing.is_empty() && run.has_step(EXPORT.name, "") {
        Flow::Continue(())
    } else {
        complete_run(true)
    }
}

/// The items of a stage that can be left out: sections, once there is a plan.
pub(crate) fn skippable(run: &Run, stage: &str) -> Vec<String> {
    if stage != WRITING.name || run.step(AGGREGATION.name, "").is_some() {
        return vec![];
    }
    ids(run).unwrap_or_default()
}

/// The items of the sections: the ids of the tasks.
fn tasks(run: &Run) -> Flow<Vec<String>> {
    match ids(run) {
        Some(ids) => Flow::Continue(ids),
        None => Flow::Break(Stop::End(Verdict::Fail {
            code: "facts_missing".to_owned(),
            message: "the plan of the run does not say its tasks".to_owned(),
        })),
    }
}

fn ids(run: &Run) -> Option<Vec<String>> {
    let ids = run.facts(PLAN)?[IDS].as_array()?.iter();
    Some(
        ids.filter_map(Value::as_u64)
            .map(|id| id.to_string())
            .collect(),
    )
}

fn confirm(run: &Run) -> Flow {
    let options = &run.settings.options;
    let wanted = options["require_confirm"].as_bool().unwrap_or(true);
    if !wanted || !run.settings.attended || shapes::mode(&run.input) == Mode::SolveTasks {
        return Flow::Continue(());
    }
    let plan = run.artifact(PLAN).map(|plan| plan.artifact.clone());
    // A person who restarts a section of a confirmed plan is not asked to confirm the plan again.
    if plan.is_some() && run.took_over(PLANNING.name, "") {
        return Flow::Continue(());
    }
    let spec = || question(run, plan.clone());
    match pass_gate(run, &spec, CONFIRM_PLAN, plan.as_ref())? {
        GateAnswer::Confirmed { .. } | GateAnswer::Given { .. } => Flow::Continue(()),
        GateAnswer::Declined { .. } => Flow::Break(Stop::End(Verdict::Reply {
            text: DECLINED.to_owned(),
        })),
    }
}

fn question(run: &Run, subject: Option<ArtifactId>) -> GateSpec {
    let seconds = run.settings.options["confirm_timeout_s"].as_f64();
    let seconds = seconds.unwrap_or(CONFIRM_SECONDS).max(0.0);
    let millis = TimeDelta::milliseconds((seconds * 1000.0) as i64);
    let question = if run.settings.language.starts_with("zh") {
        "请确认章节计划：确认后开始撰写，也可以修改任务或拒绝。"
    } else {
        "Please confirm the plan of sections: confirm it, change its tasks, or decline it."
    };
    GateSpec {
        name: CONFIRM_PLAN.to_owned(),
        subject,
        question: question.to_owned(),
        schema: answer_schema(),
        options: vec!["confirm".to_owned(), "decline".to_owned()],
        open_for: Some(millis),
        default: json!({ "confirm": false }),
    }
}

fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "confirm": { "type": "boolean" },
            "feedback": { "type": "string" },
            "edits": {
                "description": "tasks with their id, title and objective; those that are not named stay as they are",
                "type": ["array", "object", "null"]
            }
        },
        "required": ["confirm"],
        "additionalProperties": false
    })
}

/// A report that names a section as missing is put together again when that section was written.
fn renew(run: &Run) -> Flow {
    let missing = run
        .facts(REPORT)
        .and_then(|facts| facts[MISSING].as_array());
    let stage = WRITING.name;
    let written = missing
        .into_iter()
        .flatten()
        .filter_map(Value::as_u64)
        .any(|id| run.has_step(stage, &id.to_string()));
    if written {
        return reopen_stages(
            &[AGGREGATION.name],
            None,
            "a section that was missing is written",
        );
    }
    Flow::Continue(())
}

/// A report without a single section does not count as a report, so the run fails.
fn nothing_written(run: &Run) -> Flow {
    let failures = run.steps.get(WRITING.name).into_iter().flatten();
    let last = failures.filter_map(|(_, step)| match &step.state {
        StepState::Failed { message, .. } => Some(message.as_str()),
        StepState::Open | StepState::Succeeded | StepState::Cancelled | StepState::Reopened => None,
    });
    let message = match last.max() {
        Some(cause) => format!("no section could be written: {cause}"),
        None => "every section was left out".to_owned(),
    };
    debug_assert!(run.artifacts_of(SECTION).next().is_none());
    Flow::Break(Stop::End(Verdict::Fail {
        code: "nothing_written".to_owned(),
        message,
    }))
}
