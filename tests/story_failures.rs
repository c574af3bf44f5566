//! What goes wrong in a story's run: an agent of a chain fails, or a check gives an answer that cannot be read, or none at all.

use serde_json::{Value, json};

use crate::support::rig::Rig;
use crate::support::story::{
    PLANNED, PROJECT, PROSE, Told, WRITER, of, put_project, say, script_with, status, text,
};

/// A message about the project, of this intent, with a model that answers by these rules first.
async fn told(intent: &str, rules: Vec<Value>) -> (Rig, Vec<Told>) {
    let rig = Rig::playing(&script_with(rules), &[]).await;
    put_project(&rig.api, PROJECT, "").await;
    let more = json!({ "projectId": PROJECT, "intentHint": intent });
    let told = say(&rig.api, "s1", "灯塔的故事", more).await;
    (rig, told)
}

fn refuses(when: Value) -> Value {
    json!({ "when": when, "status": 400 })
}

/// The names of the last frames, calls of tools left out.
fn last(told: &[Told], many: usize) -> Vec<&str> {
    let names = told.iter().map(|(_, data)| data["type"].as_str());
    let names = names.map(|name| name.expect("a type"));
    let names: Vec<&str> = names.filter(|name| !name.starts_with("tool")).collect();
    names[names.len() - many..].to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_whose_second_agent_fails_keeps_what_the_first_one_made() {
    let rules = vec![refuses(json!({ "system_contains": WRITER }))];
    let (mut rig, told) = told("OUTLINE_TO_CHAPTER", rules).await;
    assert_eq!(status(&told), "failed");
    assert_eq!(last(&told, 3), ["error", "chain_summary", "done"]);
    let error = of(&told, "error")[0];
    assert!(
        error["code"].is_string() && error["message"].is_string(),
        "{error}"
    );
    assert!(text(&told, 1).contains(PLANNED));
    assert_eq!(text(&told, 2), "");
    let summary = of(&told, "chain_summary")[0];
    let outputs = summary["outputs"].as_array().expect("outputs");
    assert_eq!(outputs.len(), 2);
    assert_eq!(
        (&outputs[0]["success"], &outputs[1]["success"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(outputs[0]["content"], text(&told, 1).as_str());
    assert!(outputs[1]["errorMessage"].is_string(), "{outputs:?}");
    // The outline is still there after a restart, and the chain goes on with it when it is asked to: the planner is not asked again.
    rig.model.play(&script_with([])).await;
    rig.again().await;
    let rest = say(&rig.api, "s1", "继续", json!({ "projectId": PROJECT })).await;
    assert_eq!(
        (status(&rest), text(&rest, 2)),
        ("completed", PROSE.to_owned())
    );
    let journal = rig.model.journal().await;
    assert_eq!(journal.asked("outline").len(), 0);
    // A reader of the chapters that the kill interrupted may ask before the writer does.
    let asked = journal.requests().iter().map(Value::to_string);
    let mut of_writer = asked.filter(|request| request.contains(WRITER));
    let writer = of_writer.next().expect("the writer is asked");
    assert!(writer.contains(PLANNED), "{writer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_whose_first_agent_fails_ends_there() {
    let rules = vec![refuses(json!({ "schema": "characters" }))];
    let (rig, told) = told("CHARACTER_TO_SCENE", rules).await;
    assert_eq!(status(&told), "failed");
    assert_eq!(of(&told, "error").len(), 1);
    assert_eq!(of(&told, "content").len(), 0);
    let journal = rig.model.journal().await;
    let asked = journal.requests().iter().map(Value::to_string);
    assert_eq!(asked.filter(|request| request.contains(WRITER)).count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn prose_stands_where_nobody_could_check_it() {
    for (answer, why) in [
        (json!({ "answer": "no problem found" }), "words"),
        (json!({ "answer": { "verdict": "fine" } }), "another shape"),
        (json!({ "status": 400 }), "a refusal"),
    ] {
        let mut rule = json!({ "when": { "schema": "issues" } });
        for (name, value) in answer.as_object().expect("an object") {
            rule[name] = value.clone();
        }
        let (_rig, told) = told("WRITE_CONTENT", vec![rule]).await;
        assert_eq!(status(&told), "completed", "{why}");
        assert_eq!(text(&told, 1), PROSE, "{why}");
        let check = of(&told, "check_result")[0];
        assert_eq!(check["status"], "not_checked", "{why}: {check:#}");
        assert_eq!(check["issues"], json!([]), "{why}");
        assert_ne!(check["notChecked"], json!([]), "{why}: it says why");
        assert_eq!(
            last(&told, 3),
            ["processing_check", "check_result", "done"],
            "{why}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_says_what_rules_found_where_the_model_says_nothing_that_can_be_read() {
    let rule = json!({ "when": { "schema": "issues" }, "answer": "no problem found" });
    let (_rig, told) = told("CHECK_CONSISTENCY", vec![rule]).await;
    assert_eq!(status(&told), "completed", "{told:#?}");
    let check = of(&told, "check_result")[0];
    assert_eq!(check["status"], "not_checked", "{check:#}");
    assert_ne!(check["notChecked"], json!([]));
    assert!(
        !text(&told, 1).contains("没有发现矛盾"),
        "{}",
        text(&told, 1)
    );
}
