//! The pipeline by example: what it asks of models and tools, and what it leaves.

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{Answer, ArtifactId, Input, ModelTurn, Output, RunId, StepId};
use serde_json::{Value, json};
use smol_str::SmolStr;

use super::*;
use crate::readings::extract::SaidFacts;

/// A step about the chapter `c1`, of which the third version was found unread.
fn work(stage: &str) -> Work {
    let unread = json!({ CHAPTERS: ["c1"], VERSIONS: { "c1": 3 } });
    let artifact = ArtifactProduced {
        artifact: ArtifactId::new("art_read_1"),
        kind: UNREAD.into(),
        number: 1,
        title: SmolStr::default(),
        body: Body::Event {
            json: Arc::new(unread.clone()),
        },
        facts: Value::Null,
        shown: false,
        from: vec![],
        step: StepId::new(RunId(1), LOOK, ""),
        attempt: 1,
        part: SmolStr::default(),
    };
    let input = Input {
        artifact: Arc::new(artifact),
        body: Arc::new(unread),
    };
    Work {
        brief: "project:p has changed".to_owned(),
        input: json!({ "stream": "project:p" }),
        inputs: BTreeMap::from([(SmolStr::from(UNREAD), vec![input])]),
        ..Work::blank(StepId::new(RunId(1), stage, "c1"))
    }
}

fn output(output: Value) -> TurnResult {
    TurnResult::Tool { output }
}

fn answer(answer: Answer) -> TurnResult {
    TurnResult::Model {
        model: "m-1".into(),
        answer,
    }
}

/// A chapter of two ranges.
fn chapter() -> TurnResult {
    output(json!({
        "version": 3, "language": "English", "title": "Fog", "bible": "Characters: Ada", "bibleLeftOut": 0,
        "ranges": ["Ada wrote to ada@example.org.", "Tom came."],
    }))
}

fn nothing() -> Answer {
    Answer::Json(json!(SaidFacts::default()))
}

#[track_caller]
fn question(carry: &Carry) -> &ModelTurn {
    match carry {
        Carry::Model(turn) => turn,
        Carry::Tool(_)
        | Carry::Render(_)
        | Carry::Done(_)
        | Carry::Reject(_)
        | Carry::Fail { .. } => panic!("no question: {carry:?}"),
    }
}

#[track_caller]
fn body(carry: &Carry) -> Value {
    match carry {
        Carry::Done(outputs) => match &outputs[..] {
            [Output::Artifact(artifact)] => artifact.json().cloned().expect("JSON"),
            other => panic!("no artifact: {other:?}"),
        },
        Carry::Model(_)
        | Carry::Tool(_)
        | Carry::Render(_)
        | Carry::Reject(_)
        | Carry::Fail { .. } => panic!("not done: {carry:?}"),
    }
}

fn carried(stage: &str, turns: &[TurnResult]) -> Carry {
    StoryReader.carry(&work(stage), turns)
}

#[test]
fn each_range_is_a_question() {
    let first = carried(ASK, &[chapter()]);
    let turn = question(&first);
    assert_eq!((turn.role, turn.prompt), ("reader", "reader/chapter"));
    let passage = turn.vars["passage"].as_str().expect("a passage");
    assert_eq!(passage, "Ada wrote to ada@example.org.");
    let mut said = SaidFacts::default();
    said.events.push(
        serde_json::from_value(
            json!({ "what": "A letter", "characters": ["Ada"], "sentence": passage }),
        )
        .expect("it fits"),
    );
    let second = carried(ASK, &[chapter(), answer(Answer::Json(json!(said)))]);
    assert_eq!(question(&second).vars["passage"], "Tom came.");
    let turns = [
        chapter(),
        answer(Answer::Json(json!(said))),
        answer(nothing()),
    ];
    let left = body(&carried(ASK, &turns));
    assert_eq!(
        left["said"][0]["events"][0]["sentence"],
        "Ada wrote to ada@example.org."
    );
    assert_eq!(
        (&left["by"], &left["parts"], &left["unread"]),
        (&json!("m-1"), &json!(2), &json!(0))
    );
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_once_more_and_then_left_to_the_rules() {
    let rubbish = || answer(Answer::Text("Here you are!".to_owned()));
    let again = carried(ASK, &[chapter(), rubbish()]);
    let turn = question(&again);
    assert_eq!(turn.vars["part"], 1);
    let wrong = turn.vars["violations"].to_string();
    assert!(wrong.contains("JSON"), "{wrong}");
    let next = carried(ASK, &[chapter(), rubbish(), rubbish()]);
    assert_eq!(question(&next).vars["part"], 2);
    let half = [chapter(), rubbish(), rubbish(), answer(nothing())];
    let half = body(&carried(ASK, &half));
    assert_eq!(
        (&half["by"], &half["unread"]),
        (&json!("m-1"), &json!(1)),
        "{half:#}"
    );
    let none = [chapter(), rubbish(), rubbish(), rubbish(), rubbish()];
    let none = body(&carried(ASK, &none));
    assert_eq!(
        (&none["by"], &none["unread"], &none["said"]),
        (&Value::Null, &json!(2), &json!([]))
    );
}

#[test]
fn a_chapter_that_was_accepted_anew_is_left_to_the_next_run() {
    let carry = carried(ASK, &[output(json!({ "superseded": true }))]);
    let Carry::Done(outputs) = &carry else {
        panic!("not done: {carry:?}");
    };
    assert!(
        matches!(&outputs[..], [Output::Decision { choice, .. }] if choice == "put_off"),
        "{outputs:?}"
    );
}

#[test]
fn the_version_that_was_found_is_the_one_that_is_read() {
    for stage in [ASK, LEARN] {
        let carry = carried(stage, &[]);
        let Carry::Tool(turn) = &carry else {
            panic!("no tool: {carry:?}");
        };
        assert_eq!(
            (&turn.input["version"], &turn.input["stream"]),
            (&json!(3), &json!("project:p"))
        );
    }
}
