//! The plan: one task for each leaf of the template. A model says which files each task needs and what to pay attention to; title, text and
//! objective come from the template.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::carry::Tool;
use palimpsest::prelude::pipeline::markdown::Leaf;
use palimpsest::prelude::pipeline::text::in_title_marks;
use palimpsest::prelude::pipeline::tool_loop::{
    self, HandIn, Step, Tools, accept_call, refuse_call,
};
use palimpsest::prelude::pipeline::{
    ArtifactId, Carry, Content, Exchange, ModelTurn, NewArtifact, OFFLINE, ToolOutcome, TurnResult,
    Work, schema,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::{self, PLANNER_LIMITS, fail_step, json_of};
use super::files;
use crate::flow::IDS;
use crate::shapes::{GivenTask, Input, Mode, Plan, SectionTask, TemplateTree};
use crate::stages::{PLAN, TEMPLATE_TREE};

/// The tool that hands in the plan.
pub(crate) const SUBMIT: &str = "submit_section_plan";

/// The most hints of one task, and the most characters of each: a longer list would not be read and would not help a writer.
const HINTS_MAX: usize = 20;
const HINT_CHARS: usize = 500;
/// The most characters of the summary of a plan, which may name all files that no section uses.
const SUMMARY_CHARS: usize = 20_000;
/// Files that one section is written from.
pub(crate) const INPUTS_MAX: usize = 50;

/// Leaves that a prompt lists with their titles; a template has at most a thousand.
const LISTED_MAX: usize = 1_000;

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let given = match Input::read(&work.input) {
        Ok(given) => given,
        Err(error) => return fail_step("bad_input", error),
    };
    if given.mode == Mode::SolveTasks {
        return done(work, as_given(work, given));
    }
    let tree: TemplateTree = match work.read(TEMPLATE_TREE) {
        Ok(tree) => tree,
        Err(carry) => return *carry,
    };
    let mut desk = PlanTools {
        work,
        tree: &tree,
        leaves: &tree.leaves,
    };
    let ask = |talk| question(work, &tree, talk);
    match tool_loop::run(&mut desk, PLANNER_LIMITS, ask, turns) {
        Ok((submitted, model)) => done(work, planned(work, &tree, submitted, model.into())),
        Err(carry) => carry,
    }
}

fn done(work: &Work, plan: Plan) -> Carry {
    Carry::from(artifact(&plan, work.lineage()))
}

/// The plan as an artifact.
pub(crate) fn artifact(plan: &Plan, from: Vec<ArtifactId>) -> NewArtifact {
    let ids: Vec<u32> = plan.tasks.iter().map(|task| task.id).collect();
    NewArtifact {
        facts: json!({ "tasks": ids.len(), IDS: ids }),
        ..NewArtifact::new(
            PLAN,
            "art_plan_",
            plan.doc_title.clone(),
            Content::Json(json_of(plan)),
            from,
        )
    }
}

/// What a model submits: references to files and remarks, by the id of a leaf.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Submitted {
    pub(crate) tasks: Vec<SubmittedTask>,
    pub(crate) plan_summary: Option<String>,
    /// Of the offline author, which takes them from the data as they stand there.
    #[serde(default)]
    pub(crate) values: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct SubmittedTask {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) required_inputs: Vec<String>,
    #[serde(default)]
    pub(crate) hints: Vec<String>,
    pub(crate) notes: Option<String>,
}

struct PlanTools<'a> {
    work: &'a Work,
    tree: &'a TemplateTree,
    leaves: &'a [Leaf],
}

impl Tools for PlanTools<'_> {
    type Product = Submitted;

    fn call(&mut self, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<Submitted> {
        if name != SUBMIT {
            return files::call(self.work, SUBMIT, name, arguments, turns, &mut |_, _| {});
        }
        let submitted = match self.read(arguments) {
            Ok(submitted) => submitted,
            Err(message) => return refuse_call(name, arguments, &message, turns),
        };
        let summary = format!("{} tasks", submitted.tasks.len());
        let outcome = ToolOutcome::gave(json!(self.overview(&submitted)), summary);
        accept_call(name, arguments, outcome, submitted, turns)
    }

    fn without_tools(&self) -> Option<HandIn> {
        Some(HandIn {
            tool: SUBMIT,
            schema: schema(self.leaves.len()),
        })
    }

    /// The template decides which sections there are, so there is a plan even if the model says nothing.
    fn in_prose(&mut self, _said: &str) -> Option<Submitted> {
        let summary = default_summary(self.work, self.tree, self.leaves.len());
        let why = if self.work.is_chinese() {
            "规划模型没有交出可用的计划，各章节没有写作提示和指定数据。"
        } else {
            "The planning model handed in no plan that could be used, so that sections have no hints and no files of their own."
        };
        Some(Submitted {
            tasks: vec![],
            plan_summary: Some(format!(
                "{summary}{}{why}",
                if self.work.is_chinese() { "" } else { " " }
            )),
            values: BTreeMap::new(),
        })
    }
}

impl PlanTools<'_> {
    fn read(&self, arguments: &Value) -> Result<Submitted, String> {
        let (arguments, _) = schema::amend(&schema(self.leaves.len()), arguments.clone());
        let submitted: Submitted = serde_json::from_value(arguments)
            .map_err(|error| format!("the plan does not fit its schema: {error}"))?;
        let mut seen = vec![];
        for task in &submitted.tasks {
            if task.id < 1 {
                return Err(format!("task id {} is wrong: ids begin with 1", task.id));
            }
            if seen.contains(&task.id) {
                return Err(format!("task id {} is used twice; merge the two", task.id));
            }
            seen.push(task.id);
            check_inputs(self.work, &task.required_inputs)?;
        }
        Ok(submitted)
    }

    fn overview(&self, submitted: &Submitted) -> String {
        let known =
            |task: &&SubmittedTask| self.leaves.iter().any(|leaf| i64::from(leaf.id) == task.id);
        let unknown: Vec<_> = submitted
            .tasks
            .iter()
            .filter(|task| !known(task))
            .map(|task| task.id.to_string())
            .collect();
        let mut text = format!(
            "accepted: {} tasks for {} sections",
            submitted.tasks.len() - unknown.len(),
            self.leaves.len()
        );
        if !unknown.is_empty() {
            text.push_str(&format!(
                "; passed over, since the template has no such section: {}",
                unknown.join(", ")
            ));
        }
        text
    }
}

/// Whether these are files of the session.
pub(crate) fn check_inputs(work: &Work, paths: &[String]) -> Result<(), String> {
    if paths.len() > INPUTS_MAX {
        return Err(format!(
            "a section is written from at most {INPUTS_MAX} files"
        ));
    }
    match paths.iter().find(|path| !files::exists(work, path)) {
        None => Ok(()),
        Some(path) => {
            let shown: String = path.chars().take(80).collect();
            Err(format!(
                "`{shown}` is no file of the session; list the folders and name files as they stand there"
            ))
        }
    }
}

/// A task for every leaf, with what was submitted for it.
fn planned(work: &Work, tree: &TemplateTree, submitted: Submitted, model: String) -> Plan {
    let Submitted {
        tasks,
        plan_summary,
        values,
    } = submitted;
    let mut by_id: BTreeMap<i64, SubmittedTask> =
        tasks.into_iter().map(|task| (task.id, task)).collect();
    let tasks = tree.leaves.iter().map(|leaf| {
        let submitted = by_id.remove(&i64::from(leaf.id)).unwrap_or_default();
        SectionTask {
            id: leaf.id,
            title: leaf.title.clone(),
            objective: objective(work, leaf),
            template: Some(template_of(leaf)),
            hints: short(submitted.hints),
            required_inputs: submitted.required_inputs,
            notes: submitted.notes.map(|notes| clip(&notes)),
        }
    });
    let tasks: Vec<_> = tasks.collect();
    let summary =
        plan_summary.map(|summary| summary.chars().take(SUMMARY_CHARS).collect::<String>());
    let plan_summary = summary
        .filter(|summary| !summary.trim().is_empty())
        .unwrap_or_else(|| default_summary(work, tree, tasks.len()));
    Plan {
        tasks,
        plan_summary,
        doc_title: tree.doc_title.clone(),
        values: if model == OFFLINE {
            values
        } else {
            BTreeMap::new()
        },
        planned_by: model,
    }
}

fn clip(text: &str) -> String {
    text.chars().take(HINT_CHARS).collect()
}

pub(crate) fn short(texts: Vec<String>) -> Vec<String> {
    let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
    texts.take(HINTS_MAX).map(|text| clip(&text)).collect()
}

/// The leaf as it stands in the template.
fn template_of(leaf: &Leaf) -> String {
    if leaf.level == 0 || leaf.title.is_empty() {
        return leaf.content.clone();
    }
    let heading = format!("{} {}", "#".repeat(leaf.level.into()), leaf.title);
    if leaf.content.is_empty() {
        heading
    } else {
        format!("{heading}\n\n{}", leaf.content)
    }
}

fn objective(work: &Work, leaf: &Leaf) -> String {
    let path = leaf.path.join(" / ");
    match (work.is_chinese(), leaf.intro) {
        (true, false) => format!(
            "按照模版撰写“{path}”一节：满足模版片段的要求，内容以给定的数据为依据，不重复标题。"
        ),
        (true, true) => {
            format!("撰写“{path}”之下、各小节之前的引言：满足模版片段的要求，不重复标题。")
        }
        (false, false) => format!(
            "Write the section \"{path}\" as its template wants it, from the given data, without repeating its heading."
        ),
        (false, true) => format!(
            "Write the introduction under \"{path}\", before its sub-sections, as the template wants it, without repeating the heading."
        ),
    }
}

fn default_summary(work: &Work, tree: &TemplateTree, tasks: usize) -> String {
    let files = files::data(work).count();
    if work.is_chinese() {
        format!(
            "{}：按模版分为 {tasks} 个章节，可用数据文件 {files} 个。",
            in_title_marks(&tree.doc_title)
        )
    } else {
        format!(
            "{}: {tasks} sections as the template has them, {files} data files to write from.",
            tree.doc_title
        )
    }
}

/// A plan of the tasks that a client gives, to which only their numbers are added.
fn as_given(work: &Work, given: Input) -> Plan {
    let tasks = given.tasks.unwrap_or_default().into_iter().zip(1..);
    let tasks: Vec<_> = tasks
        .map(|(task, place)| as_task(work, task, place))
        .collect();
    let title = work.brief.lines().next().unwrap_or_default().to_owned();
    let summary = if work.is_chinese() {
        format!("直接撰写 {} 个给定章节。", tasks.len())
    } else {
        format!("{} given sections are written.", tasks.len())
    };
    Plan {
        plan_summary: given.plan_summary.unwrap_or(summary),
        doc_title: title,
        planned_by: "person".to_owned(),
        values: BTreeMap::new(),
        tasks,
    }
}

fn as_task(work: &Work, task: GivenTask, place: u32) -> SectionTask {
    let objective = task.objective.unwrap_or_else(|| {
        if work.is_chinese() {
            format!("撰写“{}”一节。", task.title)
        } else {
            format!("Write the section \"{}\".", task.title)
        }
    });
    SectionTask {
        id: task.id.unwrap_or(place),
        title: task.title,
        objective,
        template: task.template,
        hints: short(task.hints),
        required_inputs: task.required_inputs,
        notes: task.notes,
    }
}

fn question(work: &Work, tree: &TemplateTree, talk: Vec<Exchange>) -> ModelTurn {
    let leaves = tree.leaves.iter().take(LISTED_MAX);
    let leaves: Vec<_> = leaves
        .map(|leaf| json!({ "id": leaf.id, "path": leaf.path.join(" / "), "intro": leaf.intro }))
        .collect();
    let files: Vec<_> = files::data(work)
        .map(|file| json!({ "path": file.path, "bytes": file.blob.size }))
        .collect();
    let previous = work
        .previous(PLAN)
        .map(|plan| plan.body["plan_summary"].clone());
    let vars = json!({
        "doc_title": tree.doc_title,
        "template": tree.source_path,
        "leaves": leaves,
        "files": files,
        "previous": previous,
        "rounds": PLANNER_LIMITS.rounds,
    });
    let mut tools = files::tools();
    tools.push(Tool {
        name: SUBMIT,
        description: "Hands the plan in: for each section, by its id, the files it is to be written from and what to mind.",
        parameters: schema(tree.leaves.len()),
    });
    let tokens = ask::plan_tokens(tree.leaves.len());
    ModelTurn {
        tools,
        talk,
        ..ModelTurn::new(
            "planner",
            "report/plan",
            ask::prompt_vars(work, vars),
            tokens,
        )
    }
}

/// What a plan of this many sections is handed in with.
fn schema(leaves: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "tasks": {
                "type": "array",
                "maxItems": leaves,
                "items": {
                    "type": "object",
                    "properties": {
                        "id": { "type": "integer" },
                        "required_inputs": { "type": "array", "items": { "type": "string" }, "maxItems": INPUTS_MAX },
                        "hints": { "type": "array", "items": { "type": "string", "maxLength": HINT_CHARS }, "maxItems": HINTS_MAX },
                        "notes": { "type": "string", "maxLength": HINT_CHARS }
                    },
                    "required": ["id"]
                }
            },
            "plan_summary": { "type": "string", "maxLength": HINT_CHARS }
        },
        "required": ["tasks"]
    })
}
