use domain::Event;
use domain::decision::awaits_budget;
use domain::event::{Intent, ModelCalled, RunEvent, SessionEvent, StepEvent, Usage};
use domain::hash::BlobRef;
use domain::ids::RunId;
use domain::session::End;
use serde_json::json;

use super::{SessionFixture, words};
use crate::{
    AdmitTurn, AnswerGate, Cancel, Command, Erase, Fork, MoveHead, RecordTurn, Refine, Refusal,
    RestartStep, fork_events,
};

const R1: RunId = RunId(1);

fn cancel(run: Option<RunId>) -> Command {
    Command::Cancel(Cancel {
        run,
        reason: "enough".into(),
    })
}

#[test]
fn a_cancel_closes_everything_that_is_open_and_nothing_is_asked_for_any_more() {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    let events = desk.ask(cancel(None)).unwrap();
    let expected = [
        "cancelled r1/parts/1 cancelled",
        "cancelled r1/parts/2 cancelled",
        "close parts cancelled",
        "RunCancelled",
    ];
    assert_eq!(words(&events), expected);
    assert_eq!(desk.ask(cancel(Some(R1))), Err(Refusal::Ended { run: R1 }));
    assert_eq!(
        desk.ask(cancel(None)),
        Err(Refusal::NothingTo { verb: "cancel" })
    );
}

#[test]
fn a_turn_that_was_paid_for_is_recorded_also_after_the_cancel() {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    desk.ask(cancel(None)).unwrap();
    let late = RecordTurn::Model(Box::new(called("r1/understand", 7, 9)));
    assert_eq!(
        words(&desk.ask(Command::RecordTurn(Box::new(late))).unwrap()),
        ["ModelCalled"]
    );
    assert_eq!(desk.session.runs[&R1].spent.output_tokens, 9);
    assert_eq!(desk.session.active, None);
}

fn called(step: &str, input: u64, output: u64) -> ModelCalled {
    ModelCalled {
        step: step.parse().unwrap(),
        attempt: 1,
        turn: 0,
        try_number: 1,
        role: "writer".into(),
        model: "m".into(),
        prompt: None,
        request: BlobRef::of(b"?"),
        response: Some(BlobRef::of(b"!")),
        finish_reason: None,
        thought: None,
        usage: Usage {
            input,
            output,
            ..Usage::default()
        },
        cost_micros: 0,
        latency_ms: 1,
        learned: vec![],
        error: None,
    }
}

#[test]
fn a_refinement_keeps_what_comes_before_its_stage_and_redoes_the_rest_with_the_feedback() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    let settings = desk.settings.clone();
    let refine = Refine {
        base_run: None,
        stage: "parts".into(),
        items: vec![],
        feedback: "shorter".into(),
        settings,
    };
    let events = desk.ask(Command::Refine(refine)).unwrap();
    let expected = [
        "MessageReceived",
        "RunStarted",
        "IntentClassified",
        "RefinementRequested",
        "open parts",
        "ask r2/parts/1#1",
        "ask r2/parts/2#1",
    ];
    assert_eq!(words(&events), expected);
    let Event::Run(RunEvent::IntentClassified(intent)) = &events[2] else {
        panic!()
    };
    let plan = desk.session.runs[&R1]
        .artifact("plan")
        .unwrap()
        .artifact
        .clone();
    assert_eq!(intent.kept, [plan]);
    let Event::Step(StepEvent::StepRequested(asked)) = &events[5] else {
        panic!()
    };
    assert_eq!(asked.guidance.feedback.as_deref(), Some("shorter"));
    desk.finish_parts(RunId(2));
    assert_eq!(desk.session.head, Some(RunId(2)));
    assert_eq!(
        desk.session.runs[&RunId(2)]
            .artifact("letter")
            .unwrap()
            .number,
        2
    );
    assert_eq!(
        words(&desk.ask(Command::MoveHead(MoveHead { run: R1 })).unwrap()),
        ["HeadMoved"]
    );
    assert_eq!(desk.session.head, Some(R1));
}

#[test]
fn a_refinement_of_named_parts_keeps_the_other_parts_of_its_stage() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    let refine = |items: &[&str], settings| Refine {
        base_run: None,
        stage: "parts".into(),
        items: items.iter().map(|item| (*item).to_owned()).collect(),
        feedback: "shorter".into(),
        settings,
    };
    let settings = desk.settings.clone();
    let unknown = desk.ask(Command::Refine(refine(&["2", "7"], settings.clone())));
    let refusal = unknown.expect_err("there is no seventh part");
    assert_eq!(refusal.code(), "unknown_item");
    assert_eq!(
        refusal.to_string(),
        "stage `parts` has no `7`: it has 1, 2, 3, whole"
    );
    let events = desk.ask(Command::Refine(refine(&["2"], settings))).unwrap();
    let expected = [
        "MessageReceived",
        "RunStarted",
        "IntentClassified",
        "RefinementRequested",
        "open parts",
        "ask r2/parts/2#1",
    ];
    // The artifact `whole` is made from the second part, too, and so it is made later.
    assert_eq!(words(&events), expected);
    let Event::Run(RunEvent::RefinementRequested(refinement)) = &events[3] else {
        panic!()
    };
    assert_eq!(refinement.items, ["2"]);
}

#[test]
fn a_refinement_that_changes_nothing_is_told_to_whoever_asked_for_it() {
    let told = |same| {
        let mut desk = SessionFixture::new();
        desk.same = same;
        desk.complete_run("a letter");
        let refine = Refine {
            base_run: None,
            stage: "parts".into(),
            items: vec!["2".into()],
            feedback: "shorter".into(),
            settings: desk.settings.clone(),
        };
        desk.ask(Command::Refine(refine)).unwrap();
        desk.make("r2/parts/2", "part", "plan");
        desk.make("r2/parts/whole", "whole", "part");
        let events = desk.make("r2/letter", "letter", "part");
        events.iter().find_map(|event| {
            let Event::Session(SessionEvent::MessageSent(sent)) = event else {
                return None;
            };
            Some(sent.text.clone())
        })
    };
    let text = told(true).expect("nothing is different");
    assert!(
        text.starts_with("没有任何改动，内容与 r1 相同：“shorter”"),
        "{text}"
    );
    assert_eq!(told(false), None);
}

#[test]
fn a_message_that_is_meant_as_a_refinement_becomes_one() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    desk.say("make the parts shorter").unwrap();
    let events = desk.understood(RunId(2), Intent::Refinement, Some("parts"));
    let expected = [
        "IntentClassified",
        "RefinementRequested",
        "done r2/understand",
        "close understand completed",
        "open parts",
    ];
    assert_eq!(words(&events)[..5], expected);
    let Event::Run(RunEvent::RefinementRequested(refinement)) = &events[1] else {
        panic!()
    };
    assert_eq!(
        (refinement.base_run, refinement.feedback.as_str()),
        (R1, "make the parts shorter")
    );
}

#[test]
fn restarting_a_step_of_an_ended_run_keeps_everything_that_was_not_made_from_it() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    let settings = desk.settings.clone();
    let restart = RestartStep {
        run: None,
        stage: "parts".into(),
        item: "2".into(),
        feedback: None,
        settings,
    };
    let events = desk.ask(Command::RestartStep(restart)).unwrap();
    assert_eq!(
        words(&events),
        [
            "RunStarted",
            "IntentClassified",
            "open parts",
            "ask r2/parts/2#1"
        ]
    );
    desk.make("r2/parts/2", "part", "plan");
    desk.make("r2/parts/whole", "whole", "part");
    let end = desk.make("r2/letter", "letter", "part");
    assert_eq!(words(&end).last().map(String::as_str), Some("RunCompleted"));
}

#[test]
fn restarting_a_step_of_an_active_run_takes_back_whatever_was_made_from_it() {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    desk.make("r1/parts/1", "part", "plan");
    let settings = desk.settings.clone();
    let restart = RestartStep {
        run: None,
        stage: "plan".into(),
        item: String::new(),
        feedback: None,
        settings,
    };
    let events = desk.ask(Command::RestartStep(restart)).unwrap();
    let expected = [
        "cancelled r1/parts/2 reopened",
        "cancelled r1/parts/3 reopened",
        "close parts reopened",
        "StagesReopened",
        "open plan",
        "ask r1/plan#2",
    ];
    assert_eq!(words(&events), expected);
    assert_eq!(
        desk.session.runs[&R1].artifacts().count(),
        0,
        "nothing older is used downstream"
    );
}

#[test]
fn a_run_that_cannot_afford_its_next_step_fails_where_nobody_is_there_to_raise_the_budget() {
    let mut desk = SessionFixture::new();
    desk.settings.budget.calls = 2;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    let events = desk.make("r1/plan", "plan", "");
    let expected = [
        "made plan 1",
        "done r1/plan",
        "close plan completed",
        "open parts",
        "ask r1/parts/1#1",
        "ask r1/parts/2#1",
    ];
    assert_eq!(words(&events), expected, "what is reserved fits exactly");
    let turn = RecordTurn::Model(Box::new(called("r1/parts/1", 1, 1)));
    desk.ask(Command::RecordTurn(Box::new(turn))).unwrap();
    let admit = AdmitTurn {
        step: "r1/parts/2".parse().unwrap(),
        attempt: 1,
    };
    let events = desk.ask(Command::AdmitTurn(admit)).unwrap();
    assert_eq!(words(&events).last().map(String::as_str), Some("RunFailed"));
    let Some(End::Failed { code, .. }) = &desk.session.runs[&R1].end else {
        panic!()
    };
    assert_eq!(code, "budget");
}

#[test]
fn a_person_who_is_there_is_asked_about_the_budget_and_may_raise_it() {
    let mut desk = SessionFixture::new();
    desk.settings.budget.calls = 0;
    desk.settings.attended = true;
    let events = desk.say("a letter").unwrap();
    assert_eq!(
        words(&events).last().map(String::as_str),
        Some("GateOpened")
    );
    assert!(awaits_budget(&desk.session.runs[&R1]));
    let gate = desk.session.runs[&R1]
        .open_gates()
        .next()
        .unwrap()
        .opened
        .gate
        .clone();
    let wrong = AnswerGate {
        gate: gate.clone(),
        answer: json!({ "choice": "perhaps" }),
        edited: None,
    };
    assert!(matches!(
        desk.ask(Command::AnswerGate(wrong)),
        Err(Refusal::BadAnswer { .. })
    ));
    let raise = json!({ "choice": "raise", "budget": { "calls": 5 } });
    let events = desk
        .ask(Command::AnswerGate(AnswerGate {
            gate,
            answer: raise,
            edited: None,
        }))
        .unwrap();
    assert_eq!(
        words(&events),
        ["AnswerGiven", "BudgetRaised", "ask r1/understand#1"]
    );
    assert_eq!(desk.session.runs[&R1].budget.calls, 5);
}

#[test]
fn a_run_that_was_finished_with_what_there_is_becomes_the_current_one_if_there_is_anything() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    desk.settings.attended = true;
    desk.settings.budget.calls = 1;
    for (run, made, head) in [(2, false, 1), (3, true, 3)] {
        let run = RunId(run);
        desk.settings.budget.calls = if made { 2 } else { 0 };
        desk.say(&format!("letter {run}")).unwrap();
        if made {
            desk.understood(run, Intent::Initial, None);
            desk.make(&format!("{run}/plan"), "plan", "");
            confirm(&mut desk, run);
            spend(&mut desk, run);
        }
        let gate = open_gate(&desk, run);
        let partial = json!({ "choice": "finish_partial" });
        let answer = AnswerGate {
            gate,
            answer: partial,
            edited: None,
        };
        let events = desk.ask(Command::AnswerGate(answer)).unwrap();
        let Some(Event::Run(RunEvent::RunCompleted(end))) = events.last() else {
            panic!("{:?}", words(&events))
        };
        assert_eq!((end.partial, &end.final_artifact), (true, &None));
        assert_eq!(desk.session.head, Some(RunId(head)));
    }
}

fn open_gate(desk: &SessionFixture, run: RunId) -> domain::ids::GateId {
    let mut gates = desk.session.runs[&run].open_gates();
    gates.next().unwrap().opened.gate.clone()
}

fn confirm(desk: &mut SessionFixture, run: RunId) {
    let gate = open_gate(desk, run);
    let answer = json!({ "confirm": true });
    desk.ask(Command::AnswerGate(AnswerGate {
        gate,
        answer,
        edited: None,
    }))
    .unwrap();
}

/// A call that uses up what the budget has left, and the question whether another may be made.
fn spend(desk: &mut SessionFixture, run: RunId) {
    let step = format!("{run}/parts/1");
    let turn = RecordTurn::Model(Box::new(called(&step, 1_000_000, 1_000_000)));
    desk.ask(Command::RecordTurn(Box::new(turn))).unwrap();
    let step = step.parse().unwrap();
    desk.ask(Command::AdmitTurn(AdmitTurn { step, attempt: 1 }))
        .unwrap();
}

#[test]
fn only_calls_use_up_working_time() {
    let mut desk = SessionFixture::new();
    desk.settings.budget.working_ms = 1_000;
    desk.say("a letter").unwrap();
    // The machine was off for a day, so the fork is made at a version that is a day old.
    desk.now += chrono::TimeDelta::days(1);
    let context = desk.context();
    let mut child = desk.session.clone();
    let at = child.version;
    let fork = Fork {
        parent: "s".into(),
        at,
    };
    let events = fork_events(&mut child, fork, &context).unwrap();
    let expected = [
        "SessionForked",
        "cancelled r1/understand forked",
        "ask r1/understand#2",
    ];
    assert_eq!(words(&events), expected);
    let next = desk.understood(R1, Intent::Initial, None);
    assert_eq!(words(&next).last().unwrap(), "ask r1/plan#1");

    let call = |latency_ms| {
        let called = ModelCalled {
            latency_ms,
            ..called("r1/plan", 1, 1)
        };
        Command::RecordTurn(Box::new(RecordTurn::Model(Box::new(called))))
    };
    let admit = Command::AdmitTurn(AdmitTurn {
        step: "r1/plan".parse().unwrap(),
        attempt: 1,
    });
    desk.ask(call(999)).unwrap();
    assert_eq!(words(&desk.ask(admit.clone()).unwrap()), [""; 0]);
    desk.ask(call(1)).unwrap();
    assert_eq!(desk.session.runs[&R1].spent.working_ms, 1_000);
    let events = desk.ask(admit).unwrap();
    assert_eq!(words(&events).last().unwrap(), "RunFailed");
}

#[test]
fn what_costs_nothing_is_done_when_no_working_time_is_left() {
    let mut desk = SessionFixture::new();
    desk.settings.budget.working_ms = 1_000;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    for part in ["1", "2", "3"] {
        desk.make(&format!("r1/parts/{part}"), "part", "plan");
    }
    let called = ModelCalled {
        latency_ms: 1_000,
        ..called("r1/parts/whole", 1, 1)
    };
    let turn = RecordTurn::Model(Box::new(called));
    desk.ask(Command::RecordTurn(Box::new(turn))).unwrap();
    let events = desk.make("r1/parts/whole", "whole", "part");
    assert_eq!(words(&events).last().unwrap(), "ask r1/letter#1");
}

#[test]
fn a_fork_in_the_middle_of_work_closes_what_was_open_and_asks_again() {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    let context = desk.context();
    let at = desk.session.version;
    let mut child = desk.session.clone();
    let events = fork_events(
        &mut child,
        Fork {
            parent: "s".into(),
            at,
        },
        &context,
    )
    .unwrap();
    let expected = [
        "SessionForked",
        "cancelled r1/parts/1 forked",
        "cancelled r1/parts/2 forked",
        "ask r1/parts/1#2",
        "ask r1/parts/2#2",
    ];
    assert_eq!(words(&events), expected);
    let mut fold = desk.session.clone();
    events.iter().for_each(|event| fold.evolve(event));
    assert_eq!(fold, child);
    assert_eq!(
        child.runs[&R1].step("parts", "1").unwrap().used,
        1,
        "a fork uses up no attempt"
    );
}

#[test]
fn a_fork_asks_open_gates_again_under_new_ids_with_fresh_deadlines() {
    let mut desk = SessionFixture::new();
    desk.settings.attended = true;
    desk.say("a letter").unwrap();
    desk.understood(R1, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    let old = desk.session.runs[&R1]
        .open_gates()
        .next()
        .unwrap()
        .opened
        .clone();
    desk.now += chrono::TimeDelta::hours(1);
    let context = desk.context();
    let mut child = desk.session.clone();
    let at = child.version;
    let events = fork_events(
        &mut child,
        Fork {
            parent: "s".into(),
            at,
        },
        &context,
    )
    .unwrap();
    assert_eq!(words(&events), ["SessionForked", "GateOpened"]);
    let gates: Vec<_> = child.runs[&R1]
        .open_gates()
        .map(|g| g.opened.clone())
        .collect();
    assert_eq!(gates.len(), 1);
    assert_ne!(gates[0].gate, old.gate);
    assert_eq!(
        gates[0].deadline,
        Some(desk.now + chrono::TimeDelta::minutes(5))
    );
}

#[test]
fn an_erased_session_takes_no_further_commands_and_what_waited_is_not_started() {
    let mut desk = SessionFixture::new();
    desk.say("a letter").unwrap();
    desk.say("another").unwrap();
    let events = desk
        .ask(Command::Erase(Erase {
            reason: "asked".into(),
        }))
        .unwrap();
    let expected = [
        "cancelled r1/understand cancelled",
        "close understand cancelled",
        "RunCancelled",
        "SessionErased",
    ];
    assert_eq!(words(&events), expected);
    assert_eq!(desk.say("hello?"), Err(Refusal::Erased));
}
