//! Messages as people say them, with what they ask for. The messages of `first` were there before the rules; those of `held-out`,
//! `later` and `last` were each written when the rules understood all before them, and then the rules were mended.

use crate::story::routing::{FINAL_CONFIDENCE, Intent, Phase, Routed, route};

const GOLDEN: &str = include_str!("../../../../../tests/golden/story/routing.tsv");

/// A message as a person says it, and what it asks for.
struct Example {
    set: &'static str,
    language: &'static str,
    phase: Option<Phase>,
    /// Nothing for side talk, which may be taken for anything that writes no prose.
    intent: Option<Intent>,
    message: &'static str,
}

fn examples() -> Vec<Example> {
    GOLDEN
        .lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [set, language, phase, intent, message] = columns[..] else {
                panic!("five columns: {line}");
            };
            let is_side_talk = intent == "SIDE";
            Example {
                set,
                language,
                phase: Phase::named(phase),
                intent: (!is_side_talk).then(|| Intent::named(intent).expect(intent)),
                message,
            }
        })
        .collect()
}

fn routed(example: &Example) -> Routed {
    route(example.message, None, None, example.phase, false)
}

/// How many of the messages of a set and language are understood, of how many, and those that are not.
fn accuracy(set: &str, language: &str) -> (usize, usize, Vec<String>) {
    let mut wrong = vec![];
    let mut all = 0;
    for example in examples() {
        let Some(intent) = example.intent else {
            continue;
        };
        if example.set != set || example.language != language {
            continue;
        }
        all += 1;
        let routed = routed(&example);
        if routed.intent != intent {
            wrong.push(format!(
                "{}: {} ({:.2}), not {}",
                example.message,
                routed.intent.as_str(),
                routed.confidence,
                intent.as_str()
            ));
        }
    }
    (all - wrong.len(), all, wrong)
}

#[test]
fn nine_in_ten_messages_are_understood_by_rules_alone() {
    let mut report = vec![];
    let mut is_enough = true;
    for set in ["first", "held-out", "later", "last"] {
        for language in ["zh", "en"] {
            let (right, all, wrong) = accuracy(set, language);
            is_enough &= all > 0 && right * 10 >= all * 9;
            report.push(format!("{set} {language}: {right} of {all}"));
            report.extend(wrong);
        }
    }
    assert!(is_enough, "{}", report.join("\n"));
}

#[test]
fn side_talk_starts_no_writing() {
    let mut count = 0;
    let mut wrong = vec![];
    for example in examples() {
        if example.intent.is_none() {
            count += 1;
            let routed = routed(&example);
            if routed.intent.writes_prose() {
                wrong.push(format!("{} ({:.2})", example.message, routed.confidence));
            }
        }
    }
    assert!(count >= 30, "{count} messages");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_intent_is_asked_for_at_least_six_times_in_each_language() {
    for intent in Intent::ALL {
        for language in ["zh", "en"] {
            let count = examples()
                .iter()
                .filter(|example| example.intent == Some(intent) && example.language == language)
                .count();
            assert!(count >= 6, "{} {language}: {count}", intent.as_str());
        }
    }
}

#[test]
fn what_is_final_is_right() {
    let mut finals = 0;
    let mut wrong = vec![];
    for example in examples() {
        let routed = routed(&example);
        if routed.confidence < FINAL_CONFIDENCE {
            continue;
        }
        finals += 1;
        let is_right = match example.intent {
            Some(intent) => routed.intent == intent,
            None => !routed.intent.writes_prose(),
        };
        if !is_right {
            wrong.push(format!("{}: {}", example.message, routed.intent.as_str()));
        }
    }
    assert!(finals * 2 >= examples().len(), "only {finals} are final");
    assert!(wrong.len() * 50 <= finals, "{}", wrong.join("\n"));
}
