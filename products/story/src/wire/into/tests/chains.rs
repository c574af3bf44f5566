//! Chains that wait for a choice, and messages in the meantime.

use super::world::prose;
use super::*;

const IDEAS: &str = "头脑风暴扩写：灯塔的故事";

/// The pause that a stream ends with.
fn pause(frames: &[Heard]) -> String {
    assert_eq!(last(frames)["status"], "paused");
    let asked = of(frames, "user_input_required")[0];
    assert_eq!(asked["options"].as_array().map(Vec::len), Some(3));
    asked["pause"].as_str().expect("an id").to_owned()
}

fn choice(pause: &str, selection: &str) -> Value {
    json!({ "message": "就这样", "sessionId": "s1", "metadata": { "chainContext": { "pause": pause, "selection": selection } } })
}

#[tokio::test]
async fn a_choice_goes_on_with_what_was_before() {
    let server = Server::start().await;
    for (session, selection) in [("a", "2"), ("b", "无人的灯塔"), ("c", "我选第二个")] {
        let body = json!({ "message": IDEAS, "sessionId": session });
        let first = server.say(body).await.whole().await;
        pause(&first);
        let rest = server
            .say(json!({ "message": selection, "sessionId": session }))
            .await;
        assert_eq!(rest.run, "r1");
        let rest = rest.whole().await;
        assert_eq!(stages(&rest)[0], "selection");
        assert_eq!(of(&rest, "thought")[0]["selection"], "2", "{selection}");
        let summary = of(&rest, "chain_summary")[0];
        assert_eq!(summary["outputs"][1]["content"], prose());
        assert!(
            summary["outputs"][0]["content"]
                .as_str()
                .is_some_and(|text| text.contains("无人的灯塔"))
        );
        assert_eq!(last(&rest)["status"], "completed");
    }
}

#[tokio::test]
async fn a_choice_is_named_by_its_pause_also_in_words_of_ones_own() {
    let server = Server::start().await;
    let pause = pause(&server.hear(IDEAS).await);
    let rest = server.say(choice(&pause, "让灯塔说话")).await.whole().await;
    assert_eq!(of(&rest, "thought")[0]["selection"], "让灯塔说话");
    let over = server.post("/api/v2/agent/chat", choice(&pause, "1")).await;
    assert_eq!(refused(over).await, (409, "pause_over".to_owned()));
}

#[tokio::test]
async fn what_is_said_meanwhile_has_a_run_of_its_own_and_the_pause_stays() {
    let server = Server::start().await;
    assert_eq!(last(&server.hear("你好").await)["status"], "completed");
    let pause = pause(&server.hear(IDEAS).await);
    let stream = server
        .say(json!({ "message": "写第二章", "sessionId": "s1", "intentHint": "GENERAL_CHAT" }))
        .await;
    assert_eq!(
        (stream.session.as_str(), stream.run.as_str()),
        ("s1", "r2~2")
    );
    let aside = stream.whole().await;
    assert_eq!(last(&aside)["status"], "completed");
    assert!(aside.iter().all(|frame| frame.data["runId"] == "r2~2"));
    // What was said before the pause is part of the new lane, and the next message continues there.
    let lane = server.session("s1~2").await;
    let said: Vec<&str> = lane
        .messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(said, ["你好", "写第二章"]);
    let next = server
        .say(json!({ "message": "谢谢", "sessionId": "s1" }))
        .await;
    assert_eq!(next.run, "r3~2");
    next.whole().await;
    let rest = server.say(choice(&pause, "1")).await;
    assert_eq!(rest.run, "r2");
    let rest = rest.whole().await;
    assert_eq!(last(&rest)["status"], "completed");
    // The next message continues in the lane with the latest work, and a client that reconnects finds it.
    let latest = Sse::of(server.get("/api/v2/agent/chat/s1").await);
    assert_eq!(latest.run, "r2");
    assert_eq!(latest.whole().await.last(), rest.last());
    let next = server
        .say(json!({ "message": "你好", "sessionId": "s1" }))
        .await;
    assert_eq!(next.run, "r3");
    next.whole().await;
}

#[tokio::test]
async fn a_chain_goes_on_after_a_restart() {
    let first = Server::start().await;
    let pause = pause(&first.hear(IDEAS).await);
    first.hear("你好").await;
    let log = Arc::clone(&first.log);
    first.app.engine.stop().await;
    drop(first);
    let second = Server::over(log, &[], PLENTY).await;
    // The second server finds the lanes, and the whole first run.
    let said = second
        .say(json!({ "message": "谢谢", "sessionId": "s1" }))
        .await;
    assert_eq!(said.run, "r2~2");
    said.whole().await;
    let rest = second.say(choice(&pause, "3")).await;
    assert_eq!(rest.run, "r1");
    let rest = rest.whole().await;
    assert_eq!(of(&rest, "chain_summary")[0]["successCount"], 2);
}

#[tokio::test]
async fn a_message_during_a_working_run_cancels_it() {
    let server = Server::with(&[], 0).await;
    let mut first = server
        .say(json!({ "message": "你好", "sessionId": "s1" }))
        .await;
    first.until("content").await;
    let second = server
        .say(json!({ "message": "谢谢", "sessionId": "s1" }))
        .await;
    assert_eq!(second.run, "r2");
    let cut = first.whole().await;
    assert_eq!(last(&cut)["status"], "cancelled");
    server.texts.add_permits(1);
    let frames = second.whole().await;
    assert_eq!(last(&frames)["status"], "completed");
    assert!(frames.iter().all(|frame| frame.data["runId"] == "r2"));
}

#[tokio::test]
async fn an_answer_cancels_what_works_beside_its_chain() {
    let server = Server::with(&[], 0).await;
    pause(&server.hear(IDEAS).await);
    let mut aside = server
        .say(json!({ "message": "你好", "sessionId": "s1" }))
        .await;
    aside.until("content").await;
    let rest = server
        .say(json!({ "message": "2", "sessionId": "s1" }))
        .await;
    assert_eq!(last(&aside.whole().await)["status"], "cancelled");
    server.texts.add_permits(1);
    assert_eq!(last(&rest.whole().await)["status"], "completed");
}

#[tokio::test]
async fn closing_a_connection_cancels_nothing() {
    let server = Server::with(&[], 0).await;
    let mut stream = server
        .say(json!({ "message": "你好", "sessionId": "s1" }))
        .await;
    stream.until("content").await;
    drop(stream);
    server.texts.add_permits(1);
    let frames = Sse::of(server.get("/api/v2/agent/chat/s1").await)
        .whole()
        .await;
    assert_eq!(
        (&last(&frames)["status"], text(&frames, 1)),
        (&json!("completed"), prose())
    );
}

#[tokio::test]
async fn what_works_or_waits_can_be_cancelled() {
    let server = Server::with(&[], 0).await;
    let cancel = || server.post("/api/v2/agent/cancel", json!({ "sessionId": "s1" }));
    assert_eq!(
        refused(cancel().await).await,
        (404, "no_session".to_owned())
    );
    pause(&server.hear(IDEAS).await);
    let mut aside = server
        .say(json!({ "message": "你好", "sessionId": "s1" }))
        .await;
    aside.until("content").await;
    let (status, answer) = told(cancel().await).await;
    assert_eq!((status, &answer["runId"]), (200, &json!("r1~2")));
    assert_eq!(last(&aside.whole().await)["status"], "cancelled");
    let (status, answer) = told(cancel().await).await;
    assert_eq!((status, &answer["runId"]), (200, &json!("r1")));
    assert_eq!(
        refused(cancel().await).await,
        (409, "nothing_to_do".to_owned())
    );
}
