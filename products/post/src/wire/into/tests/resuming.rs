//! Coming back to a thread.

use super::*;

#[tokio::test]
async fn whoever_comes_back_after_any_frame_has_the_same_in_the_end() {
    let server = Server::start().await;
    let thread = json!({ "message": "写春游", "threadId": "t1", "enableHITL": true });
    let mut all = server.say(thread).await.whole().await;
    assert_eq!(last(&all)["type"], "workflow_paused");
    let rest = server
        .confirm(json!({ "threadId": "t1", "action": "approve" }))
        .await
        .whole()
        .await;
    assert_eq!(
        (&rest[0].1["type"], &rest[0].1["agent"]),
        (&json!("agent_start"), &json!(SUPERVISOR.name))
    );
    all.extend(logged(&rest));
    let from_start = Sse::of(server.get("/api/agent/stream/t1").await)
        .whole()
        .await;
    assert_eq!(from_start, all, "an answered pause does not end a replay");
    for (place, (cursor, _)) in all.iter().enumerate() {
        if place + 1 < all.len() {
            assert_eq!(
                server.after("t1", cursor).await.whole().await,
                all[place + 1..]
            );
        }
        let path = format!("/api/agent/stream/t1?after={cursor}");
        assert_eq!(
            Sse::of(server.get(&path).await).whole().await,
            all[place + 1..]
        );
    }
    let (head, _) = all.last().expect("frames");
    let answer = server
        .ask(
            "GET",
            "/api/agent/stream/t1",
            &[("last-event-id", head)],
            None,
        )
        .await;
    assert_eq!(answer.status().as_u16(), 204);
}

#[tokio::test]
async fn a_stream_that_is_cut_in_the_middle_goes_on_where_it_was() {
    let server = Server::with(&[], 0).await;
    let mut first = server
        .say(json!({ "message": "写春游", "threadId": "t1" }))
        .await;
    let mut seen = first.until("agent_end").await;
    drop(first);
    let (cursor, _) = seen.last().expect("frames").clone();
    let second = server.after("t1", &cursor).await;
    server.texts.add_permits(1);
    seen.extend(second.whole().await);
    assert_eq!(
        Sse::of(server.get("/api/agent/stream/t1").await)
            .whole()
            .await,
        seen
    );
}

#[tokio::test]
async fn a_thread_that_waits_is_done_for_now_and_never_204() {
    let server = Server::start().await;
    let thread = json!({ "message": "写春游", "threadId": "t1", "enableHITL": true });
    let paused = server.say(thread).await.whole().await;
    let (head, _) = paused.last().expect("frames");
    assert_eq!(server.after("t1", head).await.whole().await, []);
    let cancelled = server
        .post("/api/agent/cancel", json!({ "threadId": "t1" }))
        .await;
    assert_eq!(cancelled.status().as_u16(), 200);
    let rest = server.after("t1", head).await.whole().await;
    assert_eq!(names(&rest), ["workflow_cancelled"]);
}

#[tokio::test]
async fn a_cursor_of_no_use_gets_everything() {
    let server = Server::start().await;
    let all = server
        .say(json!({ "message": "写春游", "threadId": "t1" }))
        .await
        .whole()
        .await;
    for cursor in ["v9.1.0", "v1.999.0"] {
        assert_eq!(
            server.after("t1", cursor).await.whole().await,
            all,
            "{cursor}"
        );
    }
    let path = "/api/agent/stream/t1?after=start";
    assert_eq!(Sse::of(server.get(path).await).whole().await, all);
    assert_eq!(
        refused(server.get("/api/agent/stream/t1?after=17").await).await,
        (400, "bad_cursor".to_owned())
    );
    assert_eq!(
        refused(server.get("/api/agent/stream/t9").await).await,
        (404, "no_session".to_owned())
    );
}

#[tokio::test]
async fn a_thread_that_is_erased_says_so_to_whoever_listens() {
    let server = Server::with(&[], 0).await;
    let mut stream = server
        .say(json!({ "message": "写春游", "threadId": "t1" }))
        .await;
    stream.until("agent_end").await;
    let deleted = server.ask("DELETE", "/v1/sessions/t1", &[], None).await;
    assert_eq!(deleted.status().as_u16(), 200);
    let rest = stream.whole().await;
    assert_eq!(last(&rest)["type"], "workflow_cancelled");
    assert_eq!(
        refused(server.get("/api/agent/stream/t1").await).await,
        (410, "erased".to_owned())
    );
}
