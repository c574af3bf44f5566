use serde_json::json;

use crate::readings::routing::skills::SKILLS;
use crate::readings::routing::skills::SkillSelection;
use crate::readings::routing::{SkillTrigger, skills};

fn ids(selection: &SkillSelection) -> Vec<&'static str> {
    selection
        .active
        .iter()
        .map(|active| active.skill.id)
        .collect()
}

fn of_message(message: &str) -> Vec<&'static str> {
    ids(&skills(message, None, &[], &[]))
}

fn wanted(names: &[&str]) -> SkillSelection {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    skills("写一段打斗", None, &[], &names)
}

#[test]
fn only_the_skills_that_are_called_for_are_given_by_priority() {
    assert_eq!(of_message("写一段打斗"), ["action-skill"]);
    assert_eq!(
        of_message("写一段追逐，夹几句对话，埋个伏笔"),
        ["plotloop-reminder-skill", "dialogue-skill", "action-skill"]
    );
    assert_eq!(
        of_message("Polish the fight and the dialogue"),
        ["dialogue-skill", "action-skill", "polish-skill"]
    );
    assert_eq!(of_message("写第三章"), Vec::<&str>::new());
    assert_eq!(of_message(""), Vec::<&str>::new());
}

#[test]
fn a_word_inside_another_calls_for_nothing() {
    assert_eq!(of_message("写一段小说"), Vec::<&str>::new());
    assert_eq!(of_message("请问下一章没问题吧"), Vec::<&str>::new());
    assert_eq!(of_message("a crunchy transaction"), Vec::<&str>::new());
}

#[test]
fn the_content_type_and_the_preprocessing_call_for_skills_too() {
    let words = ["悬念".to_owned()];
    let selection = skills("写第三章", Some("打斗"), &words, &[]);
    let found: Vec<(&str, SkillTrigger)> = selection
        .active
        .iter()
        .map(|active| (active.skill.id, active.trigger))
        .collect();
    assert_eq!(
        found,
        [
            ("plotloop-reminder-skill", SkillTrigger::Preprocessing),
            ("action-skill", SkillTrigger::ContentType),
        ]
    );
}

#[test]
fn a_client_forces_and_forbids_with_and_without_the_ending() {
    assert_eq!(
        ids(&wanted(&["psychology"])),
        ["action-skill", "psychology-skill"]
    );
    assert_eq!(
        ids(&wanted(&["psychology-skill"])),
        ["action-skill", "psychology-skill"]
    );
    for forbidden in ["-action", "!action-skill", "no-action", " -ACTION-skill "] {
        assert_eq!(
            ids(&wanted(&[forbidden])),
            Vec::<&str>::new(),
            "{forbidden}"
        );
    }
    assert_eq!(ids(&wanted(&["action", "-action"])), Vec::<&str>::new());
}

#[test]
fn consistency_is_the_switch_of_the_check_and_what_is_unknown_is_told_back() {
    let selection = wanted(&["consistency", "Cooking", "plotloop-reminder"]);
    assert_eq!(selection.consistency, Some(true));
    assert_eq!(selection.unknown, ["Cooking"]);
    assert_eq!(ids(&selection), ["plotloop-reminder-skill", "action-skill"]);
    assert_eq!(wanted(&["-consistency"]).consistency, Some(false));
    assert_eq!(wanted(&[]).consistency, None);
}

#[test]
fn every_skill_has_a_name_and_a_fragment_in_both_languages() {
    for pair in SKILLS.windows(2) {
        assert!(pair[0].priority > pair[1].priority);
    }
    for skill in SKILLS.iter() {
        assert!(skill.id.ends_with("-skill"));
        for is_chinese in [true, false] {
            assert!(!skill.name(is_chinese).is_empty());
            assert!(skill.fragment(is_chinese).len() > 100);
        }
        let told = json!(skill);
        assert_eq!(told["nameZh"], skill.name_zh);
        assert!(told.get("fragmentZh").is_none());
    }
}
