//! What is needed next: where the message goes, what the bible knows about it, the work of the agents, a person's choice between two agents
//! of a chain, the check, and what is put into the bible.

use palimpsest::prelude::pipeline::{
    Flow, GateSpec, Run, StepState, complete, each, gate, need, need_each, try_need, understand,
};
use serde_json::{Value, json};

use super::act::OPTIONS;
use super::route::CHAPTERS;
use super::shape::{Input, Route};
use super::stage::{CHOOSE, OUTCOME, ROUTING, Stage};
use super::{outline, prepare};

/// The route is asked for once: where an answer cannot be used, rules have decided.
const ONCE: u32 = 1;

/// Preprocessing tasks that work at the same time: all of them.
const TASKS_WIDTH: u32 = 8;

pub(super) fn flow(run: &Run) -> Flow {
    let attempts = run.settings.attempts;
    let input = Input::read(&run.input).unwrap_or_default();
    understand(run, attempts)?;
    need(run, Stage::Route.name(), ONCE)?;
    let Some(route) = run.facts(ROUTING).and_then(Route::of_facts) else {
        return need(run, Stage::Deliver.name(), attempts);
    };
    let names_chapters = run
        .facts(ROUTING)
        .and_then(|facts| facts[CHAPTERS].as_array())
        .is_some_and(|chapters| !chapters.is_empty());
    let tasks = prepare::tasks(&route, names_chapters, &input);
    if !tasks.is_empty() {
        let tasks = each(tasks).width(TASKS_WIDTH).attempts(ONCE).tolerant();
        need_each(run, Stage::Prepare.name(), &tasks)?;
    }
    let ranges = outline::items(run.facts(ROUTING), run.settings.ports.is_offline());
    if ranges.is_empty() {
        need(run, Stage::Act.name(), attempts)?;
    } else {
        let ranges = each(ranges).attempts(attempts).closing(outline::WHOLE);
        need_each(run, Stage::Act.name(), &ranges)?;
    }
    if route.workflow.is_chain() {
        if route.workflow.pauses() {
            choose(run)?;
        }
        need(run, Stage::Write.name(), attempts)?;
    }
    if route.is_checked(&input) {
        try_need(run, Stage::Check.name(), attempts)?;
    }
    if route.proposes() && input.project.is_some() {
        try_need(run, Stage::Keep.name(), attempts)?;
    }
    need(run, Stage::Deliver.name(), attempts)?;
    let failed = |stage: Stage| {
        let step = run.step(stage.name(), "");
        step.is_some_and(|step| matches!(step.state, StepState::Failed { .. }))
    };
    if failed(Stage::Check) || failed(Stage::Keep) {
        return complete(true);
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
    gate(run, &spec, CHOOSE, subject.as_ref())?;
    Flow::Continue(())
}
