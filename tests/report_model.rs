//! Reports whose planner and solvers are a model: what it may do wrong, and what becomes of it.

use serde_json::{Value, json};

use crate::support::report::{
    Reports, SECTIONS, TURNS, calls, drafts, informed, planner, reads, script_with, solver, text,
    text_without,
};

#[tokio::test(flavor = "multi_thread")]
async fn planner_and_solvers_read_and_hand_in_and_every_call_is_told() {
    let reports = Reports::with(&[]).await;
    reports.asked("s", []).await;
    reports.end("s", "r1", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    assert_eq!((journal.paid(), journal.paid_twice()), (TURNS, vec![]));
    assert_eq!(reports.content("s", "markdown").await, text());
    let frames = reports.frames("s").await;
    let names: Vec<&str> = frames.iter().map(|(name, _)| name.as_str()).collect();
    let tool = ["agent.tool_call", "agent.tool_result"];
    let solved = |calls: usize| {
        let calls = [tool, tool].into_iter().take(calls).flatten();
        let begin = std::iter::once("solver.start");
        begin.chain(calls).chain(["solver.completed"])
    };
    let mut expected = vec!["agent.session_created", "plan.start"];
    expected.extend([tool, tool].concat());
    expected.push("plan.completed");
    expected.extend(solved(2).chain(solved(1)).chain(solved(2)));
    expected.extend([
        "aggregate.start",
        "aggregate.completed",
        "pipeline.completed",
        "agent.final_answer",
    ]);
    assert_eq!(names, expected);
    let last = &frames.last().expect("a frame").1["metadata"];
    let names: Vec<&Value> = last["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| &file["file_name"])
        .collect();
    let files = ["The year.docx", "The year.html", "The year.md"];
    assert_eq!(names, files, "{last:#}");
    let seqs: Vec<_> = frames
        .iter()
        .map(|(_, frame)| frame["seq"].as_u64())
        .collect();
    assert_eq!(
        seqs,
        (1..=frames.len() as u64).map(Some).collect::<Vec<_>>()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_that_always_fails_is_a_gap_and_the_others_are_untouched() {
    let reports = Reports::with(&[]).await;
    reports.asked("right", []).await;
    reports.end("right", "r1", "run_completed").await;
    let right = reports.rig.api.made("right", "r1").await;
    for (session, fault, code) in [
        ("refuses", json!({ "status": 400 }), "model_failed"),
        (
            "talks",
            json!({ "answer": "I would rather not." }),
            "output_rejected",
        ),
        (
            "reads",
            json!({ "tool_calls": [{ "name": "list_local_dir", "arguments": { "path": "." } }] }),
            "output_rejected",
        ),
    ] {
        let mut rule = fault;
        rule["when"] = solver(2);
        reports.asked(session, [rule]).await;
        reports.end(session, "r1", "run_completed").await;
        let view = reports.rig.api.session(session).await;
        assert_eq!(view["runs"][0]["outcome"]["partial"], true, "{view:#}");
        assert_eq!(
            reports.content(session, "markdown").await,
            text_without(2),
            "{session}"
        );
        let made = reports.rig.api.made(session, "r1").await;
        let others: Vec<_> = right
            .iter()
            .filter(|made| made.kind == "section" && made.item != "2")
            .collect();
        let sections: Vec<_> = made.iter().filter(|made| made.kind == "section").collect();
        assert_eq!(sections, others, "{session}");
        let report: Value =
            serde_json::from_str(&reports.content(session, "report").await).expect("JSON");
        assert_eq!(report["missing"][0]["id"], 2, "{report:#}");
        let frames = reports.frames(session).await;
        let failed: Vec<_> = frames
            .iter()
            .filter(|(name, _)| name == "solver.failed")
            .map(|(_, frame)| (&frame["content"]["id"], &frame["content"]["code"]))
            .collect();
        assert_eq!(failed, [(&json!(2), &json!(code))], "{session}");
        let last = &frames.last().expect("a frame").1["metadata"];
        assert_eq!(
            (&last["partial"], &last["missing"]),
            (&json!(true), &json!([2]))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_is_tried_as_often_as_is_configured_and_each_time_is_told() {
    let variables = [
        ("TEMPLATE_WS_MAX_RETRY", "2"),
        ("TEMPLATE_WS_RETRY_DELAY", "0.02"),
    ];
    let reports = Reports::with(&variables).await;
    let fault = |nth: u64| {
        let mut when = solver(2);
        when["occurrence"] = json!(nth);
        json!({ "when": when, "status": 400 })
    };
    let refuses = |nth: u64| {
        let mut when = solver(2);
        when["occurrence"] = json!(nth);
        json!({ "when": when, "answer": "No." })
    };
    // A request that would be refused again is not tried again.
    reports.asked("refused", [fault(1)]).await;
    reports.end("refused", "r1", "run_completed").await;
    assert_eq!(
        reports.content("refused", "markdown").await,
        text_without(2)
    );
    assert_eq!(reports.retries("refused").await, Vec::<Value>::new());
    // Three answers without a call end an attempt.
    reports.asked("s", (1..=6).map(refuses)).await;
    reports.end("s", "r1", "run_completed").await;
    assert_eq!(reports.content("s", "markdown").await, text());
    let told = reports.retries("s").await;
    let numbers = |retry: &Value| {
        let number = |name: &str| retry[name].as_u64().expect("a number");
        (
            number("task_id"),
            number("attempt"),
            number("next_attempt"),
            number("total_attempts"),
        )
    };
    let told: Vec<_> = told.iter().map(numbers).collect();
    assert_eq!(told, [(2, 1, 2, 3), (2, 2, 3, 3)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_call_is_told_and_the_model_goes_on() {
    let reports = Reports::with(&[]).await;
    let draft = |content: &str| drafts(1, content);
    let one = |name: &str, arguments: Value| json!([{ "name": name, "arguments": arguments }]);
    let many: Vec<_> = std::iter::repeat_n(reads()[0].clone(), 9).collect();
    let wrong_file = json!({ "tasks": [{ "id": 1, "required_inputs": ["datasets/none.json"] }] });
    let twice = json!({ "tasks": [{ "id": 1 }, { "id": 1 }] });
    let first = informed(solver(1));
    let plan = informed(planner());
    for (place, (when, wrong, told)) in [
        (
            &first,
            draft("It was 999 [datasets/sales.json]."),
            "in none of the files you have read: 999",
        ),
        (
            &first,
            draft("All is well [datasets/other.json]."),
            "is no file of the session",
        ),
        (
            &first,
            draft("As the template says [template/year.md]."),
            "was not read",
        ),
        (&first, drafts(2, "The team stayed."), "the task is 1"),
        (
            &first,
            one("submit_section_draft", json!({ "section": 7 })),
            "does not fit its schema",
        ),
        (
            &first,
            one("submit_section_draft", json!("{\"section\": ")),
            "not JSON",
        ),
        (
            &first,
            one("submit_section_draft", json!("[1]")),
            "no JSON object",
        ),
        (
            &first,
            one("submit_everything", json!({})),
            "`submit_everything`; there are `",
        ),
        (
            &first,
            one("read_local_file", json!({ "path": "../../etc/passwd" })),
            "no file",
        ),
        (&first, one("read_local_file", json!({})), "no file"),
        (
            &first,
            one("list_local_dir", json!({ "path": "datasets/../.." })),
            "out of the session",
        ),
        (&first, json!(many), "at most 8 calls at a time"),
        (
            &plan,
            one("submit_section_plan", wrong_file),
            "no file of the session",
        ),
        (&plan, one("submit_section_plan", twice), "used twice"),
        (
            &plan,
            one("submit_section_plan", json!({})),
            "does not fit its schema",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let session = format!("s{place}");
        let mut when = when.clone();
        when["occurrence"] = json!(1);
        let rule = calls(when, wrong.clone());
        reports.asked(&session, [rule]).await;
        reports.end(&session, "r1", "run_completed").await;
        assert_eq!(
            reports.content(&session, "markdown").await,
            text(),
            "{wrong}"
        );
        let journal = reports.rig.model.journal().await;
        assert_eq!(journal.requests().len(), TURNS + 1, "{wrong}");
        let heard = journal.requests().iter();
        let mut heard = heard.map(|request| request["body"]["messages"].to_string());
        assert!(heard.any(|said| said.contains(told)), "{wrong}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_no_file_has_is_left_out_however_often_it_comes() {
    let reports = Reports::with(&[]).await;
    let insists = calls(
        informed(solver(1)),
        drafts(
            1,
            "It was 999 [datasets/sales.json]. The first quarter brought 120.",
        ),
    );
    reports.asked("s", [insists]).await;
    reports.end("s", "r1", "run_completed").await;
    let check = reports.content("s", "report_check").await;
    let check: Value = serde_json::from_str(&check).expect("JSON");
    let found = check["findings"].as_array().expect("findings");
    assert!(
        found.iter().any(|found| found["section"] == 1
            && found["evidence"] == json!(["It was 999 [datasets/sales.json]."])),
        "{check:#}"
    );
    let report = reports.content("s", "markdown").await;
    assert!(report.contains(SECTIONS[2]) && report.contains("The first quarter brought 120."));
    assert!(!report.contains("999"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planner_that_hands_nothing_in_leaves_the_plan_of_the_template_and_that_is_said() {
    let reports = Reports::with(&[]).await;
    let lists = json!([{ "name": "list_local_templates", "arguments": {} }]);
    reports.asked("s", [calls(planner(), lists)]).await;
    let frames = reports.rig.end("s", "r1", "run_completed").await;
    let plan: Value = serde_json::from_str(&reports.content("s", "plan").await).expect("JSON");
    assert_eq!(plan["tasks"].as_array().map(Vec::len), Some(SECTIONS.len()));
    let summary = plan["plan_summary"].as_str().expect("a text");
    assert!(summary.contains("handed in no plan"), "{summary}");
    assert_eq!(reports.content("s", "markdown").await, text());
    let asked = frames
        .iter()
        .filter(|frame| frame["type"] == "model_called" && frame["data"]["stage"] == "plan");
    assert_eq!(
        asked.count(),
        5,
        "the first, two that repeat it, and two without tools"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planner_whose_model_refuses_fails_the_run_and_says_why() {
    let reports = Reports::with(&[]).await;
    let refusal = json!({ "when": planner(), "status": 400 });
    reports.asked("s", [refusal]).await;
    reports.end("s", "r1", "run_failed").await;
    let told = reports.frames("s").await;
    let (name, last) = told.last().expect("a frame");
    assert_eq!(name, "agent.error");
    assert!(
        last["content"]
            .as_str()
            .is_some_and(|text| text.starts_with("Agent execution error: ")),
        "{last}"
    );
    // With a model that works, the report goes on where it stopped.
    reports.rig.model.play(&script_with([])).await;
    let resume = json!({ "settings": { "width": 1 } });
    let resumed = reports.rig.api.command("s", "c", "resume", resume).await;
    resumed.succeeded();
    reports.end("s", "r2", "run_completed").await;
    assert_eq!(reports.content("s", "markdown").await, text());
}
