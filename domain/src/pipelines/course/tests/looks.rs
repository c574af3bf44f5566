//! A theme that was given: used as it is, and what is refused.

use super::*;
use crate::event::Intent;

fn given(theme: Value) -> Work {
    Work {
        input: json!({ "theme": theme }),
        ..with_source("光合作用入门，4 页", PHOTOSYNTHESIS)
    }
}

fn theme(work: &Work) -> (String, Value) {
    let made = offline(work);
    let theme = body(&made[0]);
    let name = theme["themeName"].as_str().expect("a name");
    (name.to_owned(), theme["notes"].clone())
}

#[test]
fn a_built_in_style_is_taken_by_its_name_and_nobody_is_asked() {
    let run = whole_run(&given(json!(" 深空黑 ")));
    let work = at(run, Stage::Theme, "");
    assert!(matches!(Course.carry(&work, &[]), Carry::Done(_)));
    assert_eq!(
        theme(&work),
        ("深空黑".to_owned(), json!(["主题由用户指定，原样采用。"]))
    );
}

#[test]
fn a_theme_that_was_made_before_can_be_given_again() {
    let made = whole_run(&with_source("光合作用入门，4 页，紫色主题", PHOTOSYNTHESIS));
    let exported = made.body(stage::PRESENTATION_THEME).expect("made").clone();
    assert_eq!(Course.check_input(&json!({ "theme": exported })), []);
    let work = at(whole_run(&given(exported.clone())), Stage::Theme, "");
    let taken = offline(&work);
    let taken = body(&taken[0]);
    for part in ["themeName", "colorScheme", "fontConfig", "masterSlides"] {
        assert_eq!(taken[part], exported[part], "{part}");
    }
    assert_eq!(taken.get("author"), None, "no author made it");
}

#[test]
fn a_theme_that_cannot_be_used_is_refused_with_what_is_wrong_with_it() {
    let refused = |theme: Value| {
        let found = Course.check_input(&json!({ "theme": theme }));
        let said = found.into_iter().map(|v| (v.path, v.message));
        said.collect::<Vec<_>>()
    };
    let found = refused(json!("没有的风格"));
    assert_eq!(found[0].0, "/theme");
    assert!(
        found[0]
            .1
            .starts_with("`没有的风格` is no built-in style; these are: 海洋青, "),
        "{found:?}"
    );
    let mut pale = json!(spec::default_theme());
    pale["colorScheme"]["text"] = pale["colorScheme"]["background"].clone();
    let found = refused(pale);
    assert_eq!(found[0].0, "/theme/colorScheme/text");
    let found = refused(json!({ "themeName": "x" }));
    assert!(
        found
            .iter()
            .any(|(_, message)| message.contains("designStyle")),
        "{found:?}"
    );
    let found = refused(json!(7));
    assert_eq!(found[0].0, "/theme");
    assert_eq!(
        Course.check_input(&json!({ "theme": "深空黑", "pageCount": 4 })),
        []
    );
}

#[test]
fn a_given_theme_stands_until_another_look_is_wanted() {
    let run = whole_run(&given(json!("深空黑")));
    let told = |stage: Stage, text: &str| {
        let mut work = at(run.clone(), stage, "");
        tell(&mut work, text);
        theme(&at(work, Stage::Theme, "")).0
    };
    assert_eq!(told(Stage::Outline, "大纲太复杂"), "深空黑");
    assert_ne!(told(Stage::Config, "只要4页，绿色主题"), "深空黑");
    assert_ne!(told(Stage::Theme, "换一个活泼的风格"), "深空黑");
    assert_eq!(told(Stage::Slides, "第2页加一个红色的苹果"), "深空黑");
    let mut work = at(run.clone(), Stage::Theme, "");
    tell(&mut work, "换一个活泼的风格");
    work.changes[0].input = json!({ "theme": "森林绿" });
    assert_eq!(theme(&work).0, "森林绿");
}

#[test]
fn a_change_that_comes_with_a_theme_goes_back_to_the_theme() {
    let mut work = given(json!("深空黑"));
    work.brief = "多加配图".to_owned();
    work.refinable = Some(Refinable {
        run: RunId(1),
        artifacts: vec![],
    });
    let Carry::Done(outputs) = Course.carry(&work, &[]) else {
        panic!("not done")
    };
    let Output::Intent(intent) = &outputs[0] else {
        panic!("no intent")
    };
    assert_eq!(
        (intent.intent, intent.target.as_deref()),
        (Intent::Refinement, Some("generate_presentation_theme"))
    );
}
