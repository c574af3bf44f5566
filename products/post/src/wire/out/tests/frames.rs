//! The post protocol: transcripts of whole runs, and what they are to say.

use insta::assert_json_snapshot;
use palimpsest::prelude::pipeline::event::*;
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::{Fold, RunId};
use serde_json::{Value, json};

use super::runs::*;
use crate::pipeline::stage::Stage;
use crate::wire::out::Post;

const GATE: &str = "gate_1";
const BRIEF: &str = "写一篇春游笔记";

/// A run up to the question about its text.
pub(crate) fn written() -> LogFixture {
    let log = LogFixture::post()
        .wants(BRIEF, attended())
        .does(Stage::Requirement, 1);
    let log = log
        .does(Stage::Brief, 1)
        .routes("research")
        .stage("research", 1)
        .request("research", "", 1);
    let log = log
        .calls(
            Stage::Research,
            "",
            1,
            1,
            "searchNotes",
            json!({ "query": "春游" }),
        )
        .returns(
            Stage::Research,
            "",
            1,
            1,
            "searchNotes",
            r#"{"query":"春游","total":0,"notes":[]}"#,
        )
        .leaves(Stage::Research, 1, 1)
        .close("research", StageOutcome::Completed);
    let log = log.does(Stage::Reference, 1).does(Stage::Writer, 1);
    let subject = log.last_artifact();
    log.opens_gate(
        GATE,
        "content",
        Some(subject),
        &["approve", "reject", "modify"],
    )
}

/// The same, approved, and the pictures planned and begun.
pub(crate) fn drawing() -> LogFixture {
    let log = written()
        .approves(GATE, None)
        .does(Stage::Layout, 1)
        .does(Stage::ImagePlan, 1);
    log.routes(IMAGES).stage(IMAGES, 2).request(IMAGES, "1", 1)
}

fn reviewed(number: u32) -> LogFixture {
    let log = drawing().image(1, 1, 1).request(IMAGES, "2", 1);
    let log = log
        .fail(IMAGES, "2", 1, "no answer", true)
        .request(IMAGES, "2", 2);
    let log = log.fail(IMAGES, "2", 2, "no answer again", true);
    log.close(IMAGES, StageOutcome::Completed)
        .does(Stage::Review, number)
}

pub(crate) fn happy() -> LogFixture {
    let log = reviewed(2).routes("END").does(Stage::Post, 1);
    let made = log.last_artifact();
    log.completed(Some(made))
}

fn names_after(log: &LogFixture, before: &LogFixture) -> Vec<&'static str> {
    let frames = log.frames_of::<Post>();
    frames[before.frames_of::<Post>().len()..]
        .iter()
        .map(|frame| frame.name)
        .collect()
}

fn data(log: &LogFixture) -> Vec<Value> {
    let frames = log.frames_of::<Post>();
    frames
        .iter()
        .map(|frame| serde_json::from_str(frame.data.get()).unwrap())
        .collect()
}

fn last(log: &LogFixture, name: &str) -> Value {
    let all = data(log);
    all.into_iter()
        .rfind(|frame| frame["type"] == name)
        .unwrap()
}

fn of(log: &LogFixture, name: &str) -> Vec<Value> {
    data(log)
        .into_iter()
        .filter(|frame| frame["type"] == name)
        .collect()
}

#[test]
fn a_run_whose_text_is_approved() {
    assert_json_snapshot!(happy().read_frames::<Post>(|_, _| {}));
}

#[test]
fn every_frame_has_its_type_and_the_time_of_its_event() {
    for frame in happy().frames_of::<Post>() {
        let data: Value = serde_json::from_str(frame.data.get()).unwrap();
        assert_eq!(data["type"], frame.name);
        assert_eq!(data["timestamp"], frame.recorded_at.timestamp_millis());
    }
}

#[test]
fn a_question_about_the_text_is_followed_by_the_pause_and_nothing_else() {
    let log = written();
    assert_eq!(
        names_after(&log, &log.cut(log.events.len() - 1)),
        ["ask_user", "workflow_paused"]
    );
    let ended = names_after(
        &log.cut(log.events.len() - 1),
        &log.cut(log.events.len() - 2),
    );
    assert_eq!(ended, ["agent_end"]);
    let ask = last(&log, "ask_user");
    let context = json!({
        "__hitl": true, "kind": "content", "gateId": GATE, "regenerationCount": 0,
        "data": { "title": "春游攻略1", "body": "第一段\n\n第二段", "tags": ["春游", "出游"] },
    });
    assert_eq!(
        (&ask["context"], &ask["threadId"], &ask["gateId"]),
        (&context, &json!("s1"), &json!(GATE))
    );
    let ids: Vec<_> = ask["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert_eq!(json!(ids), json!(["approve", "reject", "modify"]));
    assert_eq!(last(&log, "workflow_paused")["gateId"], GATE);
}

#[test]
fn a_text_that_was_rejected_is_asked_about_again_and_counts() {
    let log = written().rejects(GATE).routes("writer").goes_back(
        &[Stage::Writer],
        0,
        "rejected by the person",
    );
    let log = log.does(Stage::Writer, 2);
    let subject = log.last_artifact();
    let log = log.opens_gate("gate_2", "content", Some(subject), &["approve", "modify"]);
    let ask = last(&log, "ask_user");
    assert_eq!(
        (
            &ask["context"]["regenerationCount"],
            &ask["context"]["data"]["title"]
        ),
        (&json!(1), &json!("春游攻略2"))
    );
    let expected = [
        "supervisor_decision",
        "progress",
        "supervisor_decision",
        "agent_start",
        "workflow_progress",
        "message",
        "content_update",
        "state_update",
        "agent_end",
        "ask_user",
        "workflow_paused",
    ];
    assert_eq!(names_after(&log, &written()), expected);
}

#[test]
fn what_a_person_edits_is_a_version_of_its_own_and_no_node() {
    let before = written();
    let log = before
        .clone()
        .make("writer", "", 1, "content", true, inline(content(7)));
    let edits = log.last_artifact();
    let log = log
        .approves(GATE, Some(edits))
        .does(Stage::Layout, 1)
        .does(Stage::ImagePlan, 1);
    assert_eq!(names_after(&log, &before)[0], "content_update");
    assert_eq!(of(&log, "content_update")[1]["title"], "春游攻略7");
    let before = log.clone();
    let log = log.make(
        "image_plan",
        "",
        1,
        "image_plan",
        true,
        inline(body(Stage::ImagePlan, 1)),
    );
    assert_eq!(names_after(&log, &before), ["alignment_map_ready"]);
    let map = last(&log, "alignment_map_ready");
    assert_eq!(map["bodyBlocks"], content(7)["bodyBlocks"]);
}

#[test]
fn pictures_keep_their_numbers_and_fail_only_for_good() {
    let log = happy();
    let told: Vec<_> = of(&log, "image_progress")
        .iter()
        .map(|frame| {
            (
                frame["taskId"].as_u64().unwrap(),
                frame["status"].as_str().unwrap().to_owned(),
                frame["progress"].as_f64().unwrap(),
            )
        })
        .collect();
    let expected = [
        (1, "queued", 0.0),
        (2, "queued", 0.0),
        (1, "generating", 0.3),
        (1, "complete", 1.0),
        (2, "generating", 0.3),
        (2, "failed", 0.0),
    ];
    assert_eq!(
        told,
        expected.map(|(task, status, progress)| (task, status.to_owned(), progress))
    );
    let failed = last(&log, "image_progress");
    assert_eq!(
        (&failed["errorMessage"], &failed["url"]),
        (&json!("no answer again"), &Value::Null)
    );
    let complete = &of(&log, "image_progress")[3];
    assert_eq!(complete["url"], "/api/assets/101001");
    assert_eq!(last(&log, "workflow_complete")["missing"], json!([2]));
}

#[test]
fn pictures_that_are_made_anew_begin_anew() {
    let log = reviewed(1).routes("image_plan");
    let log = log.goes_back(
        &[Stage::ImagePlan, Stage::Images, Stage::Review],
        2,
        "review: readability",
    );
    let before = log.clone();
    let log = log
        .does(Stage::ImagePlan, 2)
        .routes(IMAGES)
        .stage(IMAGES, 2)
        .request(IMAGES, "1", 3)
        .image(1, 3, 2);
    let anew = of(&log, "image_progress").split_off(of(&before, "image_progress").len());
    let anew: Vec<_> = anew
        .iter()
        .map(|frame| (frame["taskId"].clone(), frame["status"].clone()))
        .collect();
    let expected = [
        (1, "queued"),
        (2, "queued"),
        (1, "generating"),
        (1, "complete"),
    ];
    assert_eq!(
        anew,
        expected.map(|(task, status)| (json!(task), json!(status)))
    );
}

#[test]
fn what_nobody_looked_at_says_so() {
    let told = last(&happy(), "quality_score");
    let by = |what: &str| told["checkedBy"][what].clone();
    assert_eq!(
        [by("infoDensity"), by("textImageAlignment")],
        [json!("rules"), json!("not_checked")]
    );
}

#[test]
fn a_prompt_is_told_before_its_picture_and_once() {
    let prompt = json!({ "prompt": "a picnic", "sequence": 0 });
    let log = drawing().calls(Stage::Images, "1", 1, 1, "generateImage", prompt.clone());
    let log = log.calls(Stage::Images, "1", 1, 2, "generateImage", prompt);
    let told = of(&log, "image_prompt_ready");
    assert_eq!(told.len(), 1);
    assert_eq!(
        (&told[0]["taskId"], &told[0]["finalPromptPreview"]),
        (
            &json!(1),
            &json!("a picnic\nNo text, letters, numbers, logos or watermarks in the picture.")
        )
    );
    let path = told[0]["finalPromptPath"].as_str().unwrap();
    assert!(path.ends_with("#/plans/0/prompt"), "{path}");
}

#[test]
fn an_intent_that_is_not_certain_is_not_told() {
    let mut unsure = body(Stage::Requirement, 1);
    unsure["intent"]["confidence"] = json!(0.5);
    let log = LogFixture::post()
        .wants(BRIEF, attended())
        .stage("requirement", 1)
        .request("requirement", "", 1);
    let log = log.make("requirement", "", 1, "requirement", true, inline(unsure));
    assert_eq!(of(&log, "intent_detected"), Vec::<Value>::new());
    assert_eq!(of(&log, "content_type_detected").len(), 1);
    assert_eq!(of(&happy(), "intent_detected").len(), 1);
}

#[test]
fn clarifications_say_who_asks_and_what_is_missing() {
    let log = LogFixture::post()
        .wants(BRIEF, attended())
        .does(Stage::Requirement, 1);
    let asked = log.clone().opens_gate(
        GATE,
        "supervisor.clarity",
        None,
        &["continue_default", "refine_requirements"],
    );
    let context = json!({
        "__clarification": true, "kind": "clarification", "key": "supervisor.clarity", "missingDimensions": ["目标人群", "创作目标"],
        "requirement": "写一篇春游笔记，生成文案和标题", "clarityScore": 0.4, "clarityLevel": "low", "gateId": GATE,
    });
    assert_eq!(last(&asked, "ask_user")["context"], context);
    let keys = [
        (
            "brief_compiler_agent.requirement_scope",
            vec!["add_audience", "add_goal", "add_style", "continue_default"],
        ),
        (
            "research_evidence_agent.focus",
            vec![
                "trend_data",
                "user_pain",
                "practical_steps",
                "continue_default",
            ],
        ),
        (
            "reference_intelligence_agent.style_source",
            vec!["default_style", "custom_style"],
        ),
        (
            "writer_agent.evidence_gap",
            vec!["continue_with_general_knowledge", "need_more_facts"],
        ),
        (
            "layout_planner_agent.preference",
            vec!["dense", "balanced", "visual_first"],
        ),
        (
            "review_agent.no_images",
            vec!["text_only_review", "continue_default"],
        ),
        ("budget", vec!["raise", "finish_partial", "end"]),
    ];
    for (key, options) in keys {
        let log = log.clone().opens_gate(GATE, key, None, &options);
        let ask = last(&log, "ask_user");
        assert_ne!(ask["question"], "is it right?", "{key}");
        for option in ask["options"].as_array().unwrap() {
            assert!(
                option["label"] != option["id"] && option["description"].is_string(),
                "{option}"
            );
        }
        let agent = key.split_once('.').map_or("supervisor", |(agent, _)| agent);
        assert_eq!(ask["agent"], agent);
    }
}

#[test]
fn where_nobody_is_asked_nothing_is() {
    let settings = palimpsest::prelude::pipeline::Settings {
        attended: false,
        ..attended()
    };
    let log = LogFixture::post()
        .wants(BRIEF, settings)
        .does(Stage::Requirement, 1);
    let asked = log
        .clone()
        .opens_gate(GATE, "supervisor.clarity", None, &["continue_default"]);
    assert_eq!(
        asked.frames_of::<Post>().len(),
        log.frames_of::<Post>().len()
    );
    assert!(
        data(&log)
            .iter()
            .all(|frame| frame.get("conversationId").is_none())
    );
    assert_eq!(
        data(&written())
            .iter()
            .filter(|frame| frame["conversationId"] == "s1")
            .count(),
        1
    );
}

#[test]
fn a_call_that_is_cut_off_has_its_result_before_its_node_ends() {
    let log = LogFixture::post()
        .wants(BRIEF, attended())
        .stage("research", 1)
        .request("research", "", 1);
    let log = log.calls(
        Stage::Research,
        "",
        1,
        1,
        "webSearch",
        json!({ "query": "春游" }),
    );
    let before = log.clone();
    let log = log
        .cancel_step("research", "", 1, "cancelled")
        .close("research", StageOutcome::Cancelled)
        .cancelled();
    assert_eq!(
        names_after(&log, &before),
        ["tool_result", "agent_end", "workflow_cancelled"]
    );
    assert_eq!(last(&log, "tool_result")["toolOutput"]["code"], "cancelled");
    let late = log
        .clone()
        .returns(Stage::Research, "", 1, 1, "webSearch", "late");
    assert_eq!(
        late.frames_of::<Post>().len(),
        log.frames_of::<Post>().len()
    );
}

#[test]
fn what_a_tool_said_in_a_line_is_a_text() {
    let log = LogFixture::post()
        .wants(BRIEF, attended())
        .stage("research", 1)
        .request("research", "", 1);
    let log = log.calls(Stage::Research, "", 1, 1, "webSearch", json!({}));
    let log = log.returns(Stage::Research, "", 1, 1, "webSearch", "3 results");
    assert_eq!(last(&log, "tool_result")["toolOutput"], "3 results");
    assert_eq!(of(&happy(), "tool_result")[0]["toolOutput"]["total"], 0);
    let before = log.clone();
    let log = log.calls(
        Stage::Research,
        "",
        1,
        2,
        "submit_evidence",
        json!({ "items": [] }),
    );
    let log = log.returns(Stage::Research, "", 1, 2, "submit_evidence", "0 items");
    assert_eq!(
        names_after(&log, &before),
        [""; 0],
        "what was made is told instead"
    );
}

#[test]
fn a_message_that_wants_no_post_is_answered_and_ends() {
    let log = LogFixture::post().wants("你好", attended());
    let run = log.run;
    let message = "m_1".into();
    let log = log
        .then(MessageSent {
            message,
            run,
            text: "我只写笔记".to_owned(),
        })
        .completed(None);
    let complete = last(&log, "workflow_complete");
    assert_eq!(
        (
            &complete["content"],
            &complete["title"],
            &complete["passed"]
        ),
        (&json!("我只写笔记"), &json!(""), &json!(false))
    );
    assert_eq!(complete["creativeId"], Value::Null, "there is no post");
    assert_eq!(of(&log, "message").len(), 1);
}

/// A run that only answers: a talk, a refusal, or an undo.
fn answered(log: LogFixture, brief: &str, back_to: Option<RunId>) -> LogFixture {
    let mut log = log.wants(brief, attended());
    if let Some(run) = back_to {
        log = log.then(HeadMoved { run });
    }
    let run = log.run;
    let message = "m_1".into();
    log.then(MessageSent {
        message,
        run,
        text: "好的".to_owned(),
    })
    .completed(None)
}

/// A post whose title says its number.
fn posted(log: LogFixture, number: u32) -> LogFixture {
    let log = log.wants(BRIEF, attended());
    let mut post = body(Stage::Post, 1);
    post["title"] = json!(format!("第{number}篇"));
    let log = log.stage("post", 1).request("post", "", 1);
    let log = log.make("post", "", 1, "post", true, inline(post));
    let made = log.last_artifact();
    log.succeed("post", "", 1, vec![]).completed(Some(made))
}

#[test]
fn what_stands_after_an_answer_is_what_the_session_has() {
    let log = posted(LogFixture::post(), 1);
    let first = log.run;
    let whole = last(&log, "workflow_complete");
    let talk = answered(log.clone(), "谢谢", None);
    let told = last(&talk, "workflow_complete");
    for field in [
        "title",
        "body",
        "tags",
        "imageAssetIds",
        "creativeId",
        "review",
        "missing",
    ] {
        assert_eq!(told[field], whole[field], "{field}");
    }
    assert_eq!(told["content"], "好的");
    let log = posted(talk, 2);
    let refusal = answered(log, "九张图", None);
    assert_eq!(last(&refusal, "workflow_complete")["title"], "第2篇");
    let undo = answered(refusal, "撤销", Some(first));
    assert_eq!(last(&undo, "workflow_complete")["title"], "第1篇");
    // Somebody may also go back without a message.
    let log = answered(posted(undo, 3).then(HeadMoved { run: first }), "嗯", None);
    assert_eq!(last(&log, "workflow_complete")["title"], "第1篇");
}

#[test]
fn a_run_that_is_finished_early_has_its_pieces() {
    let log = drawing().image(1, 1, 1);
    let (run, at) = (log.run, log.now());
    let log = log
        .close(IMAGES, StageOutcome::Cancelled)
        .then(RunCompleted {
            run,
            final_artifact: None,
            partial: true,
            at,
        });
    let complete = last(&log, "workflow_complete");
    assert_eq!(
        (
            &complete["imageAssetIds"],
            &complete["missing"],
            &complete["partial"]
        ),
        (&json!([101_001]), &json!([2]), &json!(true))
    );
    assert_eq!(
        (&complete["title"], &complete["review"]),
        (&json!("春游攻略1"), &json!("not_checked"))
    );
}

#[test]
fn the_supervisors_own_decision_stands_in_its_node() {
    let log = LogFixture::post()
        .wants(BRIEF, attended())
        .does(Stage::Requirement, 1);
    let before = log.clone();
    let log = log
        .stage("supervise:2", 1)
        .request("supervise:2", "", 1)
        .decides_what("route:2", "writer", "gpt-x");
    let log = log
        .succeed("supervise:2", "", 1, vec![])
        .close("supervise:2", StageOutcome::Completed);
    assert_eq!(
        names_after(&log, &before),
        ["agent_start", "supervisor_decision", "agent_end"]
    );
    let decision = last(&log, "supervisor_decision");
    assert_eq!(
        (&decision["decision"], &decision["by"]),
        (&json!("writer_agent"), &json!("gpt-x"))
    );
    assert_eq!(
        last(&happy(), "supervisor_decision")["decision"],
        "supervisor"
    );
}

#[test]
fn failures_and_other_pipelines_end_once() {
    let log = written()
        .close("writer", StageOutcome::Failed)
        .failed("stage_failed", "no answer");
    let failed = last(&log, "workflow_failed");
    assert_eq!(
        (&failed["errorMessage"], &failed["errorCode"]),
        (&json!("no answer"), &json!("stage_failed"))
    );
    let other = LogFixture::of("talk", "")
        .message("做课件", attended())
        .understood()
        .stage("draft", 1)
        .request("draft", "", 1)
        .called("draft", "", 1, None)
        .make(
            "draft",
            "",
            1,
            "draft",
            true,
            inline(json!({ "of": "draft" })),
        )
        .succeed("draft", "", 1, vec![])
        .close("draft", StageOutcome::Completed)
        .completed(None);
    let names: Vec<_> = other
        .frames_of::<Post>()
        .iter()
        .map(|frame| frame.name)
        .collect();
    assert_eq!(names, ["workflow_complete"]);
}

#[test]
fn a_session_that_was_erased_closes_what_was_open() {
    let mut fold = Fold::<Post>::new(session());
    for recorded in &drawing().events {
        fold.push(recorded);
    }
    let names: Vec<_> = fold.partings().iter().map(|parting| parting.name).collect();
    assert_eq!(names, ["tool_result", "agent_end", "workflow_cancelled"]);
    for recorded in &happy().events {
        fold.push(recorded);
    }
    assert_eq!(fold.partings().len(), 0);
}

#[test]
fn english_runs_are_told_in_english() {
    let english = palimpsest::prelude::pipeline::Settings {
        language: "en".to_owned(),
        ..attended()
    };
    let log = LogFixture::post()
        .wants("a picnic", english)
        .does(Stage::Requirement, 1)
        .does(Stage::Writer, 1);
    let subject = log.last_artifact();
    let log = log
        .opens_gate(GATE, "content", Some(subject), &["approve"])
        .cancelled();
    for frame in data(&log) {
        let content = frame["content"]
            .as_str()
            .unwrap_or_default()
            .replace("春游攻略1", "");
        let is_made = frame["type"] == "message";
        assert!(is_made || content.is_ascii(), "{content}");
    }
    assert_eq!(last(&log, "ask_user")["options"][0]["label"], "Go on");
}

#[test]
fn a_question_of_a_model_stands_between_its_call_and_its_result() {
    let question = json!({
        "question": "写给谁？", "selectionType": "multiple", "allowCustomInput": true,
        "options": [{ "id": "a", "label": "家长", "imageUrl": "/a.png" }, { "id": "b", "label": "学生", "description": "中学" }],
        "contextJson": r#"{"hint":"人群","key":"x","__hitl":true}"#,
    });
    let before = LogFixture::post()
        .wants(BRIEF, attended())
        .does(Stage::Requirement, 1)
        .does(Stage::Brief, 1)
        .routes("research")
        .stage("research", 1)
        .request("research", "", 1);
    let asks = before
        .clone()
        .calls(Stage::Research, "", 1, 1, "askUser", question)
        .asks_in(GATE, "askUser:1", "research");
    assert_eq!(
        names_after(&asks, &before),
        ["tool_call", "ask_user", "workflow_paused"]
    );
    let ask = last(&asks, "ask_user");
    assert_eq!(ask["agent"], "research_evidence_agent");
    let shown = json!([
        { "id": "a", "label": "家长", "imageUrl": "/a.png" },
        { "id": "b", "label": "学生", "description": "中学" },
    ]);
    assert_eq!(ask["options"], shown);
    assert_eq!(
        (&ask["selectionType"], &ask["allowCustomInput"]),
        (&json!("multiple"), &json!(true))
    );
    let context = &ask["context"];
    assert_eq!(
        (
            &context["__agent_clarification"],
            &context["key"],
            &context["hint"]
        ),
        (&json!(true), &json!("askUser:1"), &json!("人群"))
    );
    assert!(context.get("__hitl").is_none(), "{context}");
    let goes_on = asks
        .clone()
        .answers(GATE, json!({ "selectedIds": ["b"] }))
        .returns(
            Stage::Research,
            "",
            1,
            1,
            "askUser",
            r#"{"selectedIds":["b"],"selected":["学生"]}"#,
        );
    assert_eq!(names_after(&goes_on, &asks), ["tool_result"]);
    assert_eq!(
        last(&goes_on, "tool_result")["toolOutput"]["selected"],
        json!(["学生"])
    );
}

#[test]
fn a_decision_tells_what_the_supervisor_told_where_it_was_followed() {
    let log = LogFixture::post()
        .wants(BRIEF, attended())
        .does(Stage::Requirement, 1);
    let log = log
        .decides_what("context:2", "家长已回答", "m")
        .decides_what("focus:2", r#"["数字"]"#, "m")
        .decides_what("supervisor:2", "brief", "m")
        .routes("brief");
    let told = last(&log, "supervisor_decision");
    assert_eq!(
        (&told["context_from_previous"], &told["focus_areas"]),
        (&json!("家长已回答"), &json!(["数字"]))
    );
    let other = log
        .decides_what("context:3", "没人听", "m")
        .decides_what("supervisor:3", "writer", "m")
        .routes("research");
    let told = last(&other, "supervisor_decision");
    assert!(told.get("context_from_previous").is_none() && told.get("focus_areas").is_none());
}

#[test]
fn the_prompt_that_is_told_is_the_one_that_is_sent() {
    let input = json!({ "prompt": "a picnic", "style": "minimalist", "sequence": 0 });
    let log = drawing().calls(Stage::Images, "1", 1, 1, "generateImage", input);
    let told = last(&log, "image_prompt_ready");
    let sent = palimpsest::prelude::pipeline::drawing::sent("a picnic", Some("minimalist"));
    let hash = palimpsest::prelude::pipeline::Sha256::of(sent.as_bytes());
    assert_eq!(told["finalPromptHash"], json!(hash));
}

#[test]
fn the_pictures_of_a_plan_are_one_call_whoever_makes_them() {
    let log = drawing();
    let call = last(&log, "tool_call");
    assert_eq!(
        (&call["tool"], &call["agent"]),
        (&json!("generate_images_batch"), &json!("image_agent"))
    );
    let images = call["toolInput"]["images"].as_array().unwrap();
    assert_eq!(images.len(), 2);
    assert_eq!(
        (
            &images[1]["taskId"],
            &images[1]["role"],
            &images[1]["description"]
        ),
        (&json!(2), &json!("detail"), &json!("细节"))
    );
    let whole = happy();
    let result = last(&whole, "tool_result");
    assert_eq!(result["toolCallId"], call["toolCallId"]);
    assert_eq!(
        result["toolOutput"],
        json!({
            "images": [
                { "taskId": 1, "status": "complete", "assetId": 101001, "url": "/api/assets/101001", "drawn": "local" },
                { "taskId": 2, "status": "failed" },
            ],
            "complete": 1, "failed": 1,
        })
    );
    let stopped = drawing().cancelled();
    assert_eq!(
        last(&stopped, "tool_result")["toolOutput"]["code"],
        "cancelled"
    );
}

#[test]
fn why_work_is_done_anew_is_said_in_the_language_of_the_run() {
    for (reason, says) in [
        ("rejected by the person", "用户要求重新生成"),
        ("review: readability", "审核：readability 未达标"),
        ("supervisor", "主管"),
        ("edited by a person", "用户修改"),
        ("a person asked for it", "用户要求重做"),
    ] {
        let log = reviewed(1).routes("image_plan");
        let log = log.goes_back(&[Stage::ImagePlan, Stage::Images, Stage::Review], 2, reason);
        let told = last(&log, "progress")["content"].clone();
        let told = told.as_str().unwrap();
        assert!(told.contains(says) && !told.contains("person"), "{told}");
    }
}
