//! Laws 1, 3, 5 and 6 over sessions that are driven at random.

use domain::Event;
use domain::Session;
use domain::event::{GateEvent, Intent, RunEvent, SessionEvent, StageOutcome, StepEvent};
use domain::settings::OnBusy;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

use super::SessionFixture;
use crate::{
    AnswerGate, Cancel, Command, FinishStep, Finished, Following, MeetDeadline, Refine, Refusal,
    RestartStep, Resume,
};

/// One action on a session. Its numbers choose among what is there.
#[derive(Clone, Debug)]
enum Push {
    Say(OnBusy),
    Succeed(usize),
    Reject(usize),
    Fail(usize, bool),
    Cancel,
    Withdraw(usize),
    Refine(usize),
    Restart(usize),
    Edit(usize),
    Resume,
    Wait,
    Answer(usize, bool),
    Deadline(usize),
}

/// Actions on a session whose pipeline asks a person, or does not.
#[derive(Clone, Debug)]
struct Pushes {
    attended: bool,
    pushes: Vec<Push>,
}

fn pushed() -> impl Strategy<Value = Pushes> {
    let push = prop_oneof![
        2 => prop_oneof![Just(OnBusy::Enqueue), Just(OnBusy::Refuse), Just(OnBusy::Interrupt)].prop_map(Push::Say),
        12 => (0..8_usize).prop_map(Push::Succeed),
        2 => (0..8_usize).prop_map(Push::Reject),
        2 => ((0..8_usize), any::<bool>()).prop_map(|(n, retryable)| Push::Fail(n, retryable)),
        1 => Just(Push::Cancel),
        1 => (0..3_usize).prop_map(Push::Withdraw),
        1 => (0..3_usize).prop_map(Push::Refine),
        1 => (0..8_usize).prop_map(Push::Restart),
        2 => (0..8_usize).prop_map(Push::Edit),
        1 => Just(Push::Resume),
        1 => Just(Push::Wait),
        3 => ((0..4_usize), any::<bool>()).prop_map(|(n, yes)| Push::Answer(n, yes)),
        1 => (0..4_usize).prop_map(Push::Deadline),
    ];
    let pushes = proptest::collection::vec(push, 1..60);
    (any::<bool>(), pushes).prop_map(|(attended, pushes)| Pushes { attended, pushes })
}

/// Gates that were ever opened, in order.
fn gates(desk: &SessionFixture) -> Vec<domain::GateId> {
    let opened = desk.log.iter().filter_map(|event| match event {
        Event::Gate(GateEvent::GateOpened(e)) => Some(e.gate.clone()),
        _ => None,
    });
    opened.collect()
}

fn open(desk: &SessionFixture) -> Vec<String> {
    let run = desk.session.active_run();
    let steps = run.into_iter().flat_map(|run| {
        run.open_steps()
            .map(|(stage, item, _)| (run.id, stage, item))
    });
    steps
        .map(|(run, stage, item)| domain::StepId::new(run, stage, item).to_string())
        .collect()
}

fn push(desk: &mut SessionFixture, push: &Push, n: usize) {
    desk.now += chrono::TimeDelta::seconds(1);
    let steps = open(desk);
    let chosen = |k: usize| steps.get(k % steps.len().max(1)).cloned();
    let settings = desk.settings.clone();
    match push {
        Push::Say(on_busy) => drop(desk.say_with(&format!("message {n}"), *on_busy)),
        Push::Succeed(k) => {
            let Some(step) = chosen(*k) else { return };
            let run = desk.session.active.unwrap();
            if step.ends_with("understand") {
                let intent = [
                    Intent::Initial,
                    Intent::Initial,
                    Intent::Refinement,
                    Intent::Irrelevant,
                    Intent::Resumption,
                ][k % 5];
                desk.understood(run, intent, Some("parts"));
            } else if step.ends_with("plan") {
                desk.make(&step, "plan", "");
            } else if step.ends_with("whole") {
                desk.make(&step, "whole", "part");
            } else if step.ends_with("letter") {
                desk.make(&step, "letter", "part");
            } else {
                desk.make(&step, "part", "plan");
            }
        }
        Push::Reject(k) => {
            let Some(step) = chosen(*k) else { return };
            desk.reject(&step);
        }
        Push::Fail(k, retryable) => {
            let Some(step) = chosen(*k) else { return };
            desk.fail(&step, *retryable);
        }
        Push::Cancel => drop(desk.ask(Command::Cancel(Cancel {
            run: None,
            reason: "r".into(),
        }))),
        Push::Withdraw(k) => {
            let waiting = desk.session.queue.get(*k).map(|queued| queued.run);
            let Some(run) = waiting else { return };
            drop(desk.ask(Command::Cancel(Cancel {
                run: Some(run),
                reason: "w".into(),
            })));
        }
        Push::Refine(k) => {
            let stage = ["plan", "parts", "letter"][k % 3].into();
            drop(desk.ask(Command::Refine(Refine {
                base_run: None,
                stage,
                items: if k % 2 == 0 {
                    vec![]
                } else {
                    vec!["1".to_owned()]
                },
                feedback: "f".into(),
                settings,
            })));
        }
        Push::Restart(k) => {
            let (stage, item) =
                [("plan", ""), ("parts", "1"), ("parts", "2"), ("letter", "")][k % 4];
            let (stage, item) = (stage.to_owned(), item.to_owned());
            drop(desk.ask(Command::RestartStep(RestartStep {
                run: None,
                stage,
                item,
                feedback: None,
                settings,
            })));
        }
        Push::Edit(k) => {
            let (kind, item) = [("plan", ""), ("part", "1"), ("part", "2"), ("letter", "")][k % 4];
            drop(desk.edit(kind, item, Following::Redone));
        }
        Push::Resume => drop(desk.ask(Command::Resume(Resume {
            run: None,
            settings,
        }))),
        Push::Wait => desk.now += chrono::TimeDelta::hours(1),
        Push::Answer(k, confirm) => {
            let Some(gate) = gates(desk).into_iter().rev().nth(*k) else {
                return;
            };
            let answer = serde_json::json!({ "confirm": confirm });
            drop(desk.ask(Command::AnswerGate(AnswerGate {
                gate,
                answer,
                edited: None,
            })));
        }
        Push::Deadline(k) => {
            let Some(gate) = gates(desk).into_iter().rev().nth(*k) else {
                return;
            };
            drop(desk.ask(Command::MeetDeadline(MeetDeadline { gate })));
        }
    }
}

fn begin(these: &Pushes) -> SessionFixture {
    let mut desk = SessionFixture::new();
    desk.settings.attended = these.attended;
    desk.say("the first").unwrap();
    desk
}

fn drive(these: &Pushes) -> SessionFixture {
    let mut desk = begin(these);
    for (n, one) in these.pushes.iter().enumerate() {
        push(&mut desk, one, n);
    }
    desk
}

/// Sends a command that must not be carried out, and must change nothing.
fn refused(desk: &mut SessionFixture, command: Command) -> Refusal {
    let before = desk.session.clone();
    let refusal = desk.ask(command).unwrap_err();
    assert_eq!(desk.session, before, "a refused command leaves no trace");
    refusal
}

fn fold(events: &[Event]) -> Session {
    let mut session = Session::default();
    events.iter().for_each(|event| session.evolve(event));
    session
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law 1. `SessionFixture::ask` compares each decision's state with the fold of its events as well.
    #[test]
    fn folding_in_parts_equals_folding_at_once(all in pushed(), cut in 0.0..1.0_f64) {
        let desk = drive(&all);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a short list")]
        let cut = (desk.log.len() as f64 * cut) as usize;
        let stored = serde_json::to_string(&fold(&desk.log[..cut])).unwrap();
        let mut parts: Session = serde_json::from_str(&stored).unwrap();
        desk.log[cut..].iter().for_each(|event| parts.evolve(event));
        prop_assert_eq!(&parts, &fold(&desk.log));
        prop_assert_eq!(&parts, &desk.session);
    }

    /// Law 3: exactly one end for each run, exactly one outcome for each attempt, nothing open after the end.
    #[test]
    fn every_run_ends_once_and_everything_that_was_started_is_closed(all in pushed()) {
        let mut desk = drive(&all);
        while desk.session.active.is_some() {
            desk.ask(Command::Cancel(Cancel { run: None, reason: "the end".into() })).unwrap();
        }
        let (mut ends, mut attempts, mut stages) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut ended, mut withdrawn) = (BTreeSet::new(), BTreeSet::new());
        for event in &desk.log {
            match event {
                Event::Session(SessionEvent::MessageWithdrawn(e)) => prop_assert!(withdrawn.insert(e.run) && !ends.contains_key(&e.run)),
                Event::Run(RunEvent::RunStarted(e)) => {
                    prop_assert!(ends.keys().all(|before| *before < e.run), "runs begin in the order of their numbers");
                    prop_assert!(ends.values().all(|n| *n == 1), "one run after the other");
                    ends.insert(e.run, 0);
                }
                Event::Run(RunEvent::RunCompleted(e)) => { *ends.get_mut(&e.run).unwrap() += 1; ended.insert(e.run); }
                Event::Run(RunEvent::RunFailed(e)) => { *ends.get_mut(&e.run).unwrap() += 1; ended.insert(e.run); }
                Event::Run(RunEvent::RunCancelled(e)) => { *ends.get_mut(&e.run).unwrap() += 1; ended.insert(e.run); }
                Event::Step(StepEvent::StepRequested(e)) => {
                    prop_assert!(!ended.contains(&e.step.run), "nothing is asked for after the end");
                    prop_assert!(!withdrawn.contains(&e.step.run), "nothing is done of what was withdrawn");
                    prop_assert_eq!(attempts.insert((e.step.clone(), e.attempt), 0), None);
                }
                Event::Step(StepEvent::StepSucceeded(e)) => *attempts.get_mut(&(e.step.clone(), e.attempt)).unwrap() += 1,
                Event::Step(StepEvent::StepFailed(e)) => *attempts.get_mut(&(e.step.clone(), e.attempt)).unwrap() += 1,
                Event::Step(StepEvent::StepCancelled(e)) => *attempts.get_mut(&(e.step.clone(), e.attempt)).unwrap() += 1,
                Event::Run(RunEvent::StageStarted(e)) => *stages.entry((e.run, e.stage.clone())).or_insert(0) += 1,
                Event::Run(RunEvent::StageClosed(e)) => {
                    let reopened = e.outcome == StageOutcome::Reopened;
                    let open = stages.get_mut(&(e.run, e.stage.clone())).unwrap();
                    *open -= 1;
                    prop_assert!(reopened || *open == 0);
                }
                _ => {}
            }
        }
        prop_assert!(ends.values().all(|n| *n == 1), "{:?}", ends);
        prop_assert!(withdrawn.iter().all(|run| ends.contains_key(run)), "what was withdrawn has its end");
        prop_assert!(attempts.values().all(|n| *n == 1), "{:?}", attempts);
        prop_assert!(stages.values().all(|n| *n == 0), "{:?}", stages);
    }

    /// Law 5: every artifact that counts now was made from artifacts that count now.
    #[test]
    fn nothing_older_than_a_reopening_is_used_downstream_of_it(all in pushed()) {
        let mut desk = begin(&all);
        for (n, one) in all.pushes.iter().enumerate() {
            push(&mut desk, one, n);
            for run in desk.session.runs.values() {
                let current: BTreeSet<_> = run.artifacts().map(|a| a.artifact.clone()).collect();
                for artifact in run.artifacts() {
                    prop_assert!(artifact.from.iter().all(|from| current.contains(from)), "{} of {}", artifact.kind, run.id);
                }
            }
        }
        let (mut made, mut older) = (vec![], BTreeSet::new());
        for event in &desk.log {
            match event {
                Event::Step(StepEvent::ArtifactProduced(e)) => {
                    prop_assert!(e.from.iter().all(|from| !older.contains(from)), "{} of {}", e.kind, e.step);
                    made.push((e.step.clone(), e.artifact.clone()));
                }
                Event::Run(RunEvent::StagesReopened(e)) => {
                    let reopened = made.iter().filter(|(step, _)| e.steps.contains(step));
                    older.extend(reopened.map(|(_, artifact)| artifact.clone()));
                }
                _ => {}
            }
        }
    }

    /// Law 6: an outcome is accepted once for each attempt, and an answer only by the gate that it names, while that gate is open.
    #[test]
    fn what_was_said_once_is_not_taken_again(all in pushed()) {
        let mut desk = drive(&all);
        for event in desk.log.clone() {
            let (step, attempt) = match event {
                Event::Step(StepEvent::StepSucceeded(e)) => (e.step, e.attempt),
                Event::Step(StepEvent::StepFailed(e)) => (e.step, e.attempt),
                Event::Step(StepEvent::StepCancelled(e)) => (e.step, e.attempt),
                _ => continue,
            };
            let finished = Finished::Failed { code: "late".into(), message: "late".into(), retryable: true };
            let again = FinishStep { step: step.clone(), attempt, turn: None, finished };
            prop_assert_eq!(refused(&mut desk, Command::FinishStep(Box::new(again))), Refusal::AttemptOver { step, attempt });
        }
        let (mut answered, mut open) = (BTreeMap::new(), vec![]);
        for event in &desk.log {
            let gate = match event {
                Event::Gate(GateEvent::PlanConfirmed(e)) => &e.gate,
                Event::Gate(GateEvent::PlanDeclined(e)) => &e.gate,
                Event::Gate(GateEvent::AnswerGiven(e)) => &e.gate,
                Event::Gate(GateEvent::GateOpened(e)) => { open.push(e.gate.clone()); continue }
                _ => continue,
            };
            *answered.entry(gate.clone()).or_insert(0) += 1;
        }
        prop_assert!(answered.values().all(|n| *n == 1), "{:?}", answered);
        for gate in open {
            let answer = Command::AnswerGate(AnswerGate { gate: gate.clone(), answer: serde_json::json!({ "confirm": true }), edited: None });
            if answered.contains_key(&gate) {
                prop_assert_eq!(refused(&mut desk, answer), Refusal::GateAnswered { gate });
            } else if let Ok(events) = desk.ask(answer) {
                prop_assert!(matches!(&events[0], Event::Gate(GateEvent::PlanConfirmed(e)) if e.gate == gate), "{:?}", events);
            }
        }
        let unknown: domain::GateId = "r1/none".into();
        let answer = AnswerGate { gate: unknown.clone(), answer: serde_json::json!({ "confirm": true }), edited: None };
        prop_assert_eq!(refused(&mut desk, Command::AnswerGate(answer)), Refusal::NoGate { gate: unknown });
    }

    /// Law 10: an event that went through storage decides the same as one that did not.
    #[test]
    fn a_restart_between_two_events_changes_no_outcome(all in pushed()) {
        let (mut straight, mut restarted) = (begin(&all), begin(&all));
        for (n, one) in all.pushes.iter().enumerate() {
            push(&mut straight, one, n);
            let stored: Vec<_> = restarted.log.iter().map(|e| (e.name(), e.schema(), e.encode())).collect();
            let read: Vec<_> = stored.iter().map(|(name, v, bytes)| Event::decode(name, *v, bytes).unwrap()).collect();
            restarted.session = fold(&read);
            push(&mut restarted, one, n);
        }
        prop_assert_eq!(straight.log, restarted.log);
    }
}
