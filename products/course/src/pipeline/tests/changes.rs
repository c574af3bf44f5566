//! Changes on changes: what was asked for before still stands, and every stage is told of it.

use super::*;

/// A stage is redone with a change to what the run has made.
fn change(run: &Work, stage: Stage, item: &str, change: &str) -> Work {
    let mut work = at(run.clone(), stage, item);
    work.refines = true;
    work.previous = Course
        .revises(stage.name, item)
        .iter()
        .filter_map(|kind| {
            let made = run.inputs.get(*kind)?;
            let mut made = made.iter();
            let own =
                made.find(|made| stage != Stage::Slides || made.artifact.step.item == item)?;
            Some(((*kind).into(), own.clone()))
        })
        .collect();
    tell(&mut work, change);
    work
}

#[test]
fn what_was_asked_for_before_binds_a_model_too() {
    let mut work = change(&whole_course(), Stage::Config, "", "只要6页");
    tell(&mut work, "受众改成小学生");
    let mut config = good_answer("course/generate_course_config", "");
    config["expectedPageCount"] = json!(8);
    let made = done(Course.carry(&work, &[says("gpt", config)]));
    assert_eq!(body(&made[0])["expectedPageCount"], 6);
}

#[test]
fn every_stage_is_asked_with_the_earlier_wishes_and_what_it_made_before() {
    let run = whole_course();
    for stage in Stage::ALL
        .into_iter()
        .filter(|stage| *stage != Stage::Export)
    {
        let item = if stage == Stage::Slides { "2" } else { "" };
        let mut work = change(&run, stage, item, "短一点");
        tell(&mut work, "再短一点");
        if stage == Stage::Slides {
            let scripts = work.inputs[stage::SLIDE_SCRIPTS][0]
                .artifact
                .artifact
                .clone();
            let page = work.previous.get_mut(stage::PPT_HTML).expect("a page");
            Arc::make_mut(&mut page.artifact).from = vec![scripts];
        }
        let Carry::Model(turn) = Course.carry(&work, &[]) else {
            panic!("{stage:?} asks nothing")
        };
        assert_eq!(turn.vars["brief"], BRIEF, "{stage:?}");
        assert_eq!(
            turn.vars["earlier"],
            json!([{ "text": "短一点", "input": null }]),
            "{stage:?}"
        );
        assert_eq!(turn.vars["feedback"], "再短一点", "{stage:?}");
        let shown = turn.vars["previous"]["text"].as_str().unwrap_or_default();
        assert!(shown.starts_with(['{', '[']), "{stage:?}: {shown}");
        assert_eq!(turn.vars["previous"]["cut"], false, "{stage:?}");
    }
}

#[test]
fn a_page_with_another_script_is_not_shown_the_page_of_its_number() {
    let work = change(&whole_course(), Stage::Slides, "2", "短一点");
    assert!(work.previous(stage::PPT_HTML).is_some());
    let Carry::Model(turn) = Course.carry(&work, &[]) else {
        panic!("asks nothing")
    };
    assert_eq!(turn.vars["previous"], Value::Null);
}
