//! One section: a solver reads the files that its task names, and hands in a draft that is checked before it is taken.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::asking::chars;
use palimpsest::prelude::pipeline::carry::Tool;
use palimpsest::prelude::pipeline::figures::{self, Known};
use palimpsest::prelude::pipeline::markdown::{Leaf, clean_section};
use palimpsest::prelude::pipeline::tool_loop::{
    self, CALLS_MAX, HandIn, Step, Tools, accept_call, refuse_call,
};
use palimpsest::prelude::pipeline::{
    Carry, Content, Exchange, Input, Judge, MadePart, ModelTurn, NewArtifact, ToolOutcome,
    TurnResult, Work, schema, sentences,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::{self, SOLVER_LIMITS, fail_step, json_of};
use super::{files, write};
use crate::shapes::{Plan, Section, SectionTask, TemplateTree};
use crate::stages::{PLAN, SECTION, TEMPLATE_TREE, WRITING};

/// The tool that hands in the section.
pub(crate) const SUBMIT: &str = "submit_section_draft";

/// Tables that come with a section.
const TABLES_MAX: usize = 20;

/// Characters of a section that a model is asked for at most: two pages of Chinese, four of English, within its limit of tokens.
const CONTENT_CHARS: usize = 4_000;
/// The fewest Chinese characters of prose that count as a section and not as talk about one: two sentences.
const PROSE_CHARS_MIN: usize = 40;
/// Characters of a section that a model writes which does not get along with tools: a page.
const STRUCTURED_CHARS: usize = 800;
/// The most characters of the sentence about the section.
const SUMMARY_CHARS: usize = 200;

/// Titles of neighbours that a prompt shows.
const OUTLINE_MAX: usize = 200;

/// A section as an artifact.
pub(crate) fn artifact(work: &Work, section: &Section) -> NewArtifact {
    NewArtifact {
        facts: json!({ "id": section.id, "title": section.title }),
        ..NewArtifact::new(
            SECTION,
            "art_section_",
            section.title.clone(),
            Content::Json(json_of(section)),
            work.lineage(),
        )
    }
}

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let plan: Plan = match work.read(PLAN) {
        Ok(plan) => plan,
        Err(carry) => return *carry,
    };
    let Some(task) = task(work, &plan) else {
        return fail_step(
            "no_task",
            format!("the plan has no task `{}`", work.step.item),
        );
    };
    let leaf = match leaf(work, task) {
        Ok(leaf) => leaf,
        Err(carry) => return *carry,
    };
    let mut desk = SectionTools {
        work,
        task,
        leaf,
        read: BTreeMap::new(),
        sent_back: 0,
    };
    let ask = |talk| question(work, &plan, task, talk);
    match tool_loop::run(&mut desk, SOLVER_LIMITS, ask, turns) {
        Ok((section, model)) => {
            let section = Section {
                written_by: model.into(),
                ..section
            };
            Carry::from(artifact(work, &section))
        }
        Err(carry) => carry,
    }
}

/// The task that this step is about.
pub(crate) fn task<'a>(work: &Work, plan: &'a Plan) -> Option<&'a SectionTask> {
    let id: u32 = work.step.item.parse().ok()?;
    plan.tasks.iter().find(|task| task.id == id)
}

/// The leaf of the task. A task that a client gave without a template stands under a second-level heading.
fn leaf(work: &Work, task: &SectionTask) -> Result<Leaf, Box<Carry>> {
    if work.body(TEMPLATE_TREE).is_some() {
        let tree: TemplateTree = work.read(TEMPLATE_TREE)?;
        if let Some(leaf) = tree
            .leaves
            .into_iter()
            .find(|leaf| leaf.id == task.id && leaf.title == task.title)
        {
            return Ok(leaf);
        }
    }
    Ok(Leaf {
        id: task.id,
        title: task.title.clone(),
        level: 2,
        slug: String::new(),
        path: vec![task.title.clone()],
        start_line: 1,
        end_line: 1,
        content: String::new(),
        intro: false,
    })
}

/// What a model hands in.
#[derive(Deserialize)]
struct DraftSection {
    /// The id of the task, where a model gives it although it is not needed.
    id: Option<u64>,
    content: String,
    #[serde(default)]
    tables: Option<Vec<Value>>,
    summary: Option<String>,
}

/// How often a draft is sent back for its text, or for numbers from no source: then it is taken, without the sentences with such numbers.
const SENT_BACK_MAX: u32 = 1;

struct SectionTools<'a> {
    work: &'a Work,
    task: &'a SectionTask,
    leaf: Leaf,
    /// What was read, by path.
    read: BTreeMap<String, String>,
    /// How often the model was told that numbers are not in its data, or what is wrong with its text.
    sent_back: u32,
}

impl Tools for SectionTools<'_> {
    type Product = Section;

    fn call(&mut self, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<Section> {
        if name != SUBMIT {
            let read = &mut self.read;
            let mut keep = |path: &str, text: &str| {
                read.entry(path.to_owned())
                    .or_insert_with(|| text.to_owned());
            };
            return files::call(self.work, SUBMIT, name, arguments, turns, &mut keep);
        }
        match self.draft(arguments) {
            Ok(section) => {
                let outcome = ToolOutcome::gave(json!("accepted"), section.summary.as_str());
                accept_call(name, arguments, outcome, section, turns)
            }
            Err(SectionRefusal {
                message,
                is_sent_back,
            }) => {
                let step = refuse_call(name, arguments, &message, turns);
                if matches!(step, Step::Done { .. }) && is_sent_back {
                    self.sent_back += 1;
                }
                step
            }
        }
    }

    /// The files of the task are read for the model; where it names none, as many as there is room for.
    fn looks(&self) -> Vec<(&'static str, Value)> {
        let all = files::data(self.work).map(|file| &file.path);
        let named = &self.task.required_inputs;
        let paths: Vec<_> = if named.is_empty() {
            all.collect()
        } else {
            named.iter().collect()
        };
        let reads = paths.into_iter().take(CALLS_MAX);
        reads
            .map(|path| (files::READ, json!({ "path": path })))
            .collect()
    }

    fn without_tools(&self) -> Option<HandIn> {
        Some(HandIn {
            tool: SUBMIT,
            schema: draft_schema(),
        })
    }

    /// Prose counts as the section if it is long enough, and is checked like a section that was handed in. Prose that names the tool it was
    /// asked for is not a section.
    fn in_prose(&mut self, said: &str) -> Option<Section> {
        let least = chars(self.work, PROSE_CHARS_MIN);
        if said.trim().chars().count() < least || said.contains(SUBMIT) {
            return None;
        }
        self.draft(&json!({ "content": said })).ok()
    }
}

struct SectionRefusal {
    message: String,
    is_sent_back: bool,
}

impl SectionRefusal {
    fn because(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_sent_back: false,
        }
    }
}

impl SectionTools<'_> {
    fn draft(&self, arguments: &Value) -> Result<Section, SectionRefusal> {
        // Some models omit the outer object, encode the inner one once more, or give the text alone.
        let section = arguments.get("section").unwrap_or(arguments);
        let (section, _) = schema::amend(&drafted(), section.clone());
        let section = match section.as_str() {
            Some(content) => json!({ "content": content }),
            None => section,
        };
        let draft: DraftSection = serde_json::from_value(section).map_err(|error| {
            SectionRefusal::because(format!("the draft does not fit its schema: {error}"))
        })?;
        if let Some(id) = draft.id.filter(|id| *id != u64::from(self.task.id)) {
            return Err(SectionRefusal::because(format!(
                "the section has id {id}, and the task is {}",
                self.task.id
            )));
        }
        let tables = draft.tables.unwrap_or_default();
        if tables.len() > TABLES_MAX || tables.iter().any(|table| !table.is_object()) {
            return Err(SectionRefusal::because(format!(
                "`tables` takes at most {TABLES_MAX} objects"
            )));
        }
        let content = clean_section(&draft.content, &self.leaf)
            .map_err(|found| SectionRefusal::because(found.join("; ")))?;
        if self.sent_back < SENT_BACK_MAX {
            self.judge(&content)?;
        }
        let citations = self.citations(&content)?;
        let (content, unsupported, left_out) = self.supported(content)?;
        let summary = draft.summary.filter(|summary| !summary.trim().is_empty());
        Ok(Section {
            id: self.task.id,
            title: self.task.title.clone(),
            summary: summary.unwrap_or_else(|| write::summary(&content)),
            content,
            tables,
            citations,
            unsupported,
            left_out,
            written_by: String::new(),
        })
    }

    /// Holds the text against the brief, the task and what was read for it.
    fn judge(&self, content: &str) -> Result<(), SectionRefusal> {
        let SectionTask {
            title, objective, ..
        } = self.task;
        // A section names its own matter, and not always that of the report.
        let judge = Judge::of_text(self.work).with_any_word().of_sections();
        let asked = judge.asked(title).asked(objective);
        let judge = self.read.values().fold(asked, Judge::given);
        let part = MadePart::of_text("", write::without_citations(content));
        let found = judge.find_faults(&[vec![part]]);
        if found.is_empty() {
            return Ok(());
        }
        let told: Vec<_> = found
            .iter()
            .map(|fault| format!("the section {}", fault.told("en")))
            .collect();
        Err(SectionRefusal {
            message: told.join("; "),
            is_sent_back: true,
        })
    }

    /// The files that are cited; each has to be a file of the session and has to have been read.
    fn citations(&self, content: &str) -> Result<Vec<String>, SectionRefusal> {
        let cited = write::citations(content, self.work);
        for path in &cited {
            if !files::exists(self.work, path) {
                return Err(SectionRefusal::because(format!(
                    "`{path}` is cited and is no file of the session"
                )));
            }
            if !self.read.contains_key(path) {
                return Err(SectionRefusal::because(format!(
                    "`{path}` is cited and was not read; read it, or do not cite it"
                )));
            }
        }
        Ok(cited)
    }

    /// The draft, if its numbers are in the data. A model that hands in other numbers is told so, and the next time the sentences with such
    /// numbers are left out. A session without data has nothing to compare numbers with, and the section then says so.
    fn supported(&self, content: String) -> Result<Held, SectionRefusal> {
        let known = self.known();
        let unsupported = unsupported(&known, &content);
        if unsupported.is_empty() {
            return Ok((content, vec![], vec![]));
        }
        if files::data(self.work).next().is_none() {
            return Ok((content, unsupported, vec![]));
        }
        let (kept, left_out) = without_unsupported(&known, &content);
        let says_something = kept.chars().any(char::is_alphanumeric);
        if self.sent_back >= SENT_BACK_MAX && says_something {
            return Ok((kept, vec![], left_out));
        }
        let read = if self.read.is_empty() {
            "you have read no file, and these numbers are in nothing that was given"
        } else {
            "these numbers are in none of the files you have read"
        };
        Err(SectionRefusal {
            message: format!(
                "{read}: {}; take numbers from the files and cite them, or leave them out",
                unsupported.join(", ")
            ),
            is_sent_back: true,
        })
    }

    /// The numbers of what was read and of what was asked for.
    fn known(&self) -> Known {
        let asked = [&self.work.brief, &self.task.objective, &self.task.title];
        let task = asked
            .into_iter()
            .chain(&self.task.template)
            .chain(&self.task.hints);
        let mut known = Known::default();
        for text in task.chain(&self.task.notes).chain(self.read.values()) {
            known.add(text);
        }
        known
    }
}

/// Numbers that are not known.
fn unsupported(known: &Known, content: &str) -> Vec<String> {
    known.missing(&figures::digit_runs(&write::without_citations(content)))
}

/// The text without the lines and sentences that have such numbers, and these sentences.
fn without_unsupported(known: &Known, content: &str) -> (String, Vec<String>) {
    let is_unsupported = |sentence: &str| !unsupported(known, sentence).is_empty();
    let (kept, left_out) = sentences::without(content, is_unsupported);
    (kept, left_out.into_iter().map(str::to_owned).collect())
}

/// A text that is accepted, the numbers in it that could not be checked because there is no data, and the sentences that were left out.
type Held = (String, Vec<String>, Vec<String>);

/// The section as it was before a change. A section that was written from another plan is not shown: it would keep what the new plan is
/// meant to replace.
fn previous(work: &Work) -> Option<&Input> {
    let plan = work.inputs.get(PLAN)?.first()?;
    let section = work.previous(SECTION)?;
    section
        .artifact
        .from
        .contains(&plan.artifact.artifact)
        .then_some(section)
}

fn question(work: &Work, plan: &Plan, task: &SectionTask, talk: Vec<Exchange>) -> ModelTurn {
    let outline = plan.tasks.iter().take(OUTLINE_MAX);
    let outline: Vec<_> = outline
        .map(|task| json!({ "id": task.id, "title": task.title }))
        .collect();
    let others: Vec<_> = files::data(work)
        .map(|file| json!({ "path": file.path, "bytes": file.blob.size }))
        .collect();
    let previous = previous(work).map(|section| section.body["content"].clone());
    let vars = json!({
        "doc_title": plan.doc_title,
        "plan_summary": plan.plan_summary,
        "task": task,
        "notes": task.notes,
        "outline": outline,
        "files": others,
        "previous": previous,
        "rounds": SOLVER_LIMITS.rounds,
    });
    let vars = ask::prompt_vars(work, vars);
    let mut tools = files::tools();
    tools.push(Tool {
        name: SUBMIT,
        description: "Hands the section in: its Markdown without the heading.",
        parameters: json!({
            "type": "object",
            "properties": {
                "section": {
                    "type": "object",
                    "properties": {
                        "content": { "type": "string", "minLength": 1, "maxLength": CONTENT_CHARS },
                        "tables": { "type": "array", "items": { "type": "object" }, "maxItems": TABLES_MAX },
                        "summary": { "type": "string", "maxLength": SUMMARY_CHARS, "description": "one sentence for the person who waits" }
                    },
                    "required": ["content"]
                }
            },
            "required": ["section"]
        }),
    });
    ModelTurn {
        tools,
        talk,
        ..WRITING.turn(vars)
    }
}

/// What is read of a draft, with or without tools.
fn drafted() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "integer" },
            "content": text,
            "tables": { "type": "array", "items": { "type": "object" } },
            "summary": text
        }
    })
}

/// What a model is asked for that does not get along with tools: the section as a structure.
fn draft_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "content": { "type": "string", "minLength": PROSE_CHARS_MIN, "maxLength": STRUCTURED_CHARS },
            "summary": { "type": "string", "maxLength": SUMMARY_CHARS }
        },
        "required": ["content", "summary"],
        "additionalProperties": false
    })
}
