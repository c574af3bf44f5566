//! The course protocol: transcripts of whole runs, and what they have to say.

use insta::assert_json_snapshot;
use palimpsest::prelude::pipeline::event::*;
use palimpsest::prelude::pipeline::{Budget, MessageId, Settings};
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::RunId;
use serde_json::{Value, json};

use super::CourseLog as _;
use super::names::*;
use super::pages::*;
use super::scenes::*;
use crate::wire::out::{Course, Family};

fn cancelled_at_the_slides() -> LogFixture {
    let log = scripted(outlined(settings()));
    let log = log
        .stage(SLIDES, 3)
        .request(SLIDES, "1", 1)
        .request(SLIDES, "2", 1)
        .done(SLIDES, "1", 1);
    log.cancel_step(SLIDES, "2", 1, "cancelled")
        .close(SLIDES, StageOutcome::Cancelled)
        .cancelled()
}

fn names(log: &LogFixture) -> Vec<&'static str> {
    log.frames_of::<Course>()
        .iter()
        .map(|frame| frame.name)
        .collect()
}

fn of_name(log: &LogFixture, name: &str) -> Vec<Value> {
    let frames = log.frames_of::<Course>();
    frames
        .iter()
        .filter(|f| f.name == name)
        .map(|f| serde_json::from_str(f.data.get()).unwrap())
        .collect()
}

fn field(frames: &[Value], field: &str) -> Vec<Value> {
    frames.iter().map(|frame| frame[field].clone()).collect()
}

#[test]
fn a_run_of_three_pages_with_the_theme_beside_the_scripts() {
    assert_json_snapshot!(happy().transcript());
}

#[test]
fn a_refinement_from_the_outline_on() {
    let log = refined();
    let first = happy().frames_of::<Course>().len();
    let frames = log.transcript();
    assert_json_snapshot!(frames.as_array().unwrap()[first..]);
}

#[test]
fn a_page_that_fails_for_good_leaves_the_others() {
    let log = with_a_failed_page();
    let first = scripted(outlined(settings())).frames_of::<Course>().len();
    assert_json_snapshot!(log.transcript().as_array().unwrap()[first..]);
}

#[test]
fn a_run_cancelled_in_the_middle_of_its_slides() {
    let log = cancelled_at_the_slides();
    let first = scripted(outlined(settings())).frames_of::<Course>().len();
    assert_json_snapshot!(log.transcript().as_array().unwrap()[first..]);
}

#[test]
fn an_irrelevant_message_is_answered_and_completed() {
    let log = new_log()
        .message("你好", settings())
        .understood_as(Intent::Irrelevant);
    let (message, run) = (MessageId::new("msg_reply"), log.run);
    let log = log
        .then(MessageSent {
            message,
            run,
            text: "我可以制作教学课件。".to_owned(),
        })
        .completed(None);
    assert_json_snapshot!(log.transcript());
}

#[test]
fn searching_leaves_a_line_with_its_artifact() {
    let log = new_log().message(
        "讲讲今年的月球探测",
        Settings {
            language: "en".to_owned(),
            ..with_model(true)
        },
    );
    let log = log.understood().stage(ANALYZE, 1).request(ANALYZE, "", 1);
    let step = log.step(ANALYZE, "");
    let called = ToolCalled {
        step: step.clone(),
        attempt: 1,
        turn: 0,
        tool: "web_search".into(),
        input: json!({ "query": "moon" }),
    };
    let returned = ToolReturned {
        step,
        attempt: 1,
        turn: 0,
        tool: "web_search".into(),
        output: palimpsest::prelude::pipeline::BlobRef::of(b"results"),
        summary: "2 results for moon".to_owned(),
        latency_ms: 80,
        cost_micros: 0,
        error: None,
    };
    let results = json!({ "query": "moon", "results": [
        { "title": "Landing", "url": "https://example.org/1", "snippet": "It landed." },
        { "title": "Orbit", "url": "https://example.org/2", "snippet": "It orbits." },
    ] });
    let log = log.then(called).then(returned).make(
        ANALYZE,
        "",
        1,
        "search_result",
        false,
        inline(results),
    );
    let log = log
        .done(ANALYZE, "", 1)
        .close(ANALYZE, StageOutcome::Completed);
    assert_json_snapshot!(log.transcript());
}

/// A message that asks to go back to this run.
fn gone_back(log: LogFixture, to: RunId) -> LogFixture {
    let log = log
        .message("撤销", settings())
        .stage("understand", 1)
        .request("understand", "", 1)
        .intent(Intent::Irrelevant, None, None, vec![])
        .then(HeadMoved { run: to })
        .succeed("understand", "", 1, vec![])
        .close("understand", StageOutcome::Completed);
    let run = log.run;
    let said = MessageSent {
        message: MessageId::new("msg_back"),
        run,
        text: "已回到上一个版本。".to_owned(),
    };
    log.then(said).completed(None)
}

#[test]
fn going_back_sends_the_artifacts_that_count_again_and_names_the_deliverable() {
    let (first, second) = (happy(), refined());
    let before = second.frames_of::<Course>().len();
    let log = gone_back(second, RunId(1));
    let frames = log.transcript();
    let told = &frames.as_array().unwrap()[before..];
    // The same frames as then, each under its own tool message.
    let then = of_name(&first, "tool:artifact");
    let sent = &of_name(&log, "tool:artifact")[of_name(&refined(), "tool:artifact").len()..];
    let unplaced = |frames: &[Value]| -> Vec<Value> {
        let mut frames = frames.to_vec();
        for frame in &mut frames {
            frame.as_object_mut().unwrap().remove("pos");
        }
        frames
    };
    assert_eq!(unplaced(sent), unplaced(&then));
    let rest = &told[then.len()..];
    let rest: Vec<_> = rest.iter().map(|frame| frame["frame"].clone()).collect();
    let name = |frame: &Value| {
        frame
            .as_str()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .to_owned()
    };
    let rest: Vec<_> = rest.iter().map(name).collect();
    assert_eq!(rest, ["message:start", "message:chunk", "completion"]);
    let completion = of_name(&log, "completion").pop().unwrap();
    assert_eq!(completion["finalArtifactId"], "art_pptx_1");
    // And forward again, by a command, which is no message and so ends no run.
    let ends = of_name(&log, "completion").len();
    let at = log.frames_of::<Course>().len();
    let log = log.then(HeadMoved { run: RunId(2) });
    let names = &names(&log)[at..];
    assert!(
        names.iter().all(|name| *name == "tool:artifact"),
        "{names:?}"
    );
    let last = field(&of_name(&log, "tool:artifact"), "artifact")
        .pop()
        .unwrap();
    assert_eq!(last["id"], "art_pptx_2");
    assert_eq!(of_name(&log, "completion").len(), ends);
    // What is said afterwards and makes nothing names no deliverable.
    let log = log.message("你好", settings());
    let log = log.understood_as(Intent::Irrelevant).completed(None);
    let completion = of_name(&log, "completion").pop().unwrap();
    assert_eq!(completion.get("finalArtifactId"), None);
}

#[test]
fn going_back_to_a_run_without_a_deliverable_sends_what_it_made() {
    let log = with_a_failed_page();
    let made = of_name(&log, "tool:artifact").len();
    let log = log.message("再做一次", settings()).understood();
    let log = log.whole(ANALYZE).cancelled();
    let before = of_name(&log, "tool:artifact").len();
    let log = gone_back(log, RunId(1));
    assert_eq!(of_name(&log, "tool:artifact").len() - before, made);
    let completion = of_name(&log, "completion").pop().unwrap();
    assert_eq!(completion["success"], true);
    assert_eq!(completion.get("finalArtifactId"), None);
}

#[test]
fn every_artifact_has_a_line_that_links_it_in_the_tool_message_of_its_stage() {
    for log in [happy(), refined(), with_a_failed_page()] {
        let lines = of_name(&log, "tool:log");
        for sent in of_name(&log, "tool:artifact") {
            let links = |line: &&Value| line["artifactId"] == sent["artifact"]["id"];
            let linking: Vec<_> = lines.iter().filter(links).collect();
            assert_eq!(linking.len(), 1, "{sent:#}");
            assert_eq!(linking[0]["messageId"], sent["messageId"]);
        }
        let linking = lines.iter().filter(|line| line["artifactId"].is_string());
        let linked: Vec<_> = linking.map(|line| line["toolName"].clone()).collect();
        for start in of_name(&log, "tool:start") {
            assert!(linked.contains(&start["toolName"]), "{start:#}");
        }
    }
}

#[test]
fn with_search_off_one_line_says_so() {
    let log = new_log()
        .message("光合作用", settings())
        .understood()
        .stage(ANALYZE, 1)
        .request(ANALYZE, "", 1);
    let step = log.step(ANALYZE, "");
    let log = log.then(ToolReturned {
        step,
        attempt: 1,
        turn: 0,
        tool: "web_search".into(),
        output: palimpsest::prelude::pipeline::BlobRef::of(b"{}"),
        summary: "search is off".to_owned(),
        latency_ms: 0,
        cost_micros: 0,
        error: None,
    });
    let lines = of_name(
        &log.done(ANALYZE, "", 1)
            .close(ANALYZE, StageOutcome::Completed),
        "tool:log",
    );
    assert_eq!(
        field(&lines, "message"),
        [
            "联网搜索未开启：不进行搜索，也不编造资料",
            "已完成：requirement_analysis"
        ]
    );
}

#[test]
fn a_rejected_output_and_a_failed_call_are_told_and_tried_again() {
    let log = new_log()
        .message(
            "photosynthesis",
            Settings {
                language: "en".to_owned(),
                ..with_model(true)
            },
        )
        .understood();
    let log = log.stage(ANALYZE, 1).request(ANALYZE, "", 1);
    let log = log
        .called(ANALYZE, "", 1, Some(call_error("rate_limited", true)))
        .called(ANALYZE, "", 1, None);
    let wrong = (1..=4)
        .map(|n| violation(&format!("/points/{n}"), "is empty"))
        .collect();
    let log =
        log.reject(ANALYZE, "", 1, wrong)
            .fail(ANALYZE, "", 1, "the output was rejected", true);
    let log = log.request(ANALYZE, "", 2).fail(
        ANALYZE,
        "",
        2,
        "the provider did not answer in 60 s",
        true,
    );
    let log = log
        .request(ANALYZE, "", 3)
        .done(ANALYZE, "", 3)
        .close(ANALYZE, StageOutcome::Completed);
    assert_json_snapshot!(log.transcript());
}

#[test]
fn a_run_without_budget_closes_what_is_open_and_says_why() {
    let log = outlined(settings())
        .stage(SCRIPTS, 1)
        .stage(THEME, 1)
        .request(SCRIPTS, "", 1);
    let first = outlined(settings()).frames_of::<Course>().len();
    let log = log
        .cancel_step(SCRIPTS, "", 1, "run_failed")
        .close(SCRIPTS, StageOutcome::Failed);
    let log = log
        .close(THEME, StageOutcome::Failed)
        .failed("budget", "the budget of this run is used up");
    assert_json_snapshot!(log.transcript().as_array().unwrap()[first..]);
}

#[test]
fn a_failed_run_names_the_stage_and_the_item_at_fault() {
    let ends = |log: LogFixture| {
        let log = log
            .close(SCRIPTS, StageOutcome::Failed)
            .close(THEME, StageOutcome::Failed)
            .failed("stage_failed", "a stage failed");
        let updates = field(&of_name(&log, "tool:update"), "content");
        let completion = of_name(&log, "completion")[0]["error"].clone();
        [&updates[updates.len() - 2..], &[completion]].concat()
    };
    let both = || outlined(settings()).stage(SCRIPTS, 1).stage(THEME, 1);
    let begun = || both().request(SCRIPTS, "", 1).request(THEME, "", 1);
    let (refused, stopped) = (json!("模型服务拒绝了请求"), json!("运行失败"));

    // Stages that are open at the same time end with it, in the order in which they were opened.
    let scripts = ends(begun().fail(SCRIPTS, "", 1, "no", false));
    let blamed = json!("「PPT 脚本生成」阶段未能完成：模型服务拒绝了请求");
    assert_eq!(scripts, [refused.clone(), stopped.clone(), blamed]);
    // An attempt that failed no longer counts once there is another one.
    let theme = begun()
        .fail(SCRIPTS, "", 1, "no", true)
        .request(SCRIPTS, "", 2)
        .fail(THEME, "", 1, "no", false);
    let blamed = json!("「主题风格生成」阶段未能完成：模型服务拒绝了请求");
    assert_eq!(ends(theme), [stopped, refused, blamed]);
}

#[test]
fn an_attended_run_asks_about_its_budget_in_the_chat() {
    let attended = Settings {
        attended: true,
        ..settings()
    };
    let log = outlined(attended).stage(SCRIPTS, 1);
    let (run, at) = (log.run, log.now());
    let gate = GateOpened {
        step: None,
        run,
        gate: "gate_1".into(),
        name: "budget".to_owned(),
        subject: None,
        question: "the budget is used up".to_owned(),
        schema: Value::Null,
        options: vec!["raise".to_owned(), "end".to_owned()],
        deadline: None,
        default: json!({ "choice": "end" }),
        at,
    };
    let before = log.frames_of::<Course>().len();
    let log = log.then(gate).then(BudgetRaised {
        run,
        budget: Budget::default(),
        at,
    });
    let said: Vec<_> = log.transcript().as_array().unwrap()[before..].to_vec();
    assert_eq!(
        said,
        [
            json!({ "frame": "v2.28.0 message:start", "data": { "id": "msg_gate_1", "role": "assistant", "content": "" } }),
            json!({ "frame": "v2.28.1 message:chunk", "data": { "id": "msg_gate_1", "chunk": "本次运行的预算已用完：可以提高预算、用已有的内容收尾，或结束运行。" } }),
            json!({ "frame": "v2.29.0 tool:log", "data": {
                "id": "log_0000000000000000000000000000001d",
                "messageId": "tool_0000000000000000000000000000001b",
                "toolName": SCRIPTS,
                "level": "info",
                "message": "预算已提高，继续制作",
                "timestamp": at_ms(29),
            } }),
        ]
    );
}

fn at_ms(version: u64) -> i64 {
    at(version).timestamp_millis()
}

#[test]
fn the_theme_waits_for_the_scripts_and_comes_at_the_event_that_closes_them() {
    let log = outlined(settings())
        .stage(SCRIPTS, 1)
        .stage(THEME, 1)
        .request(SCRIPTS, "", 1)
        .request(THEME, "", 1);
    let log = log
        .done(THEME, "", 1)
        .close(THEME, StageOutcome::Completed)
        .done(SCRIPTS, "", 1);
    assert!(!field(&of_name(&log, "tool:start"), "toolName").contains(&json!(THEME)));
    let closing = log.events.len() as u64 + 1;
    let log = log.close(SCRIPTS, StageOutcome::Completed);
    let last: Vec<_> = log
        .frames_of::<Course>()
        .iter()
        .filter(|f| f.version == closing)
        .map(|f| f.name)
        .collect();
    let closed = ["tool:update", "tool:message:complete"];
    let theme = [
        "tool:message:start",
        "tool:start",
        "progress",
        "tool:log",
        "tool:artifact",
        "tool:update",
        "tool:message:complete",
    ];
    assert_eq!(last, [&closed[..], &theme[..]].concat());
}

#[test]
fn a_run_that_ends_while_the_theme_waits_sends_it_first_and_closes_it_as_failed() {
    let log = outlined(settings()).stage(SCRIPTS, 1).stage(THEME, 1);
    let before = log.frames_of::<Course>().len();
    let log = log.cancelled();
    let tail: Vec<_> = log.frames_of::<Course>()[before..]
        .iter()
        .map(|f| {
            let data: Value = serde_json::from_str(f.data.get()).unwrap();
            (
                f.name,
                data["toolName"].as_str().map(str::to_owned),
                data["status"].as_str().map(str::to_owned),
            )
        })
        .collect();
    let line = |name, tool: Option<&str>, status: Option<&str>| {
        (name, tool.map(str::to_owned), status.map(str::to_owned))
    };
    assert_eq!(
        tail,
        [
            line("tool:message:start", Some(THEME), Some("in_progress")),
            line("tool:start", Some(THEME), Some("in_progress")),
            line("progress", None, Some("theme_generation")),
            line("tool:update", None, Some("failed")),
            line("tool:message:complete", None, Some("error")),
            line("tool:update", None, Some("failed")),
            line("tool:message:complete", None, Some("error")),
            line("completion", None, None),
        ]
    );
}

#[test]
fn a_refinement_of_the_theme_does_not_wait_for_scripts_that_were_taken_over() {
    let log = happy()
        .message("更专业的风格", settings())
        .refines(THEME, "更专业的风格");
    let before = log.frames_of::<Course>().len();
    let log = log.stage(THEME, 1);
    assert_eq!(
        names(&log)[before..],
        ["tool:message:start", "tool:start", "progress"]
    );
}

#[test]
fn a_reopened_stage_begins_again_as_a_new_tool_message() {
    let log = scripted(outlined(settings()))
        .stage(SLIDES, 2)
        .request(SLIDES, "1", 1)
        .done(SLIDES, "1", 1);
    let before = log.frames_of::<Course>().len();
    let (run, steps) = (log.run, vec![log.step(SLIDES, "1"), log.step(THEME, "")]);
    let log = log
        .close(SLIDES, StageOutcome::Reopened)
        .then(StagesReopened {
            run,
            stages: vec![THEME.into(), SLIDES.into()],
            steps,
            feedback: None,
            feedback_for: None,
            reason: "a person asked for it".to_owned(),
        });
    let log = log
        .stage(THEME, 1)
        .request(THEME, "", 2)
        .done(THEME, "", 2)
        .close(THEME, StageOutcome::Completed);
    let log = log
        .stage(SLIDES, 2)
        .request(SLIDES, "1", 2)
        .request(SLIDES, "2", 1);
    assert_json_snapshot!(log.transcript().as_array().unwrap()[before..]);
}

#[test]
fn a_fork_goes_on_where_its_parent_was_and_repeats_nothing() {
    let log = scripted(outlined(settings()))
        .stage(SLIDES, 2)
        .request(SLIDES, "1", 1);
    let parent = log.frames_of::<Course>();
    let at = log.events.len() as u64;
    let log = log
        .then(SessionForked {
            parent: "s0".into(),
            at,
        })
        .cancel_step(SLIDES, "1", 1, "forked");
    let log = log.request(SLIDES, "1", 2).request(SLIDES, "2", 1);
    let frames = log.frames_of::<Course>();
    assert_eq!(frames[..parent.len()], parent);
    let more: Vec<_> = frames[parent.len()..]
        .iter()
        .map(|f| (f.cursor.to_string(), f.name))
        .collect();
    assert_eq!(more, [(format!("v2.{}.0", at + 4), "progress")]);
}

#[test]
fn a_queued_message_gives_nothing_until_its_run_begins() {
    let log = new_log().message("光合作用", settings()).understood();
    let before = log.frames_of::<Course>().len();
    let run = RunId(2);
    let message = MessageId::new("user_r2");
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
        pipeline: "course".into(),
        input: Value::Null,
        settings: settings(),
    };
    let log = log.then(received).then(queued);
    assert_eq!(log.frames_of::<Course>().len(), before);
}

#[test]
fn what_happens_after_the_end_of_a_run_gives_nothing() {
    let log = cancelled_at_the_slides();
    let before = log.frames_of::<Course>().len();
    let log = log
        .called(SLIDES, "2", 1, Some(call_error("cut", true)))
        .close(SLIDES, StageOutcome::Failed)
        .cancelled();
    assert_eq!(log.frames_of::<Course>().len(), before);
}

#[test]
fn the_delivered_file_is_told_of_by_what_it_is_and_where_and_other_kinds_in_a_line() {
    let log = happy();
    let artifacts = field(&of_name(&log, "tool:artifact"), "artifact");
    let kinds: Vec<_> = field(&artifacts, "type");
    assert_eq!(kinds.last(), Some(&json!("pptx")), "{kinds:?}");
    for kind in &kinds {
        let known = crate::wire::out::frames::KINDS.iter().any(|k| kind == k);
        assert!(known, "{kind} is not in the contract");
    }
    let pptx = &artifacts[artifacts.len() - 1];
    assert_eq!(
        pptx["content"],
        json!({
            "mediaType": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "size": 2,
            "sha256": "fcab7fcc2b4cffd9bb45003bfc2e468a04ef6f77ca8200a7341f027631584d25",
            "url": "/v1/artifacts/art_pptx_1/content",
            "fileName": "pptx.pptx",
        })
    );
    let completion = &of_name(&log, "completion")[0];
    assert_eq!(completion["finalArtifactId"], pptx["id"]);
    let lines: Vec<_> = of_name(&log, "tool:log")
        .into_iter()
        .filter(|line| line["toolName"] == EXPORT)
        .map(|line| json!([line["artifactId"], line["message"]]))
        .collect();
    assert_eq!(
        lines,
        [
            json!(["art_pptx_1", "已完成：pptx"]),
            json!([
                "art_layout_report_1",
                "版面检查：0 处严重问题，2 处提醒（/v1/artifacts/art_layout_report_1/content）"
            ]),
            json!([
                "art_pdf_1",
                "另有 PDF 文件：/v1/artifacts/art_pdf_1/content"
            ]),
        ]
    );
    let update = of_name(&log, "tool:update").pop().unwrap();
    assert_eq!(update["artifactIds"], json!(["art_pptx_1"]));
    let progress = of_name(&log, "progress");
    assert!(
        progress
            .iter()
            .all(|frame| frame["progress"].as_u64() < Some(95))
    );
}

#[test]
fn what_an_export_leaves_out_is_a_warning_in_the_language_of_the_run() {
    let said = |settings: Settings, choice: &str| {
        let log = scripted(outlined(settings))
            .stage(EXPORT, 1)
            .request(EXPORT, "", 1);
        let run = log.run;
        let log = log.then(DecisionMade {
            run,
            what: "export".to_owned(),
            choice: choice.to_owned(),
            reason: "no font here has these characters: 光; install fonts-noto-cjk".to_owned(),
            by: "rules".to_owned(),
        });
        let line = of_name(&log, "tool:log").pop().unwrap();
        (line["level"].clone(), line["message"].to_string())
    };
    let (level, chinese) = said(settings(), "pptx_only");
    assert_eq!(level, "warning");
    assert!(chinese.contains("fonts-noto-cjk") && chinese.contains("PPTX 不受影响"));
    let english = Settings {
        language: "en".to_owned(),
        ..settings()
    };
    let (level, english) = said(english, "pptx_only");
    assert_eq!(level, "warning");
    assert!(english.starts_with("\"no font here"), "{english}");
    let (level, reused) = said(settings(), "reused");
    assert_eq!((level, reused.contains("沿用")), (json!("info"), true));
}

#[test]
fn progress_never_falls_and_pages_count_once() {
    let seen = of_name(&refined(), "progress");
    assert_eq!(
        field(&seen, "progress"),
        [5, 10, 25, 40, 55, 60, 72, 83, 25, 40, 55, 60, 78]
    );
    let pages: Vec<_> = seen
        .iter()
        .filter(|p| p["status"] == "generating_slide")
        .map(|p| p["message"].clone())
        .collect();
    let message = |n, of| json!(format!("正在生成第 {n}/{of} 页..."));
    assert_eq!(
        pages,
        [
            message(1, 3),
            message(2, 3),
            message(3, 3),
            message(1, 2),
            message(2, 2)
        ]
    );
}

#[test]
fn a_family_leaves_out_the_other_one_and_nothing_else() {
    let names = names(&happy());
    let left_out = |family: Family| {
        let mut out: Vec<_> = names
            .iter()
            .copied()
            .filter(|name| family.left_out().contains(name))
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    };
    assert_eq!(left_out(Family::V1), ["tool:start", "tool:update"]);
    assert_eq!(
        left_out(Family::V2),
        ["tool:message:complete", "tool:message:start"]
    );
    assert_eq!(left_out(Family::Both), [""; 0]);
    assert_eq!("v2".parse(), Ok(Family::V2));
    let unknown = "v3".parse::<Family>().map_err(|e| e.to_string());
    assert_eq!(
        unknown,
        Err("`v3` is no family of tool messages; use `v1`, `v2` or `both`".to_owned())
    );
}

/// The lines of the first stage of a run with this brief.
fn first_lines(brief: &str, settings: Settings) -> Vec<String> {
    let log = new_log().message(brief, settings).understood();
    let frames = log.stage(ANALYZE, 1).frames_of::<Course>();
    let lines = frames.iter().filter(|frame| frame.name == "tool:log");
    lines
        .map(|frame| serde_json::from_str::<Value>(frame.data.get()).unwrap())
        .map(|line| line["message"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_is_not_read_is_said_at_the_start() {
    let brief = "讲光合作用，参考 https://example.org/leaf";
    assert_eq!(first_lines("讲光合作用", with_model(true)), [""; 0]);
    let off = "联网搜索未开启：不进行搜索，也不编造资料";
    let unread = "消息中的网址不会被打开，需要其中的内容时请上传文件或粘贴文字";
    assert_eq!(first_lines("讲光合作用", with_model(false)), [off]);
    assert_eq!(first_lines(brief, with_model(true)), [unread]);
    assert_eq!(
        first_lines(brief, with_model(false)),
        [format!("{off}；{unread}")]
    );
}

#[test]
fn a_failed_call_is_told_in_the_language_of_its_run() {
    let log = new_log()
        .message("讲光合作用", with_model(true))
        .understood();
    let log = log.stage(ANALYZE, 1).request(ANALYZE, "", 1);
    let log = log.called(ANALYZE, "", 1, Some(call_error("auth", false)));
    let failed = StepFailed {
        step: log.step(ANALYZE, ""),
        attempt: 1,
        code: "model_failed".to_owned(),
        message: "HTTP 401; check OPENAI_API_KEY, then resume the run".to_owned(),
        retryable: false,
        at: log.now(),
    };
    let log = log
        .then(failed)
        .close(ANALYZE, StageOutcome::Failed)
        .failed("stage_failed", "stage `analyze_topic` failed: HTTP 401");
    let frames = log.frames_of::<Course>();
    let last = |name: &str| {
        let frame = frames
            .iter()
            .rev()
            .find(|frame| frame.name == name)
            .unwrap();
        serde_json::from_str::<Value>(frame.data.get()).unwrap()
    };
    assert_eq!(
        last("tool:log")["message"],
        "第 1 次尝试：模型服务拒绝了密钥"
    );
    assert_eq!(last("tool:update")["content"], "模型服务拒绝了密钥");
    assert_eq!(
        last("completion")["error"],
        "「需求分析」阶段未能完成：模型服务拒绝了密钥"
    );
}

#[test]
fn a_run_that_goes_on_says_what_it_goes_on_with() {
    let log = new_log().message("讲光合作用", settings()).understood();
    let log = log.whole(ANALYZE).cancelled();
    let kept = log.made_before(OUTLINE);
    let log = log.message("继续", settings());
    let base = Some("r1".parse().unwrap());
    let frames = log
        .intent(Intent::Resumption, None, base, kept)
        .frames_of::<Course>();
    let said = frames
        .iter()
        .rfind(|frame| frame.name == "message:chunk")
        .unwrap();
    let said: Value = serde_json::from_str(said.data.get()).unwrap();
    let said = said["chunk"].as_str().unwrap();
    assert!(said.starts_with("继续制作「讲光合作用」"), "{said}");
}
