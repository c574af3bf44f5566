//! Pieces that a person leaves out, and takes up again.

use domain::event::{Intent, RunEvent};
use domain::session::End;

use super::*;
use crate::{Cancel, RestartStep, Resume, SkipStep};

const R1: RunId = RunId(1);

fn skip(desk: &mut SessionFixture, stage: &str, item: &str) -> Result<Vec<Event>, Refusal> {
    desk.ask(Command::SkipStep(SkipStep {
        run: None,
        stage: stage.into(),
        item: item.into(),
    }))
}

fn restart(desk: &mut SessionFixture, item: &str) -> Vec<Event> {
    let settings = desk.settings.clone();
    desk.ask(Command::RestartStep(RestartStep {
        run: None,
        stage: "parts".into(),
        item: item.into(),
        feedback: None,
        settings,
    }))
    .unwrap()
}

/// Parts 1 and 2 are being made, part 3 waits.
fn at_the_parts() -> SessionFixture {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    desk
}

#[test]
fn a_piece_that_is_being_made_is_stopped_and_the_next_one_begins() {
    let mut desk = at_the_parts();
    let events = skip(&mut desk, "parts", "1").unwrap();
    assert_eq!(
        words(&events),
        [
            "DecisionMade",
            "cancelled r1/parts/1 skipped",
            "ask r1/parts/3#1"
        ]
    );
    assert_eq!(skip(&mut desk, "parts", "1").unwrap(), vec![], "said once");
}

#[test]
fn a_piece_that_waits_is_never_begun() {
    let mut desk = at_the_parts();
    assert_eq!(
        words(&skip(&mut desk, "parts", "3").unwrap()),
        ["DecisionMade"]
    );
    desk.make("r1/parts/1", "part", "plan");
    let events = desk.make("r1/parts/2", "part", "plan");
    assert_eq!(
        words(&events).last().map(String::as_str),
        Some("ask r1/parts/whole#1")
    );
}

#[test]
fn what_is_done_or_cannot_be_left_out_is_refused_and_nothing_happens() {
    let mut desk = at_the_parts();
    desk.make("r1/parts/1", "part", "plan");
    let done = skip(&mut desk, "parts", "1");
    assert!(matches!(done, Err(Refusal::StepDone { .. })), "{done:?}");
    for (stage, item) in [("parts", "9"), ("plan", ""), ("letter", "")] {
        let refused = skip(&mut desk, stage, item);
        assert!(
            matches!(refused, Err(Refusal::NotLeftOut { .. })),
            "{refused:?}"
        );
    }
    let settings = "a letter".to_owned();
    desk.ask(Command::Cancel(Cancel {
        run: None,
        reason: settings,
    }))
    .unwrap();
    assert!(skip(&mut desk, "parts", "2").is_err());
}

#[test]
fn a_restart_takes_up_what_was_left_out() {
    let mut desk = at_the_parts();
    skip(&mut desk, "parts", "2").unwrap();
    let events = restart(&mut desk, "2");
    let told = words(&events);
    assert_eq!(told[0], "DecisionMade");
    assert!(!desk.session.runs[&R1].is_skipped("parts", "2"));
    desk.make("r1/parts/1", "part", "plan");
    assert!(desk.session.runs[&R1].step("parts", "2").unwrap().is_open());
}

#[test]
fn what_was_left_out_stays_so_in_the_run_that_goes_on_and_the_restarted_one_does_not() {
    let mut desk = at_the_parts();
    skip(&mut desk, "parts", "2").unwrap();
    skip(&mut desk, "parts", "3").unwrap();
    desk.ask(Command::Cancel(Cancel {
        run: None,
        reason: "enough".into(),
    }))
    .unwrap();
    let settings = desk.settings.clone();
    desk.ask(Command::Resume(Resume {
        run: None,
        settings: settings.clone(),
    }))
    .unwrap();
    let run = RunId(2);
    assert!(desk.session.runs[&run].is_skipped("parts", "2"));
    desk.make("r2/parts/1", "part", "plan");
    desk.make("r2/parts/whole", "whole", "part");
    desk.make("r2/letter", "letter", "part");
    assert!(matches!(
        desk.session.runs[&run].end,
        Some(End::Completed { .. })
    ));
    let events = restart(&mut desk, "3");
    let named = events.iter().find_map(|event| match event {
        Event::Run(RunEvent::IntentClassified(e)) => Some(e.steps.clone()),
        _ => None,
    });
    assert_eq!(named, Some(vec!["r2/parts/3".parse().unwrap()]));
    let third = &desk.session.runs[&RunId(3)];
    assert!(third.is_skipped("parts", "2") && !third.is_skipped("parts", "3"));
    assert!(third.step("parts", "3").unwrap().is_open());
}

/// The plan is made anew, in the same run or in a run on it.
fn replan(desk: &mut SessionFixture) -> Vec<Event> {
    let settings = desk.settings.clone();
    desk.ask(Command::RestartStep(RestartStep {
        run: None,
        stage: "plan".into(),
        item: String::new(),
        feedback: Some("another one".into()),
        settings,
    }))
    .unwrap()
}

#[test]
fn with_a_new_plan_what_failed_is_tried_afresh_and_what_was_left_out_is_wanted_again() {
    let mut desk = at_the_parts();
    let hopeless = Finished::Failed {
        code: "x".into(),
        message: "never".into(),
        retryable: false,
    };
    desk.finish("r1/parts/1", hopeless).unwrap();
    skip(&mut desk, "parts", "3").unwrap();
    replan(&mut desk);
    let run = &desk.session.runs[&R1];
    assert_eq!(run.step("parts", "1").unwrap().used, 0);
    assert!(!run.is_skipped("parts", "3"));
    let asked = words(&desk.make("r1/plan", "plan", ""));
    assert!(asked.contains(&"ask r1/parts/1#2".to_owned()), "{asked:?}");
    desk.make("r1/parts/1", "part", "plan");
    desk.make("r1/parts/2", "part", "plan");
    assert!(desk.session.runs[&R1].step("parts", "3").unwrap().is_open());
}

#[test]
fn a_new_plan_on_an_ended_run_leaves_nothing_out() {
    let mut desk = at_the_parts();
    skip(&mut desk, "parts", "3").unwrap();
    desk.ask(Command::Cancel(Cancel {
        run: None,
        reason: "enough".into(),
    }))
    .unwrap();
    // A run that is resumed still leaves out what was left out.
    let settings = desk.settings.clone();
    let resume = Resume {
        run: None,
        settings,
    };
    desk.ask(Command::Resume(resume)).unwrap();
    assert!(desk.session.runs[&RunId(2)].is_skipped("parts", "3"));
    desk.make("r2/parts/1", "part", "plan");
    desk.make("r2/parts/2", "part", "plan");
    desk.make("r2/parts/whole", "whole", "part");
    desk.make("r2/letter", "letter", "part");
    replan(&mut desk);
    assert!(!desk.session.runs[&RunId(3)].is_skipped("parts", "3"));
}
