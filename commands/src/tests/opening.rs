//! Sessions that begin before anything is said, and gates whose subject a person changes.

use domain::event::{GateEvent, Intent};

use super::*;
use crate::{AnswerGate, EditedBodies, OpenSession, RestartStep};

const R1: RunId = RunId(1);

#[test]
fn a_session_begins_empty_once_and_the_first_message_gives_it_its_title() {
    let mut desk = SessionFixture::new();
    let open = |pipeline: &str| {
        Command::OpenSession(OpenSession {
            pipeline: pipeline.into(),
        })
    };
    assert!(matches!(
        desk.ask(open("nonsense")),
        Err(Refusal::UnknownPipeline { .. })
    ));
    let events = desk.ask(open("letter")).unwrap();
    assert_eq!(words(&events), ["SessionOpened"]);
    assert_eq!(desk.ask(open("letter")), Err(Refusal::SessionOpen));
    let events = desk.say("a letter").unwrap();
    assert_eq!(
        words(&events)[..3],
        ["SessionTitled", "MessageReceived", "RunStarted"]
    );
    assert_eq!(desk.session.title, "a letter");
    desk.say("more").unwrap();
    assert_eq!(desk.session.title, "a letter");
}

fn at_the_gate() -> SessionFixture {
    let mut desk = SessionFixture::new();
    desk.settings.attended = true;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    desk
}

fn gate_of(desk: &SessionFixture) -> domain::GateId {
    let mut gates = desk.session.runs[&R1].open_gates();
    gates.next().unwrap().opened.gate.clone()
}

fn new_plan() -> NewBody {
    NewBody {
        kind: "plan".into(),
        id_prefix: "art_",
        part: "".into(),
        title: "".into(),
        body: Body::Event {
            json: Arc::new(json!({ "parts": 1 })),
        },
        facts: json!({ "parts": 1 }),
        shown: true,
        from: vec![],
    }
}

#[test]
fn what_a_person_makes_of_the_plan_is_its_next_version_and_nobody_is_asked_about_it_again() {
    let mut desk = at_the_gate();
    let gate = gate_of(&desk);
    let answer = AnswerGate {
        gate,
        answer: json!({ "confirm": true, "edits": [1] }),
        edited: Some(Box::new(EditedBodies {
            subject: Some(new_plan()),
            ..EditedBodies::default()
        })),
    };
    let events = desk.ask(Command::AnswerGate(answer)).unwrap();
    assert_eq!(
        words(&events),
        [
            "made plan 2",
            "PlanConfirmed",
            "open parts",
            "ask r1/parts/1#1"
        ],
    );
    let Event::Gate(GateEvent::PlanConfirmed(confirmed)) = &events[1] else {
        panic!()
    };
    let plan = desk.session.runs[&R1].artifact("plan").unwrap();
    assert_eq!(confirmed.edits.as_ref(), Some(&plan.artifact));
}

#[test]
fn a_stage_that_has_not_begun_is_told_before_what_is_wanted_of_it() {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    let settings = desk.settings.clone();
    let ask = |stage: &str, item: &str| {
        Command::RestartStep(RestartStep {
            run: None,
            stage: stage.into(),
            item: item.into(),
            feedback: Some("shorter".into()),
            settings: settings.clone(),
        })
    };
    for (stage, item) in [("parts", "7"), ("nonsense", "")] {
        let refused = desk.ask(ask(stage, item));
        assert!(
            matches!(refused, Err(Refusal::NoStep { .. })),
            "{refused:?}"
        );
    }
    let events = desk.ask(ask("plan", "")).unwrap();
    assert_eq!(words(&events), ["StagesReopened"]);
    desk.understood(R1, Intent::Initial, None);
    let plan = desk.session.runs[&R1].step("plan", "").unwrap();
    assert_eq!(plan.guidance.feedback.as_deref(), Some("shorter"));
}

#[test]
fn a_plan_that_is_made_anew_closes_the_question_about_the_old_one_and_asks_about_the_new_one() {
    let mut desk = at_the_gate();
    let old = gate_of(&desk);
    let settings = desk.settings.clone();
    let events = desk
        .ask(Command::RestartStep(RestartStep {
            run: None,
            stage: "plan".into(),
            item: String::new(),
            feedback: Some("shorter".into()),
            settings,
        }))
        .unwrap();
    assert_eq!(
        words(&events),
        [
            "AnswerGiven",
            "StagesReopened",
            "open plan",
            "ask r1/plan#2"
        ]
    );
    let late = AnswerGate {
        gate: old.clone(),
        answer: json!({ "confirm": true }),
        edited: None,
    };
    assert_eq!(
        desk.ask(Command::AnswerGate(late)),
        Err(Refusal::GateAnswered { gate: old.clone() })
    );
    desk.make("r1/plan", "plan", "");
    assert_ne!(gate_of(&desk), old);
}
