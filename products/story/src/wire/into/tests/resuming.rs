//! Reconnecting to a session, and repeating a message.

use super::world::prose;
use super::*;

const IDEAS: &str = "头脑风暴扩写：灯塔的故事";

#[tokio::test]
async fn a_client_that_comes_back_after_any_frame_has_the_same_in_the_end() {
    let server = Server::start().await;
    let body = json!({ "message": "续写这场打斗", "projectId": PROJECT, "sessionId": "s1" });
    let live = server.say(body).await.whole().await;
    assert_eq!(text(&live, 1), prose());
    let whole = Sse::of(server.get("/api/v2/agent/chat/s1").await)
        .whole()
        .await;
    assert_eq!(of(&whole, "content").len(), 1);
    // Pieces differ from time to time; all other frames are the same byte for byte.
    let folded = |frames: &[Heard]| -> Vec<Heard> {
        let mut frames = frames.to_vec();
        frames.retain(|frame| frame.data["type"] != "content");
        frames
    };
    assert_eq!(folded(&live), folded(&whole));
    for (place, frame) in whole.iter().enumerate() {
        let answer = server.after(&frame.id).await;
        if place + 1 == whole.len() {
            assert_eq!(answer.status().as_u16(), 204);
        } else {
            assert_eq!(Sse::of(answer).whole().await, whole[place + 1..]);
        }
    }
    // A place within the sent text gets the rest of the text.
    for (place, frame) in live.iter().enumerate() {
        let answer = server.after(&frame.id).await;
        if place + 1 < live.len() {
            let mut all = live[..=place].to_vec();
            all.extend(Sse::of(answer).whole().await);
            assert_eq!((text(&all, 1), folded(&all)), (prose(), folded(&live)));
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_within_a_text_goes_on_there() {
    let server = Server::with(&[], 0).await;
    let mut first = server
        .say(json!({ "message": "你好", "sessionId": "s1" }))
        .await;
    let mut frames = first.until("content").await;
    drop(first);
    let id = frames.last().expect("frames").id.clone();
    let second = Sse::of(server.after(&id).await);
    server.texts.add_permits(1);
    frames.extend(second.whole().await);
    let sum: String = of(&frames, "content")
        .iter()
        .filter_map(|piece| piece["content"].as_str())
        .collect();
    assert_eq!(sum, prose());
}

#[tokio::test]
async fn an_answered_pause_does_not_end_a_replay_and_an_open_one_does() {
    let server = Server::start().await;
    let first = server.hear(IDEAS).await;
    let paused = first.last().expect("frames").id.clone();
    assert_eq!(server.after(&paused).await.status().as_u16(), 204);
    let replayed = Sse::of(server.get("/api/v2/agent/chat/s1").await)
        .whole()
        .await;
    assert_eq!(replayed, first);
    server.hear("1").await;
    let rest = Sse::of(server.after(&paused).await).whole().await;
    assert_eq!(stages(&rest)[0], "selection");
    let whole = Sse::of(server.get("/api/v2/agent/chat/s1").await)
        .whole()
        .await;
    assert_eq!(whole[..first.len() - 1], first[..first.len() - 1]);
    assert_eq!(whole[first.len() - 1..], rest);
}

#[tokio::test]
async fn a_place_that_is_over_stays_over_when_more_was_said() {
    let server = Server::start().await;
    let first = server.hear("你好").await;
    server.hear("谢谢").await;
    let end = &first.last().expect("frames").id;
    assert_eq!(server.after(end).await.status().as_u16(), 204);
    let before = &first[first.len() - 2].id;
    let rest = Sse::of(server.after(before).await).whole().await;
    assert_eq!(rest, first[first.len() - 1..]);
}

#[tokio::test]
async fn a_repetition_starts_nothing() {
    let server = Server::start().await;
    let body = json!({ "message": "你好", "sessionId": "s1" });
    let path = "/api/v2/agent/chat";
    let key = [("idempotency-key", "k1")];
    let first = Sse::of(server.ask("POST", path, &key, Some(body.clone())).await);
    let first = first.whole().await;
    let again = Sse::of(server.ask("POST", path, &key, Some(body.clone())).await);
    assert_eq!(again.run, "r1");
    let again = again.whole().await;
    assert_eq!(again.last(), first.last());
    // A browser that reconnects repeats the request.
    let place = [("last-event-id", first[0].id.as_str())];
    let rest = Sse::of(server.ask("POST", path, &place, Some(body.clone())).await);
    assert_eq!(rest.whole().await, again[1..]);
    let end = [("last-event-id", first.last().expect("frames").id.as_str())];
    let over = server.ask("POST", path, &end, Some(body)).await;
    assert_eq!(over.status().as_u16(), 204);
    let other = json!({ "message": "再见", "sessionId": "s1" });
    let other = server.ask("POST", path, &key, Some(other)).await;
    assert_eq!(other.status().as_u16(), 409);
    assert_eq!(server.session("s1").await.runs.len(), 1);
}

#[tokio::test]
async fn a_repeated_choice_gets_the_rest_again() {
    let server = Server::start().await;
    server.hear(IDEAS).await;
    let body = json!({ "message": "2", "sessionId": "s1" });
    let key = [("idempotency-key", "k1")];
    let path = "/api/v2/agent/chat";
    let rest = Sse::of(server.ask("POST", path, &key, Some(body.clone())).await);
    let rest = rest.whole().await;
    let again = Sse::of(server.ask("POST", path, &key, Some(body)).await);
    assert_eq!(again.run, "r1");
    let again = again.whole().await;
    assert_eq!((stages(&again), last(&again)), (stages(&rest), last(&rest)));
    assert_eq!(server.session("s1").await.runs.len(), 1);
}
