//! Messages as people write them, with what they ask for. From all sets but `blind-10` and `blind-11` examples were learned, so that these
//! only show that nothing was lost.

use std::sync::LazyLock;

use crate::readings::routing::route::FINAL_CONFIDENCE;
use crate::readings::routing::{Intent, Phase, Routed, route};

const GOLDEN: &str = include_str!("../../../../../../tests/golden/story/routing.tsv");

const SETS: [&str; 15] = [
    "first", "held-out", "later", "last", "blind-1", "blind-2", "blind-3", "blind-4", "blind-5",
    "blind-6", "blind-7", "blind-8", "blind-9", "blind-10", "blind-11",
];

/// A message as a person says it, and what it asks for.
struct Example {
    set: &'static str,
    language: &'static str,
    phase: Option<Phase>,
    /// `None` for small talk, for which every intent that writes no prose is accepted.
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

/// Each example with where it goes.
static ROUTED: LazyLock<Vec<(Example, Routed)>> = LazyLock::new(|| {
    let routed = |example: Example| {
        let routed = route(example.message, None, None, example.phase, false);
        (example, routed)
    };
    examples().into_iter().map(routed).collect()
});

/// The number of understood messages of a set and language, the number of all of them, and those that are not understood.
fn accuracy(set: &str, language: &str) -> (usize, usize, Vec<String>) {
    let mut wrong = vec![];
    let mut all = 0;
    for (example, routed) in ROUTED.iter() {
        let Some(intent) = example.intent else {
            continue;
        };
        if example.set != set || example.language != language {
            continue;
        }
        all += 1;
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
fn nine_in_ten_messages_are_understood_without_a_model() {
    let mut report = vec![];
    let mut is_enough = true;
    for set in SETS {
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
    for (example, routed) in ROUTED.iter() {
        if example.intent.is_none() {
            count += 1;
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
    for (example, routed) in ROUTED.iter() {
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

#[test]
fn every_message_belongs_to_a_known_set() {
    for example in examples() {
        assert!(SETS.contains(&example.set), "{}", example.set);
    }
}
