//! The author of reports: under each heading of the template it puts the text of the template, and the data that has the same name.

mod data;
mod draft;

use domain::carry::{TurnResult, Work};
use domain::markdown::Leaf;
use domain::pipelines::report::shape::{Plan, TemplateTree};
use domain::pipelines::report::stage::{PLAN, TEMPLATE_TREE};
use domain::pipelines::report::{files, plan as planning, section as solving};
use runner::authors::WantedCalls;
use serde_json::json;

use crate::source::Grid;
use crate::words::{LEFT_OUT, UNREAD};
use data::{Data, form};

/// Files that are read: as many as one answer may ask for.
const FILES_MAX: usize = 8;

fn paths(work: &Work) -> Vec<&str> {
    files::data(work).map(|file| file.path.as_str()).collect()
}

/// The calls that read these files, until they are read.
fn reads(paths: &[&str], turns: &[TurnResult]) -> Option<WantedCalls> {
    let call = |path: &&str| ("read_local_file", json!({ "path": path }));
    let calls: WantedCalls = paths.iter().take(FILES_MAX).map(call).collect();
    Some(calls).filter(|calls| turns.is_empty() && !calls.is_empty())
}

/// The files that were read, each as the reader of its format returns it. The titles and templates of the sections give them further names.
fn read<'t>(turns: &[TurnResult], sections: impl Iterator<Item = (&'t str, &'t str)>) -> Data {
    let outputs = turns.iter().filter_map(TurnResult::output);
    let texts = outputs.map(|output| Some((output["path"].as_str()?, output["text"].as_str()?)));
    let mut data = Data::of(texts.flatten());
    data.name_by_forms(sections);
    data
}

/// A look at the data, then a task for each section, and the names of the data that no section uses.
pub(crate) fn plan(work: &Work, turns: &[TurnResult]) -> Option<WantedCalls> {
    let tree: TemplateTree = work.read(TEMPLATE_TREE).ok()?;
    let paths = paths(work);
    let submitted = || {
        let named = tree.leaves.iter();
        let data = read(
            turns,
            named.map(|leaf| (leaf.title.as_str(), leaf.content.as_str())),
        );
        let inputs = &paths[..paths.len().min(FILES_MAX)];
        let task = |leaf: &Leaf| json!({ "id": leaf.id, "required_inputs": inputs });
        let tasks: Vec<_> = tree.leaves.iter().map(task).collect();
        let titles: Vec<String> = tree.leaves.iter().map(|leaf| leaf.title.clone()).collect();
        let blocks = tree
            .leaves
            .iter()
            .flat_map(|leaf| leaf.content.split("\n\n"));
        let forms: Vec<Grid> = blocks.filter_map(form).collect();
        let mut filled = draft::placeholders(&tree.source);
        filled.extend(
            forms
                .iter()
                .flat_map(|form| &form.rows)
                .map(|row| row[0].as_str()),
        );
        let mut left = data.left(&titles, &filled);
        left.extend(paths.iter().skip(FILES_MAX).map(|path| (*path).to_owned()));
        let unread = |file: &String| format!("{}{file}", UNREAD.of(work));
        left.extend(data.unread.iter().map(unread));
        let named = |name: &String| format!("\n{}{name}", LEFT_OUT.of(work));
        let named: String = left.iter().map(named).collect();
        let summary = (!left.is_empty()).then(|| tree.doc_title.clone() + &named);
        json!({ "tasks": tasks, "plan_summary": summary })
    };
    reads(&paths, turns).or_else(|| Some(vec![(planning::SUBMIT, submitted())]))
}

/// First reads the files that the task names, then writes the parts that belong to the section.
pub(crate) fn section(work: &Work, turns: &[TurnResult]) -> Option<WantedCalls> {
    let plan: Plan = work.read(PLAN).ok()?;
    let task = solving::task(work, &plan)?;
    let named: Vec<&str> = task.required_inputs.iter().map(String::as_str).collect();
    let paths = if named.is_empty() { paths(work) } else { named };
    let titles: Vec<String> = plan.tasks.iter().map(|task| task.title.clone()).collect();
    let submitted = || {
        let own = plan.tasks.iter().map(|task| task.template.as_deref());
        let titles_of = titles.iter().map(String::as_str);
        let sections = titles_of.zip(own.map(Option::unwrap_or_default));
        let data = read(turns, sections);
        json!({ "section": draft::section(work, task, &titles, &data) })
    };
    reads(&paths, turns).or_else(|| Some(vec![(solving::SUBMIT, submitted())]))
}

#[cfg(test)]
mod tests;
