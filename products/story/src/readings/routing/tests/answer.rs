use crate::readings::routing::route::RouteSource;
use crate::readings::routing::{
    AnswerError, Intent, ModelAnswer, Phase, Routed, intents_for_prompt, merged, read_answer, route,
};

fn unclear() -> Routed {
    let routed = route("角色和情节", None, None, Some(Phase::Writing), false);
    Routed {
        confidence: 0.5,
        ..routed
    }
}

fn answer(text: &str) -> ModelAnswer {
    read_answer(text).expect("an answer")
}

#[test]
fn the_prompt_names_all_intents() {
    let lines = intents_for_prompt();
    for intent in Intent::ALL {
        assert!(lines.contains(&format!("- {}: ", intent.as_str())));
    }
    assert_eq!(lines.lines().count(), 18);
}

#[test]
fn an_answer_is_read_whatever_stands_around_it() {
    let read = answer(
        "Sure:\n```json\n{\"intent\": \"outline_to_chapter\", \"confidence\": 0.8, \"alternatives\": [\"WRITE_CONTENT\", \
         {\"intent\": \"PLAN_OUTLINE\", \"confidence\": 0.3}, \"NONSENSE\"]}\n```",
    );
    assert_eq!(read.intent, Intent::OutlineToChapter);
    assert_eq!(read.confidence, 0.8);
    let others: Vec<(Intent, f64)> = read
        .alternatives
        .iter()
        .map(|other| (other.intent, other.confidence))
        .collect();
    assert_eq!(
        others,
        [(Intent::WriteContent, 0.5), (Intent::PlanOutline, 0.3)]
    );
}

#[test]
fn a_missing_confidence_is_a_half_and_one_out_of_range_is_cut() {
    assert_eq!(answer(r#"{"intent": "SUMMARIZE"}"#).confidence, 0.5);
    assert_eq!(
        answer(r#"{"intent": "SUMMARIZE", "confidence": null}"#).confidence,
        0.5
    );
    assert_eq!(
        answer(r#"{"intent": "SUMMARIZE", "confidence": 85}"#).confidence,
        1.0
    );
    assert_eq!(
        answer(r#"{"intent": "SUMMARIZE", "confidence": -1}"#).confidence,
        0.0
    );
}

#[test]
fn an_unusable_answer_leaves_the_result_of_the_rules() {
    let rules = unclear();
    for (text, error) in [
        ("", AnswerError::Unreadable),
        ("WRITE_CONTENT", AnswerError::Unreadable),
        ("{\"intent\": 3}", AnswerError::Unreadable),
        (
            "{\"intent\": \"WRITE_POEM\"}",
            AnswerError::UnknownIntent("WRITE_POEM".to_owned()),
        ),
    ] {
        let read = read_answer(text);
        assert_eq!(read, Err(error));
        let merged = merged(&rules, &read);
        assert_eq!(
            (merged.intent, merged.confidence),
            (rules.intent, rules.confidence)
        );
        assert!(!merged.needs_model);
    }
}

#[test]
fn a_confident_answer_is_not_overridden_by_the_phase() {
    let rules = route(
        "接下来那段，你看着办",
        None,
        None,
        Some(Phase::Writing),
        false,
    );
    let read = read_answer(r#"{"intent": "OUTLINE_TO_CHAPTER", "confidence": 1.0}"#);
    let merged = merged(&rules, &read);
    assert_eq!(merged.intent, Intent::OutlineToChapter);
    assert_eq!((merged.confidence, merged.source), (1.0, RouteSource::Llm));
    assert_eq!(merged.alternatives, vec![]);
}

#[test]
fn the_more_confident_of_the_two_decides_and_the_other_is_an_alternative() {
    let rules = unclear();
    let answer = ModelAnswer {
        intent: Intent::Summarize,
        confidence: rules.confidence - 0.01,
        alternatives: vec![],
    };
    let merged = merged(&rules, &Ok(answer));
    assert_eq!((merged.intent, merged.source), (rules.intent, rules.source));
    assert!(
        merged
            .alternatives
            .iter()
            .any(|other| other.intent == Intent::Summarize)
    );
    assert!(merged.alternatives.len() <= 3);
    assert!(
        merged
            .alternatives
            .iter()
            .all(|other| other.intent != merged.intent)
    );
}
