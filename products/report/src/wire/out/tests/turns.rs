//! The report protocol where a run does not follow its straight course: control events, replanning, forks, and runs on earlier ones.

use insta::assert_json_snapshot;
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::event::*;
use serde_json::json;

use crate::wire::out::Report;
use crate::wire::out::tests::log::*;
use crate::wire::out::tests::{happy, kept_of, solving, waiting};

const GATE: &str = "gate_0123456789abcdef01234567";

#[test]
fn a_task_that_is_cancelled_leaves_the_others_and_comes_back_when_it_is_restarted() {
    let before = solving();
    let log = solving()
        .decides(2, "skip")
        .cancel_step(SECTIONS, "2", 1, "skipped")
        .requests(&[(3, 1)])
        .decides(1, "skip")
        .cancel_step(SECTIONS, "1", 1, "skipped");
    // One of the two is then done again.
    let log = log
        .decides(2, "do")
        .close(SECTIONS, StageOutcome::Reopened)
        .reopens(&[(SECTIONS, "2")], None)
        .stage(SECTIONS, 3)
        .requests(&[(2, 2)])
        .solves(3, 1)
        .solves(2, 2)
        .sections_done()
        .delivers(&[2, 3], &[1]);
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_task_that_waits_for_its_turn_is_cancelled_without_having_begun() {
    let log = solving().decides(3, "skip");
    assert_eq!(
        log.names()[solving().names().len()..],
        ["system.notice", "solver.cancelled"]
    );
    assert_eq!(last(&log, "solver.cancelled")["content"]["task"], task(3));
}

#[test]
fn a_running_task_is_restarted() {
    let before = solving();
    let log = solving()
        .cancel_step(SECTIONS, "2", 1, "reopened")
        .close(SECTIONS, StageOutcome::Reopened)
        .reopens(&[(SECTIONS, "2")], None)
        .stage(SECTIONS, 3)
        .requests(&[(2, 2)]);
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_solved_section_is_solved_again_before_the_run_ends_and_the_report_put_together_anew() {
    let log = solving()
        .solves(1, 1)
        .solves(2, 1)
        .requests(&[(3, 1)])
        .solves(3, 1);
    let log = log.sections_done().assembles(report(&[1, 2, 3], &[]), 1);
    let before = log.clone();
    let log = log
        .reopens(&[(REPORT, ""), (SECTIONS, "2")], None)
        .stage(SECTIONS, 3)
        .requests(&[(2, 2)])
        .solves(2, 2)
        .sections_done();
    let log = log.assembles(report(&[1, 2, 3], &[]), 2).exports(false);
    let expected = [
        "system.notice",
        "solver.restarted",
        "solver.start",
        "solver.completed",
        "aggregate.start",
        "aggregate.completed",
        "pipeline.completed",
        "agent.final_answer",
    ];
    assert_eq!(log.names()[before.names().len()..], expected);
    // Only the call of the attempt that counts is in the statistics.
    let solved = last(&log, "solver.completed");
    assert_eq!(
        solved["metadata"]["statistics"][0]["id"],
        "r1/sections/2#2.0.1"
    );
    assert_eq!(solved["metadata"]["metrics"]["calls"], 1);
}

#[test]
fn a_section_of_a_finished_run_is_solved_again_in_a_run_on_it() {
    let before = happy();
    let mut kept = kept_of(&before);
    kept.retain(|id| !["art_section_2_1", "art_report_1", "art_markdown_1"].contains(&id.as_str()));
    let log = happy()
        .takes_up(Intent::Restart, kept, &[(SECTIONS, "2")], &[])
        .stage(SECTIONS, 3)
        .requests(&[(2, 1)])
        .solves(2, 1)
        .sections_done()
        .delivers(&[1, 2, 3], &[]);
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_run_that_stopped_is_resumed_with_its_plan_and_what_was_left_out() {
    let stopped = solving()
        .decides(1, "skip")
        .cancel_step(SECTIONS, "1", 1, "skipped")
        .solves(2, 1)
        .failed("budget", "used up");
    let log = stopped
        .clone()
        .takes_up(Intent::Resumption, kept_of(&stopped), &[], &[1])
        .stage(SECTIONS, 3)
        .requests(&[(3, 1)])
        .solves(3, 1)
        .sections_done()
        .delivers(&[2, 3], &[1]);
    assert_json_snapshot!(log.added_to(&stopped));
}

#[test]
fn a_resumed_run_with_its_report_says_it_once_more_at_its_end() {
    let stopped = solving()
        .solves(1, 1)
        .solves(2, 1)
        .requests(&[(3, 1)])
        .solves(3, 1);
    let stopped = stopped
        .sections_done()
        .assembles(report(&[1, 2, 3], &[]), 1);
    let stopped = stopped.cancelled();
    let log = stopped
        .clone()
        .takes_up(Intent::Resumption, kept_of(&stopped), &[], &[]);
    let log = log.exports(false);
    let added = &log.names()[stopped.names().len()..];
    assert_eq!(
        added,
        ["system.notice", "pipeline.completed", "agent.final_answer"]
    );
    let done = last(&log, "pipeline.completed");
    assert_eq!(done["content"]["aggregate_output"], report(&[1, 2, 3], &[]));
    assert_eq!(done["content"]["context"]["question"], "写一份年报");
    assert_eq!(
        done["metadata"]["metrics"]["calls"], 0,
        "all was made before"
    );
}

#[test]
fn a_new_plan_while_waiting_closes_the_question_and_asks_another() {
    let before = waiting();
    let log = waiting()
        .answered(GATE, serde_json::Value::Null, "superseded")
        .reopens(&[(PLAN, "")], Some("多写两节"))
        .plans(2, 2)
        .asks_to_confirm("gate_aaaaaaaaaaaaaaaaaaaaaaaa");
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_new_plan_while_solving_uses_nothing_older() {
    let before = solving().solves(1, 1);
    let log = before
        .clone()
        .cancel_step(SECTIONS, "2", 1, "reopened")
        .close(SECTIONS, StageOutcome::Reopened)
        .reopens(&[(PLAN, ""), (SECTIONS, "1"), (SECTIONS, "2")], None)
        .plans(1, 2)
        .stage(SECTIONS, 1)
        .requests(&[(1, 2)])
        .solves(1, 2)
        .sections_done()
        .delivers(&[1], &[]);
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_new_plan_while_a_section_waits_for_its_next_attempt_ends_its_solver() {
    let before = solving().fail(SECTIONS, "1", 1, "no answer", true);
    let log = before.clone().reopens(&[(PLAN, ""), (SECTIONS, "1")], None);
    let ended: Vec<_> = log.names()[before.names().len()..].to_vec();
    assert_eq!(
        ended,
        ["solver.cancelled", "solver.cancelled", "system.notice"]
    );
    assert_eq!(last(&log, "solver.cancelled")["content"]["task"], task(2));
}

#[test]
fn a_run_that_ends_before_its_new_plan_has_no_tasks_to_miss() {
    let log = solving()
        .solves(1, 1)
        .cancel_step(SECTIONS, "2", 1, "reopened");
    let log = log.reopens(&[(PLAN, ""), (SECTIONS, "1"), (SECTIONS, "2")], None);
    let answer = last(&log.ends_with(None, true), "agent.final_answer");
    assert_eq!(answer["metadata"]["missing"], json!([]));
}

#[test]
fn files_that_are_exported_anew_are_told_of_only_when_they_are_there() {
    let log = solving()
        .solves(1, 1)
        .solves(2, 1)
        .requests(&[(3, 1)])
        .solves(3, 1);
    let log = log.sections_done().assembles(report(&[1, 2, 3], &[]), 1);
    let log = log.stage("export", 1).request("export", "", 1);
    let log = log.make("export", "", 1, "html", false, blob(b"<p>", "text/html"));
    let log = log
        .succeed("export", "", 1, vec![])
        .reopens(&[("export", "")], None);
    let markdown = log.latest("markdown");
    let answer = last(&log.ends_with(Some(markdown), false), "agent.final_answer");
    let kinds: Vec<_> = answer["metadata"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| &f["kind"])
        .collect();
    assert_eq!(kinds, ["markdown"]);
}

#[test]
fn a_task_that_failed_for_good_is_left_out_without_ending_twice() {
    let log = solving().fail(SECTIONS, "1", 1, "no key", false);
    let before = log.names().len();
    let log = log.decides(1, "skip");
    assert_eq!(log.names()[before..], ["system.notice"]);
}

#[test]
fn a_new_plan_while_planning() {
    let log = Log::report()
        .asks("写", asked())
        .stage(PLAN, 1)
        .request(PLAN, "", 1);
    let log = log
        .tool(PLAN, "", 1, 1, "list_local_dir")
        .cancel_step(PLAN, "", 1, "reopened")
        .close(PLAN, StageOutcome::Reopened)
        .reopens(&[(PLAN, "")], Some("换个思路"))
        .plans(1, 2);
    assert_json_snapshot!(log.transcript());
}

#[test]
fn a_new_plan_is_asked_for_when_nothing_runs() {
    let before = happy();
    let log = happy()
        .asks_with("换个思路", json!({ "mode": "replan" }), asked())
        .plans(1, 1);
    assert_json_snapshot!(log.added_to(&before));
    // A run that takes that run up again asks for no new plan.
    let stopped = log.cancelled();
    let kept = vec![stopped.latest("plan")];
    let log = stopped.clone().takes_up(Intent::Resumption, kept, &[], &[]);
    assert_eq!(log.names().len() - stopped.names().len(), 1);
    assert_eq!(last(&log, "system.notice")["metadata"]["action"], "resume");
}

#[test]
fn a_plan_that_is_cancelled_ends_the_run_with_an_answer() {
    let before = Log::report()
        .asks("写", asked())
        .stage(PLAN, 1)
        .request(PLAN, "", 1);
    let log = before
        .clone()
        .cancel_step(PLAN, "", 1, "cancelled")
        .close(PLAN, StageOutcome::Cancelled)
        .cancelled_for("cancel_plan");
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn given_tasks_are_solved_and_nothing_else_is_told() {
    let input = json!({ "mode": "solve_tasks", "tasks": [task(1), task(2)] });
    let log = Log::report()
        .asks_with("写", input, asked())
        .stage(PLAN, 1)
        .request(PLAN, "", 1);
    let log = log
        .planned(inline(plan(2)), 1)
        .stage(SECTIONS, 2)
        .requests(&[(1, 1), (2, 1)]);
    let log = log.tool(SECTIONS, "1", 1, 1, "read_local_file");
    let log = log
        .returned(SECTIONS, "1", 1, 1, "read_local_file", None)
        .solves(1, 1);
    let failed = log.clone().failed("budget", "used up");
    assert_eq!(failed.names().last(), Some(&"agent.error"));
    let log = log
        .fail(SECTIONS, "2", 1, "no answer", false)
        .sections_done()
        .ends_with(None, true);
    assert_json_snapshot!(log.transcript());
}

#[test]
fn a_fork_goes_on_where_its_parent_was_and_begins_no_solver_twice() {
    let log = solving().tool(SECTIONS, "1", 1, 1, "read_local_file");
    let before = log.clone();
    let log = log
        .forks()
        .cancel_step(SECTIONS, "1", 1, "forked")
        .cancel_step(SECTIONS, "2", 1, "forked")
        .requests(&[(1, 2), (2, 2)])
        .solves(1, 2);
    let frames = log.frames_of::<Report>();
    assert_eq!(frames[..before.names().len()], before.frames_of::<Report>());
    assert_json_snapshot!(log.added_to(&before));
}

#[test]
fn a_fork_asks_again_and_says_that_the_old_question_is_none() {
    let before = waiting();
    let mut log = waiting().forks();
    let (run, at, subject) = (log.run, log.now(), log.latest("plan"));
    log.record(GateOpened {
        step: None,
        run,
        gate: palimpsest::prelude::wire::GateId::new("gate_bbbbbbbbbbbbbbbbbbbbbbbb"),
        name: "confirm_plan".to_owned(),
        subject: Some(subject),
        question: "is the plan right?".to_owned(),
        schema: serde_json::Value::Null,
        options: vec![],
        deadline: None,
        default: serde_json::Value::Null,
        at,
    });
    assert_json_snapshot!(log.added_to(&before));
}
