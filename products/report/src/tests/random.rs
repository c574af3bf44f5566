//! The flow of reports, driven at random: by steps with any outcome, and by a person who changes their mind.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use palimpsest::prelude::pipeline::event::{Body, Event, Intent, StepEvent};
use palimpsest::prelude::pipeline::{
    ArtifactId, End, GateId, Pipeline as _, Pipelines, Run, StepId, StepState,
};
use palimpsest::prelude::trial::{
    AnswerGate, Cancel, Command, EditedBodies, Finished, MeetDeadline, NewBody, RestartStep,
    Resume, SessionFixture, SkipStep,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::Report;

const TASKS: u64 = 4;

#[derive(Clone, Debug)]
enum Push {
    Say,
    Succeed(usize),
    Reject(usize),
    Fail(usize, bool),
    Skip(u64),
    Restart(u64),
    Replan,
    Cancel,
    Resume,
    Confirm(bool),
    Edit,
    Deadline,
}

fn pushes() -> impl Strategy<Value = Vec<Push>> {
    let push = prop_oneof![
        1 => Just(Push::Say),
        16 => (0..8_usize).prop_map(Push::Succeed),
        2 => (0..8_usize).prop_map(Push::Reject),
        2 => ((0..8_usize), any::<bool>()).prop_map(|(n, retryable)| Push::Fail(n, retryable)),
        2 => (1..=TASKS).prop_map(Push::Skip),
        2 => (1..=TASKS).prop_map(Push::Restart),
        1 => Just(Push::Replan),
        1 => Just(Push::Cancel),
        1 => Just(Push::Resume),
        3 => any::<bool>().prop_map(Push::Confirm),
        1 => Just(Push::Edit),
        1 => Just(Push::Deadline),
    ];
    proptest::collection::vec(push, 1..80)
}

fn begin() -> SessionFixture {
    let mut desk = SessionFixture::of(Pipelines::new(vec![&Report]));
    desk.settings.attended = true;
    desk.say_to("report", 0);
    desk
}

/// What a step of this stage produces: its kinds, with the facts that the flow reads.
fn made(run: &Run, stage: &str) -> Vec<(&'static str, Value)> {
    match stage {
        "prepare" => vec![("template_tree", json!({ "leaves": TASKS }))],
        "plan" => {
            let ids: Vec<u64> = (1..=TASKS).collect();
            vec![("plan", json!({ "tasks": TASKS, "ids": ids }))]
        }
        "sections" => vec![("section", Value::Null)],
        "report" => {
            let there = |id: &u64| run.has_step("sections", &id.to_string());
            let missing: Vec<u64> = (1..=TASKS).filter(|id| !there(id)).collect();
            vec![
                ("report", json!({ "missing": missing })),
                ("markdown", Value::Null),
            ]
        }
        "export" => vec![("html", Value::Null)],
        other => panic!("no stage of a report: {other}"),
    }
}

fn succeed(desk: &mut SessionFixture, step: &StepId) {
    if step.stage == "understand" {
        desk.understood(step.run, Intent::Initial, None);
        return;
    }
    let run = &desk.session.runs[&step.run];
    let sees = Report.sees(&step.stage, &step.item);
    let from: Vec<ArtifactId> = sees
        .iter()
        .flat_map(|kind| run.artifacts_of(kind))
        .map(|(_, artifact)| artifact.artifact.clone())
        .collect();
    let artifacts = made(run, &step.stage)
        .into_iter()
        .map(|(kind, facts)| NewBody {
            kind: kind.into(),
            id_prefix: "art_",
            part: "".into(),
            title: "".into(),
            body: Body::Event {
                json: Arc::new(json!({ "made": step })),
            },
            facts,
            shown: true,
            from: from.clone(),
        });
    let finished = Finished::Done {
        artifacts: artifacts.collect(),
        files: vec![],
        intent: None,
        decisions: vec![],
    };
    desk.finish(&step.to_string(), finished).unwrap();
}

fn plan_gate(desk: &SessionFixture) -> Option<GateId> {
    let run = desk.session.active_run()?;
    let gate = run.open_gates().next()?;
    Some(gate.opened.gate.clone())
}

fn restart(desk: &mut SessionFixture, stage: &str, item: String) {
    let settings = desk.settings.clone();
    drop(desk.ask(Command::RestartStep(RestartStep {
        run: None,
        stage: stage.into(),
        item,
        feedback: None,
        settings,
    })));
}

fn push(desk: &mut SessionFixture, push: &Push, n: usize) {
    desk.now += TimeDelta::seconds(1);
    let steps = desk.open_steps();
    let chosen = |k: usize| steps.get(k % steps.len().max(1)).cloned();
    match push {
        Push::Say => desk.say_to("report", n + 1),
        Push::Succeed(k) => {
            if let Some(step) = chosen(*k) {
                succeed(desk, &step);
            }
        }
        Push::Reject(k) => {
            let Some(step) = chosen(*k) else { return };
            desk.reject(&step.to_string());
        }
        Push::Fail(k, retryable) => {
            let Some(step) = chosen(*k) else { return };
            desk.fail(&step.to_string(), *retryable);
        }
        Push::Skip(id) => drop(desk.ask(Command::SkipStep(SkipStep {
            run: None,
            stage: "sections".into(),
            item: id.to_string(),
        }))),
        Push::Restart(id) => restart(desk, "sections", id.to_string()),
        Push::Replan => {
            restart(desk, "plan", String::new());
            nothing_is_left_of_the_old_plan(desk);
        }
        Push::Cancel => drop(desk.ask(Command::Cancel(Cancel {
            run: None,
            reason: "r".into(),
        }))),
        Push::Resume => {
            let settings = desk.settings.clone();
            drop(desk.ask(Command::Resume(Resume {
                run: None,
                settings,
            })));
        }
        Push::Confirm(confirm) => {
            let Some(gate) = plan_gate(desk) else { return };
            let answer = json!({ "confirm": confirm });
            desk.ask(Command::AnswerGate(AnswerGate {
                gate,
                answer,
                edited: None,
            }))
            .unwrap();
        }
        Push::Edit => {
            let Some(gate) = plan_gate(desk) else { return };
            let run = desk.session.active_run().unwrap();
            let facts = run.facts("plan").unwrap().clone();
            let edited = NewBody {
                kind: "plan".into(),
                id_prefix: "art_",
                part: "".into(),
                title: "".into(),
                body: Body::Event {
                    json: Arc::new(json!({ "edited": n })),
                },
                facts,
                shown: true,
                from: vec![],
            };
            let answer = json!({ "confirm": true, "edits": [] });
            desk.ask(Command::AnswerGate(AnswerGate {
                gate,
                answer,
                edited: Some(Box::new(EditedBodies {
                    subject: Some(edited),
                    ..EditedBodies::default()
                })),
            }))
            .unwrap();
        }
        Push::Deadline => {
            let Some(gate) = plan_gate(desk) else { return };
            desk.now += TimeDelta::hours(1);
            desk.ask(Command::MeetDeadline(MeetDeadline { gate }))
                .unwrap();
        }
    }
}

/// A new plan begins with fresh attempts and without parts that were left out.
fn nothing_is_left_of_the_old_plan(desk: &SessionFixture) {
    let Some(run) = desk.session.active_run() else {
        return;
    };
    if !run.step("plan", "").is_some_and(|step| step.is_open()) {
        return;
    }
    assert!((1..=TASKS).all(|id| !run.is_skipped("sections", &id.to_string())));
    for step in run
        .steps
        .get("sections")
        .into_iter()
        .flat_map(BTreeMap::values)
    {
        assert!(!matches!(
            step.state,
            StepState::Failed { .. } | StepState::Open
        ));
    }
}

/// A report that was delivered has every section that exists, and names the others as missing.
fn reports_are_whole(desk: &SessionFixture) {
    for run in desk.session.runs.values() {
        let Some(End::Completed {
            final_artifact: Some(_),
            partial,
        }) = &run.end
        else {
            continue;
        };
        let report = run.artifact("report").unwrap();
        let sections: Vec<_> = run.artifacts_of("section").collect();
        assert!(
            sections
                .iter()
                .all(|(_, section)| report.from.contains(&section.artifact))
        );
        let missing = report.facts["missing"].as_array().unwrap().len();
        assert_eq!(missing + sections.len(), usize::try_from(TASKS).unwrap());
        assert!(*partial || missing == 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_older_is_used_and_every_report_is_whole(all in pushes()) {
        let mut desk = begin();
        for (n, one) in all.iter().enumerate() {
            push(&mut desk, one, n);
            desk.nothing_older_is_used();
            reports_are_whole(&desk);
        }
    }

    /// Laws 3 and 7: without further actions a run comes to its end; a cancelled run asks for nothing more.
    #[test]
    fn a_run_comes_to_its_end_whatever_was_done_to_it(all in pushes(), cancel in any::<bool>()) {
        let mut desk = begin();
        for (n, one) in all.iter().enumerate() {
            push(&mut desk, one, n);
        }
        if cancel && desk.session.active.is_some() {
            let events = desk.ask(Command::Cancel(Cancel { run: None, reason: "r".into() })).unwrap();
            let asks = events.iter().any(|event| matches!(event, Event::Step(StepEvent::StepRequested(_))));
            prop_assert!(!asks);
        }
        for n in 0..200 {
            if desk.session.active.is_none() {
                break;
            }
            push(&mut desk, &Push::Confirm(true), n);
            push(&mut desk, &Push::Succeed(0), n);
        }
        prop_assert_eq!(desk.session.active, None);
        prop_assert!(desk.open_steps().is_empty());
    }
}
