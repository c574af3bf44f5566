use domain::event::{Intent, RunEvent, SessionEvent};
use domain::ids::RunId;
use domain::session::End;
use domain::settings::OnBusy;
use domain::{Event, Session};

use super::{SessionFixture, words};
use crate::{Cancel, Command, Fork, QUEUED_MAX, Refusal, check_path, fork_events};

#[test]
fn a_message_opens_the_session_and_starts_a_run_in_one_append() {
    let mut desk = SessionFixture::new();
    let events = desk.say("hello").unwrap();
    let expected = [
        "SessionOpened",
        "MessageReceived",
        "RunStarted",
        "open understand",
        "ask r1/understand#1",
    ];
    assert_eq!(words(&events), expected);
}

#[test]
fn an_irrelevant_message_is_answered_and_completes_its_run_with_nothing() {
    let mut desk = SessionFixture::new();
    desk.say("hi").unwrap();
    let events = desk.understood(RunId(1), Intent::Irrelevant, None);
    let expected = [
        "IntentClassified",
        "done r1/understand",
        "close understand completed",
        "MessageSent",
        "RunCompleted",
    ];
    assert_eq!(words(&events), expected);
    assert_eq!(desk.session.head, None);
    assert_eq!(desk.session.active, None);
}

#[test]
fn a_message_to_a_busy_session_waits_with_its_run_id_allocated() {
    let mut desk = SessionFixture::new();
    desk.say("first").unwrap();
    let events = desk.say("second").unwrap();
    assert_eq!(words(&events), ["MessageReceived", "MessageQueued"]);
    let Event::Session(SessionEvent::MessageQueued(queued)) = &events[1] else {
        panic!()
    };
    assert_eq!(queued.run, RunId(2));
    desk.understood(RunId(1), Intent::Irrelevant, None);
    assert_eq!(desk.session.active, Some(RunId(2)));
    assert_eq!(desk.session.runs[&RunId(2)].brief, "second");
    assert!(desk.session.queue.is_empty());
}

#[test]
fn a_message_that_refuses_to_wait_is_refused_and_nothing_is_recorded() {
    let mut desk = SessionFixture::new();
    desk.say("first").unwrap();
    let before = desk.session.clone();
    assert_eq!(
        desk.say_with("second", OnBusy::Refuse),
        Err(Refusal::Busy { run: RunId(1) })
    );
    assert_eq!(desk.session, before);
}

#[test]
fn a_message_that_interrupts_cancels_the_busy_run_and_starts_its_own() {
    let mut desk = SessionFixture::new();
    desk.say("first").unwrap();
    let events = desk.say_with("second", OnBusy::Interrupt).unwrap();
    let expected = [
        "MessageReceived",
        "MessageQueued",
        "cancelled r1/understand cancelled",
        "close understand cancelled",
        "RunCancelled",
        "RunStarted",
        "open understand",
        "ask r2/understand#1",
    ];
    assert_eq!(words(&events), expected);
}

#[test]
fn what_waits_is_bounded() {
    let mut desk = SessionFixture::new();
    desk.say("first").unwrap();
    for n in 0..QUEUED_MAX {
        desk.say(&format!("more {n}")).unwrap();
    }
    assert_eq!(
        desk.say("one too many"),
        Err(Refusal::QueueFull {
            queued: QUEUED_MAX,
            most: QUEUED_MAX
        })
    );
}

fn withdraw(run: u32) -> Command {
    Command::Cancel(Cancel {
        run: Some(RunId(run)),
        reason: "not this".into(),
    })
}

#[test]
fn a_message_that_waits_is_taken_back_and_its_run_is_cancelled_when_its_turn_comes() {
    let mut desk = SessionFixture::new();
    desk.say("first").unwrap();
    desk.say("second").unwrap();
    desk.say("third").unwrap();
    desk.say("fourth").unwrap();
    assert_eq!(words(&desk.ask(withdraw(2)).unwrap()), ["MessageWithdrawn"]);
    assert_eq!(words(&desk.ask(withdraw(3)).unwrap()), ["MessageWithdrawn"]);
    assert_eq!(desk.ask(withdraw(2)), Err(Refusal::Ended { run: RunId(2) }));
    assert_eq!(desk.ask(withdraw(9)), Err(Refusal::NoRun { run: RunId(9) }));
    assert_eq!(desk.session.active, Some(RunId(1)));
    let events = desk.understood(RunId(1), Intent::Irrelevant, None);
    let expected = [
        "IntentClassified",
        "done r1/understand",
        "close understand completed",
        "MessageSent",
        "RunCompleted",
        "RunStarted",
        "RunCancelled",
        "RunStarted",
        "RunCancelled",
        "RunStarted",
        "open understand",
        "ask r4/understand#1",
    ];
    assert_eq!(words(&events), expected);
    let end = desk.session.runs[&RunId(2)].end.clone();
    let reason = "not this".to_owned();
    assert_eq!(end, Some(End::Cancelled { reason }));
    assert_eq!(desk.ask(withdraw(2)), Err(Refusal::Ended { run: RunId(2) }));
}

#[test]
fn a_fork_in_the_middle_of_taking_up_a_message_that_was_taken_back_does_nothing_of_it() {
    let mut desk = SessionFixture::new();
    desk.say("first").unwrap();
    desk.say("second").unwrap();
    desk.ask(withdraw(2)).unwrap();
    desk.understood(RunId(1), Intent::Irrelevant, None);
    let started =
        |event: &Event| matches!(event, Event::Run(RunEvent::RunStarted(e)) if e.run == RunId(2));
    let at = desk.log.iter().position(started).unwrap() + 1;
    let mut child = Session::default();
    desk.log[..at].iter().for_each(|event| child.evolve(event));
    let fork = Fork {
        parent: "s1".into(),
        at: at as u64,
    };
    let events = fork_events(&mut child, fork, &desk.context()).unwrap();
    assert_eq!(words(&events), ["SessionForked", "RunCancelled"]);
}

#[test]
fn an_empty_message_and_an_unknown_input_are_refused() {
    let mut desk = SessionFixture::new();
    assert_eq!(desk.say("  \n"), Err(Refusal::EmptyMessage));
    assert!(!desk.session.exists());
}

#[test]
fn hostile_file_names_are_refused() {
    for path in [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a//b",
        "a\\b",
        "c:x",
        "a\u{0}b",
        "x ",
        "x.",
        &"y".repeat(256),
    ] {
        assert!(
            matches!(check_path(path), Err(Refusal::BadFileName { .. })),
            "{path:?}"
        );
    }
    for path in ["a.md", "资料/光合作用.md", "x.tar.gz", ".hidden"] {
        assert_eq!(check_path(path), Ok(()), "{path:?}");
    }
}

#[test]
fn a_change_in_another_language_leaves_the_run_in_the_language_of_its_base() {
    let mut desk = SessionFixture::new();
    desk.settings.language = "zh".into();
    desk.complete_run("信");
    desk.settings.language = "en".into();
    desk.say("shorter").unwrap();
    desk.understood(RunId(2), Intent::Refinement, Some("parts"));
    let language =
        |desk: &SessionFixture, run| desk.session.runs[&RunId(run)].settings.language.clone();
    assert_eq!(language(&desk, 2), "zh");
    desk.finish_parts(RunId(2));
    desk.settings.language_named = true;
    desk.say("in English").unwrap();
    desk.understood(RunId(3), Intent::Refinement, Some("parts"));
    assert_eq!(language(&desk, 3), "en");
    desk.finish_parts(RunId(3));
    desk.settings.language_named = false;
    desk.say("another letter").unwrap();
    desk.understood(RunId(4), Intent::Initial, None);
    assert_eq!(language(&desk, 4), "en");
}
