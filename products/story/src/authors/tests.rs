//! The results of the offline author of stories.

use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{ArtifactId, Input, RunId};
use palimpsest::prelude::wire::StepId;
use serde_json::json;

use super::*;
use crate::pipeline::stage::PASSAGE;

fn work(brief: &str) -> Work {
    let step = StepId::new(RunId(1), "first_agent", "");
    Work {
        brief: brief.to_owned(),
        settings: Default::default(),
        ..palimpsest::prelude::trial::authoring::work(step)
    }
}

/// The result of an earlier step.
fn left(kind: &str, body: Value) -> Input {
    let body = Arc::new(body);
    let artifact = ArtifactProduced {
        artifact: ArtifactId::new("a1"),
        kind: kind.into(),
        part: "".into(),
        number: 1,
        title: "".into(),
        step: StepId::new(RunId(1), "route", ""),
        attempt: 1,
        body: Body::Event {
            json: Arc::clone(&body),
        },
        facts: Value::Null,
        from: vec![],
        shown: false,
    };
    Input {
        artifact: Arc::new(artifact),
        body,
    }
}

#[test]
fn names_are_the_same_for_the_same_wish_and_at_least_five() {
    let given = names(&work("给三个配角起名字")).expect("names");
    let list = given["names"].as_array().expect("a list");
    assert!(list.len() >= 5);
    assert_eq!(names(&work("给三个配角起名字")), Some(given));
}

#[test]
fn a_summary_has_only_sentences_of_the_text() {
    let text = "总结：雾从港口上来，林晚把灯点亮了。灯下的人没有名字。船在夜里靠岸，灯还亮着。没有人说话，只有缆绳在响。\
                第二天，灯灭了，林晚也不见了。码头上的人都说没有看见她。";
    let given = summary(&work(text)).expect("a summary");
    let page = given.as_str().expect("a text");
    let told = page.lines().filter_map(|line| line.strip_prefix("- "));
    let told: Vec<&str> = told.collect();
    assert!(!told.is_empty());
    assert!(
        told.iter().all(|sentence| text.contains(sentence)),
        "{told:?}"
    );
}

#[test]
fn nobody_is_made_up() {
    assert_eq!(
        character(&work("设计一个反派")).expect("it answers")["characters"],
        json!([])
    );
    assert_eq!(
        world(&work("设计力量体系")).expect("it answers")["entries"],
        json!([])
    );
    let page = writer(&work("写一段港口的夜戏")).expect("it answers");
    assert!(page.as_str().expect("a text").contains("不写正文"));
}

#[test]
fn a_passage_stays_as_it_is_and_is_asked_about() {
    let mut work = work("润色这一段");
    assert_eq!(
        passage(&work),
        None,
        "without a passage there is nothing to say"
    );
    let selected = json!({
        "chapterId": "c1", "version": 4, "from": 8, "to": 14, "task": "rewrite", "continues": false,
        "text": "海上没有船。\n灯亮了。", "before": "", "after": "",
    });
    let input = left(PASSAGE, selected);
    work.inputs.insert(PASSAGE.into(), vec![input]);
    let page = passage(&work).expect("it answers");
    let page = page.as_str().expect("a text");
    assert!(
        page.contains("这里不写正文") && page.contains("> 灯亮了。"),
        "{page}"
    );
}

#[test]
fn who_speaks_is_found_in_both_languages() {
    let work = work(
        "提取人物：林晚说：“走。”\n\"Go,\" Nell Carrow said. 他说道，没有人听见，风一直在吹，船一直在响，灯一直亮着，缆绳绷得很紧，\
                     码头上的木板被潮水打湿了，很久都没有人再开口说什么。",
    );
    let given = extraction(&work).expect("it answers");
    let names: Vec<&str> = given["characters"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert!(names.contains(&"Nell Carrow"), "{names:?}");
    assert!(names.iter().any(|name| name.ends_with("林晚")), "{names:?}");
    assert!(
        !names.iter().any(|name| name.starts_with('他')),
        "{names:?}"
    );
}
