//! The tools of stories, on books of two sentences.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::DateTime;
use palimpsest::prelude::pipeline::schema;
use palimpsest::prelude::resource::project::{
    Character, Description, Entry, Kept, Project, Standing, What,
};
use serde_json::{Value, json};

use super::checking::look;
use super::reading::task;
use crate::readings::book::Book;

fn book() -> Book {
    let mut project = Project {
        description: Description {
            language: "en".into(),
            ..Description::default()
        },
        ..Project::default()
    };
    let ada = Character {
        name: "Ada Pell".into(),
        role: "protagonist".into(),
        appearance: BTreeMap::from([("eyes".into(), "grey".into())]),
        ..Character::default()
    };
    let kept = Kept {
        entry: Entry {
            id: "ada".into(),
            standing: Standing::Fact,
            pinned: false,
            what: What::Character(ada),
        },
        version: 1,
        created: DateTime::UNIX_EPOCH,
        changed: DateTime::UNIX_EPOCH,
    };
    project.entries.insert("ada".into(), kept);
    Book::new(Arc::new(project), BTreeMap::new())
}

#[test]
fn a_text_of_no_chapter_is_looked_at_all_the_same_and_that_is_said() {
    let text = "Ada Pell had brown eyes, and a cough.";
    let asked = json!({ "project": "p", "text": text });
    let gave = look(
        &book(),
        serde_json::from_value(asked).expect("it fits"),
        None,
    );
    let findings = gave.output["findings"].as_array().expect("findings");
    assert!(
        findings.iter().any(|it| it["said"]["sentence"] == text),
        "{:#}",
        gave.output
    );
    let not_checked = gave.output["notChecked"].to_string();
    assert!(not_checked.contains("which chapter"), "{not_checked}");
}

#[test]
fn of_a_text_for_a_passage_only_what_is_in_it_is_told() {
    let text = "Ada Pell had brown eyes. Nobody knew. Ada Pell had green eyes.";
    let found = |within| {
        let asked = json!({ "project": "p", "text": text });
        let asked = serde_json::from_value(asked).expect("it fits");
        let gave = look(&book(), asked, within);
        let findings = gave.output["findings"].as_array().cloned();
        let said = findings.unwrap_or_default().into_iter();
        said.map(|it| {
            it["said"]["sentence"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect::<Vec<String>>()
    };
    assert!(found(None).len() > 1, "{:?}", found(None));
    let chars = text.chars().count();
    let told = found(Some(chars - 20..chars));
    assert!(
        !told.is_empty() && told.iter().all(|said| said.contains("green")),
        "{told:?}"
    );
}

#[test]
fn a_task_that_there_is_not_is_refused_and_others_give_text() {
    let asked = |task: &str| {
        let asked = json!({ "project": "p", "task": task, "message": "Ada Pell waits" });
        serde_json::from_value(asked).expect("it fits")
    };
    let known = task(&book(), &asked("characters"));
    let text = known.output["text"].as_str().expect("a text");
    assert!(text.contains("Ada Pell") && text.contains("grey"), "{text}");
    let unknown = task(&book(), &asked("weather"));
    assert_ne!(unknown.output["error"], Value::Null);
}

#[test]
fn each_tool_says_what_it_takes() {
    for tool in super::tools() {
        let schema = tool.schema();
        assert_eq!(schema["type"], "object", "{}", tool.name());
        // A model that leaves out a required field is told so; additional fields are allowed.
        let problems = schema::violations(&schema, &json!({ "more": 1 }));
        let required = schema["required"].as_array().map_or(0, Vec::len);
        assert_eq!(problems.len(), required, "{}: {problems:?}", tool.name());
    }
}
