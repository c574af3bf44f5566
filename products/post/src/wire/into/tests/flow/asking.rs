//! Questions that steps ask while they are at work.

use palimpsest::prelude::pipeline::GateAnswer;
use palimpsest::prelude::pipeline::event::GateEvent;
use palimpsest::prelude::pipeline::question::{ASKED_MAX, Question};
use palimpsest::prelude::trial::{AskPerson, Fork, fork_events};
use palimpsest::prelude::trial::{Cancel, RestartStep};

use super::*;

fn question(words: &str) -> Question {
    let options = json!([{ "id": "a", "label": "家长" }, { "id": "b", "label": "学生" }]);
    Question::read(&json!({ "question": words, "options": options, "selectionType": "single" }))
        .unwrap()
}

/// A run whose research is at work.
fn researching(attended: bool) -> SessionFixture {
    let mut desk = start(attended);
    for _ in 0..10 {
        let step = desk.open_steps().first().cloned().unwrap();
        if step.stage == "research" {
            return desk;
        }
        carry_out(&mut desk, &step, &Script::default());
    }
    panic!("nothing is researched");
}

fn ask(desk: &mut SessionFixture, words: &str) -> Result<Vec<Event>, Refusal> {
    let step = desk.open_steps().first().cloned().unwrap();
    let attempt = last_run(desk)
        .step(&step.stage, &step.item)
        .unwrap()
        .attempt;
    desk.ask(Command::AskPerson(Box::new(AskPerson {
        step,
        attempt,
        question: question(words),
    })))
}

fn code(asked: Result<Vec<Event>, Refusal>) -> &'static str {
    asked.unwrap_err().code()
}

#[test]
fn a_step_that_asks_waits_with_its_run_and_goes_on_with_the_answer() {
    let mut desk = researching(true);
    assert!(!last_run(&desk).is_waiting());
    let events = ask(&mut desk, "写给谁？").unwrap();
    let [Event::Gate(GateEvent::GateOpened(opened))] = &events[..] else {
        panic!("{events:?}")
    };
    let step = desk.open_steps().first().cloned();
    assert_eq!((&opened.step, &opened.subject), (&step, &None));
    assert_eq!(opened.options, ["a", "b"]);
    assert!(last_run(&desk).is_waiting());
    assert_eq!(
        ask(&mut desk, "写给谁？").unwrap(),
        vec![],
        "it waits already"
    );
    let refused = answer(&mut desk, json!({ "selectedIds": ["c"] }));
    assert_eq!(code(refused), "bad_answer");
    let events = answer(&mut desk, json!({ "selectedIds": ["b"] })).unwrap();
    assert_eq!(events.len(), 1, "the step itself goes on: {events:?}");
    assert!(!last_run(&desk).is_waiting());
    assert_eq!(desk.open_steps().first().cloned(), step);
    go_on(&mut desk, &Script::default());
    assert_eq!(waiting(&desk).unwrap().1, "content");
}

#[test]
fn a_question_is_asked_once_in_a_session_and_no_more_than_three_are_in_a_run() {
    let mut desk = researching(true);
    for number in 0..ASKED_MAX {
        ask(&mut desk, &format!("问题{number}？")).unwrap();
        answer(&mut desk, json!({ "selectedIds": ["a"] })).unwrap();
    }
    assert_eq!(
        ask(&mut desk, "  问题0？ ").unwrap(),
        vec![],
        "it was answered"
    );
    let refused = ask(&mut desk, "再问一个？").unwrap_err();
    assert_eq!(refused.code(), "asked_enough");
    assert!(refused.to_string().contains('3'), "{refused}");
    for _ in 0..2 {
        go_on(&mut desk, &Script::default());
        answer(&mut desk, json!({ "confirm": true })).unwrap();
    }
    go_on(&mut desk, &Script::default());
    assert_eq!(completed(&desk), Some(false));
    desk.say_to("post", 1);
    let step = desk.open_steps().first().cloned().unwrap();
    carry_out(&mut desk, &step, &Script::default());
    assert_eq!(
        ask(&mut desk, "问题1？").unwrap(),
        vec![],
        "in the run before"
    );
    assert_eq!(ask(&mut desk, "再问一个？").unwrap().len(), 1);
}

#[test]
fn nobody_is_asked_who_is_not_there() {
    let mut desk = researching(false);
    assert_eq!(code(ask(&mut desk, "写给谁？")), "nobody_asked");
}

#[test]
fn a_question_falls_with_its_attempt_and_may_be_asked_again() {
    let mut desk = researching(true);
    ask(&mut desk, "写给谁？").unwrap();
    let (gate, _) = waiting(&desk).unwrap();
    let run = last_run(&desk).id;
    desk.ask(Command::RestartStep(RestartStep {
        run: Some(run),
        stage: "brief".into(),
        item: String::new(),
        feedback: None,
        settings: Settings::default(),
    }))
    .unwrap();
    let fallen = &last_run(&desk).gates[&gate];
    assert!(
        matches!(&fallen.answer, Some(GateAnswer::Given { by, .. }) if by == "superseded"),
        "{fallen:?}"
    );
    assert!(!last_run(&desk).is_waiting());
    let brief = desk.open_steps().first().cloned().unwrap();
    carry_out(&mut desk, &brief, &Script::default());
    assert_eq!(ask(&mut desk, "写给谁？").unwrap().len(), 1);
    // A step that fails while its question is open does not leave the question open, either.
    let failed = Finished::Failed {
        code: "server".into(),
        message: "gone".into(),
        retryable: true,
    };
    let step = desk.open_steps().first().cloned().unwrap();
    desk.finish(&step.to_string(), failed).unwrap();
    assert!(waiting(&desk).is_none());
    assert_eq!(ask(&mut desk, "写给谁？").unwrap().len(), 1);
    desk.ask(Command::Cancel(Cancel {
        run: None,
        reason: "enough".into(),
    }))
    .unwrap();
    assert!(desk.session.active.is_none());
}

#[test]
fn in_a_fork_the_step_begins_anew_and_nothing_waits_yet() {
    let mut desk = researching(true);
    ask(&mut desk, "写给谁？").unwrap();
    let mut child = desk.session.clone();
    let fork = Fork {
        parent: palimpsest::prelude::wire::SessionId::new("s"),
        at: child.version,
    };
    let context = desk.context();
    fork_events(&mut child, fork, &context).unwrap();
    let run = child.active_run().unwrap();
    assert!(run.open_gates().next().is_none());
    let research = run.step("research", "").unwrap();
    assert!(research.is_open());
    assert_eq!(research.attempt, 2);
}
