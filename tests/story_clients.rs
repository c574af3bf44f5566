//! The story protocol as its clients see it: every intent once, a chain whose server is killed while it waits and while it works, and
//! `curl -N`.

use domain::story::routing::Intent;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::api::{Answer, Api};
use crate::support::rig::Rig;
use crate::support::{ended_well, root, skipped, within};

const CHAT: &str = "/api/v2/agent/chat";

/// What the writer's requests begin with.
const WRITER: &str = "You are the writer of a novel";

/// What the writer answers.
const PROSE: &str = "灯亮了。海上没有船，也没有声音，只有塔下的水一遍一遍地回来。";

fn script(rules: Value) -> Value {
    let mut all = rules.as_array().cloned().unwrap_or_default();
    all.push(json!({ "when": { "system_contains": WRITER }, "answer": PROSE, "chunk_chars": 4 }));
    let option = |title: &str| json!({ "title": title, "summary": "一个方向" });
    json!({
        "rules": all,
        "by_schema": {
            "ideas": { "options": [option("海上钟声"), option("无人的灯塔"), option("守塔人的信")] },
            "issues": { "issues": [], "summary": "没有问题" },
        },
    })
}

/// The frames of a stream, with their ids.
fn frames(answer: Answer) -> Vec<(String, Value)> {
    let body = answer.succeeded();
    let body = body.as_str().expect("a stream");
    let field = |block: &str, name: &str| {
        let mut lines = block.lines();
        lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
    };
    let read = |block: &str| {
        let data = field(block, "data: ")?;
        let data: Value = serde_json::from_str(&data).expect("JSON");
        assert_eq!(
            data["type"].as_str().map(str::to_owned),
            field(block, "event: ")
        );
        Some((field(block, "id: ").expect("an id"), data))
    };
    body.split("\n\n").filter_map(read).collect()
}

async fn say(api: &Api, message: &str, more: Value) -> Vec<(String, Value)> {
    let mut body = json!({ "message": message, "sessionId": "s1" });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    frames(api.post(CHAT, &body).await)
}

async fn after(api: &Api, id: Option<&str>) -> Answer {
    let headers: Vec<(&str, &str)> = id.iter().map(|id| ("last-event-id", *id)).collect();
    let path = format!("{CHAT}/s1");
    api.send(Method::GET, &path, &headers, None).await
}

fn of<'a>(frames: &'a [(String, Value)], kind: &str) -> Vec<&'a Value> {
    let data = frames.iter().map(|(_, data)| data);
    data.filter(|data| data["type"] == kind).collect()
}

fn status(frames: &[(String, Value)]) -> &str {
    let (_, done) = frames.last().expect("frames");
    assert_eq!(done["type"], "done");
    done["status"].as_str().expect("a status")
}

/// The text of an agent as a client puts it together.
fn text(frames: &[(String, Value)], step: u32) -> String {
    let mut text: Vec<char> = vec![];
    for piece in of(frames, "content") {
        if piece["step"] == step {
            let offset = piece["offset"].as_u64().expect("a number");
            text.truncate(usize::try_from(offset).expect("small"));
            text.extend(piece["content"].as_str().expect("a text").chars());
        }
    }
    text.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_intent_is_worked_on_by_its_agents() {
    let rig = Rig::playing(&script(json!([])), &[]).await;
    for intent in Intent::ALL {
        let more = json!({ "intentHint": intent, "sessionId": intent.as_str() });
        let told = say(&rig.api, "写灯塔的故事", more).await;
        let expected = if intent.workflow().pauses() {
            "paused"
        } else {
            "completed"
        };
        assert_eq!(status(&told), expected, "{intent:?}");
        assert_eq!(told[0].1["intent"], json!(intent));
        let agents: Vec<&Value> = of(&told, "thought")
            .into_iter()
            .filter(|thought| thought["stage"] == "agent_started")
            .map(|thought| &thought["agent"])
            .collect();
        let known = if intent.workflow().pauses() {
            1
        } else {
            intent.agents().len()
        };
        assert_eq!(json!(agents), json!(intent.agents()[..known]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_waits_survives_a_kill_and_what_is_said_meanwhile() {
    let mut rig = Rig::playing(&script(json!([])), &[]).await;
    let hint = json!({ "intentHint": "BRAINSTORM_AND_EXPAND" });
    let first = say(&rig.api, "灯塔的故事", hint).await;
    assert_eq!(status(&first), "paused");
    let pause = of(&first, "user_input_required")[0]["pause"].clone();
    let paused = first.last().expect("frames").0.clone();
    let aside = say(&rig.api, "你好", json!({})).await;
    assert_eq!(
        (status(&aside), &aside[0].1["runId"]),
        ("completed", &json!("r1~2"))
    );
    rig.again().await;
    // What was told is told again, byte for byte, and no more than that.
    assert_eq!(after(&rig.api, Some(&paused)).await.status.as_u16(), 204);
    let again = frames(after(&rig.api, Some(&aside[0].0)).await);
    assert_eq!(again.last(), aside.last());
    let chosen = json!({ "metadata": { "chainContext": { "pause": pause, "selection": "2" } } });
    let rest = say(&rig.api, "就这个", chosen.clone()).await;
    assert_eq!(
        (status(&rest), text(&rest, 2)),
        ("completed", PROSE.to_owned())
    );
    let outputs = &of(&rest, "chain_summary")[0]["outputs"];
    assert_eq!(outputs.as_array().map(Vec::len), Some(2));
    // The writer was told what was chosen.
    let journal = rig.model.journal().await;
    let asked = journal.requests().iter().map(Value::to_string);
    assert!(
        asked
            .filter(|request| request.contains(WRITER))
            .all(|request| request.contains("无人的灯塔"))
    );
    let body = json!({ "message": "就这个", "sessionId": "s1", "metadata": chosen["metadata"] });
    rig.api.post(CHAT, &body).await.refused(409, "pause_over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_a_kill_cut_off_comes_once_and_whole() {
    let held = json!([{ "when": { "system_contains": WRITER }, "answer": PROSE, "chunk_chars": 4, "hold_after_chunks": 2, "times": 1 }]);
    let mut rig = Rig::playing(&script(held), &[]).await;
    let body = json!({ "message": "写灯塔", "sessionId": "s1", "intentHint": "WRITE_CONTENT" });
    let (api, sent) = (rig.api.clone(), body.to_string());
    let cut = tokio::spawn(async move {
        let headers = [
            ("content-type", "application/json"),
            ("idempotency-key", "k1"),
        ];
        api.try_send(Method::POST, CHAT, &headers, Some(sent.into()))
            .await
    });
    rig.until_held(1).await;
    rig.again().await;
    assert!(
        cut.await.expect("it ends").is_err(),
        "the stream was broken off"
    );
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "k1"),
    ];
    let again = rig
        .api
        .send(Method::POST, CHAT, &headers, Some(body.to_string().into()));
    let again = frames(again.await);
    assert_eq!(
        (status(&again), text(&again, 1)),
        ("completed", PROSE.to_owned())
    );
    let whole = frames(after(&rig.api, None).await);
    assert_eq!(of(&whole, "content").len(), 1);
    for (place, (id, _)) in whole.iter().enumerate() {
        let missed = after(&rig.api, Some(id)).await;
        if place + 1 == whole.len() {
            assert_eq!(missed.status.as_u16(), 204);
        } else {
            assert_eq!(frames(missed), whole[place + 1..]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_the_provider_cut_off_is_not_said_twice() {
    let cut = json!([{ "when": { "system_contains": WRITER }, "answer": PROSE, "chunk_chars": 4, "cut_after_chunks": 3, "times": 1 }]);
    let rig = Rig::playing(&script(cut), &[]).await;
    let told = say(&rig.api, "写灯塔", json!({ "intentHint": "WRITE_CONTENT" })).await;
    assert_eq!(
        (status(&told), text(&told, 1)),
        ("completed", PROSE.to_owned())
    );
    let said: String = of(&told, "content")
        .iter()
        .filter_map(|piece| piece["content"].as_str())
        .collect();
    assert_eq!(said, PROSE);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_the_same_time_share_nothing() {
    let rig = Rig::playing(&json!({}), &[]).await;
    let asked = (0..8).map(|number| {
        let body = json!({ "message": format!("问候<{number}>"), "sessionId": format!("s{number}"), "intentHint": "GENERAL_CHAT" });
        let api = rig.api.clone();
        async move { frames(api.post(CHAT, &body).await) }
    });
    // A model that sends back what it is asked shows who was asked what.
    for (number, told) in futures::future::join_all(asked).await.iter().enumerate() {
        let said = text(told, 1);
        for other in 0..8 {
            assert_eq!(
                said.contains(&format!("<{other}>")),
                other == number,
                "{said}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_gets_a_stream_with_its_end_and_makes_its_choice() {
    let look = Command::new("curl").arg("--version").output().await;
    if !look.is_ok_and(|output| output.status.success()) {
        skipped("curl is not installed");
        return;
    }
    let rig = Rig::playing(&script(json!([])), &[]).await;
    let mut client = Command::new("bash");
    client
        .current_dir(root().join("tests/clients"))
        .arg("story.sh")
        .arg(rig.server.address())
        .kill_on_drop(true);
    let output = within("the client's end", client.output()).await;
    ended_well(&output.expect("it starts"), &rig.server.said());
}
