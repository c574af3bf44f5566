//! What is needed next: where the message goes, what the bible knows about it, the work of the agents, a person's choice between two agents
//! of a chain, the check, and what is put into the bible.

use palimpsest::prelude::pipeline::{
    Flow, GateSpec, Run, StepState, complete_run, need, need_each, need_understanding, pass_gate,
    work_on,
};
use serde_json::{Value, json};

use super::act::OPTIONS;
use super::route::CHAPTERS;
use super::shape::{Input, Route};
use super::stage::{CHOOSE, OUTCOME, ROUTING, Stage};
use super::{outline, prepare};

/// Preprocessing tasks that work at the same time: all of them.
const TASKS_WIDTH: u32 = 8;

pub(super) fn flow(run: &Run) -> Flow {
    let input = Input::read(&run.input).unwrap_or_default();
    need_understanding(run)?;
    need(run, &Stage::Route)?;
    let Some(route) = run.facts(ROUTING).and_then(Route::of_facts) else {
        return need(run, &Stage::Deliver);
    };
    let names_chapters = run
        .facts(ROUTING)
        .and_then(|facts| facts[CHAPTERS].as_array())
        .is_some_and(|chapters| !chapters.is_empty());
    let tasks = prepare::tasks(&route, names_chapters, &input);
    if !tasks.is_empty() {
        need_each(run, &Stage::Prepare, &work_on(tasks).width(TASKS_WIDTH))?;
    }
    let ranges = outline::items(run.facts(ROUTING), run.settings.ports.is_offline());
    if ranges.is_empty() {
        need(run, &Stage::Act)?;
    } else {
        need_each(run, &Stage::Act, &work_on(ranges).closing(outline::WHOLE))?;
    }
    if route.workflow.is_chain() {
        if route.workflow.pauses() {
            choose(run)?;
        }
        need(run, &Stage::Write)?;
    }
    if route.is_checked(&input) {
        need(run, &Stage::Check)?;
    }
    if route.proposes() && input.project.is_some() {
        need(run, &Stage::Keep)?;
    }
    need(run, &Stage::Deliver)?;
    let failed = |stage: Stage| {
        let step = run.step(stage.name, "");
        step.is_some_and(|step| matches!(step.state, StepState::Failed { .. }))
    };
    if failed(Stage::Check) || failed(Stage::Keep) {
        return complete_run(true);
    }
    Flow::Continue(())
}

/// Waits for the person's choice. Where there is nobody to ask, the first option is taken, and the choice says so.
fn choose(run: &Run) -> Flow {
    let Some(made) = run.artifact(OUTCOME) else {
        return Flow::Continue(());
    };
    let options = run.facts(OUTCOME).map(|facts| facts[OPTIONS].clone());
    let ids: Vec<String> = options
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|option| option["id"].as_str().map(str::to_owned))
        .collect();
    let subject = Some(made.artifact.clone());
    let chinese = run.settings.language.starts_with("zh");
    let question = if chinese {
        "请选择一个方向，或者写下自己的想法。"
    } else {
        "Choose one of these, or say in your own words what it is to be."
    };
    let first = ids.first().cloned().unwrap_or_default();
    let spec = || GateSpec {
        schema: json!({
            "type": "object",
            "properties": { "selection": { "type": "string", "minLength": 1, "maxLength": 2000 } },
            "required": ["selection"],
            "additionalProperties": false
        }),
        options: ids.clone(),
        default: json!({ "selection": first }),
        ..GateSpec::confirm(CHOOSE, subject.clone(), question)
    };
    pass_gate(run, &spec, CHOOSE, subject.as_ref())?;
    Flow::Continue(())
}
