//! Posts with people in the loop, on the built program: pauses that outlive it, answers given twice, and cancelling.

use serde_json::{Value, json};

use crate::support::post::{NEXT, decision, opening, script_with};
use crate::support::rig::Rig;

async fn attended() -> Rig {
    let rig = Rig::playing(&script_with([], json!({})), &[]).await;
    // With a reference picture there is nothing to be asked about the style, and the message says the rest.
    let mut request = opening(
        "s",
        json!({ "attended": true, "options": { "supervisor": "rules" } }),
    );
    request["input"] =
        json!({ "layoutPreference": "balanced", "referenceInputs": [{ "url": "none.png" }] });
    rig.api.open(&request).await;
    rig
}

/// The question that waits, once there is one of this kind.
async fn asked(rig: &Rig, kind: &str) -> Value {
    loop {
        let frames = rig.api.frames("s", "post").await;
        let last = frames
            .last()
            .map(|frame| frame["data"].clone())
            .unwrap_or_default();
        if last["type"] == "workflow_paused" {
            let asked = frames[frames.len() - 2]["data"].clone();
            if asked["context"]["kind"] == kind {
                return asked;
            }
        }
        tokio::task::yield_now().await;
    }
}

/// What a stream says, and whether it ended as it should.
fn told(stream: &Value) -> Vec<Value> {
    let text = stream.as_str().expect("a stream");
    let lines: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    assert_eq!(lines.last(), Some(&"[DONE]"), "{text}");
    let frames = lines[..lines.len() - 1].iter();
    frames
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

async fn confirm(rig: &Rig, answer: Value) -> crate::support::api::Answer {
    rig.api.post("/api/agent/confirm", &answer).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_outlives_the_program_and_is_answered_once() {
    let mut rig = attended().await;
    let gap = asked(&rig, "clarification").await;
    let task = rig.api.get("/api/tasks/s:r1").await.succeeded();
    assert_eq!(task["currentAgent"], "writer_agent", "{task:#}");
    let response = json!({ "selectedIds": ["continue_with_general_knowledge"] });
    let answer = json!({ "threadId": "s", "gateId": gap["gateId"], "userResponse": response });
    told(&confirm(&rig, answer).await.succeeded());
    let content = asked(&rig, "content").await;
    rig.again().await;
    let approve = json!({ "threadId": "s", "gateId": content["gateId"], "action": "approve" });
    let frames = told(&confirm(&rig, approve.clone()).await.succeeded());
    assert_eq!(frames[0]["type"], "agent_start");
    assert_eq!(frames.last().expect("frames")["type"], "workflow_paused");
    let again = confirm(&rig, approve).await;
    assert_eq!(again.status.as_u16(), 409, "{:#}", again.body);
    let plans = asked(&rig, "image_plans").await;
    rig.again().await;
    let approve = json!({ "threadId": "s", "gateId": plans["gateId"], "action": "approve" });
    let frames = told(&confirm(&rig, approve).await.succeeded());
    let last = frames.last().expect("frames");
    assert_eq!(last["type"], "workflow_complete", "{last:#}");
    assert_eq!(last["imageAssetIds"].as_array().map(Vec::len), Some(4));
    let journal = rig.model.journal().await;
    assert_eq!(journal.paid_twice(), vec![]);
    let unknown = confirm(&rig, json!({ "threadId": "nobody", "action": "approve" })).await;
    assert_eq!(unknown.status.as_u16(), 404, "{:#}", unknown.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_names_no_question_is_none_to_one_that_was_not_told() {
    let mut rig = attended().await;
    let gap = asked(&rig, "clarification").await;
    let response = json!({ "selectedIds": ["continue_with_general_knowledge"] });
    let answer = json!({ "threadId": "s", "gateId": gap["gateId"], "userResponse": response });
    told(&confirm(&rig, answer).await.succeeded());
    let content = asked(&rig, "content").await;
    rig.again().await;
    // This client has seen no stream of the new process: it is told what waits, and its message answers nothing.
    let approve = json!({ "threadId": "s", "action": "approve" });
    let frames = told(&confirm(&rig, approve.clone()).await.succeeded());
    let last = frames.last().expect("frames");
    assert_eq!(
        (&last["type"], &last["gateId"]),
        (&json!("workflow_paused"), &content["gateId"])
    );
    // Now the client has been told, and the same message answers the question.
    let frames = told(&confirm(&rig, approve).await.succeeded());
    let last = frames.last().expect("frames");
    assert_eq!(last["type"], "workflow_paused");
    assert_eq!(last["gateId"], asked(&rig, "image_plans").await["gateId"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_rejected_is_made_anew_with_what_was_said_and_what_is_changed_stands() {
    let rig = attended().await;
    let gap = asked(&rig, "clarification").await;
    let response = json!({ "selectedIds": ["continue_with_general_knowledge"] });
    told(
        &confirm(
            &rig,
            json!({ "threadId": "s", "gateId": gap["gateId"], "userResponse": response }),
        )
        .await
        .succeeded(),
    );
    let content = asked(&rig, "content").await;
    let reject = json!({ "threadId": "s", "gateId": content["gateId"], "action": "reject", "userFeedback": "再活泼一点" });
    told(&confirm(&rig, reject).await.succeeded());
    let written = rig.model.journal().await;
    let written = written.asked("post_content");
    assert_eq!(written.len(), 2);
    assert!(written[1].to_string().contains("再活泼一点"));
    let modify = json!({
        "threadId": "s", "action": "modify", "modifiedData": { "title": "我自己的标题" },
        "saveAsTemplate": { "name": "我的语气", "category": "writing_tone" },
    });
    told(&confirm(&rig, modify).await.succeeded());
    let too_long = json!({ "threadId": "s", "action": "modify", "modifiedData": { "title": "长".repeat(21) } });
    let refused = confirm(&rig, too_long).await;
    assert_eq!(refused.status.as_u16(), 422, "{:#}", refused.body);
    let modify =
        json!({ "threadId": "s", "action": "modify", "modifiedData": { "body": "另一段文字。" } });
    let frames = told(&confirm(&rig, modify).await.succeeded());
    // Layout and plan depend on the text: they are made again, and the plan is asked about again.
    let made: Vec<_> = frames
        .iter()
        .filter_map(|frame| frame["type"].as_str())
        .collect();
    assert!(
        made.contains(&"content_update") && made.contains(&"layout_spec_ready"),
        "{made:?}"
    );
    assert_eq!(made.last(), Some(&"workflow_paused"));
    let frames = told(
        &confirm(&rig, json!({ "threadId": "s", "action": "approve" }))
            .await
            .succeeded(),
    );
    let last = frames.last().expect("frames");
    assert_eq!(
        (&last["title"], &last["body"]),
        (&json!("我自己的标题"), &json!("另一段文字。")),
        "{last:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_closes_the_call_to_who_draws_and_no_other_is_made() {
    let held = json!({ "when": { "endpoint": "images" }, "hold_after_chunks": 1 });
    let rig = Rig::playing(&script_with([held], json!({})), &[]).await;
    rig.api
        .open(&opening(
            "s",
            json!({ "width": 1, "options": { "supervisor": "rules" } }),
        ))
        .await;
    rig.until_held(1).await;
    let cancelled = rig
        .api
        .post("/api/agent/cancel", &json!({ "threadId": "s" }))
        .await
        .succeeded();
    assert_eq!(cancelled["status"], "cancelled", "{cancelled:#}");
    let closed = |request: &Value| {
        request["endpoint"] == "generations" && !request["closed_by_client_us"].is_null()
    };
    let journal = rig
        .model
        .journal_when("the closed call", |journal| {
            journal.requests().iter().any(closed)
        })
        .await;
    let drawn = journal
        .requests()
        .iter()
        .filter(|request| request["endpoint"] == "generations");
    assert_eq!(drawn.count(), 1);
    let frames = rig.api.frames("s", "post").await;
    assert_eq!(
        frames.last().expect("frames")["data"]["type"],
        "workflow_cancelled"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_is_taken_back_for_good_and_nothing_is_paid_for_it() {
    let mut rig = attended().await;
    asked(&rig, "clarification").await;
    let message = json!({ "message": "再来一篇秋游的", "threadId": "s" });
    let second = rig.api.post("/api/tasks", &message).await.succeeded();
    assert_eq!(second["taskId"], "s:r2", "{second:#}");
    let cancel = json!({ "threadId": "s", "runId": "r2", "reason": "不要了" });
    rig.api.post("/api/agent/cancel", &cancel).await.succeeded();
    rig.again().await;
    let task = rig.api.get("/api/tasks/s:r2").await.succeeded();
    assert_eq!(task["status"], "cancelled", "{task:#}");
    let paid = rig.model.journal().await.requests().len();
    let first = json!({ "threadId": "s" });
    let cancelled = rig.api.post("/api/agent/cancel", &first).await.succeeded();
    assert_eq!(cancelled["runId"], "r1", "{cancelled:#}");
    let frames = rig.api.frames("s", "post").await;
    let data = frames.iter().map(|frame| &frame["data"]);
    let ends: Vec<_> = data
        .filter(|data| data["type"] == "workflow_cancelled")
        .map(|data| data["reason"].clone())
        .collect();
    assert_eq!(ends, ["a person asked for it", "不要了"]);
    assert_eq!(rig.model.journal().await.requests().len(), paid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_asks_in_the_middle_of_its_step_and_goes_on_with_the_answer_after_a_restart() {
    let question = json!({
        "question": "写给谁看？", "options": [{ "id": "p", "label": "带娃家长" }, { "id": "s", "label": "学生" }],
        "selectionType": "single",
    });
    let asks = |when: Value| json!({ "when": when, "tool_calls": [{ "name": "askUser", "arguments": question }] });
    let rules = [
        asks(json!({ "schema": "supervisor_decision", "occurrence": 1 })),
        // The researcher has the same question, which was answered by then.
        asks(json!({ "system_contains": "You look for evidence", "occurrence": 1 })),
    ];
    // A sequence counts the questions that a rule answered, too.
    let next: Vec<_> = std::iter::once("END").chain(NEXT).map(decision).collect();
    let others = json!({ "supervisor_decision": next });
    let mut rig = Rig::playing(&script_with(rules, others), &[]).await;
    let mut request = opening("s", json!({ "attended": true }));
    request["input"] =
        json!({ "layoutPreference": "balanced", "referenceInputs": [{ "url": "none.png" }] });
    rig.api.open(&request).await;
    let ask = asked(&rig, "clarification").await;
    assert_eq!(
        (&ask["agent"], &ask["question"]),
        (&json!("supervisor"), &json!("写给谁看？"))
    );
    assert_eq!(ask["options"][0]["label"], "带娃家长", "{ask:#}");
    let view = rig.api.session("s").await;
    assert_eq!(view["runs"][0]["status"], "waiting", "{view:#}");
    rig.again().await;
    let wrong = json!({ "threadId": "s", "gateId": ask["gateId"], "userResponse": { "selectedIds": ["x"] } });
    assert_eq!(confirm(&rig, wrong).await.status.as_u16(), 422);
    let answer = json!({ "threadId": "s", "gateId": ask["gateId"], "userResponse": { "selectedIds": ["p"] } });
    let frames = told(&confirm(&rig, answer.clone()).await.succeeded());
    let results: Vec<_> = frames
        .iter()
        .filter(|frame| frame["type"] == "tool_result" && frame["tool"] == "askUser")
        .collect();
    assert_eq!(results.len(), 2, "{frames:#?}");
    for result in results {
        assert_eq!(
            result["toolOutput"]["selected"],
            json!(["带娃家长"]),
            "{result:#}"
        );
    }
    let questions = |frames: &[Value]| {
        frames
            .iter()
            .filter(|frame| frame["type"] == "ask_user")
            .count()
    };
    assert_eq!(
        questions(&frames),
        1,
        "the next one, about evidence: {frames:#?}"
    );
    assert_eq!(confirm(&rig, answer).await.status.as_u16(), 409);
    let journal = rig.model.journal().await;
    assert_eq!(journal.paid_twice(), vec![]);
    let decided = journal.asked("supervisor_decision");
    assert!(decided[1].to_string().contains("带娃家长"));
    // The later agents are told the answer, too.
    let response = json!({ "selectedIds": ["continue_with_general_knowledge"] });
    let answer = json!({ "threadId": "s", "userResponse": response });
    told(&confirm(&rig, answer).await.succeeded());
    let journal = rig.model.journal().await;
    assert!(
        journal.asked("post_content")[0]
            .to_string()
            .contains("带娃家长")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_ends_a_step_that_waits_for_an_answer() {
    let question = json!({ "question": "写给谁看？", "options": [], "selectionType": "none" });
    let rule = json!({ "when": { "schema": "supervisor_decision" }, "tool_calls": [{ "name": "askUser", "arguments": question }] });
    let rig = Rig::playing(&script_with([rule], json!({})), &[]).await;
    rig.api
        .open(&opening("s", json!({ "attended": true })))
        .await;
    let ask = asked(&rig, "clarification").await;
    assert_eq!(
        (&ask["selectionType"], &ask["allowCustomInput"]),
        (&json!("none"), &json!(true))
    );
    rig.api
        .post("/api/agent/cancel", &json!({ "threadId": "s" }))
        .await
        .succeeded();
    let late = json!({ "threadId": "s", "gateId": ask["gateId"], "userResponse": { "customInput": "家长" } });
    assert_eq!(confirm(&rig, late).await.status.as_u16(), 409);
    let frames = rig.api.frames("s", "post").await;
    let result = frames.iter().map(|frame| &frame["data"]);
    let result: Vec<_> = result
        .filter(|data| data["type"] == "tool_result" && data["tool"] == "askUser")
        .collect();
    assert_eq!(result.len(), 1);
    assert_eq!(result[0]["toolOutput"]["code"], "cancelled");
}
