//! A theme that was given: how it is used, and what is refused.

use palimpsest::prelude::pipeline::event::Intent;

use super::*;

fn given(theme: Value) -> Work {
    Work {
        input: json!({ "theme": theme }),
        ..with_model(BRIEF)
    }
}

/// The theme that is used without asking a model, if there is one.
fn taken(work: &Work) -> Option<Value> {
    match Course.carry(work, &[]) {
        Carry::Model(_) => None,
        end @ (Carry::Tool(_)
        | Carry::Render(_)
        | Carry::Done(_)
        | Carry::Reject(_)
        | Carry::Fail { .. }) => Some(body(&done(end)[0]).clone()),
    }
}

#[test]
fn a_built_in_style_is_taken_by_its_name_and_nobody_is_asked() {
    let run = whole_run(&given(json!(" 深空黑 ")));
    let theme = taken(&at(run, Stage::Theme, "")).expect("nobody is asked");
    assert_eq!(theme["themeName"], "深空黑");
    assert_eq!(theme["notes"], json!(["主题由用户指定，原样采用。"]));
}

#[test]
fn a_theme_that_was_made_before_can_be_given_again() {
    let made = whole_course();
    let mut exported = made.body(stage::PRESENTATION_THEME).expect("made").clone();
    exported["colorScheme"]["primary"] = json!("#763dc4");
    assert_eq!(Course.check_input(&json!({ "theme": exported })), []);
    let work = at(whole_run(&given(exported.clone())), Stage::Theme, "");
    let taken = taken(&work).expect("nobody is asked");
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
            .starts_with("`没有的风格` is no built-in style; these are: 海洋青 (teal), "),
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
    let name = |work: &Work| {
        let theme = taken(work)?;
        theme["themeName"].as_str().map(str::to_owned)
    };
    let told = |stage: Stage, text: &str| {
        let mut work = at(run.clone(), stage, "");
        tell(&mut work, text);
        name(&at(work, Stage::Theme, ""))
    };
    assert_eq!(
        told(Stage::Outline, "大纲太复杂").as_deref(),
        Some("深空黑")
    );
    assert_eq!(told(Stage::Config, "只要4页，绿色主题"), None);
    assert_eq!(told(Stage::Theme, "换一个活泼的风格"), None);
    let page = told(Stage::Slides, "第2页加一个红色的苹果");
    assert_eq!(page.as_deref(), Some("深空黑"));
    let mut work = at(run.clone(), Stage::Theme, "");
    tell(&mut work, "换一个活泼的风格");
    work.changes[0].input = json!({ "theme": "森林绿" });
    assert_eq!(name(&work).as_deref(), Some("森林绿"));
}

#[test]
fn a_change_that_comes_with_a_theme_goes_back_to_the_theme() {
    let mut work = Work {
        input: json!({ "theme": "深空黑" }),
        ..work("版式换一下")
    };
    work.refinable = Some(Refinable::default());
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
