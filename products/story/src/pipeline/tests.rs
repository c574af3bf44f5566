//! What the pipeline does with a passage: given what earlier steps left, when a turn has given something, then the next turn or the end
//! follows.

use palimpsest::prelude::pipeline::carry::ToolTurn;
use palimpsest::prelude::pipeline::{
    Answer, Carry, ModelTurn, NewArtifact, Output, RunId, StepId, TurnResult, Violation, Work,
};
use serde_json::{Value, json};

use super::passage::DATA;
use super::shape::{Input, Outcome, Route, check_input};
use super::stage::{OUTCOME, PASSAGE, ROUTING, Stage};
use super::testing::{leave, work};
use super::{act, check, prepare, route};
use crate::readings::routing::Intent;

fn input() -> Value {
    json!({ "project": "p", "chapter": "c1", "selection": { "version": 4, "from": 8, "to": 14 } })
}

fn passage(task: &str, continues: bool) -> Value {
    json!({
        "chapterId": "c1", "version": 4, "from": 8, "to": 14, "task": task, "continues": continues,
        "text": "海上没有船，一条也没有，远远近近。", "before": "灯亮了。", "after": "\n\n天亮了。",
    })
}

/// A step of a message about a passage.
fn at(stage: Stage, message: &str, task: &str, continues: bool) -> Work {
    let mut work = Work {
        step: StepId::new(RunId(1), stage.name, ""),
        input: input(),
        ..work(message)
    };
    let intent = Intent::WriteContent;
    let route = json!({ "intent": intent, "workflow": intent.workflow(), "agents": intent.agents(), "passage": task });
    leave(&mut work, ROUTING, route);
    leave(&mut work, PASSAGE, passage(task, continues));
    work
}

fn gave(output: Value) -> TurnResult {
    TurnResult::Tool { output }
}

fn said(answer: Answer) -> TurnResult {
    TurnResult::Model {
        model: "m".into(),
        answer,
    }
}

fn prose(text: &str) -> TurnResult {
    said(Answer::Text(text.to_owned()))
}

fn variants(texts: &[&str]) -> TurnResult {
    let variants: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
    said(Answer::Json(json!({ "variants": variants })))
}

#[track_caller]
fn tool(carry: Carry) -> ToolTurn {
    let Carry::Tool(turn) = carry else {
        panic!("no tool is called: {carry:?}");
    };
    *turn
}

#[track_caller]
fn asks(carry: Carry) -> ModelTurn {
    let Carry::Model(turn) = carry else {
        panic!("no model is asked: {carry:?}");
    };
    *turn
}

#[track_caller]
fn left(carry: Carry) -> Vec<NewArtifact> {
    let Carry::Done(outputs) = carry else {
        panic!("it is not done: {carry:?}");
    };
    let artifacts = outputs.into_iter().filter_map(|output| match output {
        Output::Artifact(artifact) => Some(artifact),
        Output::Intent(_)
        | Output::File { .. }
        | Output::FileRemoved { .. }
        | Output::Decision { .. } => None,
    });
    artifacts.collect()
}

#[track_caller]
fn made(carry: Carry) -> Outcome {
    let artifacts = left(carry);
    let outcome = artifacts.iter().find(|artifact| artifact.kind == OUTCOME);
    let body = outcome.and_then(NewArtifact::json).expect("an outcome");
    serde_json::from_value(body.clone()).expect("its shape")
}

#[track_caller]
fn rejected(carry: Carry) -> Vec<Violation> {
    let Carry::Reject(violations) = carry else {
        panic!("it is not rejected: {carry:?}");
    };
    violations
}

fn project() -> TurnResult {
    gave(json!({ "id": "p", "phase": "WRITING", "chapters": [{ "id": "c1" }] }))
}

#[test]
fn a_selection_is_read_before_anything_is_asked() {
    let work = at(Stage::Route, "续写", "continue", true);
    assert_eq!(tool(route::carry(&work, &[])).tool, "storyProject");
    let call = tool(route::carry(&work, &[project()]));
    assert_eq!(call.tool, "storyPassage");
    assert_eq!(
        call.input["wish"],
        json!({ "task": "continue", "continues": true })
    );
    assert_eq!(call.input["selection"]["from"], 8);
    let turns = [project(), gave(passage("continue", true))];
    let artifacts = left(route::carry(&work, &turns));
    assert_eq!(artifacts[0].kind, ROUTING);
    let facts = Route::of_facts(&artifacts[0].facts).expect("a route");
    assert_eq!(facts.passage.map(|task| task.as_str()), Some("continue"));
    assert_eq!(artifacts[1].kind, PASSAGE);
}

#[test]
fn a_selection_that_cannot_be_worked_on_ends_the_run_before_a_model_is_asked() {
    let work = at(Stage::Route, "润色", "rewrite", false);
    let refused = json!({ "error": "the chapter is locked", "code": "locked", "retryable": false });
    let turns = [project(), gave(refused)];
    let Carry::Fail { code, message, .. } = route::carry(&work, &turns) else {
        panic!("it does not fail");
    };
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("locked", "the chapter is locked")
    );
    // A message that asks for no prose does not write into a passage either.
    let work = at(Stage::Route, "/check 这一段", "rewrite", false);
    let Carry::Fail { code, message, .. } = route::carry(&work, &[project()]) else {
        panic!("it does not fail");
    };
    assert_eq!(code, "bad_input");
    assert!(message.contains("CHECK_CONSISTENCY"), "{message}");
}

#[test]
fn a_selection_without_its_place_is_refused() {
    let paths = |input: Value| -> Vec<String> {
        let found = check_input(&input).into_iter();
        found.map(|violation| violation.path.to_string()).collect()
    };
    let selection = json!({ "from": 3, "to": 5 });
    assert_eq!(
        paths(json!({ "selection": selection })),
        ["/project", "/selection/chapterId"]
    );
    let chosen = json!({ "chapterId": "c1", "from": 5, "to": 5 });
    assert_eq!(
        paths(json!({ "project": "p", "selection": chosen })),
        ["/selection"]
    );
    let hinted = json!({ "project": "p", "chapter": "c1", "intentHint": "SUMMARIZE", "selection": selection });
    assert_eq!(paths(hinted), ["/intentHint"]);
    assert_eq!(paths(input()), [""; 0]);
    let wrong = json!({ "project": "p", "chapter": "c1", "selection": { "from": -1, "to": 5 } });
    assert!(!paths(wrong).is_empty());
    // Inputs that were recorded under the older names can still be read.
    let older = json!({ "selection": { "chapter": "c1", "version": 1, "start": 3, "end": 5 } });
    assert!(Input::read(&older).is_ok());
}

#[test]
fn the_writer_is_shown_the_passage_and_what_stands_around_it() {
    let work = at(Stage::Act, "冷一点", "rewrite", false);
    let turn = asks(act::carry(&work, &[]));
    assert_eq!((turn.prompt, turn.schema), ("story/passage", None));
    let shown = &turn.vars["passage"];
    for (field, text) in [("before", "灯亮了。"), ("after", "\n\n天亮了。")] {
        assert_eq!(shown[field], text);
    }
    assert!(
        shown["text"]
            .as_str()
            .is_some_and(|text| text.contains("海上"))
    );
    let search = tool(prepare::carry(
        &at(Stage::Prepare, "冷一点", "rewrite", false),
        &[],
    ));
    let searched = search.input["message"].as_str().expect("a text");
    assert!(
        searched.contains("冷一点") && searched.contains("海上"),
        "{searched}"
    );
}

#[test]
fn a_rewriting_is_left_with_its_place() {
    let work = at(Stage::Act, "冷一点", "rewrite", false);
    let outcome = made(act::carry(&work, &[prose(" 海面空着。\n")]));
    assert_eq!(outcome.text, "海面空着。");
    let made = &outcome.data[DATA];
    assert_eq!((&made["from"], &made["to"]), (&json!(8), &json!(14)));
    assert_eq!(made["replacement"], "海面空着。");
    assert_eq!(made["chapterId"], "c1");
}

#[test]
fn a_continuation_stands_behind_its_passage() {
    let work = at(Stage::Act, "续写", "continue", true);
    let outcome = made(act::carry(&work, &[prose("风停了。")]));
    let made = &outcome.data[DATA];
    assert_eq!((&made["from"], &made["to"]), (&json!(14), &json!(14)));
    assert_eq!(made["replacement"], "\n\n风停了。");
    assert_eq!(outcome.text, "风停了。");
}

#[test]
fn what_is_no_other_text_is_sent_back() {
    let rewrite = at(Stage::Act, "冷一点", "rewrite", false);
    let same = prose("海上没有船，一条也没有， 远远近近。\n");
    let found = rejected(act::carry(&rewrite, &[same]));
    assert!(found[0].message.contains("as it was"), "{found:?}");
    let goes_on = at(Stage::Act, "续写", "continue", true);
    let echo = prose("海上没有船，一条也没有，远远近近。风停了。");
    let found = rejected(act::carry(&goes_on, &[echo]));
    assert!(
        found[0].message.contains("begins with the passage"),
        "{found:?}"
    );
}

#[test]
fn variants_are_three_and_each_is_another_text() {
    let work = at(Stage::Act, "三个版本", "variants", false);
    let turn = asks(act::carry(&work, &[]));
    assert_eq!(turn.prompt, "story/variants");
    assert!(turn.schema.is_some());
    let paths = |texts: &[&str]| -> Vec<String> {
        let found = rejected(act::carry(&work, &[variants(texts)])).into_iter();
        found.map(|violation| violation.path.to_string()).collect()
    };
    assert_eq!(paths(&["一", "二"]), ["/variants"]);
    assert_eq!(paths(&["一", "二", "三", "四"]), ["/variants"]);
    assert_eq!(paths(&["一二", "三", "一 二 "]), ["/variants/2/text"]);
    assert_eq!(paths(&["一", " ", "三"]), ["/variants/1/text"]);
    assert_eq!(
        paths(&["海上没有船，一条也没有，远远近近。", "二", "三"]),
        ["/variants/0/text"]
    );
    let outcome = made(act::carry(&work, &[variants(&["一。", "二。", "三。"])]));
    assert_eq!(
        outcome.text,
        "## 1\n\n一。\n\n## 2\n\n二。\n\n## 3\n\n三。\n"
    );
    let made = &outcome.data[DATA];
    assert_eq!(made["variants"][1]["id"], "2");
    assert_eq!(made["variants"][1]["replacement"], "二。");
    assert_eq!(made["replacement"], Value::Null);
}

#[test]
fn each_variant_is_looked_at_where_it_would_stand() {
    let mut work = at(Stage::Check, "三个版本", "variants", false);
    let acted = at(Stage::Act, "三个版本", "variants", false);
    let outcome = made(act::carry(&acted, &[variants(&["一。", "二。", "三。"])]));
    leave(
        &mut work,
        OUTCOME,
        palimpsest::prelude::pipeline::asking::json_of(&outcome),
    );
    let mut turns = vec![];
    for text in ["一。", "二。", "三。"] {
        let call = tool(check::carry(&work, &turns));
        assert_eq!(
            (&call.input["text"], &call.input["chapter"]),
            (&json!(text), &json!("c1"))
        );
        assert_eq!(
            call.input["passage"],
            json!({ "version": 4, "from": 8, "to": 14 })
        );
        let issues = if text == "二。" {
            json!([{ "severity": "ERROR", "description": "灯已经灭了" }])
        } else {
            json!([])
        };
        turns.push(gave(json!({ "findings": issues, "notChecked": ["时间"] })));
    }
    asks(check::carry(&work, &turns));
    turns.push(said(Answer::Json(json!({ "issues": [], "summary": "" }))));
    let artifacts = left(check::carry(&work, &turns));
    let result = artifacts[0].json().expect("a result");
    assert_eq!(result["issues"][0]["variant"], "2");
    assert_eq!(result["notChecked"], json!(["时间"]));
}

#[test]
fn without_a_model_nothing_is_offered_to_be_put_in() {
    let mut work = at(Stage::Act, "三个版本", "variants", false);
    let mut settings = (*work.settings).clone();
    settings.ports.model = palimpsest::prelude::pipeline::OFFLINE.to_owned();
    work.settings = std::sync::Arc::new(settings);
    let turn = asks(act::carry(&work, &[]));
    assert_eq!((turn.prompt, turn.schema), ("story/passage", None));
    let outcome = made(act::carry(&work, &[prose("这里不写正文。")]));
    let made = &outcome.data[DATA];
    assert_eq!(made["replacement"], Value::Null);
    assert_eq!(made["variants"], Value::Null);
}
