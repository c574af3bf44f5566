use domain::Event;
use domain::event::{Intent, StepEvent, Violation};
use domain::ids::RunId;
use domain::session::End;
use serde_json::json;

use super::{SessionFixture, words};
use crate::{AnswerGate, Command, Finished, MeetDeadline, Refusal};

const R1: RunId = RunId(1);

fn planned() -> SessionFixture {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk
}

#[test]
fn the_outcome_of_a_step_and_the_request_for_the_next_are_one_append() {
    let mut desk = planned();
    let events = desk.make("r1/plan", "plan", "");
    let expected = [
        "made plan 1",
        "done r1/plan",
        "close plan completed",
        "open parts",
        "ask r1/parts/1#1",
        "ask r1/parts/2#1",
    ];
    assert_eq!(words(&events), expected);
}

#[test]
fn items_start_in_order_as_places_become_free_and_the_closing_step_comes_last() {
    let mut desk = planned();
    desk.make("r1/plan", "plan", "");
    assert_eq!(
        words(&desk.make("r1/parts/2", "part", "plan")),
        ["made part 1", "done r1/parts/2", "ask r1/parts/3#1"]
    );
    assert_eq!(
        words(&desk.make("r1/parts/1", "part", "plan")),
        ["made part 1", "done r1/parts/1"]
    );
    let last = desk.make("r1/parts/3", "part", "plan");
    assert_eq!(
        words(&last),
        ["made part 1", "done r1/parts/3", "ask r1/parts/whole#1"]
    );
    let closed = desk.make("r1/parts/whole", "whole", "part");
    assert_eq!(
        words(&closed)[2..],
        ["close parts completed", "open letter", "ask r1/letter#1"]
    );
    let end = desk.make("r1/letter", "letter", "part");
    assert_eq!(words(&end)[2..], ["close letter completed", "RunCompleted"]);
    assert_eq!(desk.session.head, Some(R1));
}

#[test]
fn a_rejected_output_is_a_fact_and_the_next_attempt_is_told_what_was_wrong() {
    let mut desk = planned();
    let violation = Violation {
        path: "/a".into(),
        message: "is missing".into(),
    };
    let events = desk
        .finish(
            "r1/plan",
            Finished::Rejected {
                violations: vec![violation.clone()],
            },
        )
        .unwrap();
    assert_eq!(
        words(&events),
        ["OutputRejected", "failed r1/plan", "ask r1/plan#2"]
    );
    let Event::Step(StepEvent::StepRequested(again)) = &events[2] else {
        panic!()
    };
    assert_eq!(again.guidance.violations, [violation]);
    assert_eq!(again.due, desk.now);
}

#[test]
fn what_was_wrong_with_an_output_is_told_until_one_is_taken() {
    let mut desk = SessionFixture::new();
    desk.settings.attempts = 3;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.reject("r1/plan");
    let failed = Finished::Failed {
        code: "model_failed".into(),
        message: "no answer".into(),
        retryable: true,
    };
    let events = desk.finish("r1/plan", failed).unwrap();
    assert_eq!(words(&events), ["failed r1/plan", "ask r1/plan#3"]);
    let Event::Step(StepEvent::StepRequested(again)) = &events[1] else {
        panic!()
    };
    assert_eq!(again.guidance.violations, [Violation::new("", "no")]);
    // The provider is given time, whatever the cause of the failure was.
    assert!(again.due > desk.now);
}

#[test]
fn a_run_whose_answers_are_rejected_again_and_again_asks_once() {
    let mut desk = SessionFixture::new();
    desk.settings.attempts = 10;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    for _ in 0..4 {
        desk.reject("r1/plan");
    }
    let step = desk.session.runs[&R1].step("plan", "").unwrap();
    assert_eq!((step.attempt, step.is_last), (5, true));
    let rejected = Finished::Rejected {
        violations: vec![Violation::new("", "no")],
    };
    let events = desk.finish("r1/plan", rejected).unwrap();
    assert_eq!(
        words(&events),
        [
            "OutputRejected",
            "failed r1/plan",
            "close plan failed",
            "RunFailed"
        ]
    );
}

#[test]
fn attempts_are_bounded_and_the_run_fails_with_everything_closed() {
    let mut desk = planned();
    let failed = || Finished::Failed {
        code: "model_failed".into(),
        message: "no answer".into(),
        retryable: true,
    };
    desk.finish("r1/plan", failed()).unwrap();
    let events = desk.finish("r1/plan", failed()).unwrap();
    assert_eq!(
        words(&events),
        ["failed r1/plan", "close plan failed", "RunFailed"]
    );
    let Some(End::Failed { code, message }) = &desk.session.runs[&R1].end else {
        panic!()
    };
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("stage_failed", "stage `plan` failed: no answer")
    );
    assert_eq!(desk.session.head, None);
}

#[test]
fn an_item_that_keeps_failing_does_not_throw_away_the_others() {
    let mut desk = planned();
    desk.make("r1/plan", "plan", "");
    let hopeless = || Finished::Failed {
        code: "x".into(),
        message: "never".into(),
        retryable: false,
    };
    assert_eq!(
        words(&desk.finish("r1/parts/1", hopeless()).unwrap()),
        ["failed r1/parts/1", "ask r1/parts/3#1"]
    );
    desk.make("r1/parts/2", "part", "plan");
    let end = desk.make("r1/parts/3", "part", "plan");
    assert_eq!(words(&end)[2..], ["close parts failed", "RunFailed"]);
    assert_eq!(desk.session.runs[&R1].artifacts_of("part").count(), 2);
}

#[test]
fn resuming_makes_only_what_is_missing() {
    let mut desk = planned();
    desk.make("r1/plan", "plan", "");
    let hopeless = Finished::Failed {
        code: "x".into(),
        message: "never".into(),
        retryable: false,
    };
    desk.finish("r1/parts/1", hopeless).unwrap();
    desk.make("r1/parts/2", "part", "plan");
    desk.make("r1/parts/3", "part", "plan");
    let settings = desk.settings.clone();
    let events = desk
        .ask(Command::Resume(crate::Resume {
            run: None,
            settings,
        }))
        .unwrap();
    assert_eq!(
        words(&events),
        [
            "RunStarted",
            "IntentClassified",
            "open parts",
            "ask r2/parts/1#1"
        ]
    );
    desk.make("r2/parts/1", "part", "plan");
    desk.make("r2/parts/whole", "whole", "part");
    let end = desk.make("r2/letter", "letter", "part");
    assert_eq!(words(&end).last().map(String::as_str), Some("RunCompleted"));
    assert_eq!(desk.session.head, Some(RunId(2)));
}

#[test]
fn a_second_outcome_of_an_attempt_is_refused() {
    let mut desk = planned();
    desk.make("r1/plan", "plan", "");
    let again = desk.finish("r1/plan", Finished::Rejected { violations: vec![] });
    assert!(
        matches!(again, Err(Refusal::AttemptOver { .. })),
        "{again:?}"
    );
}

#[test]
fn a_gate_waits_for_a_person_and_takes_one_answer() {
    let mut desk = SessionFixture::new();
    desk.settings.attended = true;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    let events = desk.make("r1/plan", "plan", "");
    assert_eq!(
        words(&events).last().map(String::as_str),
        Some("GateOpened")
    );
    let gate = desk.session.runs[&R1]
        .open_gates()
        .next()
        .unwrap()
        .opened
        .gate
        .clone();
    let answer = |confirm| {
        Command::AnswerGate(AnswerGate {
            gate: gate.clone(),
            answer: json!({ "confirm": confirm }),
            edited: None,
        })
    };
    let events = desk.ask(answer(true)).unwrap();
    assert_eq!(
        words(&events),
        [
            "PlanConfirmed",
            "open parts",
            "ask r1/parts/1#1",
            "ask r1/parts/2#1"
        ]
    );
    assert_eq!(
        desk.ask(answer(false)),
        Err(Refusal::GateAnswered { gate: gate.clone() })
    );
    assert_eq!(
        desk.ask(Command::MeetDeadline(MeetDeadline { gate: gate.clone() })),
        Err(Refusal::GateAnswered { gate })
    );
}

#[test]
fn a_deadline_answers_with_the_default_and_a_declined_plan_ends_the_run() {
    let mut desk = SessionFixture::new();
    desk.settings.attended = true;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    let gate = desk.session.runs[&R1]
        .open_gates()
        .next()
        .unwrap()
        .opened
        .clone();
    assert_eq!(
        gate.deadline,
        Some(desk.now + chrono::TimeDelta::minutes(5))
    );
    let events = desk
        .ask(Command::MeetDeadline(MeetDeadline { gate: gate.gate }))
        .unwrap();
    assert_eq!(words(&events), ["PlanDeclined", "RunCompleted"]);
}

#[test]
fn a_run_whose_files_say_nothing_is_partial_and_says_so() {
    for nothing_read in [false, true] {
        let mut desk = planned();
        desk.make("r1/plan", "plan", "");
        for part in ["r1/parts/1", "r1/parts/2", "r1/parts/3"] {
            desk.make(part, "part", "plan");
        }
        desk.make("r1/parts/whole", "whole", "part");
        let facts = json!({ "nothing_read": nothing_read });
        let events = desk.make_with("r1/letter", "material", "part", facts);
        let says = events.iter().any(|event| event.name() == "MessageSent");
        assert_eq!(says, nothing_read);
        let end = desk.session.runs[&R1].end.clone();
        assert!(
            matches!(end, Some(End::Completed { partial, .. }) if partial == nothing_read),
            "{end:?}"
        );
    }
}
