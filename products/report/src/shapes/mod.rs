//! The shapes of what the pipeline is given and of what it makes.

pub(crate) mod placeholders;

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::markdown::{LEAVES_MAX, Leaf};
use palimpsest::prelude::pipeline::{Violation, schema};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::stages;

/// What a run is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
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
pub(crate) struct Input {
    /// A template of this server, or of the configured back end, by its name.
    pub(crate) template_name: Option<String>,
    /// The template by its id, which takes precedence over the name.
    pub(crate) template_id: Option<String>,
    /// Path of a file of the session that is the template.
    pub(crate) template: Option<String>,
    /// A knowledge base by its name.
    pub(crate) knowledge_base_name: Option<String>,
    /// The knowledge base by its id, which takes precedence over the name.
    pub(crate) database_id: Option<String>,
    /// The back end to fetch both from; only addresses that the server allows.
    pub(crate) api_base_url: Option<String>,
    #[serde(default)]
    pub(crate) mode: Mode,
    /// The tasks, where only they are to be solved.
    pub(crate) tasks: Option<Vec<GivenTask>>,
    pub(crate) plan_summary: Option<String>,
}

impl Input {
    pub(crate) fn read(input: &Value) -> Result<Self, String> {
        if input.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(input.clone()).map_err(|error| error.to_string())
    }

    /// Whether something is to be fetched from a collection or a back end.
    pub(crate) fn names_resources(&self) -> bool {
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
pub(crate) fn mode(input: &Value) -> Mode {
    let mode = input.get("mode").cloned().unwrap_or(Value::Null);
    serde_json::from_value(mode).unwrap_or_default()
}

/// A task that a client gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct GivenTask {
    /// From 1; where absent, the place in the list.
    pub(crate) id: Option<u32>,
    pub(crate) title: String,
    pub(crate) objective: Option<String>,
    pub(crate) template: Option<String>,
    #[serde(default)]
    pub(crate) hints: Vec<String>,
    #[serde(default)]
    pub(crate) required_inputs: Vec<String>,
    pub(crate) notes: Option<String>,
}

/// What the template is cut into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TemplateTree {
    pub(crate) doc_title: String,
    /// Whether that title is the template's own.
    pub(crate) titled: bool,
    pub(crate) source_path: Option<String>,
    pub(crate) node_count: usize,
    pub(crate) leaves: Vec<Leaf>,
    /// The template itself, in Markdown.
    pub(crate) source: String,
}

/// One section to be written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SectionTask {
    /// The place of its leaf in the template, from 1.
    pub(crate) id: u32,
    pub(crate) title: String,
    pub(crate) objective: String,
    /// What the template says there.
    pub(crate) template: Option<String>,
    pub(crate) hints: Vec<String>,
    /// Paths of session files.
    pub(crate) required_inputs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) notes: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Plan {
    pub(crate) tasks: Vec<SectionTask>,
    pub(crate) plan_summary: String,
    pub(crate) doc_title: String,
    /// The model that planned, `offline`, or `person`.
    pub(crate) planned_by: String,
    /// The values of the placeholders in headings and around the sections, by their names as the template writes them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) values: BTreeMap<String, String>,
}

/// A section as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Section {
    /// Of its task.
    pub(crate) id: u32,
    pub(crate) title: String,
    /// Markdown, without the heading.
    pub(crate) content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tables: Vec<Value>,
    /// One line for people.
    pub(crate) summary: String,
    /// The session files that it cites.
    pub(crate) citations: Vec<String>,
    /// Numbers that are in none of the files that were read for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unsupported: Vec<String>,
    /// Sentences that were left out because they came with such numbers again and again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
    /// The model that wrote it, or `offline`.
    pub(crate) written_by: String,
}

/// A section as it stands in a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReportSection {
    pub(crate) id: u32,
    pub(crate) title: String,
    pub(crate) content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tables: Vec<Value>,
}

/// The whole text, and where it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReportText {
    pub(crate) title: String,
    /// Markdown.
    pub(crate) content: String,
    /// Path among the session's files.
    pub(crate) vfs_path: String,
    /// The same path, under another name.
    pub(crate) path: String,
}

/// A section that is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MissingSection {
    pub(crate) id: u32,
    pub(crate) title: String,
}

#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReportContent {
    pub(crate) sections: Vec<ReportSection>,
    pub(crate) report: ReportText,
    pub(crate) missing: Vec<MissingSection>,
    pub(crate) partial: bool,
    /// What is to be said about how it was made.
    pub(crate) note: Option<String>,
    /// What the check found; absent in reports from before this field was added.
    pub(crate) check: Option<ReportCheck>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FindingKind {
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
    /// A text goes round in circles, says something twice, has parts of a format in it, is in another language or about something else.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Severity {
    Critical,
    Warning,
    Note,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Finding {
    /// The task of the section, where it is about one.
    pub(crate) section: Option<u32>,
    pub(crate) kind: FindingKind,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    /// What shows it.
    pub(crate) evidence: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReportCheck {
    pub(crate) findings: Vec<Finding>,
    /// Whether there is no critical finding; null where no critical finding was made but some data could not be read, so that the check did
    /// not see everything.
    pub(crate) passed: Option<bool>,
}

/// JSON Schema of the input.
pub(crate) fn input_schema() -> Value {
    schema_for!(Input).to_value()
}

/// What is wrong with an input; empty when it will do.
pub(crate) fn check_input(input: &Value) -> Vec<Violation> {
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
pub(crate) fn kinds() -> Vec<(&'static str, Value)> {
    let file = |media_type: &str| serde_json::json!({ "contentMediaType": media_type });
    vec![
        (
            stages::TEMPLATE_TREE,
            serde_json::json!({ "type": "object" }),
        ),
        (stages::PLAN, schema_for!(Plan).to_value()),
        (stages::SECTION, schema_for!(Section).to_value()),
        (stages::REPORT, schema_for!(ReportContent).to_value()),
        (stages::MARKDOWN, file("text/markdown")),
        (stages::REPORT_CHECK, schema_for!(ReportCheck).to_value()),
        (stages::HTML, file("text/html")),
        (
            stages::DOCX,
            file("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ),
        palimpsest::prelude::pipeline::material::kind(),
    ]
}
