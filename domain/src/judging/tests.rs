//! Whole texts held against what was asked, each named after what goes wrong in it.

use std::sync::Arc;

use super::*;
use crate::ids::{RunId, StepId};
use crate::settings::Settings;

/// A step of a run of this request, with a model.
fn work(brief: &str) -> Work {
    let mut settings = Settings {
        language: language::of_text(brief).unwrap_or("en").to_owned(),
        ..Settings::default()
    };
    settings.ports.model = "openai".to_owned();
    Work {
        brief: brief.to_owned(),
        settings: Arc::new(settings),
        ..Work::blank(StepId::new(RunId(1), "s", ""))
    }
}

fn parts(texts: &[(&str, &str)]) -> Vec<MadePart> {
    let parts = texts.iter();
    parts
        .map(|(name, text)| MadePart::of_text(*name, *text))
        .collect()
}

/// What is wrong, with the parts in which it is.
fn kinds(faults: &[Fault]) -> Vec<(FaultKind, &str)> {
    let each = faults.iter();
    each.map(|fault| (fault.kind, fault.part.as_str()))
        .collect()
}

const PICNIC: &str = "Pick a meadow in the shade, near a playground. Pack water and food for small hands, and a blanket for \
                      everybody. Bring spare clothes, since the children will find the only puddle.";
const DESK: &str = "Every evening I clear the table, and it takes five minutes. Papers go into one tray, pens into one cup, and \
                    the cable behind the screen. In the morning there is nothing to look for.";

#[test]
fn a_title_that_is_right_does_not_stand_for_a_text_about_something_else() {
    let work = work("Spring picnic tips for families with small children");
    let judge = Judge::of_text(&work).of_pages();
    let title = "A spring picnic with small children";
    let post = |body| [parts(&[("/title", title)]), parts(&[("/body", body)])];
    assert_eq!(judge.find_faults(&post(PICNIC)), []);
    let found = judge.find_faults(&post(DESK));
    assert_eq!(kinds(&found), [(FaultKind::OtherSubject, "")]);
}

const POWER: &str = "The town hall used less power than in the year before.";
const HEATING: &str = "Heating took most of the energy, since the windows are old.";
const LISBON: &str = "Lisbon is at its best in late spring, when trams climb the hills and sardines are grilled in all streets.";

#[test]
fn a_section_that_shares_no_word_with_anything_beside_it_is_found() {
    let work = work("Report on the energy use of the town hall");
    let judge = Judge::of_text(&work)
        .asked("Power")
        .asked("Heating")
        .asked("Measures")
        .of_sections();
    let report = |last| {
        [parts(&[
            ("Power", POWER),
            ("Heating", HEATING),
            ("Measures", last),
        ])]
    };
    let windows = "New windows on the north side come first.";
    assert_eq!(judge.find_faults(&report(windows)), []);
    for strange in [LISBON, "This section is left empty."] {
        let found = judge.find_faults(&report(strange));
        assert_eq!(
            kinds(&found),
            [(FaultKind::OtherSubject, "Measures")],
            "{strange}"
        );
    }
}

#[test]
fn a_section_need_not_have_a_word_of_the_question_where_it_has_one_of_what_was_read() {
    let work = work("Report on the energy use of the town hall");
    let judge = Judge::of_text(&work)
        .with_any_word()
        .of_sections()
        .asked("Measures")
        .given("measure,year\nLED lights in the corridors,2023\nheating pump,2024\n");
    let section = |text| [parts(&[("", text)])];
    let corridors = "In 2023 the corridors were given new lamps, and nobody has complained about them since then.";
    assert_eq!(judge.find_faults(&section(corridors)), []);
    for strange in [LISBON, "This section is left empty."] {
        let found = judge.find_faults(&section(strange));
        assert_eq!(kinds(&found), [(FaultKind::OtherSubject, "")], "{strange}");
    }
    assert_eq!(judge.find_faults(&section("Not known.")), []);
}

#[test]
fn a_section_without_the_word_of_its_heading_is_told_where_the_request_has_it() {
    let work = work("Harvest report of the farm, with costs");
    let judge = Judge::of_text(&work).of_sections();
    let report = parts(&[
        (
            "Harvest",
            "The wheat gave 180 tonnes, and the harvest of potatoes was good.",
        ),
        (
            "Costs",
            "The fields near the river were wet, and the barn is full of straw.",
        ),
        ("Outlook", "Next year the wet fields become a meadow."),
    ]);
    assert_eq!(
        kinds(&judge.find_doubts(&report)),
        [(FaultKind::LittleOfSubject, "Costs")]
    );
}

#[test]
fn a_long_page_that_shares_no_word_with_the_others_is_found_and_a_short_one_is_not() {
    let work = work("Rules for our logo, for agencies");
    let judge = Judge::of_text(&work).of_pages();
    let pages = |page| {
        let opening = ("/slide/1", "Rules for our logo");
        let space = (
            "/slide/2",
            "Leave room around the logo, as much as its first letter is high.",
        );
        [parts(&[opening, space, ("/slide/3", page)])]
    };
    let short = "Blue on white\n- No shadow\n- Never tilted, stretched or cut";
    assert_eq!(judge.find_faults(&pages(short)), []);
    let clocks = "The watchmaker left ninety clocks to the town on one condition: they must run. Volunteers wind them on Sunday \
                  morning, children count the strokes, and the oldest pendulum came by ship from Genoa before steam engines.";
    let found = judge.find_faults(&pages(clocks));
    assert_eq!(kinds(&found), [(FaultKind::OtherSubject, "/slide/3")]);
}

#[test]
fn what_was_asked_for_in_the_words_of_the_request_is_missed() {
    let work = work(
        "Invite families to our picnic in Mill Lane on Saturday, and say that the dough needs a night of rest",
    );
    let judge = Judge::of_text(&work);
    let demands = [
        "the picnic is in Mill Lane",
        "the dough needs a night of rest",
        "bring something to sit on",
    ]
    .map(str::to_owned);
    let unmet = judge.find_unmet("You need flour for our picnic. Bring butter.", &demands);
    assert_eq!(unmet, [&demands[0], &demands[1]]);
    let met = "Meet us in Mill Lane. Let the dough rest, and bake it the next day.";
    assert_eq!(judge.find_unmet(met, &demands), [] as [&String; 0]);
}

#[test]
fn one_word_does_not_tell_that_a_demand_is_in_another_language() {
    let text = "Swifts nest under the eaves of two schools. Pupils count the nests.";
    for demand in ["schedule", "costs", "Measures"] {
        assert!(!meets(text, demand), "{demand}");
    }
    assert!(meets(text, "必须有时间表"));
    assert!(mentions("Who may park, and who may not", "parking rules"));
}
