//! How a message is meant.

use super::*;
use crate::carry::IntentOutput;
use crate::event::Intent;

fn intent(carry: Carry) -> IntentOutput {
    let Carry::Done(mut outputs) = carry else {
        panic!("not done: {carry:?}")
    };
    let output = outputs.pop();
    let Some(Output::Intent(intent)) = output else {
        panic!("not an intent: {output:?}")
    };
    intent
}

#[test]
fn offline_the_rules_decide_without_a_turn() {
    let greeting = intent(Course.carry(&work("你好"), &[]));
    assert_eq!(
        (greeting.intent, greeting.by.as_str()),
        (Intent::Irrelevant, "rules")
    );
    assert!(greeting.reply.is_some());
    assert_eq!(
        intent(Course.carry(&work("光合作用，8 页"), &[])).intent,
        Intent::Initial
    );
}

#[test]
fn a_models_refinement_of_nothing_is_something_new() {
    let answer = json!({ "intent": "REFINEMENT", "targetStage": "generate_slides", "reason": "r", "confidence": 0.9, "reply": null });
    let mut work = with_model("more pictures");
    assert_eq!(
        intent(Course.carry(&work, &[says("gpt", answer.clone())])).intent,
        Intent::Initial
    );
    work.refinable = Some(Refinable {
        run: RunId(1),
        artifacts: vec![],
    });
    let refined = intent(Course.carry(&work, &[says("gpt", answer)]));
    assert_eq!(
        (
            refined.intent,
            refined.target.as_deref(),
            refined.by.as_str()
        ),
        (Intent::Refinement, Some("generate_slides"), "gpt")
    );
}

#[test]
fn an_unknown_target_is_refused_and_at_last_the_rules_decide() {
    let answer = json!({ "intent": "REFINEMENT", "targetStage": "colours", "reason": "r", "confidence": 0.9, "reply": null });
    let mut work = with_model("more pictures");
    work.refinable = Some(Refinable {
        run: RunId(1),
        artifacts: vec![],
    });
    let found = rejected(Course.carry(&work, &[says("gpt", answer.clone())]));
    assert_eq!(
        found[0].message,
        format!("must be one of {}", Stage::changeable().join(", "))
    );
    work.attempt = 3;
    let decided = intent(Course.carry(&work, &[says("gpt", answer)]));
    assert_eq!(
        (decided.target.as_deref(), decided.by.as_str()),
        (Some("generate_slides"), "rules")
    );
}

#[test]
fn what_comes_with_a_change_is_never_passed_over() {
    let target = |text: &str, input: Value, answer: Option<&str>| {
        let mut work = answer.map_or_else(|| work(text), |_| with_model(text));
        work.input = input;
        work.refinable = Some(Refinable {
            run: RunId(1),
            artifacts: vec![],
        });
        let answer = answer.map(|target| {
            json!({ "intent": "REFINEMENT", "targetStage": target, "reason": "r", "confidence": 0.9, "reply": null })
        });
        let turns: Vec<_> = answer
            .map(|answer| says("gpt", answer))
            .into_iter()
            .collect();
        intent(Course.carry(&work, &turns))
            .target
            .expect("a target")
    };
    let pages = json!({ "pageCount": 7 });
    let rules = |text, input| target(text, input, None);
    assert_eq!(rules("换成蓝色主题", Value::Null), Stage::Theme.name());
    assert_eq!(rules("换成蓝色主题", pages.clone()), Stage::Config.name());
    let listeners = json!({ "audience": "高一学生" });
    assert_eq!(rules("版式换一下", listeners), Stage::Config.name());
    let look = json!({ "style": "水墨" });
    assert_eq!(rules("版式换一下", look.clone()), Stage::Theme.name());
    assert_eq!(rules("大纲太复杂", look), Stage::Outline.name());
    // A model that hears only the look changes nothing about that.
    let heard = |text, input| target(text, input, Some(Stage::Theme.name()));
    assert_eq!(
        heard("只要4页，黑色主题", Value::Null),
        Stage::Config.name()
    );
    assert_eq!(heard("黑色主题", pages), Stage::Config.name());
    assert_eq!(heard("黑色主题", Value::Null), Stage::Theme.name());
}
