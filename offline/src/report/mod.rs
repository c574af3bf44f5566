//! What the offline author does as planner and as solver: it looks at the files as a model would, and writes nothing that is
//! not in them.

mod data;
mod draft;
mod relevance;

use domain::carry::{TurnResult, Work};
use domain::pipelines::report::files;
use domain::pipelines::report::plan;
use domain::pipelines::report::section;
use domain::pipelines::report::shape::{Plan, TemplateTree};
use domain::pipelines::report::stage::{PLAN, TEMPLATE_TREE};
use runner::authors::WantedCalls;
use serde_json::json;

/// Files that one section is written from: what a reader can follow.
const INPUTS_MAX: usize = 4;

fn answers(turns: &[TurnResult]) -> usize {
    let models = turns.iter();
    models.filter(|turn| turn.answer().is_some()).count()
}

/// First a look at the template and the data, then a task for each leaf.
pub(crate) fn plan(work: &Work, turns: &[TurnResult]) -> WantedCalls {
    let tree = work.body(TEMPLATE_TREE);
    let tree = tree.and_then(|body| serde_json::from_value::<TemplateTree>(body.clone()).ok());
    let Some(tree) = tree else { return vec![] };
    if answers(turns) == 0 {
        let path = tree.source_path.as_deref();
        return vec![
            ("list_local_templates", json!({})),
            (
                "split_markdown_tree",
                json!({ "path": path, "include_content": false }),
            ),
            ("list_local_dir", json!({ "path": "." })),
        ];
    }
    let files: Vec<&str> = files::data(work).map(|file| file.path.as_str()).collect();
    let tasks = tree.leaves.iter().map(|leaf| {
        let about = format!("{} {}", leaf.path.join(" "), leaf.content);
        json!({ "id": leaf.id, "required_inputs": relevance::files(&files, &about, INPUTS_MAX) })
    });
    vec![(plan::SUBMIT, json!({ "tasks": tasks.collect::<Vec<_>>() }))]
}

/// First what the task names, then a draft of it.
pub(crate) fn section(work: &Work, turns: &[TurnResult]) -> WantedCalls {
    let plan = work.body(PLAN);
    let plan = plan.and_then(|body| serde_json::from_value::<Plan>(body.clone()).ok());
    let Some(plan) = plan else { return vec![] };
    let Some(task) = section::task(work, &plan) else {
        return vec![];
    };
    let paths: Vec<&str> = if task.required_inputs.is_empty() {
        let all: Vec<&str> = files::data(work).map(|file| file.path.as_str()).collect();
        relevance::files(&all, &task.title, INPUTS_MAX)
    } else {
        let paths = task.required_inputs.iter().map(String::as_str);
        paths.take(INPUTS_MAX).collect()
    };
    if answers(turns) == 0 && !paths.is_empty() {
        let reads = paths.iter();
        return reads
            .map(|path| ("read_local_file", json!({ "path": path })))
            .collect();
    }
    let read = turns.iter().filter_map(TurnResult::output);
    let read = read.filter_map(|output| Some((output["path"].as_str()?, output["text"].as_str()?)));
    let read: Vec<_> = read.collect();
    // Where a draft was not taken, the plain one is: it says that there is nothing to say.
    let plain = answers(turns) > usize::from(!paths.is_empty());
    let draft = draft::section(work, task, if plain { &[] } else { &read });
    vec![(section::SUBMIT, json!({ "section": draft }))]
}

#[cfg(test)]
mod tests;
