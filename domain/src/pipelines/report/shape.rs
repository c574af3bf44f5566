//! The shapes of what the pipeline is given and of what it makes.

use std::collections::BTreeMap;

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::stage;
use crate::event::Violation;
use crate::markdown::{LEAVES_MAX, Leaf};
use crate::schema;

/// What a run is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Plan, sections, report.
    #[default]
    Report,
    /// The same, asked for by somebody who was not content with a plan.
    Replan,
    /// The sections of given tasks, and nothing else.
    SolveTasks,
}

/// The structured input that is given with the message. Other fields are kept and ignored.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
pub struct Input {
    /// A template of this server, or of the configured back end, by its name.
    pub template_name: Option<String>,
    /// The template by its id, which takes precedence over the name.
    pub template_id: Option<String>,
    /// Path of a file of the session that is the template.
    pub template: Option<String>,
    /// A knowledge base by its name.
    pub knowledge_base_name: Option<String>,
    /// The knowledge base by its id, which takes precedence over the name.
    pub database_id: Option<String>,
    /// The back end to fetch both from; only addresses that the server allows.
    pub api_base_url: Option<String>,
    #[serde(default)]
    pub mode: Mode,
    /// The tasks, where only they are to be solved.
    pub tasks: Option<Vec<GivenTask>>,
    pub plan_summary: Option<String>,
}

impl Input {
    pub(super) fn read(input: &Value) -> Result<Self, String> {
        if input.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(input.clone()).map_err(|error| error.to_string())
    }

    /// Whether something is to be fetched from a collection or a back end.
    pub(super) fn names_resources(&self) -> bool {
        let names = [
            &self.template_name,
            &self.template_id,
            &self.knowledge_base_name,
            &self.database_id,
        ];
        names.iter().any(|name| name.is_some())
    }
}

/// What a run is for, as its input says.
pub fn mode(input: &Value) -> Mode {
    let mode = input.get("mode").cloned().unwrap_or(Value::Null);
    serde_json::from_value(mode).unwrap_or_default()
}

/// A task that a client gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GivenTask {
    /// From 1; where absent, the place in the list.
    pub id: Option<u32>,
    pub title: String,
    pub objective: Option<String>,
    pub template: Option<String>,
    #[serde(default)]
    pub hints: Vec<String>,
    #[serde(default)]
    pub required_inputs: Vec<String>,
    pub notes: Option<String>,
}

/// What the template is cut into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemplateTree {
    pub doc_title: String,
    /// Whether that title is the template's own.
    pub titled: bool,
    pub source_path: Option<String>,
    pub node_count: usize,
    pub leaves: Vec<Leaf>,
    /// The template itself, in Markdown.
    pub source: String,
}

/// One section to be written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionTask {
    /// The place of its leaf in the template, from 1.
    pub id: u32,
    pub title: String,
    pub objective: String,
    /// What the template says there.
    pub template: Option<String>,
    pub hints: Vec<String>,
    /// Paths of session files.
    pub required_inputs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    pub tasks: Vec<SectionTask>,
    pub plan_summary: String,
    pub doc_title: String,
    /// The model that planned, `offline`, or `person`.
    pub planned_by: String,
    /// The values of the placeholders in headings and around the sections, by their names as the template writes them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
}

/// A section as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// Of its task.
    pub id: u32,
    pub title: String,
    /// Markdown, without the heading.
    pub content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Value>,
    /// One line for people.
    pub summary: String,
    /// The session files that it cites.
    pub citations: Vec<String>,
    /// Numbers that are in none of the files that were read for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// Sentences that were left out because they came with such numbers again and again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The model that wrote it, or `offline`.
    pub written_by: String,
}

/// A section as it stands in a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportSection {
    pub id: u32,
    pub title: String,
    pub content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Value>,
}

/// The whole text, and where it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportText {
    pub title: String,
    /// Markdown.
    pub content: String,
    /// Path among the session's files.
    pub vfs_path: String,
    /// The same path, under another name.
    pub path: String,
}

/// A section that is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissingSection {
    pub id: u32,
    pub title: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportContent {
    pub sections: Vec<ReportSection>,
    pub report: ReportText,
    pub missing: Vec<MissingSection>,
    pub partial: bool,
    /// What is to be said about how it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What the check found; absent in reports from before this field was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<ReportCheck>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The headings are not the template's.
    Structure,
    MissingSection,
    EmptySection,
    RepeatedHeading,
    /// A file that is cited is not a file of the session.
    Citation,
    /// A number that is in none of the files that were read.
    Number,
    /// A section that cites nothing although it has data.
    Uncited,
    /// Placeholders of the template that have no value.
    Placeholder,
    /// Data that could not be read.
    NotRead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Critical,
    Warning,
    Note,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The task of the section, where it is about one.
    pub section: Option<u32>,
    pub kind: FindingKind,
    pub severity: Severity,
    pub message: String,
    /// What shows it.
    pub evidence: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportCheck {
    pub findings: Vec<Finding>,
    /// Whether there is no critical finding; null where no critical finding was made but some data could not be read, so that the check did
    /// not see everything.
    pub passed: Option<bool>,
}

/// JSON Schema of the input.
pub(super) fn input_schema() -> Value {
    schema_for!(Input).to_value()
}

/// What is wrong with an input; empty when it will do.
pub(super) fn check_input(input: &Value) -> Vec<Violation> {
    if input.is_null() {
        return vec![];
    }
    let mut found = schema::violations(&input_schema(), input);
    if found.is_empty() {
        match Input::read(input) {
            Err(error) => found.push(Violation::new("", error)),
            Ok(read) => found.extend(check_tasks(&read)),
        }
    }
    found
}

fn check_tasks(input: &Input) -> Vec<Violation> {
    let mut found = vec![];
    match (&input.mode, &input.tasks) {
        (Mode::SolveTasks, None) => found.push(Violation::new("/tasks", "is missing")),
        (Mode::SolveTasks, Some(tasks)) if tasks.is_empty() => {
            found.push(Violation::new("/tasks", "is empty"));
        }
        _ => {}
    }
    let given = input.tasks.as_ref().map_or(0, Vec::len);
    if given > LEAVES_MAX {
        let message = format!(
            "has {given} tasks; at most {LEAVES_MAX} are taken, as many as a template has sections"
        );
        return vec![Violation::new("/tasks", message)];
    }
    let mut seen = vec![];
    for (place, task) in input.tasks.iter().flatten().enumerate() {
        let at = |field: &str| format!("/tasks/{place}/{field}");
        if task.title.trim().is_empty() {
            found.push(Violation::new(at("title"), "is empty"));
        }
        match task.id {
            Some(0) => found.push(Violation::new(at("id"), "begins with 1")),
            Some(id) if seen.contains(&id) => {
                found.push(Violation::new(at("id"), format!("{id} is used twice")));
            }
            Some(id) => seen.push(id),
            None => {}
        }
    }
    found
}

/// Every artifact kind with the schema of its content; files have none.
pub(super) fn kinds() -> Vec<(&'static str, Value)> {
    let file = |media_type: &str| serde_json::json!({ "contentMediaType": media_type });
    vec![
        (
            stage::TEMPLATE_TREE,
            serde_json::json!({ "type": "object" }),
        ),
        (stage::PLAN, schema_for!(Plan).to_value()),
        (stage::SECTION, schema_for!(Section).to_value()),
        (stage::REPORT, schema_for!(ReportContent).to_value()),
        (stage::MARKDOWN, file("text/markdown")),
        (stage::REPORT_CHECK, schema_for!(ReportCheck).to_value()),
        (stage::HTML, file("text/html")),
        (
            stage::DOCX,
            file("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ),
        crate::material::kind(),
    ]
}
