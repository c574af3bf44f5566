//! A plan with the edits of the person who confirms it. The template decides which sections there are; a person may only change what each
//! is to contain.

use palimpsest::prelude::pipeline::{GateEdits, NewArtifact, Violation};
use serde_json::Value;

use super::plan::{artifact, short};
use crate::flow::CONFIRM_PLAN;
use crate::shapes::{Plan, SectionTask};

/// The most characters of an objective or of notes; a longer text belongs in a file of its own.
const TEXT_CHARS: usize = 4_000;

/// The edits are tasks, one task, or the plan's own list of them. Tasks that are not named stay as they are.
pub(crate) fn edit(given: &GateEdits<'_>) -> Result<NewArtifact, Vec<Violation>> {
    let GateEdits {
        gate,
        subject,
        edits,
        files,
        ..
    } = *given;
    let wrong = |message: &str| Err(vec![Violation::new("", message)]);
    if gate != CONFIRM_PLAN {
        return wrong("what this gate asks about cannot be edited");
    }
    let Ok(mut plan) = serde_json::from_value::<Plan>(subject.clone()) else {
        return wrong("the plan that is asked about cannot be read");
    };
    let single = std::slice::from_ref(edits);
    let tasks = edits.get("tasks").filter(|_| edits.get("id").is_none());
    let edits = match tasks.unwrap_or(edits) {
        Value::Array(tasks) => tasks.as_slice(),
        Value::Object(task) if task.contains_key("id") => single,
        Value::Object(_) => return wrong("say nothing of what can be changed, which is `tasks`"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return wrong("the edits are no list of tasks");
        }
    };
    let mut found = vec![];
    let mut seen = vec![];
    for (place, edited) in edits.iter().enumerate() {
        let at = |field: &str| format!("/{place}/{field}");
        let Some(id) = edited["id"].as_u64() else {
            found.push(Violation::new(
                at("id"),
                "is missing, or no whole number from 1 on",
            ));
            continue;
        };
        if seen.contains(&id) {
            found.push(Violation::new(at("id"), format!("{id} is used twice")));
            continue;
        }
        seen.push(id);
        match plan.tasks.iter_mut().find(|task| u64::from(task.id) == id) {
            None => found.push(Violation::new(
                at("id"),
                format!("{id} is no section of the template"),
            )),
            Some(task) => apply(task, edited, files, &at, &mut found),
        }
    }
    if !found.is_empty() {
        return Err(found);
    }
    "person".clone_into(&mut plan.planned_by);
    Ok(artifact(&plan, vec![]))
}

/// Applies edits to a task; fields that are not named stay as they are. The title comes from the template and is a heading of the report,
/// so a different title is refused.
fn apply(
    task: &mut SectionTask,
    edited: &Value,
    files: &[&str],
    at: &dyn Fn(&str) -> String,
    found: &mut Vec<Violation>,
) {
    let same = |title: &str| title.split_whitespace().eq(task.title.split_whitespace());
    match &edited["title"] {
        Value::Null => {}
        Value::String(title) if same(title) => {}
        Value::String(_)
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => {
            let says = format!(
                "is not the template's heading \"{}\", which the report keeps; leave it out, or change the template",
                task.title
            );
            found.push(Violation::new(at("title"), says));
        }
    }
    match &edited["objective"] {
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {
            found.push(Violation::new(
                at("objective"),
                "is empty; leave it out to keep it",
            ));
        }
        Value::String(text) if text.chars().count() > TEXT_CHARS => {
            let says = format!("is longer than {TEXT_CHARS} characters");
            found.push(Violation::new(at("objective"), says));
        }
        Value::String(text) => text.trim().clone_into(&mut task.objective),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            found.push(Violation::new(at("objective"), "is no text"));
        }
    }
    let template = &edited["template"];
    if !template.is_null() && template.as_str() != task.template.as_deref() {
        found.push(Violation::new(
            at("template"),
            "is not what the template says there; leave it out",
        ));
    }
    for (field, own) in [
        ("hints", &mut task.hints),
        ("required_inputs", &mut task.required_inputs),
    ] {
        match texts(&edited[field]) {
            Ok(None) => {}
            Ok(Some(texts)) if field == "hints" => *own = short(texts),
            Ok(Some(texts)) => *own = texts,
            Err(message) => found.push(Violation::new(at(field), message)),
        }
    }
    match &edited["notes"] {
        Value::Null => {}
        Value::String(notes) => task.notes = Some(notes.chars().take(TEXT_CHARS).collect()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            found.push(Violation::new(at("notes"), "is no text"));
        }
    }
    for path in &task.required_inputs {
        if !files.contains(&path.as_str()) {
            let shown: String = path.chars().take(80).collect();
            let says = format!(
                "`{shown}` is no file of the session; name files as they stand there, such as `datasets/a.json`"
            );
            found.push(Violation::new(at("required_inputs"), says));
        }
    }
}

fn texts(value: &Value) -> Result<Option<Vec<String>>, &'static str> {
    match value {
        Value::Null => Ok(None),
        Value::Array(all) => all
            .iter()
            .map(|text| text.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .map(Some)
            .ok_or("has something that is no text"),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Err("is no list of texts")
        }
    }
}
