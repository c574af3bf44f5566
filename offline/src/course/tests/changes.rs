//! Changes on changes: what was asked for before still stands, and what was asked for last wins.

use super::*;

/// A stage is redone with a change to what the run has made.
fn change(run: &Work, stage: Stage, item: &str, change: &str) -> Work {
    let mut work = at(run.clone(), stage, item);
    work.refines = true;
    work.previous = stage
        .revises(item)
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

/// What the offline author makes of it counts from now on.
fn made(mut work: Work) -> Work {
    for made in offline(&work) {
        work.inputs.remove(made.kind);
        keep(&mut work, &made, "");
    }
    work
}

fn deck(brief: &str) -> Work {
    whole_run(&with_source(brief, PHOTOSYNTHESIS))
}

fn config(run: &Work) -> &Value {
    run.body(stage::COURSE_CONFIG).expect("made")
}

fn scheme(run: &Work) -> spec::ColorScheme {
    let theme = run.body(stage::PRESENTATION_THEME).expect("made");
    serde_json::from_value(theme["colorScheme"].clone()).expect("a scheme")
}

#[test]
fn a_number_of_pages_stands_until_another_is_named() {
    let run = made(change(
        &deck("光合作用入门，8 页"),
        Stage::Config,
        "",
        "只要6页",
    ));
    assert_eq!(config(&run)["expectedPageCount"], 6);
    let run = made(change(&run, Stage::Config, "", "受众改成小学生"));
    assert_eq!(config(&run)["expectedPageCount"], 6);
    assert_eq!(config(&run)["targetAudience"], "小学生");
    let notes = config(&run)["notes"].to_string();
    assert!(notes.contains("受众") && !notes.contains("页数"), "{notes}");
    let run = made(change(&run, Stage::Config, "", "再增加2页"));
    assert_eq!(config(&run)["expectedPageCount"], 8);
    assert_eq!(config(&run)["targetAudience"], "小学生");
}

#[test]
fn more_pages_are_counted_from_the_deck_there_is() {
    let mut run = deck("光合作用入门，4 页");
    for pages in [6, 8] {
        run = made(change(&run, Stage::Config, "", "再增加2页"));
        assert_eq!(config(&run)["expectedPageCount"], pages);
    }
    let run = made(change(&run, Stage::Config, "", "时长 12 分钟"));
    assert_eq!(config(&run)["expectedPageCount"], 8);
    assert_eq!(config(&run)["duration"], "12 分钟");
    // The analysis is redone from the same count.
    let run = made(change(&run, Stage::Analyze, "", "再增加2页"));
    let analysis = run.body(stage::REQUIREMENT_ANALYSIS).expect("made");
    assert_eq!(analysis["pageCount"], 10);
    assert_eq!(analysis["topic"], "光合作用入门");
}

#[test]
fn what_is_given_explicitly_beside_a_change_wins_over_its_text() {
    let mut work = change(&deck("光合作用入门，8 页"), Stage::Config, "", "多一些页");
    work.changes[0].input = json!({ "pageCount": 10, "audience": "高一学生" });
    let run = made(work);
    assert_eq!(config(&run)["expectedPageCount"], 10);
    assert_eq!(config(&run)["targetAudience"], "高一学生");
}

#[test]
fn a_colour_stands_until_another_is_named() {
    let run = made(change(
        &deck("光合作用入门，4 页"),
        Stage::Theme,
        "",
        "黑色主题",
    ));
    assert!(tone::Tone::Dark.shows_in(&scheme(&run)));
    let run = made(change(&run, Stage::Theme, "", "大纲太复杂，请精简"));
    assert!(tone::Tone::Dark.shows_in(&scheme(&run)));
    let notes = run.body(stage::PRESENTATION_THEME).expect("made")["notes"].to_string();
    assert!(!notes.contains("选用主题"), "{notes}");
    let run = made(change(&run, Stage::Theme, "", "换成蓝色"));
    assert!(!tone::Tone::Dark.shows_in(&scheme(&run)));
    assert!(tone::Tone::Blue.shows_in(&scheme(&run)));
    let theme = run.body(stage::PRESENTATION_THEME).expect("made");
    assert_eq!(theme["themeName"], "商务蓝");
    assert!(
        theme["notes"]
            .to_string()
            .contains("已按意见选用主题“商务蓝”")
    );
}

#[test]
fn a_shorter_outline_stays_short() {
    let run = made(change(
        &deck("光合作用入门，8 页"),
        Stage::Outline,
        "",
        "大纲太复杂",
    ));
    let short = run.body(stage::VIDEO_OUTLINE).expect("made").clone();
    let run = made(change(&run, Stage::Outline, "", "给老师讲"));
    let again = run.body(stage::VIDEO_OUTLINE).expect("made");
    assert_eq!(again["knowledgeUnits"], short["knowledgeUnits"]);
}

#[test]
fn another_look_is_another_one_and_stays_until_one_is_named() {
    let name = |run: &Work| {
        let theme = run.body(stage::PRESENTATION_THEME).expect("made");
        theme["themeName"].as_str().expect("a name").to_owned()
    };
    let run = deck("光合作用入门，8 页");
    let first = name(&run);
    let run = made(change(&run, Stage::Theme, "", "换个主题"));
    let second = name(&run);
    assert_ne!(second, first);
    let run = made(change(&run, Stage::Theme, "", "标题再醒目些"));
    assert_eq!(name(&run), second);
    let run = made(change(&run, Stage::Theme, "", "换个配色"));
    assert!(![first.clone(), second.clone()].contains(&name(&run)));
    let run = made(change(&run, Stage::Theme, "", "深色背景"));
    let named = name(&run);
    let run = made(change(&run, Stage::Theme, "", "Another theme, please"));
    assert_ne!(name(&run), named);
}

#[test]
fn a_topic_that_takes_the_place_of_another_is_that_of_the_deck() {
    for (brief, topic) in [
        ("主题换成细胞分裂", "细胞分裂"),
        ("换个主题，讲细胞分裂", "细胞分裂"),
        ("Change the topic to cell division", "Cell division"),
    ] {
        let run = whole_run(&work(brief));
        let analysis = run.body(stage::REQUIREMENT_ANALYSIS).expect("made");
        let said = analysis["topic"].as_str().expect("a topic");
        assert!(said.eq_ignore_ascii_case(topic), "{brief}: {said}");
    }
}
