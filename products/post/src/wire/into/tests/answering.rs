//! Answers to questions, and why they are refused.

use super::pipeline::VAGUE;
use super::*;

/// A server with a thread that waits for the approval of its text.
async fn waiting() -> (Server, String) {
    let server = Server::start().await;
    let body = json!({ "message": "写春游", "threadId": "t1", "enableHITL": true });
    let frames = server.say(body).await.whole().await;
    assert_eq!(
        names(&frames)[frames.len() - 2..],
        ["ask_user", "workflow_paused"]
    );
    let gate = last(&frames)["gateId"].as_str().expect("a gate").to_owned();
    (server, gate)
}

async fn refusal(server: &Server, body: Value) -> (u16, String) {
    refused(server.post("/api/agent/confirm", body).await).await
}

#[tokio::test]
async fn what_is_approved_goes_on_to_the_end() {
    let (server, gate) = waiting().await;
    let frames = server
        .confirm(json!({ "threadId": "t1", "gateId": gate, "action": "approve" }))
        .await
        .whole()
        .await;
    assert_eq!(frames[0].0, "", "the acknowledgement is the connection's");
    assert_eq!(last(&frames)["type"], "workflow_complete");
    for again in [
        json!({ "threadId": "t1", "gateId": gate, "action": "approve" }),
        json!({ "threadId": "t1", "action": "approve" }),
    ] {
        assert_eq!(
            refusal(&server, again).await,
            (409, "gate_answered".to_owned())
        );
    }
}

#[tokio::test]
async fn what_is_rejected_is_made_anew_so_often_and_no_more() {
    let (server, _) = waiting().await;
    let reject = || json!({ "threadId": "t1", "action": "reject", "userFeedback": "换标题" });
    let frames = server.confirm(reject()).await.whole().await;
    assert!(names(&frames).contains(&"content_update"));
    let ask = &frames[frames.len() - 2].1;
    assert_eq!(ask["context"]["regenerationCount"], 1);
    assert_eq!(
        refusal(&server, reject()).await,
        (409, "regeneration_limit".to_owned())
    );
    let modified =
        json!({ "threadId": "t1", "action": "modify", "modifiedData": { "title": "夏游" } });
    let frames = server.confirm(modified).await.whole().await;
    assert_eq!(frames[1].1["type"], "content_update");
    assert_eq!(
        (&frames[1].1["title"], &last(&frames)["title"]),
        (&json!("夏游"), &json!("夏游"))
    );
}

#[tokio::test]
async fn wrong_answers_are_refused_before_any_stream_and_leave_the_question_open() {
    let (server, _) = waiting().await;
    let bad = [
        json!({ "action": "approve" }),
        json!({ "threadId": "t1" }),
        json!({ "threadId": "t1", "action": "perhaps" }),
        json!({ "threadId": "t1", "action": "reject" }),
        json!({ "threadId": "t1", "action": "modify" }),
        json!({ "threadId": "t1", "action": 1 }),
        json!({ "threadId": "t1", "userResponse": {} }),
        json!({ "threadId": "t1", "userResponse": { "selectedIds": ["reject"] } }),
        json!({ "threadId": "t1", "action": "approve", "saveAsTemplate": { "name": "a", "category": "odd" } }),
    ];
    for body in bad {
        assert_eq!(refusal(&server, body.clone()).await.0, 400, "{body}");
    }
    let misfit = json!({ "threadId": "t1", "action": "modify", "modifiedData": { "title": 1 } });
    assert_eq!(
        refusal(&server, misfit).await,
        (422, "bad_edits".to_owned())
    );
    let unknown = json!({ "threadId": "t9", "action": "approve" });
    assert_eq!(
        refusal(&server, unknown).await,
        (404, "no_session".to_owned())
    );
    let unknown = json!({ "threadId": "t1", "gateId": "gate_9", "action": "approve" });
    assert_eq!(refusal(&server, unknown).await, (404, "no_gate".to_owned()));
    let chosen = json!({ "threadId": "t1", "userResponse": { "selectedIds": ["approve"] } });
    let frames = server.confirm(chosen).await.whole().await;
    assert_eq!(last(&frames)["type"], "workflow_complete");
    server
        .say(json!({ "message": "写", "threadId": "t2" }))
        .await
        .whole()
        .await;
    assert_eq!(
        refusal(&server, json!({ "threadId": "t2", "action": "approve" })).await,
        (404, "no_gate".to_owned())
    );
}

#[tokio::test]
async fn the_same_answer_under_the_same_name_is_joined() {
    let (server, gate) = waiting().await;
    let body = || Some(json!({ "threadId": "t1", "gateId": gate, "action": "approve" }));
    let key = [("idempotency-key", "c1")];
    let first = Sse::of(server.ask("POST", "/api/agent/confirm", &key, body()).await)
        .whole()
        .await;
    let again = Sse::of(server.ask("POST", "/api/agent/confirm", &key, body()).await)
        .whole()
        .await;
    assert_eq!(logged(&again), logged(&first));
    let (cursor, _) = &first[3];
    let headers = [key[0], ("last-event-id", cursor.as_str())];
    let rest = Sse::of(
        server
            .ask("POST", "/api/agent/confirm", &headers, body())
            .await,
    )
    .whole()
    .await;
    assert_eq!(logged(&rest), first[4..]);
    let other =
        json!({ "threadId": "t1", "gateId": gate, "action": "reject", "userFeedback": "x" });
    let other = server.ask("POST", "/api/agent/confirm", &key, Some(other));
    assert_eq!(refused(other.await).await, (409, "id_reused".to_owned()));
}

#[tokio::test]
async fn what_is_not_clear_is_asked_and_the_answer_is_kept_as_it_is() {
    let server = Server::start().await;
    let body = json!({ "message": format!("{VAGUE}写"), "threadId": "t1", "enableHITL": true });
    let frames = server.say(body).await.whole().await;
    let ask = &frames[frames.len() - 2].1;
    assert_eq!(
        (&ask["context"]["__clarification"], &ask["agent"]),
        (&json!(true), &json!(SUPERVISOR.name))
    );
    assert_eq!(
        refusal(
            &server,
            json!({ "threadId": "t1", "action": "reject", "userFeedback": "x" })
        )
        .await
        .0,
        400
    );
    let response = json!({ "selectedIds": ["refine_requirements"], "customInput": "给学生看", "modifiedContext": { "a": 1 } });
    let frames = server
        .confirm(json!({ "threadId": "t1", "userResponse": response, "action": "reject" }))
        .await
        .whole()
        .await;
    assert_eq!(last(&frames)["type"], "workflow_paused");
    let session = server.session("t1").await;
    let run = session.active_run().expect("a run");
    let answer = run.answer_to("supervisor.clarity").expect("an answer");
    assert!(
        matches!(answer, palimpsest::prelude::pipeline::GateAnswer::Given { answer, .. } if *answer == response),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_message_behind_a_question_is_shown_the_question() {
    let (server, gate) = waiting().await;
    let other = json!({ "message": "再写一篇", "threadId": "t1" });
    let frames = server.say(other).await.whole().await;
    assert_eq!(last(&frames)["type"], "workflow_paused");
    assert_eq!(last(&frames)["gateId"], gate.as_str());
}

#[tokio::test]
async fn a_repeated_message_is_shown_all_since_it_was_said_not_only_a_later_question() {
    let server = Server::with(&[], 0).await;
    let asked = json!({ "message": "写春游", "threadId": "t1", "enableHITL": true });
    let mut first = server.say(asked).await;
    first.until("agent_start").await;
    let queued = || json!({ "message": "再写一篇", "threadId": "t1", "messageId": "m2" });
    let mut behind = server.say(queued()).await;
    server.texts.add_permits(PLENTY);
    let heard = behind.until("workflow_paused").await;
    let again = server.say(queued()).await.until("workflow_paused").await;
    assert!(logged(&heard).len() > 1, "{heard:?}");
    assert_eq!(logged(&again), logged(&heard));
}
