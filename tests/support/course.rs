//! A course of four pages whose every answer is fixed.

use serde_json::{Value, json};

use super::root;

/// The words of the narration by which the request for each page is recognised; also the order of the rules in the script.
const MARKS: [&str; 4] = [
    "Welcome to this short course.",
    "First we look at what goes in and what comes out.",
    "Now we look at how the leaf does it.",
    "Let us gather what we have seen.",
];

/// The model calls of a run in their order, by the name of the schema and the page. The theme is asked for beside the scripts.
pub(crate) const TURNS: [(&str, usize); 10] = [
    ("intent", 0),
    ("requirement_analysis", 0),
    ("course_config", 0),
    ("video_outline", 0),
    ("slide_scripts", 0),
    ("presentation_theme", 0),
    ("slide", 1),
    ("slide", 2),
    ("slide", 3),
    ("slide", 4),
];

/// The place of page 1 among the turns.
pub(crate) const PAGE_1: usize = 6;

/// What a run makes: a piece of each stage before the pages, the pages, the two documents they make together, and the export:
/// the report, the two files, and a small picture of each page.
pub(crate) const MADE: usize = 5 + 4 + 2 + 4 + 4;

/// The script with the valid answers.
pub(crate) fn script() -> Value {
    let path = root().join("tests/scripts/course.json");
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).expect("the script is JSON")
}

/// The script with rules before the others.
pub(crate) fn script_with(rules: impl IntoIterator<Item = Value>) -> Value {
    let mut script = script();
    let known = script["rules"].as_array_mut().expect("rules");
    let first: Vec<Value> = rules.into_iter().collect();
    known.splice(0..0, first);
    script
}

/// A rule for a turn: for the nth request for it (all of them where absent), the right answer with something beside it.
pub(crate) fn rule(turn: (&str, usize), occurrence: Option<u64>, beside: Value) -> Value {
    let (schema, page) = turn;
    let script = script();
    let mut rule = beside;
    rule["when"] = json!({ "schema": schema });
    let answer = if page == 0 {
        script["by_schema"][schema].clone()
    } else {
        rule["when"]["user_contains"] = json!(MARKS[page - 1]);
        script["rules"][page - 1]["answer"].clone()
    };
    if rule.get("answer").is_none() {
        rule["answer"] = answer;
    }
    if let Some(occurrence) = occurrence {
        rule["when"]["occurrence"] = json!(occurrence);
    }
    rule
}

/// What is wanted.
pub(crate) const BRIEF: &str = "A deck of 4 pages about photosynthesis for grade 7";

/// The request that opens a session of this name, in which one page is made after the other.
pub(crate) fn opening(session: &str) -> Value {
    opening_with(session, json!({ "width": 1 }))
}

/// The same with other settings.
pub(crate) fn opening_with(session: &str, settings: Value) -> Value {
    json!({ "pipeline": "course", "message": BRIEF, "session": session, "settings": settings })
}

/// What the frames of a type in a stage say.
pub(crate) fn of<'a>(frames: &'a [Value], kind: &str, stage: &str) -> Vec<&'a Value> {
    frames
        .iter()
        .filter(|frame| frame["type"] == kind && frame["data"]["stage"] == stage)
        .map(|frame| &frame["data"])
        .collect()
}
