use proptest::prelude::*;

use crate::readings::routing::{
    Intent, ModelAnswer, Phase, mentioned, merged, read_answer, route, skills,
};
use words::CHARS_MAX;

/// Text of anything, and text of the words and signs that the rules look for.
fn message() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "写",
        "角色",
        "大纲",
        "检查",
        "第三章",
        "第",
        "章",
        "不要",
        "别",
        "，",
        "。",
        "“",
        "”",
        "：",
        "write",
        " ",
        "don't",
        "outline",
        "name",
        "ch. ",
        "3",
        "-",
        "to",
        "?",
        "你好",
        "出场",
        "é",
        "İ",
        "ﬁ",
        "\u{301}",
        "\n",
        "/write",
        "第十到",
        "百千",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat()),
    ]
}

fn phase() -> impl Strategy<Value = Option<Phase>> {
    prop::option::of(prop::sample::select(Phase::ALL.to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_message_has_one_route(
        message in message(),
        of_request in phase(),
        of_project in phase(),
        is_scene in any::<bool>(),
    ) {
        let routed = route(&message, None, of_request, of_project, is_scene);
        prop_assert!((0.0..=1.0).contains(&routed.confidence));
        prop_assert!(routed.alternatives.len() <= 3);
        prop_assert!(routed.alternatives.is_empty() || routed.confidence < 0.7);
        for other in &routed.alternatives {
            prop_assert!((0.0..=1.0).contains(&other.confidence));
            prop_assert!(other.confidence <= routed.confidence);
            prop_assert!(other.intent != routed.intent);
        }
        let again = route(&message, None, of_request, of_project, is_scene);
        prop_assert_eq!(routed, again);
    }

    #[test]
    fn any_message_has_its_chapters_and_skills(message in message()) {
        let found = mentioned(&message);
        prop_assert!(found.chapters.is_sorted());
        prop_assert!(found.chapters.iter().all(|chapter| *chapter > 0));
        let selection = skills(&message, Some(&message), &[], std::slice::from_ref(&message));
        prop_assert!(selection.unknown.len() <= 1);
    }

    #[test]
    fn any_answer_is_merged_within_bounds(text in any::<String>(), confidence in 0.0..=1.0_f64, at in 0..18_usize) {
        let rules = route("角色和大纲", None, None, None, false);
        let answers = [
            read_answer(&text),
            Ok(ModelAnswer { intent: Intent::ALL[at], confidence, alternatives: vec![] }),
        ];
        for answer in answers {
            let merged = merged(&rules, &answer);
            prop_assert!((0.0..=1.0).contains(&merged.confidence));
            prop_assert!(merged.confidence >= rules.confidence);
            prop_assert!(!merged.needs_model);
        }
    }

    #[test]
    fn the_middle_of_a_long_message_does_not_matter(middle in "[角色大纲检查写名字]{0,200}") {
        let half = "帮我总结一下下面的内容。".to_owned() + &"水".repeat(CHARS_MAX);
        let message = format!("{half}{middle}{}", "火".repeat(CHARS_MAX));
        let routed = route(&message, None, None, None, false);
        prop_assert_eq!(routed.intent, Intent::Summarize);
    }
}
