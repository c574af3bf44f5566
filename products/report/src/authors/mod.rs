//! The author of reports: under each heading of the template it puts the text of the template, and the data that has the same name.

mod data;
mod draft;
mod names;
mod words;

use std::collections::BTreeMap;

use palimpsest::prelude::author::source::Grid;
use palimpsest::prelude::author::words::LEFT_OUT;
use palimpsest::prelude::author::{Authors, WantedCalls};
use palimpsest::prelude::pipeline::markdown::Leaf;
use palimpsest::prelude::pipeline::tool_loop::CALLS_MAX;
use palimpsest::prelude::pipeline::{TurnResult, Work};
use serde_json::json;
use spec::source::SourceFormat;

use crate::shapes::placeholders::{outside, placeholders};
use crate::shapes::{Plan, TemplateTree};
use crate::stages::{PLAN, TEMPLATE_TREE};
use crate::steps::{files, plan as planning, section as solving};
use data::{Data, DataFile, form};
use words::{UNFILLED, UNREAD};

/// The authors of the prompts of this product.
pub(crate) fn authors() -> Authors {
    palimpsest::prelude::author::authors! {
        Calls(turns) {
            "report/plan" plan;
            "report/section" section;
        }
    }
}

/// Files that are read: as many as the answers of a planner may ask for, with one left to hand the plan in.
const FILES_MAX: usize = 17 * CALLS_MAX;

fn paths(work: &Work) -> Vec<&str> {
    files::data(work).map(|file| file.path.as_str()).collect()
}

/// The calls that read the next of these files, until all are read.
fn reads(paths: &[&str], turns: &[TurnResult]) -> Option<WantedCalls> {
    let done = turns.iter().filter_map(TurnResult::output).count();
    let next = paths.iter().take(FILES_MAX).skip(done).take(CALLS_MAX);
    let call = |path: &&str| ("read_local_file", json!({ "path": path }));
    let calls: WantedCalls = next.map(call).collect();
    Some(calls).filter(|calls| !calls.is_empty())
}

/// The files that were read, each as the reader of its format returns it. The titles and templates of the sections give them further names.
fn read<'t>(turns: &[TurnResult], sections: impl Iterator<Item = (&'t str, &'t str)>) -> Data {
    let outputs = turns.iter().filter_map(TurnResult::output);
    let files = outputs.filter_map(|output| {
        Some(DataFile {
            path: output["path"].as_str()?,
            text: output["text"].as_str()?,
            is_turned: output["text_format"] == SourceFormat::Markdown.title(),
        })
    });
    let mut data = Data::of(files);
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
        // A task that names no files is written from all of them.
        let inputs = if paths.len() <= planning::INPUTS_MAX {
            paths.as_slice()
        } else {
            &[]
        };
        let task = |leaf: &Leaf| json!({ "id": leaf.id, "required_inputs": inputs });
        let tasks: Vec<_> = tree.leaves.iter().map(task).collect();
        let titles: Vec<String> = tree.leaves.iter().map(|leaf| leaf.title.clone()).collect();
        let blocks = tree
            .leaves
            .iter()
            .flat_map(|leaf| leaf.content.split("\n\n"));
        let forms: Vec<Grid> = blocks.filter_map(form).collect();
        let texts = || tree.leaves.iter().map(|leaf| leaf.content.as_str());
        let (known, open): (Vec<&str>, Vec<&str>) = outside(&tree.source, texts())
            .into_iter()
            .partition(|name| data.value(name).is_some());
        let value = |name: &&str| Some(((*name).to_owned(), draft::plain(data.value(name)?.1)));
        let values: BTreeMap<String, String> = known.iter().filter_map(value).collect();
        let mut filled: Vec<&str> = texts().flat_map(placeholders).collect();
        filled.extend(known);
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
        let mut named: String = left.iter().map(named).collect();
        if !open.is_empty() {
            let open: Vec<&str> = open.into_iter().map(str::trim).collect();
            named = format!("\n{}{}{named}", UNFILLED.of(work), open.join(", "));
        }
        let summary = (!named.is_empty()).then(|| tree.doc_title.clone() + &named);
        json!({ "tasks": tasks, "plan_summary": summary, "values": values })
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
