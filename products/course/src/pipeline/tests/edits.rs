//! Changes that are about some pages only.

use super::*;

/// The run of a change that leaves these pages, in this order, or is about the scripts of `only`.
fn changed(run: &Work, stage: Stage, item: &str, order: &[&str], only: &[&str]) -> Work {
    let mut work = at(run.clone(), stage, item);
    work.refines = true;
    work.order = order.iter().map(|page| (*page).to_owned()).collect();
    work.only = only.iter().map(|page| (*page).to_owned()).collect();
    let own = |kind: &&str| {
        let made = run.inputs.get(*kind)?;
        let found = made
            .iter()
            .find(|made| stage != Stage::Slides || made.artifact.step.item == item)?;
        Some((smol_str::SmolStr::from(*kind), found.clone()))
    };
    work.previous = Course
        .revises(stage.name, item)
        .iter()
        .filter_map(own)
        .collect();
    work.beside = run.inputs[stage::PPT_HTML].clone();
    let target = if only.is_empty() {
        Stage::Config
    } else {
        Stage::Scripts
    };
    work.changes.push(Change {
        text: "改一下".to_owned(),
        input: Value::Null,
        stages: vec![target.name.into()],
    });
    work
}

/// What a step makes that asks no model.
fn made_alone(work: &Work) -> Vec<NewArtifact> {
    let mut turns = vec![];
    loop {
        match Course.carry(work, &turns) {
            Carry::Render(job) => turns.push(typeset(&job)),
            end @ (Carry::Model(_)
            | Carry::Tool(_)
            | Carry::Done(_)
            | Carry::Reject(_)
            | Carry::Fail { .. }) => return done(end),
        }
    }
}

#[test]
fn pages_are_left_out_and_moved_without_a_question() {
    let run = whole_course();
    let order = ["1", "3", "2"];
    let step =
        |stage, item: &str| body(&made_alone(&changed(&run, stage, item, &order, &[]))[0]).clone();
    assert_eq!(step(Stage::Config, "")["expectedPageCount"], 3);
    assert_eq!(
        &step(Stage::Outline, ""),
        run.inputs[stage::VIDEO_OUTLINE][0].body.as_ref()
    );
    assert_eq!(
        &step(Stage::Theme, ""),
        run.inputs[stage::PRESENTATION_THEME][0].body.as_ref()
    );
    let before = run.inputs[stage::SLIDE_SCRIPTS][0].body.as_ref();
    let scripts = step(Stage::Scripts, "");
    let titles = |scripts: &Value| -> Vec<Value> {
        let all = scripts.as_array().expect("scripts");
        all.iter().map(|script| script["title"].clone()).collect()
    };
    let was = titles(before);
    assert_eq!(
        titles(&scripts),
        [was[0].clone(), was[2].clone(), was[1].clone()]
    );
    assert_eq!(scripts[1]["slideIndex"], 1);
    // The page steps work from the scripts of this run.
    let mut run = run.clone();
    let input = &mut run.inputs.get_mut(stage::SLIDE_SCRIPTS).expect("scripts")[0];
    input.body = Arc::new(scripts);
    let pages = &run.inputs[stage::PPT_HTML];
    let page = made_alone(&changed(&run, Stage::Slides, "2", &order, &[]));
    let page = body(&page[0]);
    assert_eq!(page["spec"], pages[2].body["spec"]);
    assert_eq!(page["slideIndex"], 1);
    assert!(
        page["html"]
            .as_str()
            .is_some_and(|html| html.starts_with("<div>2 "))
    );
}

#[test]
fn fewer_pages_than_a_deck_has_are_refused_in_words() {
    let run = whole_course();
    let ends = Course.carry(&changed(&run, Stage::Config, "", &["1", "2"], &[]), &[]);
    assert!(
        matches!(&ends, Carry::Fail { code, message, .. } if code == "page_count_out_of_bounds" && message.contains("at least 3")),
        "{ends:?}"
    );
}

#[test]
fn a_change_of_the_words_of_one_page_leaves_the_others_as_they_are() {
    let run = whole_course();
    let work = |stage, item: &str| changed(&run, stage, item, &[], &["2"]);
    let mut answer = good_answer("course/generate_slide_scripts", "");
    for script in answer["scripts"].as_array_mut().expect("scripts") {
        let title = script["title"].as_str().unwrap_or_default().to_owned();
        script["narrationScript"] =
            json!(format!("{title}，换个说法。再多说一句，好让大家听明白。"));
    }
    let made = done(Course.carry(&work(Stage::Scripts, ""), &[says("gpt", answer)]));
    let before = run.inputs[stage::SLIDE_SCRIPTS][0].body.as_ref();
    let scripts = body(&made[0]);
    for place in [0, 2, 3] {
        assert_eq!(scripts[place], before[place], "{place}");
    }
    assert_ne!(scripts[1]["narrationScript"], before[1]["narrationScript"]);
    assert_eq!(
        body(&made_alone(&work(Stage::Theme, ""))[0]),
        run.inputs[stage::PRESENTATION_THEME][0].body.as_ref()
    );
    let kept = made_alone(&work(Stage::Slides, "3"));
    assert_eq!(
        body(&kept[0])["spec"],
        run.inputs[stage::PPT_HTML][2].body["spec"]
    );
    assert!(matches!(
        Course.carry(&work(Stage::Slides, "2"), &[]),
        Carry::Model(_)
    ));
}

#[test]
fn a_page_is_added_and_the_others_are_not_asked_for_again() {
    let run = whole_course();
    let order = ["1", "2", "0", "3", "4"];
    let work = |stage, item: &str| changed(&run, stage, item, &order, &[]);
    let config = body(&made_alone(&work(Stage::Config, ""))[0]).clone();
    assert_eq!(config["expectedPageCount"], 5);
    let mut scripts_work = work(Stage::Scripts, "");
    let input = &mut scripts_work
        .inputs
        .get_mut(stage::COURSE_CONFIG)
        .expect("it")[0];
    input.body = Arc::new(config);
    assert!(matches!(Course.carry(&scripts_work, &[]), Carry::Model(_)));

    // The author wrote all scripts anew, and the new script at another place.
    let mut answer = good_answer("course/generate_slide_scripts", "");
    let all = answer["scripts"].as_array_mut().expect("scripts");
    for script in all.iter_mut() {
        script["narrationScript"] = json!("换了一种说法。再多说一句，好让大家听明白。");
    }
    let mut new = all[1].clone();
    new["title"] = json!("呼吸作用");
    all.insert(3, new);
    for (place, script) in all.iter_mut().enumerate() {
        script["slideIndex"] = json!(place);
    }
    let made = done(Course.carry(&scripts_work, &[says("gpt", answer)]));
    let before = run.inputs[stage::SLIDE_SCRIPTS][0].body.as_ref();
    let scripts = body(&made[0]).clone();
    assert_eq!(made[0].facts["pages"], 5);
    assert_eq!(scripts[2]["title"], "呼吸作用");
    for (now, was) in [(0, 0), (1, 1), (3, 2), (4, 3)] {
        assert_eq!(
            scripts[now]["narrationScript"], before[was]["narrationScript"],
            "{now}"
        );
        assert_eq!(scripts[now]["slideIndex"], now);
    }

    let mut run = run.clone();
    let input = &mut run.inputs.get_mut(stage::SLIDE_SCRIPTS).expect("scripts")[0];
    input.body = Arc::new(scripts);
    let pages = run.inputs[stage::PPT_HTML].clone();
    let moved = made_alone(&changed(&run, Stage::Slides, "4", &order, &[]));
    assert_eq!(body(&moved[0])["spec"], pages[2].body["spec"]);
    let Carry::Model(asked) = Course.carry(&changed(&run, Stage::Slides, "3", &order, &[]), &[])
    else {
        panic!("the new page is asked for");
    };
    assert!(
        !asked.vars.to_string().contains("\"previous\":{"),
        "what stood there is another page: {}",
        asked.vars
    );
}
