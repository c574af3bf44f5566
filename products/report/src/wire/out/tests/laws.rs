//! What holds for every log on the report protocol: everything that begins ends exactly once, and frames say what the log says.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::event::{Body, Event, RunEvent, StepEvent};
use palimpsest::prelude::wire::{Recorded, RunId, Session};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::wire::out::Report;
use crate::wire::out::tests::generator::{others, reports};
use crate::wire::out::tests::log::{Log, REPORT};

fn run_id(data: &Value) -> String {
    data["metadata"]["run_id"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The id of the task that a frame of a solver is about.
fn task_id(data: &Value) -> u64 {
    let content = &data["content"];
    let id = content["id"].as_u64().or(content["task"]["id"].as_u64());
    id.unwrap()
}

fn ended_runs(log: &Log) -> BTreeSet<RunId> {
    let ended = |recorded: &Recorded| end_of(&recorded.event);
    log.events.iter().filter_map(ended).collect()
}

/// The state of the session before each event.
fn states(log: &Log) -> Vec<Session> {
    let mut session = Session::default();
    let mut states = vec![];
    for recorded in &log.events {
        states.push(session.clone());
        session.evolve(&recorded.event);
    }
    states
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_for_every_wire_holds_for_this_one(log in prop_oneof![reports(), others()]) {
        wire_laws::<Report>(&log.events);
    }

    #[test]
    fn a_run_that_ended_has_exactly_one_terminal_frame_and_nothing_after_it(log in prop_oneof![reports(), others()]) {
        let mut ended = BTreeSet::new();
        for frame in log.frames_of::<Report>() {
            let data = data(&frame);
            prop_assert!(!ended.contains(&run_id(&data)), "{} after the end", frame.name);
            if frame.terminal {
                let known = ["agent.final_answer", "agent.error", "agent.interrupted", "system.notice"];
                prop_assert!(known.contains(&frame.name));
                prop_assert_eq!(frame.name == "system.notice", data["metadata"]["done"] == json!(true));
                ended.insert(run_id(&data));
            }
        }
        let expected: BTreeSet<_> = ended_runs(&log).iter().map(RunId::to_string).collect();
        prop_assert_eq!(ended, expected);
    }

    #[test]
    fn a_solver_that_begins_ends_once_before_its_run_does(log in reports()) {
        let mut begun = BTreeSet::new();
        for frame in log.frames_of::<Report>() {
            let data = data(&frame);
            match frame.name {
                "solver.start" => prop_assert!(begun.insert((run_id(&data), task_id(&data))), "begins twice"),
                "solver.completed" | "solver.failed" => {
                    prop_assert!(begun.remove(&(run_id(&data), task_id(&data))), "{} without a start", frame.name);
                }
                // A solver that waits for its turn may be cancelled, too.
                "solver.cancelled" => { begun.remove(&(run_id(&data), task_id(&data))); }
                "solver.restarted" => prop_assert!(!begun.contains(&(run_id(&data), task_id(&data)))),
                "aggregate.start" => prop_assert!(begun.iter().all(|(run, _)| *run != run_id(&data))),
                _ if frame.terminal => prop_assert!(begun.iter().all(|(run, _)| *run != run_id(&data))),
                _ => {}
            }
        }
    }

    #[test]
    fn a_call_of_a_tool_has_one_result_and_a_number_of_its_own(log in reports()) {
        let mut open = BTreeSet::new();
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        for frame in log.frames_of::<Report>() {
            let data = data(&frame);
            let key = (run_id(&data), data["step_id"].as_str().unwrap_or_default().to_owned());
            if frame.name == "agent.tool_call" {
                let number = numbers.entry(key.0.clone()).or_default();
                *number += 1;
                prop_assert_eq!(&key.1, &format!("step_{number}_read_local_file"));
                open.insert(key);
            } else if frame.name == "agent.tool_result" {
                prop_assert!(open.remove(&key), "a result without a call");
            } else if frame.terminal {
                prop_assert!(open.iter().all(|(run, _)| *run != key.0), "a call without a result");
            }
        }
    }

    #[test]
    fn a_thought_of_an_open_step_is_told_once_with_its_words_and_its_number(log in reports()) {
        let frames = log.frames_of::<Report>();
        let states = states(&log);
        let only = |run: RunId| log.events.iter().any(|recorded| matches!(&recorded.event,
            Event::Run(RunEvent::RunStarted(e)) if e.run == run && (e.pipeline != REPORT || e.input["mode"] == "solve_tasks")));
        let mut answers: BTreeMap<(String, u32), usize> = BTreeMap::new();
        for (place, recorded) in log.events.iter().enumerate() {
            let told: Vec<_> = frames.iter().filter(|frame| frame.version == place as u64 + 1).collect();
            let Event::Step(StepEvent::ModelCalled(e)) = &recorded.event else {
                prop_assert!(told.iter().all(|frame| frame.name != "agent.thinking"));
                continue;
            };
            let answer = answers.entry((e.step.to_string(), e.attempt)).or_default();
            *answer += usize::from(e.error.is_none());
            let is_open = states[place].run(e.step.run).is_some_and(|run| run.is_active());
            let Some(thought) = e.thought.as_ref().filter(|_| is_open && !only(e.step.run)) else {
                prop_assert_eq!(told.len(), 0);
                continue;
            };
            prop_assert_eq!(told.len(), 1);
            let data = data(told[0]);
            prop_assert_eq!((told[0].name, &data["content"]), ("agent.thinking", &json!(thought)));
            prop_assert_eq!((&data["metadata"]["step"], &data["metadata"]["streaming"]), (&json!(*answer), &json!(false)));
        }
    }

    #[test]
    fn frames_are_numbered_from_one_without_a_gap(log in reports()) {
        for (place, frame) in log.frames_of::<Report>().iter().enumerate() {
            let (data, seq) = (data(frame), place + 1);
            prop_assert_eq!(&data["seq"], &json!(seq));
            prop_assert_eq!(&data["event_id"], &json!(format!("s1-v1-{seq}")));
            prop_assert_eq!(&data["event"], &json!(frame.name));
            prop_assert!(data["metadata"].is_object() && data["show_content"].is_string());
            prop_assert!(!data["content"].is_null());
        }
    }

    #[test]
    fn what_is_put_together_is_what_counts_then_and_nothing_older(log in reports()) {
        let states = states(&log);
        for frame in log.frames_of::<Report>().iter().filter(|frame| frame.name == "aggregate.start") {
            let data = data(frame);
            let at = usize::try_from(frame.version).unwrap() - 1;
            let Event::Run(RunEvent::StageStarted(e)) = &log.events[at].event else {
                return Err(TestCaseError::fail("the report stage starts"));
            };
            prop_assert_eq!(&e.stage, REPORT);
            let run = states[at].run(e.run).unwrap();
            let bodies = |kind: &'static str| run.artifacts_of(kind).map(|(item, made)| {
                let body = match &made.body {
                    Body::Event { json } => json.as_ref().clone(),
                    Body::Blob { blob, media_type } => json!({
                        "url": format!("/v1/artifacts/{}/content", made.artifact), "size": blob.size,
                        "media_type": media_type,
                    }),
                };
                (item.to_owned(), body)
            });
            let sections: BTreeMap<_, _> = bodies("section").collect();
            let told = data["content"]["solver_results"].as_array().unwrap();
            let told: BTreeMap<_, _> =
                told.iter().map(|one| (one["task"]["id"].to_string(), one["result"]["output"].clone())).collect();
            prop_assert_eq!(told, sections);
            let plan = bodies("plan").next().unwrap().1;
            prop_assert_eq!(&data["content"]["context"]["tasks"], &plan["tasks"]);
            prop_assert_eq!(&data["content"]["context"]["plan_summary"], &plan["plan_summary"]);
        }
    }

    #[test]
    fn a_question_is_asked_once_and_closed_at_most_once(log in reports()) {
        let (mut asked, mut closed) = (BTreeSet::new(), BTreeSet::new());
        for frame in log.frames_of::<Report>() {
            let data = data(&frame);
            if frame.name == "agent.user_confirm" {
                prop_assert!(asked.insert(data["step_id"].to_string()));
            }
            let confirm = &data["metadata"]["confirm"]["step_id"];
            if confirm.is_string() {
                prop_assert!(asked.contains(&confirm.to_string()) && closed.insert(confirm.to_string()));
            }
        }
    }

    #[test]
    fn a_report_is_begun_before_it_is_completed_and_answered_right_after_the_pipeline(log in reports()) {
        let frames = log.frames_of::<Report>();
        let mut begun = BTreeSet::new();
        for (place, frame) in frames.iter().enumerate() {
            let run = run_id(&data(frame));
            match frame.name {
                "aggregate.start" => { begun.insert(run); }
                "aggregate.completed" => prop_assert!(begun.remove(&run)),
                "pipeline.completed" => prop_assert_eq!(frames[place + 1].name, "agent.final_answer"),
                _ => {}
            }
        }
    }

    #[test]
    fn solving_given_tasks_tells_of_solvers_and_tools_alone(log in reports()) {
        let only = |event: &Event| if let Event::Run(RunEvent::RunStarted(e)) = event && e.input["mode"] == "solve_tasks" { Some(e.run.to_string()) } else { None };
        let only: BTreeSet<_> = log.events.iter().filter_map(|recorded| only(&recorded.event)).collect();
        for frame in log.frames_of::<Report>() {
            let name = frame.name;
            let others = name == "agent.final_answer" || name == "agent.thinking" || name.starts_with("plan.") || name.starts_with("aggregate.") || name == "pipeline.completed";
            prop_assert!(!others || !only.contains(&run_id(&data(&frame))), "{}", name);
        }
    }
}
