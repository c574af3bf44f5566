//! The report protocol: transcripts of whole runs, and what they are to say.

mod generator;
mod laws;
mod log;
mod turns;

use insta::assert_json_snapshot;
use palimpsest::prelude::pipeline::{Budget, MessageId, Settings};
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::event::*;
use palimpsest::prelude::wire::{ArtifactId, Recorded, RunId, Wires};
use serde_json::{Value, json};

use super::{Report, on_connection};
use log::*;

const GATE: &str = "gate_0123456789abcdef01234567";
const STEP_ID: &str = "confirm_plan_01234567";

/// A run of three tasks, up to the confirmation.
pub(crate) fn waiting() -> Log {
    Log::report()
        .asks("写一份年报", asked())
        .plans(3, 1)
        .asks_to_confirm(GATE)
}

/// The plan is confirmed and the solvers begin, two at a time.
pub(crate) fn solving() -> Log {
    waiting()
        .confirmed(GATE, None)
        .stage(SECTIONS, 3)
        .requests(&[(1, 1), (2, 1)])
}

pub(crate) fn happy() -> Log {
    let log = solving().tool(SECTIONS, "2", 1, 1, "read_local_file").tool(
        SECTIONS,
        "1",
        1,
        1,
        "read_local_file",
    );
    let log = log
        .returned(SECTIONS, "1", 1, 1, "read_local_file", None)
        .returned(
            SECTIONS,
            "2",
            1,
            1,
            "read_local_file",
            Some(call_error("not_found", false)),
        );
    log.solves(2, 1)
        .requests(&[(3, 1)])
        .solves(1, 1)
        .solves(3, 1)
        .sections_done()
        .delivers(&[1, 2, 3], &[])
}

fn kinds(log: &Log, kinds: &[&str]) -> Vec<ArtifactId> {
    let kept = |recorded: &Recorded| {
        if let Event::Step(StepEvent::ArtifactProduced(e)) = &recorded.event
            && kinds.contains(&e.kind.as_str())
        {
            Some(e.artifact.clone())
        } else {
            None
        }
    };
    log.events.iter().filter_map(kept).collect()
}

fn names_after(log: &Log, before: &Log) -> Vec<&'static str> {
    log.names()[before.names().len()..].to_vec()
}

#[test]
fn a_run_of_three_sections_that_is_confirmed() {
    assert_json_snapshot!(happy().transcript());
}

#[test]
fn the_envelope_has_the_contracts_fields_and_ends_with_its_metadata() {
    let log = happy();
    let frames = log.frames_of::<Report>();
    let confirm = frames
        .iter()
        .find(|frame| frame.name == "agent.user_confirm")
        .unwrap();
    let data: Value = serde_json::from_str(confirm.data.get()).unwrap();
    let fields: Vec<_> = data.as_object().unwrap().keys().cloned().collect();
    let expected = [
        "event",
        "timestamp",
        "session_id",
        "step_id",
        "content",
        "show_content",
        "seq",
        "event_id",
        "metadata",
    ];
    assert_eq!(fields, expected);
    assert_eq!(data["step_id"], STEP_ID);
    for frame in frames {
        let sent = on_connection(&frame.data, "c1");
        let sent: Value = serde_json::from_str(&sent).unwrap();
        assert_eq!(
            (&sent["connection_id"], &sent["metadata"]["connection_id"]),
            (&json!("c1"), &json!("c1"))
        );
    }
}

#[test]
fn what_planner_and_solvers_think_is_told_beside_their_calls() {
    let log = Log::report().asks("写一份年报", asked());
    let log = log.stage(PLAN, 1).request(PLAN, "", 1);
    let log = log
        .called(PLAN, "", 1, Some(call_error("server", true)))
        .thinks(PLAN, "", 1, "先看有哪些数据。")
        .tool(PLAN, "", 1, 1, "list_local_dir")
        .returned(PLAN, "", 1, 1, "list_local_dir", None)
        .called(PLAN, "", 1, None)
        .thinks(PLAN, "", 1, "数据够了，\n可以规划。");
    let before = log.clone();
    // The thoughts of an attempt that has ended are not sent any longer; the next attempt counts from 1 again.
    let log = log
        .fail(PLAN, "", 1, "no answer", true)
        .thinks(PLAN, "", 1, "too late")
        .request(PLAN, "", 2)
        .thinks(PLAN, "", 2, "再来一次。")
        .planned(inline(plan(1)), 2)
        .asks_to_confirm(GATE)
        .confirmed(GATE, None)
        .stage(SECTIONS, 1)
        .requests(&[(1, 1)])
        .thinks(SECTIONS, "1", 1, "这一节要用表格。");
    let told: Vec<_> = log
        .frames_of::<Report>()
        .into_iter()
        .filter(|frame| frame.name == "agent.thinking")
        .map(|frame| serde_json::from_str::<Value>(frame.data.get()).unwrap())
        .collect();
    assert_json_snapshot!(told);
    let names = names_after(&before, &Log::report().asks("写一份年报", asked()));
    let expected = [
        "plan.start",
        "agent.thinking",
        "agent.tool_call",
        "agent.tool_result",
        "agent.thinking",
    ];
    assert_eq!(names, expected);
}

#[test]
fn given_tasks_are_solved_without_a_word() {
    let input = json!({ "mode": "solve_tasks", "tasks": [{ "id": 1 }] });
    let log = Log::report().asks_with("写", input, asked());
    let log = log.stage(PLAN, 1).request(PLAN, "", 1);
    let log = log
        .planned(inline(plan(1)), 1)
        .stage(SECTIONS, 1)
        .requests(&[(1, 1)]);
    let before = log.names();
    assert_eq!(log.thinks(SECTIONS, "1", 1, "想一想").names(), before);
}

#[test]
fn an_edited_plan_is_what_is_solved_and_no_second_plan() {
    let log = waiting();
    let before = log.clone();
    let mut edited = plan(2);
    edited["tasks"][1]["title"] = json!("改过的标题");
    let log = log.make(PLAN, "", 1, "plan", true, inline(edited));
    let edits = log.last_artifact();
    let log = log
        .confirmed(GATE, Some(edits))
        .stage(SECTIONS, 2)
        .requests(&[(1, 1), (2, 1)]);
    assert_json_snapshot!(log.added_to(&before));
    let log = log
        .solves(1, 1)
        .solves(2, 1)
        .sections_done()
        .stage(REPORT, 1);
    let start = last(&log, "aggregate.start");
    assert_eq!(
        start["content"]["context"]["tasks"][1]["title"],
        "改过的标题"
    );
    let statistics = start["content"]["context"]["plan_statistics"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(statistics, 1, "the exchanges of the plan that was edited");
}

#[test]
fn tasks_are_not_broadcast_where_the_run_says_so_but_still_shown_for_confirmation() {
    let mut settings = asked();
    settings.options["broadcast_tasks"] = json!(false);
    let log = Log::report()
        .asks("写", settings)
        .plans(2, 1)
        .asks_to_confirm(GATE);
    let plan = last(&log, "plan.completed");
    assert_eq!(plan["content"], json!({ "plan_summary": "先看数据" }));
    assert_eq!(
        last(&log, "agent.user_confirm")["content"]["tasks"][1],
        task(2)
    );
}

#[test]
fn a_declined_plan_ends_the_run_with_the_words_that_clients_know() {
    let before = waiting();
    assert_json_snapshot!(waiting().declined(GATE, "person").added_to(&before));
}

#[test]
fn a_confirmation_that_timed_out_is_announced_and_counts_as_declined() {
    let before = waiting();
    let log = waiting().declined(GATE, "deadline");
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_section_that_fails_is_tried_again_and_then_named_with_what_is_missing() {
    let before = solving();
    let log = solving()
        .called(SECTIONS, "2", 1, Some(call_error("server", true)))
        .tool(SECTIONS, "2", 1, 1, "read_local_file")
        .fail(SECTIONS, "2", 1, "the model gave no answer", true)
        .solves(1, 1);
    let (step, at) = (log.step(SECTIONS, "2"), log.now());
    let log = log.then(StepRequested {
        step,
        attempt: 2,
        due: at + chrono::TimeDelta::seconds(3),
        guidance: Guidance::default(),
        reserve: Reserve::default(),
        at,
    });
    let log = log
        .requests(&[(3, 1)])
        .solves(3, 1)
        .fail(SECTIONS, "2", 2, "the model gave no answer", true)
        .sections_done()
        .delivers(&[1, 3], &[2]);
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_section_that_may_not_be_tried_again_fails_at_once() {
    let log = solving().fail(SECTIONS, "1", 1, "no key", false);
    let failed = last(&log, "solver.failed");
    assert_eq!(failed["content"]["id"], 1);
    assert_eq!(
        (&failed["content"]["error"], &failed["content"]["code"]),
        (&json!("no key"), &json!("rejected"))
    );
    assert_eq!(failed["content"]["task"], task(1));
}

#[test]
fn a_failed_preparation_is_an_error_with_its_cause() {
    let log = Log::report()
        .message("写", in_english(asked()))
        .understood();
    let log = log.stage("prepare", 1).request("prepare", "", 1);
    let log = log
        .fail("prepare", "", 1, "there is no template `x`", false)
        .close("prepare", StageOutcome::Failed)
        .failed(
            "stage_failed",
            "stage `prepare` failed: there is no template `x`",
        );
    assert_json_snapshot!(log.transcript());
}

#[test]
fn a_cancelled_run_closes_its_solvers_and_calls_and_is_interrupted() {
    let before = solving();
    let log = solving()
        .tool(SECTIONS, "1", 1, 1, "read_local_file")
        .cancel_step(SECTIONS, "1", 1, "cancelled")
        .cancel_step(SECTIONS, "2", 1, "cancelled")
        .close(SECTIONS, StageOutcome::Cancelled)
        .cancelled();
    assert_json_snapshot!(log.added_to(&before));
    let late = log
        .clone()
        .returned(SECTIONS, "1", 1, 1, "read_local_file", None)
        .called(SECTIONS, "1", 1, None)
        .close(SECTIONS, StageOutcome::Failed)
        .cancelled();
    assert_eq!(late.names(), log.names());
}

#[test]
fn a_budget_that_is_used_up_is_asked_about_and_raised() {
    let before = solving();
    let gate = "gate_ffffffffffffffffffffffff";
    let log = solving().asks_for_budget(gate);
    let (run, at) = (log.run, log.now());
    let log = log
        .answered(gate, json!({ "choice": "raise" }), "person")
        .then(BudgetRaised {
            run,
            budget: Budget::default(),
            at,
        });
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_run_that_is_finished_with_what_there_is_names_what_is_missing() {
    let gate = "gate_ffffffffffffffffffffffff";
    let log = solving().solves(1, 1).asks_for_budget(gate).answered(
        gate,
        json!({ "choice": "finish_partial" }),
        "person",
    );
    let before = log.clone();
    let log = log
        .cancel_step(SECTIONS, "2", 1, "budget")
        .close(SECTIONS, StageOutcome::Cancelled)
        .ends_with(None, true);
    assert_eq!(
        names_after(&log, &before),
        ["solver.cancelled", "agent.final_answer"]
    );
    let answer = last(&log, "agent.final_answer");
    assert_eq!(
        answer["metadata"],
        json!({ "run_id": "r1", "partial": true, "missing": [2, 3] })
    );
    assert_eq!(answer["content"], "运行已结束，没有生成报告。");
}

#[test]
fn a_budget_that_nobody_raised_is_an_error() {
    let log = solving().asks_for_budget("gate_f").answered(
        "gate_f",
        json!({ "choice": "end" }),
        "person",
    );
    let log = log.failed(
        "budget",
        "the budget of this run is used up, and nobody raised it",
    );
    let error = last(&log, "agent.error");
    let text = "Agent execution error: the budget of this run is used up, and nobody raised it";
    assert_eq!(error["content"], text);
}

#[test]
fn contents_that_are_too_large_for_a_frame_are_named_by_where_they_are() {
    let log = Log::report().asks("写", asked());
    let log = log
        .stage(PLAN, 1)
        .request(PLAN, "", 1)
        .planned(too_large(), 1)
        .asks_to_confirm(GATE);
    let log = log
        .confirmed(GATE, None)
        .stage(SECTIONS, 2)
        .requests(&[(1, 1), (2, 1)]);
    let log = log
        .make(SECTIONS, "1", 1, "section", false, too_large())
        .succeed(SECTIONS, "1", 1, vec![]);
    let log = log
        .solves(2, 1)
        .sections_done()
        .stage(REPORT, 1)
        .request(REPORT, "", 1);
    let log = log.make(REPORT, "", 1, "report", true, too_large());
    let log = log.make(REPORT, "", 1, "markdown", true, blob(b"#", "text/markdown"));
    let log = log
        .succeed(REPORT, "", 1, vec![])
        .close(REPORT, StageOutcome::Completed)
        .exports(false);
    assert_json_snapshot!(log.transcript());
}

#[test]
fn a_run_of_another_pipeline_gives_only_the_frame_that_ends_it() {
    let log = Log::report().with_runs_of("course");
    let log = log
        .message("做课件", asked())
        .understood()
        .whole("analyze_topic", "requirement_analysis")
        .asks_for_budget("gate_f");
    let ended = log.clone().completed(Some(log.last_artifact()));
    assert_json_snapshot!(ended.transcript());
    assert_eq!(
        log.clone().failed("budget", "used up").names(),
        ["agent.session_created", "agent.error"]
    );
    assert_eq!(
        log.cancelled_for("cancel_plan").names(),
        ["agent.session_created", "agent.interrupted"]
    );
}

#[test]
fn a_queued_message_gives_nothing_until_its_run_begins() {
    let log = Log::report().asks("写", asked());
    let before = log.names();
    let (run, message) = (RunId(2), MessageId::new("user_r2"));
    let received = MessageReceived {
        at: None,
        message: message.clone(),
        text: "再来一个".to_owned(),
        attachments: vec![],
        run,
    };
    let queued = MessageQueued {
        message,
        run,
        pipeline: "report".into(),
        input: json!({ "mode": "replan" }),
        settings: settings(),
    };
    assert_eq!(log.then(received).then(queued).names(), before);
}

#[test]
fn a_run_that_nobody_attends_asks_nobody() {
    let settings = Settings {
        attended: false,
        ..asked()
    };
    let log = Log::report().asks("写", settings).plans(1, 1);
    let before = log.names();
    let log = log
        .asks_to_confirm(GATE)
        .answered(GATE, json!({ "confirm": false }), "default");
    assert_eq!(log.names(), before);
}

#[test]
fn an_erased_session_is_parted_from_with_its_open_run() {
    let mut fold = Wires::default()
        .with::<Report>()
        .fold("report", session())
        .unwrap();
    assert_eq!(fold.partings().len(), 0, "nobody saw it begin");
    for recorded in &solving().events {
        fold.push(recorded);
    }
    let partings: Vec<Value> = fold
        .partings()
        .iter()
        .map(|parting| serde_json::from_str(parting.data.get()).unwrap())
        .collect();
    assert_json_snapshot!(partings);
}

/// Replanning, control events and runs on a finished run are in `report_turns.rs`.
pub(crate) fn kept_of(log: &Log) -> Vec<ArtifactId> {
    kinds(log, &["plan", "section", "report", "markdown"])
}
