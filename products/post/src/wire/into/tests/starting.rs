//! Messages, and why they are refused.

use base64::Engine as _;
use palimpsest::prelude::wire::RunId;

use super::*;

#[tokio::test]
async fn a_message_is_answered_by_a_run_from_its_first_frame_to_the_end() {
    let server = Server::start().await;
    let answer = server
        .post(
            "/api/agent/stream",
            json!({ "message": "写春游", "themeId": 3, "unknown": 1 }),
        )
        .await;
    assert_eq!(answer.headers()["x-run-id"], "r1");
    assert_eq!(answer.headers()["cache-control"], "no-cache, no-transform");
    let frames = Sse::of(answer).whole().await;
    let expected = [
        "agent_start",
        "workflow_progress",
        "message",
        "intent_detected",
        "content_type_detected",
        "agent_end",
        "agent_start",
        "workflow_progress",
        "message",
        "content_update",
        "state_update",
        "agent_end",
        "agent_start",
        "workflow_progress",
        "tool_call",
        "image_progress",
        "image_progress",
        "image_progress",
        "image_progress",
        "image_progress",
        "image_progress",
        "tool_result",
        "state_update",
        "agent_end",
        "workflow_progress",
        "workflow_progress",
        "workflow_complete",
    ];
    assert_eq!(names(&frames), expected);
    assert_eq!(
        last(&frames)["imageAssetIds"]
            .as_array()
            .expect("ids")
            .len(),
        2
    );
    assert!(frames.iter().all(|(id, _)| id.starts_with("v1.")));
}

#[tokio::test(start_paused = true)]
async fn a_stream_shows_at_once_and_every_five_seconds_that_it_is_there() {
    let server = Server::with(&[], 0).await;
    let mut stream = server.say(json!({ "message": "写春游" })).await;
    let first = stream.next_any().await.expect("a comment").comment;
    let millis = first.strip_prefix("keep-alive ").expect("the time");
    assert!(
        millis.parse::<i64>().is_ok_and(|millis| millis > 0),
        "{first}"
    );
    stream.until("agent_end").await;
    stream.until("workflow_progress").await;
    let before = tokio::time::Instant::now();
    let beat = stream.next_any().await.expect("a comment").comment;
    assert!(beat.starts_with("keep-alive "), "{beat}");
    assert_eq!(before.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn what_is_missing_or_no_value_is_a_bad_request() {
    let server = Server::start().await;
    let bodies = [
        json!({}),
        json!({ "message": " " }),
        json!({ "message": 3 }),
        json!({ "message": "写", "enableHITL": "yes" }),
        json!({ "message": "写", "layoutPreference": "loud" }),
        json!({ "message": "写", "threadId": "a/b" }),
        json!({ "message": "写", "onBusy": "wait" }),
        json!({ "message": "写", "referenceImages": ["data:image/png;base64,AAAA"] }),
        json!({ "message": "写", "referenceImages": (0..10).map(|n| format!("https://a/{n}")).collect::<Vec<_>>() }),
    ];
    for body in bodies {
        let answer = server.post("/api/agent/stream", body.clone()).await;
        assert_eq!(refused(answer).await.0, 400, "{body}");
    }
    assert_eq!(
        refused(
            server
                .post("/api/agent/stream", json!({ "threadId": "none" }))
                .await
        )
        .await
        .0,
        404
    );
    let long = "长".repeat(20_001);
    let answer = server
        .post("/api/agent/stream", json!({ "message": long }))
        .await;
    assert_eq!(refused(answer).await, (422, "message_too_long".to_owned()));
    assert_eq!(server.get("/api/agent/stream").await.status().as_u16(), 405);
    let large = json!({ "message": "写", "referenceImageUrl": "x".repeat(10 * 1024 * 1024) });
    assert_eq!(
        server
            .post("/api/agent/stream", large)
            .await
            .status()
            .as_u16(),
        413
    );
}

#[tokio::test]
async fn only_the_owner_of_a_key_is_answered() {
    let key = |owner: &str, secret: &str| KeyEntry {
        owner: owner.to_owned(),
        secret: Some(secret.to_owned()),
        sha256: None,
    };
    let server = Server::with(&[key("ann", "a-secret"), key("bob", "b-secret")], PLENTY).await;
    let body = || Some(json!({ "message": "写", "threadId": "t1" }));
    let answer = server.ask("POST", "/api/agent/stream", &[], body()).await;
    assert_eq!(refused(answer).await, (401, "unauthorized".to_owned()));
    let ann = [("authorization", "Bearer a-secret")];
    Sse::of(server.ask("POST", "/api/agent/stream", &ann, body()).await)
        .whole()
        .await;
    let bob = [("authorization", "Bearer b-secret")];
    for path in [
        "/api/agent/stream/t1",
        "/api/tasks/t1:r1",
        "/api/tasks/t1:r1/events",
    ] {
        assert_eq!(
            server.ask("GET", path, &bob, None).await.status().as_u16(),
            404,
            "{path}"
        );
        assert_eq!(
            server.ask("GET", path, &ann, None).await.status().as_u16(),
            200,
            "{path}"
        );
    }
    let answer = server
        .ask(
            "POST",
            "/api/agent/cancel",
            &bob,
            Some(json!({ "threadId": "t1" })),
        )
        .await;
    assert_eq!(refused(answer).await.0, 404);
    assert_eq!(
        told(server.ask("GET", "/api/tasks", &bob, None).await)
            .await
            .1,
        json!({ "tasks": [] })
    );
    let foreign = [
        ("authorization", "Bearer a-secret"),
        ("origin", "https://evil.example"),
    ];
    assert_eq!(
        server
            .ask("GET", "/api/tasks", &foreign, None)
            .await
            .status()
            .as_u16(),
        403
    );
}

#[tokio::test]
async fn a_repeated_message_starts_nothing() {
    let server = Server::start().await;
    let key = [("idempotency-key", "k1")];
    let body = || Some(json!({ "message": "写春游" }));
    let first = Sse::of(server.ask("POST", "/api/agent/stream", &key, body()).await);
    let thread = first.thread.clone();
    let first = first.whole().await;
    let again = Sse::of(server.ask("POST", "/api/agent/stream", &key, body()).await);
    assert_eq!(again.thread, thread);
    assert_eq!(again.whole().await, first);
    let other = Some(json!({ "message": "写秋游" }));
    let other = server.ask("POST", "/api/agent/stream", &key, other);
    assert_eq!(refused(other.await).await, (409, "id_reused".to_owned()));
    let by_id = json!({ "message": "写春游", "threadId": thread, "messageId": "m1" });
    let one = server.say(by_id.clone()).await.whole().await;
    assert_eq!(server.say(by_id).await.whole().await, one);
    assert_eq!(server.session(&thread).await.runs.len(), 2);
}

#[tokio::test]
async fn a_running_thread_is_joined_and_a_finished_one_wants_a_message() {
    let server = Server::with(&[], 0).await;
    let mut first = server
        .say(json!({ "message": "写春游", "threadId": "t1" }))
        .await;
    first.until("agent_start").await;
    let joined = server.say(json!({ "threadId": "t1" })).await;
    let by_task = told(server.post("/api/tasks", json!({ "threadId": "t1" })).await).await;
    let expected = json!({ "taskId": "t1:r1", "threadId": "t1", "status": "running" });
    assert_eq!(by_task, (200, expected));
    server.texts.add_permits(1);
    let joined = joined.whole().await;
    assert_eq!(last(&joined)["type"], "workflow_complete");
    assert_eq!(server.session("t1").await.runs.len(), 1);
    let answer = server
        .post("/api/agent/stream", json!({ "threadId": "t1" }))
        .await;
    assert_eq!(refused(answer).await.0, 400);
}

#[tokio::test]
async fn a_message_to_a_busy_thread_waits_is_refused_or_interrupts() {
    let server = Server::with(&[], 0).await;
    let mut first = server
        .say(json!({ "message": "一", "threadId": "t1" }))
        .await;
    first.until("agent_start").await;
    let say = |on_busy: &str| json!({ "message": "二", "threadId": "t1", "onBusy": on_busy });
    let answer = server.post("/api/agent/stream", say("refuse")).await;
    assert_eq!(refused(answer).await, (409, "busy".to_owned()));
    let queued = server.say(say("enqueue")).await;
    let interrupting = server.say(say("interrupt")).await;
    server.texts.add_permits(PLENTY);
    let queued = queued.whole().await;
    assert_eq!(
        ends(&queued),
        [
            "workflow_cancelled",
            "workflow_complete",
            "workflow_complete"
        ]
    );
    let own = interrupting.whole().await;
    assert!(!names(&own).contains(&"workflow_cancelled"));
    let first = first.whole().await;
    assert_eq!(last(&first)["type"], "workflow_complete");
}

#[tokio::test]
async fn pictures_in_the_request_become_files_of_the_thread() {
    let server = Server::start().await;
    let png = base64::engine::general_purpose::STANDARD.encode(b"\x89PNG\r\n\x1a\nrest");
    let body = json!({
        "message": "写春游", "threadId": "t1", "enableHITL": false, "fastMode": true, "layoutPreference": "visual_first",
        "referenceInputs": [{ "url": "https://a/1.jpg", "type": "style" }, { "url": format!("data:image/png;base64,{png}"), "type": "odd" }],
    });
    server.say(body).await.whole().await;
    let session = server.session("t1").await;
    let run = session.runs.values().next().expect("a run");
    let expected = json!({
        "fastMode": true, "layoutPreference": "visual-first",
        "referenceInputs": [{ "url": "https://a/1.jpg", "type": "style" }, { "url": "references/2.png" }],
    });
    assert_eq!(run.input, expected);
    assert_eq!(session.files["references/2.png"].media_type, "image/png");
    assert!(!run.settings.attended);
}

#[tokio::test]
async fn a_run_that_was_to_be_aborted_is_cancelled_with_its_last_stream() {
    let server = Server::with(&[], 0).await;
    let body = json!({ "message": "写春游", "threadId": "t1", "onDisconnect": "abort" });
    let mut first = server.say(body).await;
    first.until("agent_start").await;
    let mut second = Sse::of(server.get("/api/agent/stream/t1").await);
    second.until("agent_start").await;
    drop(first);
    drop(second);
    // A stream that connects before the server notices the end of the second one would keep the run going.
    while server.session("t1").await.active.is_some() {
        tokio::task::yield_now().await;
    }
    let third = Sse::of(server.get("/api/agent/stream/t1").await);
    assert_eq!(last(&third.whole().await)["reason"], "the client went away");
    // Without `onDisconnect` nothing is cancelled.
    let mut fourth = server
        .say(json!({ "message": "写春游", "threadId": "t2" }))
        .await;
    fourth.until("agent_start").await;
    drop(fourth);
    server.texts.add_permits(1);
    let fifth = Sse::of(server.get("/api/agent/stream/t2").await);
    assert_eq!(last(&fifth.whole().await)["type"], "workflow_complete");
}

/// The end frames of a stream.
fn ends(frames: &[(String, Value)]) -> Vec<&str> {
    let ends = ["workflow_complete", "workflow_cancelled"];
    let names = names(frames).into_iter();
    names.filter(|name| ends.contains(name)).collect()
}

#[tokio::test]
async fn a_message_that_waits_is_cancelled_and_says_so_when_its_turn_comes() {
    let server = Server::with(&[], 0).await;
    let say = |text: &str| server.say(json!({ "message": text, "threadId": "t1" }));
    let mut first = say("一").await;
    first.until("agent_start").await;
    let second = say("二").await;
    let third = say("三").await;
    let cancel = |run: &str| {
        let body = json!({ "threadId": "t1", "runId": run, "reason": "不要了" });
        server.post("/api/agent/cancel", body)
    };
    let expected = json!({ "status": "cancelled", "threadId": "t1", "runId": "r2" });
    assert_eq!(told(cancel("r2").await).await, (200, expected.clone()));
    assert_eq!(told(cancel("r2").await).await, (200, expected.clone()));
    let (_, task) = told(server.get("/api/tasks/t1:r2").await).await;
    assert_eq!(task["status"], "cancelled");
    let (_, task) = told(server.get("/api/tasks/t1:r3").await).await;
    assert_eq!(task["status"], "queued");
    server.texts.add_permits(PLENTY);
    let third = third.whole().await;
    let all = [
        "workflow_complete",
        "workflow_cancelled",
        "workflow_complete",
    ];
    assert_eq!(ends(&third), all);
    assert_eq!(ends(&second.whole().await), all);
    let own = Sse::of(server.get("/api/tasks/t1:r2/events").await);
    let own = own.whole().await;
    assert_eq!(names(&own), ["workflow_cancelled"]);
    assert_eq!(last(&own)["reason"], "不要了");
    assert!(server.session("t1").await.runs[&RunId(2)].steps.is_empty());
    assert_eq!(told(cancel("r2").await).await, (200, expected));
    let over = refused(cancel("r1").await).await;
    assert_eq!(over, (409, "nothing_to_do".to_owned()));
    let unknown = refused(cancel("r9").await).await;
    assert_eq!(unknown, (404, "no_run".to_owned()));
}

#[tokio::test]
async fn a_message_that_waits_is_not_taken_up_once_its_client_went_away() {
    let server = Server::with(&[], 0).await;
    let mut first = server
        .say(json!({ "message": "一", "threadId": "t1" }))
        .await;
    first.until("agent_start").await;
    let body = json!({ "message": "二", "threadId": "t1", "onDisconnect": "abort" });
    let second = server.say(body).await;
    drop(first);
    drop(second);
    while server.session("t1").await.withdrawn.is_empty() {
        tokio::task::yield_now().await;
    }
    server.texts.add_permits(PLENTY);
    let all = Sse::of(server.get("/api/agent/stream/t1").await);
    let all = all.whole().await;
    assert_eq!(ends(&all), ["workflow_complete", "workflow_cancelled"]);
    assert_eq!(last(&all)["reason"], "the client went away");
}

#[tokio::test]
async fn a_cancel_that_is_sent_again_is_answered_as_the_first_and_reaches_no_other_run() {
    let server = Server::with(&[], 0).await;
    let say = |text: &str| server.say(json!({ "message": text, "threadId": "t1" }));
    let mut first = say("一").await;
    first.until("agent_start").await;
    let _second = say("二").await;
    for _ in 0..2 {
        let body = Some(json!({ "threadId": "t1" }));
        let key = [("idempotency-key", "c1")];
        let answer = server.ask("POST", "/api/agent/cancel", &key, body).await;
        assert_eq!(told(answer).await.1["runId"], "r1");
    }
    assert_eq!(server.session("t1").await.active, Some(RunId(2)));
}

#[tokio::test]
async fn what_is_cancelled_says_so_on_its_stream() {
    let server = Server::with(&[], 0).await;
    let mut stream = server
        .say(json!({ "message": "写春游", "threadId": "t1" }))
        .await;
    stream.until("agent_start").await;
    let cancel = || server.post("/api/agent/cancel", json!({ "threadId": "t1" }));
    let expected = json!({ "status": "cancelled", "threadId": "t1", "runId": "r1" });
    assert_eq!(told(cancel().await).await, (200, expected.clone()));
    assert_eq!(last(&stream.whole().await)["type"], "workflow_cancelled");
    assert_eq!(told(cancel().await).await, (200, expected));
    server.texts.add_permits(1);
    server
        .say(json!({ "message": "写春游", "threadId": "t1" }))
        .await
        .whole()
        .await;
    assert_eq!(
        refused(cancel().await).await,
        (409, "nothing_to_do".to_owned())
    );
    assert_eq!(
        refused(server.post("/api/agent/cancel", json!({})).await)
            .await
            .0,
        400
    );
    let unknown = server
        .post("/api/agent/cancel", json!({ "threadId": "t9" }))
        .await;
    assert_eq!(refused(unknown).await, (404, "no_session".to_owned()));
}
